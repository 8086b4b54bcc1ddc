//! The lines in which two texts differ, as a unified diff without line numbers.

/// Equal lines shown before and behind a difference.
const CONTEXT: usize = 2;
/// The most pairs of lines that are compared; longer texts are shown as all of one and all of the other.
const PAIRS_MAX: usize = 1 << 24;

#[derive(Clone, Copy, PartialEq)]
enum Side {
    Both,
    Old,
    New,
}

/// The first lines of the difference between two texts.
pub(super) fn excerpt(old: &str, new: &str, lines_max: usize) -> String {
    let lines = compare(&old.lines().collect::<Vec<_>>(), &new.lines().collect::<Vec<_>>());
    let near = |at: usize| {
        let around = at.saturating_sub(CONTEXT)..lines.len().min(at + CONTEXT + 1);
        lines[around].iter().any(|(side, _)| *side != Side::Both)
    };
    let mut shown = Vec::new();
    let mut last = None;
    for (at, (side, line)) in lines.iter().enumerate().filter(|(at, _)| near(*at)) {
        if last.is_some_and(|last| last + 1 < at) {
            shown.push("@@".to_string());
        }
        last = Some(at);
        let mark = match side {
            Side::Both => ' ',
            Side::Old => '-',
            Side::New => '+',
        };
        shown.push(format!("{mark}{line}"));
    }
    let left_out = shown.len().saturating_sub(lines_max);
    shown.truncate(lines_max);
    if left_out > 0 {
        shown.push(format!("… and {left_out} lines more"));
    }
    shown.join("\n")
}

/// All lines of both texts: those of a longest common subsequence once.
fn compare<'a>(old: &[&'a str], new: &[&'a str]) -> Vec<(Side, &'a str)> {
    let head = old.iter().zip(new).take_while(|(a, b)| a == b).count();
    let tail = old[head..].iter().rev().zip(new[head..].iter().rev()).take_while(|(a, b)| a == b).count();
    let (a, b) = (&old[head..old.len() - tail], &new[head..new.len() - tail]);
    let mut lines: Vec<(Side, &str)> = old[..head].iter().map(|line| (Side::Both, *line)).collect();
    // Entry (i, j): how many lines a[i..] and b[j..] have in common.
    let width = b.len() + 1;
    let fits = (a.len() + 1) * width <= PAIRS_MAX;
    let mut common = vec![0u32; if fits { (a.len() + 1) * width } else { 0 }];
    for i in (0..a.len()).rev().filter(|_| fits) {
        for j in (0..b.len()).rev() {
            let (below, right) = (common[(i + 1) * width + j], common[i * width + j + 1]);
            common[i * width + j] = if a[i] == b[j] { common[(i + 1) * width + j + 1] + 1 } else { below.max(right) };
        }
    }
    let (mut i, mut j) = (0, 0);
    while i < a.len() || j < b.len() {
        if fits && i < a.len() && j < b.len() && a[i] == b[j] {
            lines.push((Side::Both, a[i]));
            (i, j) = (i + 1, j + 1);
        } else if i < a.len() && (!fits || j == b.len() || common[(i + 1) * width + j] >= common[i * width + j + 1]) {
            lines.push((Side::Old, a[i]));
            i += 1;
        } else {
            lines.push((Side::New, b[j]));
            j += 1;
        }
    }
    lines.extend(old[old.len() - tail..].iter().map(|line| (Side::Both, *line)));
    lines
}

#[test]
fn a_diff_shows_changed_lines_with_their_neighbours() {
    let check = |old: &str, new: &str, lines_max: usize, expected: &str| {
        assert_eq!(excerpt(old, new, lines_max), expected, "{old:?} {new:?}");
    };
    check("a\nb", "a\nb", 9, "");
    check("", "a", 9, "+a");
    check("a\nb\nc\nd\ne", "a\nb\nc\nx\ne", 9, " b\n c\n-d\n+x\n e");
    check("1\na\nb\nc\nd\ne\nf\n2", "a\nb\nc\nd\ne\nf\n2\n3", 9, "-1\n a\n b\n@@\n f\n 2\n+3");
    check("a\nb\nc", "x\ny", 2, "-a\n-b\n… and 3 lines more");
}
