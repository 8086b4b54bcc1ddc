//! Learning from calls: in go observations, out come lessons, the ledger's sums, and choices published anew.

use super::decide::Cause;
use super::known::{Known, Mind};
use super::learn::{Change, Sample};
use super::outlook::View;
use super::table::ArmSet;
use super::{Inner, Observation, Shared, TOOK_MAX, TOOK_MIN, lie_of};
use std::sync::Arc;
use std::sync::atomic::Ordering;

impl Inner {
    /// Learns from these calls, and publishes what follows.
    pub(super) fn learn(&self, observations: Vec<Observation>) {
        let mut touched: Vec<(Arc<Known>, Cause)> = Vec::new();
        let mut all = false;
        for observation in observations {
            let change = self.learn_one(&observation);
            all |= matches!(change, Some(Change::Arm(_)));
            let cause = change.map(|change| if change == Change::None { Cause::Neighbour } else { Cause::Drift });
            touched.extend(cause.map(|cause| (observation.known, cause)));
        }
        if all {
            self.all_known().iter().for_each(|known| self.publish_all(known, Cause::Drift));
            return;
        }
        touched.sort_by_key(|(known, cause)| (Arc::as_ptr(known), *cause != Cause::Drift));
        touched.dedup_by(|(a, _), (b, _)| Arc::ptr_eq(a, b));
        touched.iter().for_each(|(known, cause)| self.publish_all(known, *cause));
    }

    /// Takes in one call, and publishes the choice at its place; what it changes, if more than that.
    fn learn_one(&self, observation: &Observation) -> Option<Change> {
        let Observation { known, arm, .. } = observation;
        let (mut mind, mut shared) = (known.mind(), self.shared());
        let (mind, shared) = (&mut *mind, &mut *shared);
        let sample = self.sample(observation, mind, shared)?;
        let change = mind.lessons[*arm].take(&mut shared.arms[*arm], sample);
        if mind.lessons[*arm].is_outdated() {
            mind.unfit();
        }
        if let Change::Arm(by) = change {
            shared.profiles[*arm].slow_down(by);
            shared.version += 1;
        }
        self.watch(*arm, shared.arms[*arm].is_watched());
        let has_drifted = change != Change::None;
        shared.ledger.drifts += u64::from(has_drifted);
        let is_refitted = known.refit(mind, shared);
        self.publish_learned(observation, mind, shared, if has_drifted { Cause::Drift } else { Cause::Call });
        (has_drifted || is_refitted).then_some(change)
    }

    /// Has every call of a device told, or few.
    fn watch(&self, arm: usize, is_watched: bool) {
        let before = ArmSet(self.watched.load(Ordering::Relaxed));
        if before.has(arm) != is_watched {
            // Who learns holds the lock of what all kernels share, so nobody else writes.
            self.watched.store(before.0 ^ ArmSet::NONE.with(arm).0, Ordering::Relaxed);
        }
    }

    /// What a call says, after it was put into the ledger; `None` if it says nothing of its device alone.
    fn sample(&self, observation: &Observation, mind: &mut Mind, shared: &mut Shared) -> Option<Sample> {
        let Observation { known, size, arm, took, weight, output, explored, contended } = observation;
        let (arm, now, bucket) = (*arm, self.seconds(), size.bucket());
        let Some(took) = *took else {
            shared.ledger.failures += 1;
            return None;
        };
        output.iter().for_each(|bytes| mind.note_output(*size, *bytes));
        known.refit(mind, shared);
        let (view, places) = View::of(known, mind, shared, now);
        let place = places.at_or_new((lie_of(self.ignored, *size), bucket));
        let outlook = place.look(&view, *size).outlook;
        let (own, best) = (outlook.of(&view, *size, arm), view.shared().prices.best(&outlook.judged));
        let x = own.map_or(f64::NAN, |(_, basis)| (took / basis.base.total()).ln());
        let (Some((own, basis)), true) = (own, (TOOK_MIN..TOOK_MAX).contains(&took) && x.is_finite()) else {
            shared.ledger.rejected += 1;
            return None;
        };
        if *contended {
            shared.arms[arm].crowded((took / own.time).ln());
            shared.ledger.contended += 1;
            if *explored {
                shared.ledger.explored_in_company(took, best);
            }
            return None;
        }
        place.calls += 1.0;
        shared.ledger.take(arm, took, best, *explored);
        let (at, expected) = ((size.class(arm), bucket as u8), (basis.correction(&own), own.spread));
        let weight = if *weight > 0.0 { weight.min(1.0) } else { 1.0 };
        let copies = basis.base.transfer / basis.base.total();
        Some(Sample { at, key: known.workload.key, x, expected, weight, copies, now })
    }

    /// Publishes the choice at the place of a call that was learned from.
    fn publish_learned(&self, observation: &Observation, mind: &mut Mind, shared: &Shared, cause: Cause) {
        let Observation { known, size, arm, .. } = observation;
        let (lie, bucket) = (lie_of(self.ignored, *size), size.bucket());
        let (view, places) = View::of(known, mind, shared, self.seconds());
        let looked = places.at_or_new((lie, bucket)).look(&view, *size);
        looked.outlook.correct(&view, *arm);
        known.with_table(lie, |table| {
            table.note_rows(*size);
            table.publish(bucket, self.decide(looked, &view, table.first(bucket), cause));
        });
    }
}
