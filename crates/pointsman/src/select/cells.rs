//! [`Cells`]: something for each place that was measured, in the order of the places. A short list, searched by halving: a
//! kernel has a dozen sizes, not thousands, and what lies together is in the cache together.

use super::features::Class;

/// Where a sample was taken: how the input lay, and the half-octave of its rows.
pub(crate) type At = (Class, u8);

/// Something for each of some places.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Cells<T>(Vec<(At, T)>);

impl<T> Default for Cells<T> {
    fn default() -> Cells<T> {
        Cells(Vec::new())
    }
}

impl<T> FromIterator<(At, T)> for Cells<T> {
    /// Of places in order.
    fn from_iter<I: IntoIterator<Item = (At, T)>>(places: I) -> Cells<T> {
        Cells(places.into_iter().collect())
    }
}

impl<T> Cells<T> {
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn get(&self, at: At) -> Option<&T> {
        self.find(at).ok().map(|place| &self.0[place].1)
    }

    pub(crate) fn get_mut(&mut self, at: At) -> Option<&mut T> {
        self.find(at).ok().map(|place| &mut self.0[place].1)
    }

    pub(crate) fn iter(&self) -> impl ExactSizeIterator<Item = (At, &T)> + Clone {
        self.0.iter().map(|(at, own)| (*at, own))
    }

    pub(crate) fn iter_mut(&mut self) -> impl ExactSizeIterator<Item = (At, &mut T)> {
        self.0.iter_mut().map(|(at, own)| (*at, own))
    }

    /// The one of a place, made if there is none.
    pub(crate) fn at_or_new(&mut self, at: At) -> &mut T
    where
        T: Default,
    {
        let place = self.find(at).unwrap_or_else(|place| {
            self.0.insert(place, (at, T::default()));
            place
        });
        &mut self.0[place].1
    }

    fn find(&self, at: At) -> Result<usize, usize> {
        self.0.binary_search_by_key(&at, |(own, _)| *own)
    }

    /// What those beside a place say about it that say anything: by a straight line between two, or as the nearest does; and
    /// how many half-octaves the nearest is away. The place itself is not asked.
    pub(crate) fn beside(&self, at: At, value: impl Fn(&T) -> Option<f64>) -> Option<Beside> {
        let (before, behind) = match self.find(at) {
            Ok(place) => (&self.0[..place], &self.0[place + 1..]),
            Err(place) => self.0.split_at(place),
        };
        let steps = |own: At| f64::from(own.1.abs_diff(at.1));
        let said = |&(own, ref one): &(At, T)| Some((value(one)?, steps(own)));
        let left = before.iter().rev().take_while(|(own, _)| own.0 == at.0).find_map(said);
        let right = behind.iter().take_while(|(own, _)| own.0 == at.0).find_map(said);
        match (left, right) {
            (None, None) => None,
            (Some((value, steps)), None) | (None, Some((value, steps))) => {
                Some(Beside { value, steps, between: false })
            }
            (Some((one, a)), Some((other, b))) => {
                Some(Beside { value: (one * b + other * a) / (a + b), steps: a.min(b), between: true })
            }
        }
    }
}

/// What places beside another say about it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Beside {
    pub(crate) value: f64,
    /// Half-octaves to the nearest of them.
    pub(crate) steps: f64,
    /// Whether there is one on each side.
    pub(crate) between: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn between_two_a_straight_line_counts_and_elsewhere_the_nearest() {
        let mut cells: Cells<f64> = Cells::default();
        for (class, bucket, value) in
            [(Class::Pageable, 10, 1.0), (Class::Locked, 4, 9.0), (Class::Pageable, 4, 4.0), (Class::There, 5, 7.0)]
        {
            *cells.at_or_new((class, bucket)) = value;
        }
        let order: Vec<u8> = cells.iter().map(|((_, bucket), _)| bucket).collect();
        assert_eq!(order, [5, 4, 10, 4]);
        let check = |bucket: u8, value: f64, steps: f64, between: bool| {
            let found = cells.beside((Class::Pageable, bucket), |value| Some(*value));
            assert_eq!(found, Some(Beside { value, steps, between }), "{bucket}");
        };
        check(6, 3.0, 2.0, true);
        check(2, 4.0, 2.0, false);
        check(4, 1.0, 6.0, false);
        check(90, 1.0, 80.0, false);
        assert_eq!(cells.beside((Class::Partly, 6), |value| Some(*value)), None);
        assert_eq!(cells.beside((Class::There, 5), |value| Some(*value)), None, "it is not asked itself");
        let odd = cells.beside((Class::Pageable, 6), |value| Some(*value).filter(|value| *value > 2.0));
        assert_eq!(odd, Some(Beside { value: 4.0, steps: 2.0, between: false }));
    }
}
