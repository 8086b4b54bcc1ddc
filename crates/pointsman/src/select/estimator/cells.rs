//! [`Cells`]: something for each place that was measured. A short list in the order of the places, searched by halving: a
//! kernel has a dozen sizes, not thousands, and of a thousand kernels none is in the cache when it is called again.

use super::features::Class;

/// Where a sample was taken: how the input lay, and the half-octave of its rows.
pub(crate) type At = (Class, u8);

/// Something for each of some places, in their order: the places on their own, so that they are searched in one line of the
/// cache.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Sorted<K, T> {
    places: Vec<K>,
    all: Vec<T>,
}

/// Something for each place where samples were taken.
pub(crate) type Cells<T> = Sorted<At, T>;

impl<K, T> Default for Sorted<K, T> {
    fn default() -> Sorted<K, T> {
        Sorted { places: Vec::new(), all: Vec::new() }
    }
}

impl<K: Copy + Ord, T> FromIterator<(K, T)> for Sorted<K, T> {
    /// Of places in order.
    fn from_iter<I: IntoIterator<Item = (K, T)>>(places: I) -> Sorted<K, T> {
        let (places, all) = places.into_iter().unzip();
        Sorted { places, all }
    }
}

impl<K: Copy + Ord, T> Sorted<K, T> {
    pub(crate) fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    pub(crate) fn get(&self, at: K) -> Option<&T> {
        self.places.binary_search(&at).ok().map(|place| &self.all[place])
    }

    pub(crate) fn get_mut(&mut self, at: K) -> Option<&mut T> {
        self.places.binary_search(&at).ok().map(|place| &mut self.all[place])
    }

    pub(crate) fn iter(&self) -> impl ExactSizeIterator<Item = (K, &T)> + Clone {
        self.places.iter().copied().zip(&self.all)
    }

    pub(crate) fn iter_mut(&mut self) -> impl ExactSizeIterator<Item = (K, &mut T)> {
        self.places.iter().copied().zip(&mut self.all)
    }

    /// The one of a place, made if there is none.
    pub(crate) fn at_or_new(&mut self, at: K) -> &mut T
    where
        T: Default,
    {
        let place = self.places.binary_search(&at).unwrap_or_else(|place| {
            self.places.insert(place, at);
            self.all.insert(place, T::default());
            place
        });
        &mut self.all[place]
    }
}

impl<T> Cells<T> {
    /// What those beside a place say about it that say anything: by a straight line between two, or as the nearest does; and
    /// how many half-octaves the nearest is away. The place itself is not asked.
    pub(crate) fn beside(&self, at: At, value: impl Fn(&T) -> Option<f64>) -> Option<Beside> {
        let (before, behind) = match self.places.binary_search(&at) {
            Ok(place) => (place, place + 1),
            Err(place) => (place, place),
        };
        let said = |place: usize| {
            let steps = f64::from(self.places[place].1.abs_diff(at.1));
            value(&self.all[place]).map(|value| (value, steps))
        };
        let is_of_class = |place: &usize| self.places[*place].0 == at.0;
        let left = (0..before).rev().take_while(is_of_class).find_map(said);
        let right = (behind..self.all.len()).take_while(is_of_class).find_map(said);
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
