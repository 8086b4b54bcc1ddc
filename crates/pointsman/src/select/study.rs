//! Learning from calls: in go observations, out come lessons, the ledger's sums, and choices published anew.

use super::decide::{self, Cause, Judged};
use super::features::Size;
use super::known::{Known, Lie, Mind, output_per_row};
use super::learn::{At, Change, Sample};
use super::{Inner, Observation, Shared, TOOK_MAX, TOOK_MIN, lie_of};
use std::sync::Arc;

/// What every device should take at a place, to be used again as long as nothing changes but a settled cell there.
#[derive(Clone, Debug)]
pub(super) struct Held {
    judged: Vec<Judged>,
    size: Size,
    /// The versions of what was known of the kernel, and of all devices.
    versions: (u64, u64),
    /// When it was found out, in seconds, and how often it may still be used.
    when: f64,
    uses_left: u32,
}

/// What is held at a place is used so often, and for so many seconds.
const HELD_USES: u32 = 32;
const HELD_SECONDS: f64 = 10.0;

impl Inner {
    /// Learns from these calls, and publishes what follows.
    pub(super) fn learn(&self, observations: Vec<Observation>) {
        let mut touched: Vec<Arc<Known>> = Vec::new();
        let mut all = false;
        for observation in observations {
            let change = self.learn_one(&observation);
            all |= matches!(change, Some(Change::Arm(_)));
            if change.is_some() {
                touched.push(observation.known);
            }
        }
        if all {
            self.all_known().iter().for_each(|known| self.publish_all(known, Cause::Drift));
            return;
        }
        touched.sort_by_key(Arc::as_ptr);
        touched.dedup_by(|a, b| Arc::ptr_eq(a, b));
        touched.iter().for_each(|known| self.publish_all(known, Cause::Neighbour));
    }

    /// Takes in one call; what it changes, if more than the choice at its place.
    fn learn_one(&self, observation: &Observation) -> Option<Change> {
        let Observation { known, size, arm, took, weight, output, explored, contended } = observation;
        let (arm, now) = (*arm, self.seconds());
        let mut mind = known.mind();
        let mut shared = self.shared();
        let Some(took) = *took else {
            shared.ledger.failures += 1;
            return None;
        };
        if let (Some(bytes), true) = (output, size.rows > 0) {
            mind.note_output(size.bucket(), *bytes as f64 / size.rows as f64);
        }
        let (lie, bucket) = (lie_of(self.ignored, *size), size.bucket());
        let mut held = mind.held(known, &shared, (lie, bucket), *size, now);
        let own = held.judged.iter_mut().find(|one| one.arm() == arm);
        let x = own.as_ref().map_or(f64::NAN, |own| (took / own.base().total()).ln());
        let (Some(own), true) = (own, (TOOK_MIN..TOOK_MAX).contains(&took) && x.is_finite()) else {
            shared.ledger.rejected += 1;
            return None;
        };
        if *contended {
            shared.arms[arm].crowded((took / own.time()).ln());
            shared.ledger.contended += 1;
            return None;
        }
        let (copies, prior) = (own.base().transfer / own.base().total(), own.prior());
        let best = decide::fastest(&held.judged);
        let Shared { profiles, arms, ledger, .. } = &mut *shared;
        ledger.take(arm, took, best, *explored);
        let at = (size.class(arm), bucket as u8);
        let weight = if *weight > 0.0 { weight.min(1.0) } else { 1.0 };
        let sample = Sample { at, key: known.workload.key, x, weight, copies, now };
        let output = output_per_row(&mind.outputs, &known.workload, bucket);
        let shares = |at: At| known.shares(&profiles[arm], arm, at, output);
        let change = mind.lessons[arm].take(&mut arms[arm], sample, shares);
        if let Change::Arm(by) = change {
            profiles[arm].slow_down(by);
            shared.version += 1;
        }
        shared.ledger.drifts += u64::from(change != Change::None);
        known.with_table(lie, |table| table.note_rows(*size));
        let settled = mind.lessons[arm].settled(&shared.arms[arm], at, prior, now);
        let Mind { places, lessons, .. } = &mut *mind;
        let place = places.entry((lie, bucket)).or_default();
        place.calls += 1.0;
        if let (Some(correction), Change::None) = (settled, change) {
            held.judged.iter_mut().filter(|one| one.arm() == arm).for_each(|one| one.correct(correction));
            known.with_table(lie, |table| {
                let about = (Cause::Call, &shared.ledger);
                table.publish(bucket, self.decide((&mut *place, lessons), &held.judged, table.word(bucket), about));
            });
            place.held = Some(held);
            return None;
        }
        mind.version += 1;
        drop((shared, mind));
        self.publish(known, lie, bucket, if change == Change::None { Cause::Call } else { Cause::Drift });
        Some(change)
    }
}

impl Mind {
    /// The bytes of a result for each row.
    fn note_output(&mut self, bucket: usize, per_row: f64) {
        let before = self.outputs.insert(bucket, per_row);
        self.version += u64::from(before.is_none_or(|before| (before - per_row).abs() > 0.05 * before));
    }

    /// What every device should take at a place, taken out of it if that is still true.
    fn held(&mut self, known: &Known, shared: &Shared, at: (Lie, usize), size: Size, now: f64) -> Held {
        let versions = (self.version, shared.version);
        let held = self.places.get_mut(&at).and_then(|place| place.held.take());
        let is_true = |held: &Held| {
            held.versions == versions && held.size == size && held.uses_left > 0 && now - held.when < HELD_SECONDS
        };
        if let Some(held) = held.filter(is_true) {
            return Held { uses_left: held.uses_left - 1, ..held };
        }
        known.refit(self, shared);
        let judged = decide::judge(known, self, shared, size, now);
        Held { judged, size, versions, when: now, uses_left: HELD_USES }
    }
}
