//! Loops that pick rows: look-ups into a captured table, and the selected rows of a block.

use super::{Args, StepFn, by_width, view, view_mut};

/// Elements of the table `b` at the positions in `a` (`u32` or `u64`); a position outside gives zero and a flag.
pub(in crate::cpu) fn lookup(width: usize, index_width: usize) -> StepFn {
    if index_width == 4 {
        by_width!(width, T => |x: Args<'_>| pick::<u32, T>(x, |index| index as usize))
    } else {
        by_width!(width, T => |x: Args<'_>| pick::<u64, T>(x, |index| usize::try_from(index).unwrap_or(usize::MAX)))
    }
}

#[inline(always)]
fn pick<I: bytemuck::Pod, T: bytemuck::Pod>(x: Args<'_>, position: impl Fn(I) -> usize) {
    let (index, dst) = (view::<I>(x.a, x.n), view_mut::<T>(x.dst, x.n));
    let table: &[T] = view(x.b, x.b.len() / size_of::<T>());
    for ((dst, flag), &index) in dst.iter_mut().zip(&mut x.flag[..x.n]).zip(index) {
        let found = table.get(position(index));
        *dst = found.copied().unwrap_or(T::zeroed());
        *flag = found.is_none().into();
    }
}

/// Writes the positions of the bytes that are 1; how many there are.
pub(in crate::cpu) fn positions(selected: &[u8], dst: &mut [u16]) -> usize {
    let mut count = 0;
    for (row, &one) in selected.iter().enumerate() {
        dst[count] = row as u16;
        count += usize::from(one);
    }
    count
}

/// Copies the elements at these positions to contiguous memory; `dst` is aligned like `src`.
pub(in crate::cpu) fn compact(width: usize, src: &[u8], positions: &[u16], dst: &mut [u8]) {
    by_width!(width, T => {
        let src: &[T] = view(src, src.len() / size_of::<T>());
        for (dst, &row) in view_mut::<T>(dst, positions.len()).iter_mut().zip(positions) {
            *dst = src[row as usize];
        }
    });
}
