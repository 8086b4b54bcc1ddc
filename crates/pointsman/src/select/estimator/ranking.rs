//! [`Ranking`]: the predictions of every device for a call, in time and in energy, and why they are in this order; for
//! people.

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
#[derive(Clone, Debug, PartialEq)]
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
    /// The predictions of every device for a call. Changes nothing: a trial that waits for a caller goes on waiting.
    pub fn explain(&self, kernel: &KernelStats, size: Size, closed: ArmSet) -> Ranking {
        self.explain_with_accounts(kernel, size, closed, 0)
    }

    /// The predictions of every device for a call, with the accounts of devices that lack all of its owned columns; 0 stands
    /// for columns that are not owned.
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
            let has_account = columns != 0 && size.residency.missing(device) == 1.0 && gains[device].gain > 0.0;
            has_account
                .then(|| self.0.accounts.lock().get((device, columns), gains[device], kernel.reuse.expected_uses()))
        };
        let position = |arm: usize| rank.arms().position(|own| own == arm).unwrap_or(ARMS_MAX);
        let mut estimates = state.estimates(kernel, &shared, size);
        estimates.sort_by_key(|one| position(one.device));
        let predictions = estimates.iter().map(|one| Prediction {
            device: self.0.names[one.device].clone(),
            parts: one.parts,
            compile: 0.0,
            spread: one.spread,
            runs: one.runs,
            is_closed: one.device != 0 && closed.has(one.device),
            why_closed: None,
            watts: shared.prices.watts[one.device].filter(|_| self.goal() == Goal::Energy),
            why_unknown: None,
            account: account(one.device),
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
        match (self.joules(), &self.why_unknown) {
            (Some(own), _) => write!(f, "{} in ", joules(own))?,
            (None, Some(why)) => write!(f, "not compared, as its power is unknown ({why}); ")?,
            (None, None) => {}
        }
        let [time, low, high] = [0.0, -self.spread, self.spread].map(|by| nanoseconds(self.time() * by.exp()));
        write!(f, "{time} ({low} to {high}; {}", self.parts)?;
        if self.compile > 0.0 {
            write!(f, " + compile {}", nanoseconds(self.compile))?;
        }
        match self.runs {
            0 => f.write_str("; never measured at this size")?,
            1 => f.write_str("; 1 run")?,
            runs if self.spread > VARYING.ln() => write!(f, "; {runs} runs, which vary")?,
            runs => write!(f, "; {runs} runs")?,
        }
        if let Some(MoveAccount { price, calls_left, .. }) = self.account {
            let uses = if calls_left == 1 { "the next use pays" } else { &format!("{calls_left} more uses pay") };
            write!(f, "; {uses} for moving the columns there ({})", nanoseconds(price))?;
        }
        match (&self.why_closed, self.is_closed) {
            (Some(why), true) => write!(f, ", closed: {why})"),
            (None, true) => f.write_str(", closed)"),
            (_, false) => f.write_str(")"),
        }
    }
}

impl Ranking {
    /// This ranking with a device first, for a reason.
    pub(crate) fn led_by(mut self, device: &str, reason: RankReason) -> Ranking {
        self.predictions.sort_by_key(|one| one.device != device);
        Ranking { reason, ..self }
    }

    /// The fastest device other than this one that is not closed.
    pub fn fastest_but(&self, device: &str) -> Option<&Prediction> {
        let others = self.predictions.iter().filter(|one| one.device != device && !one.is_closed);
        others.min_by(|a, b| a.time().total_cmp(&b.time()))
    }

    /// The device of the least energy other than this one that is not closed; `None` where energy is not compared.
    pub fn cheapest_but(&self, device: &str) -> Option<&Prediction> {
        let others = self.predictions.iter().filter(|one| one.device != device && !one.is_closed);
        let known = others.filter_map(|one| Some((one.joules()?, one)));
        known.min_by(|(a, _), (b, _)| a.total_cmp(b)).map(|(_, one)| one)
    }

    /// The best device other than this one: by energy where it is compared and known, else by time.
    pub(crate) fn best_but(&self, device: &str) -> Option<&Prediction> {
        self.cheapest_but(device).or_else(|| self.fastest_but(device))
    }

    /// Why the first device comes first, in a clause.
    pub fn why(&self) -> String {
        let [first, rest @ ..] = &self.predictions[..] else { return "there is no device".to_string() };
        let Some(next) = rest.iter().find(|one| !one.is_closed) else {
            let why = if rest.is_empty() { "no other device runs it" } else { "the others are closed" };
            return why.to_string();
        };
        match (self.reason, self.goal) {
            (RankReason::Trial, _) => format!("a trial: it may be better than {} here", next.device),
            (RankReason::Move, _) => format!("earlier uses have paid for moving the columns to {}", first.device),
            (RankReason::Best, Goal::Energy) => self.why_by_energy(first),
            (RankReason::Best, Goal::Time) => {
                let close = if next.time() < first.time() { ": too close to change" } else { "" };
                let (own, other) = (nanoseconds(first.time()), nanoseconds(next.time()));
                format!("{own} predicted, {other} on {}{close}", next.device)
            }
        }
    }

    /// Why the first device comes first, where energy is compared and other devices are open.
    fn why_by_energy(&self, first: &Prediction) -> String {
        let Some(own) = first.joules() else {
            return format!("energy cannot be compared: the power of {} is unknown", first.device);
        };
        let Some(next) = self.cheapest_but(&first.device) else {
            return "energy cannot be compared: the power of the other devices is unknown".to_string();
        };
        let other = next.joules().unwrap_or(f64::INFINITY);
        let close = if other < own { ": too close to change" } else { "" };
        format!("{} predicted, {} on {}{close}", joules(own), joules(other), next.device)
    }
}

impl fmt::Display for Ranking {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for one in &self.predictions {
            writeln!(f, "{one}")?;
        }
        write!(f, "{}", self.why())
    }
}
