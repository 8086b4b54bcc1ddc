//! [`Ranking`]: the predictions of every device for a call, in time and in energy, and why they are in this order; for
//! people. Asking for one never changes a choice.

use super::Selector;
use super::decision_table::{ArmSet, RankReason};
use super::features::{ARMS_MAX, Size};
use super::kernel_stats::KernelStats;
use super::model::{Parts, nanoseconds};
use super::move_accounts::MoveAccount;
use super::price::{Goal, joules};
use std::fmt;

/// Runs whose times spread by more than this factor are reported as varying.
const VARYING: f64 = 1.5;

/// The prediction of a device for a call.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Prediction {
    /// The device.
    pub device: String,
    /// The time, part by part, corrected by measured runs.
    pub parts: Parts,
    /// The time of compiling before the first run, in nanoseconds; 0 once the query is compiled.
    pub compile: f64,
    /// How far the time may be off: the standard deviation of its natural logarithm.
    pub spread: f64,
    /// The measured runs at this size and input placement that the time stands on.
    pub runs: u32,
    /// Whether the device is closed to calls now.
    pub is_closed: bool,
    /// Why it is closed, if that is known.
    pub why_closed: Option<String>,
    /// Its power at work beyond idle, in watts; `None` where devices are compared by time, or the power is unknown.
    pub watts: Option<f64>,
    /// Why its power is unknown, where devices are compared by energy.
    pub why_unknown: Option<String>,
    /// The account of moving the call's owned columns to this device; `None` if it has them, or would not gain by them.
    pub account: Option<MoveAccount>,
}

/// The predictions of every device for a call, in the order in which they are tried. `Display` is a line for each.
#[derive(Clone, Debug, PartialEq)]
pub struct Ranking {
    /// Rows of the call.
    pub rows: u64,
    /// Why the first device comes first.
    pub reason: RankReason,
    /// The quantity by which devices are compared.
    pub goal: Goal,
    /// The devices, the first choice first.
    pub predictions: Vec<Prediction>,
}

impl Selector {
    /// The predictions of every device for a call. Changes nothing: a trial that waits for a caller continues to wait.
    pub fn explain(&self, kernel: &KernelStats, size: Size, closed: ArmSet) -> Ranking {
        self.explain_with_accounts(kernel, size, closed, 0)
    }

    /// The predictions of every device for a call, with the accounts of devices that lack all of its owned columns; 0
    /// stands for columns that are not owned.
    pub(crate) fn explain_with_accounts(
        &self,
        kernel: &KernelStats,
        size: Size,
        closed: ArmSet,
        columns: u64,
    ) -> Ranking {
        let rank = self.settled(kernel, size, closed);
        let size = self.0.normalized(size);
        let key = (size.placement(self.0.ignored), size.bucket());
        let (state, shared) = (kernel.state.lock(), self.0.shared.lock());
        let gains = state.choices.get(&key).map(|choice| choice.gains).unwrap_or_default();
        let account = |device: usize| {
            // A device that has some of the columns has an account of its own.
            let lacks_all = columns != 0 && size.residency.missing(device) == 1.0;
            let gain = Some(gains[device]).filter(|own| lacks_all && own.gain > 0.0)?;
            Some(self.0.accounts.lock().get((device, columns), gain, kernel.reuse.expected_uses()))
        };
        let mut estimates = state.estimates(kernel, &shared, size);
        estimates.sort_by_key(|one| rank.arms().position(|arm| arm == one.device).unwrap_or(ARMS_MAX));
        let predictions = estimates.iter().map(|one| Prediction {
            device: self.0.names[one.device].clone(),
            parts: one.parts,
            spread: one.spread,
            runs: one.runs,
            is_closed: one.device != 0 && closed.has(one.device),
            watts: shared.prices.watts[one.device].filter(|_| self.goal() == Goal::Energy),
            why_unknown: shared.prices.why_unknown(one.device),
            account: account(one.device),
            ..Prediction::default()
        });
        Ranking { rows: size.rows, reason: rank.reason(), goal: self.goal(), predictions: predictions.collect() }
    }
}

impl Prediction {
    /// The time in nanoseconds.
    pub fn time(&self) -> f64 {
        self.parts.total()
    }

    /// The energy in joules, where devices are compared by it and the power is known.
    pub fn joules(&self) -> Option<f64> {
        self.watts.map(|watts| watts * self.time() / 1e9)
    }
}

impl fmt::Display for Prediction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: ", self.device)?;
        if let Some(own) = self.joules() {
            write!(f, "{} in ", joules(own))?;
        } else if let Some(why) = &self.why_unknown {
            write!(f, "not compared, as its power is unknown ({why}); ")?;
        }
        let [time, low, high] = [0.0, -self.spread, self.spread].map(|by| nanoseconds(self.time() * by.exp()));
        write!(f, "{time} ({low} to {high}; {}", self.parts)?;
        if self.compile > 0.0 {
            write!(f, " + compile {}", nanoseconds(self.compile))?;
        }
        match self.runs {
            0 => f.write_str("; never measured at this size")?,
            1 => f.write_str("; 1 run")?,
            runs => write!(f, "; {runs} runs{}", if self.spread > VARYING.ln() { ", which vary" } else { "" })?,
        }
        if let Some(MoveAccount { price, calls_left, .. }) = self.account {
            let uses = if calls_left == 1 { "the next use pays" } else { &format!("{calls_left} more uses pay") };
            write!(f, "; {uses} for moving the columns there ({})", nanoseconds(price))?;
        }
        let why = self.why_closed.as_ref().map(|why| format!(": {why}")).unwrap_or_default();
        if self.is_closed { write!(f, ", closed{why})") } else { f.write_str(")") }
    }
}

impl Ranking {
    /// This ranking with a device first, for a reason.
    pub(crate) fn led_by(mut self, device: &str, reason: RankReason) -> Ranking {
        self.predictions.sort_by_key(|one| one.device != device);
        Ranking { reason, ..self }
    }

    /// The best device other than this one that is not closed: by energy where it is compared and known, else by time.
    pub fn best_but(&self, device: &str) -> Option<&Prediction> {
        let others = self.predictions.iter().filter(|one| one.device != device && !one.is_closed);
        let energy = |one: &Prediction| one.joules().unwrap_or(f64::INFINITY);
        others.min_by(|a, b| energy(a).total_cmp(&energy(b)).then(a.time().total_cmp(&b.time())))
    }

    /// Why the first device comes first, in a clause.
    pub fn why(&self) -> String {
        let Some(first) = self.predictions.first() else { return "there is no device".to_string() };
        let Some(next) = self.best_but(&first.device) else {
            let is_alone = self.predictions.len() == 1;
            return if is_alone { "no other device runs it" } else { "the others are closed" }.to_string();
        };
        match self.reason {
            RankReason::Trial => return format!("a trial: it may be better than {} here", next.device),
            RankReason::Move => return format!("earlier uses have paid for moving the columns to {}", first.device),
            RankReason::Best => {}
        }
        let (own, other, shown): (f64, f64, fn(f64) -> String) = match (self.goal, first.joules(), next.joules()) {
            (Goal::Time, ..) => (first.time(), next.time(), nanoseconds),
            (Goal::Energy, Some(own), Some(other)) => (own, other, joules),
            (Goal::Energy, None, _) => {
                return format!("energy cannot be compared: the power of {} is unknown", first.device);
            }
            (Goal::Energy, Some(_), None) => {
                return "energy cannot be compared: the power of the other devices is unknown".to_string();
            }
        };
        let close = if other < own { ": too close to change" } else { "" };
        format!("{} predicted, {} on {}{close}", shown(own), shown(other), next.device)
    }
}

impl fmt::Display for Ranking {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.predictions.iter().try_for_each(|one| writeln!(f, "{one}"))?;
        f.write_str(&self.why())
    }
}
