//! [`Ranking`]: what every device should take for a call, in time and in energy, and why they are in this order; for people.

use super::model::{Parts, nanoseconds};
use super::price::{Goal, joules};
use std::fmt;

/// What a device should take for a call.
#[derive(Clone, Debug, PartialEq)]
pub struct Prediction {
    /// The device.
    pub device: String,
    /// The time, part by part, corrected by what was learned.
    pub parts: Parts,
    /// What compiling takes before the first run, in nanoseconds; nothing once that is done, or where nothing is compiled.
    pub compile: f64,
    /// How far it may be off: the standard deviation of its natural logarithm.
    pub spread: f64,
    /// The runs of this kernel and size on this device that it stands on.
    pub samples: u32,
    /// Whether the device is closed to calls at the moment.
    pub is_closed: bool,
    /// Why it is, where that is known.
    pub why_closed: Option<String>,
    /// What it draws while it works, beyond what it draws idle, in watts; `None` where devices are compared by time, or
    /// nobody knows.
    pub watts: Option<f64>,
    /// Why nobody does, where devices are compared by energy.
    pub why_unknown: Option<String>,
}

impl Prediction {
    /// The time in nanoseconds.
    pub fn time(&self) -> f64 {
        self.parts.total()
    }
}

/// What every device should take for a call, in the order in which they are tried. `Display` is a line for each.
#[derive(Clone, Debug, PartialEq)]
pub struct Ranking {
    /// Rows of the call.
    pub rows: u64,
    /// Whether the first is there to learn about it.
    pub explores: bool,
    /// What devices are compared by.
    pub goal: Goal,
    /// The devices, the first choice first.
    pub predictions: Vec<Prediction>,
}

impl Ranking {
    /// The fastest device that is not this one, and not closed.
    pub fn fastest_but(&self, device: &str) -> Option<&Prediction> {
        let others = self.predictions.iter().filter(|one| one.device != device && !one.is_closed);
        others.min_by(|a, b| a.time().total_cmp(&b.time()))
    }

    /// Why the first comes first, in a clause.
    pub fn why(&self) -> String {
        let [first, rest @ ..] = &self.predictions[..] else { return "there is no device".to_string() };
        if let Some(why) = self.why_by_energy() {
            return why;
        }
        let open = rest.iter().find(|one| !one.is_closed);
        match open {
            None if rest.is_empty() => "no other device runs it".to_string(),
            None => "the others are closed".to_string(),
            Some(next) if self.explores => format!("to learn whether it is faster than {} here", next.device),
            Some(next) => {
                let times = next.time() / first.time().max(f64::MIN_POSITIVE);
                let (own, other) = (nanoseconds(first.time()), nanoseconds(next.time()));
                if times < 1.0 {
                    format!("{own} predicted, {other} on {}: too close to leave it", next.device)
                } else {
                    format!("{own} predicted, {other} on {}", next.device)
                }
            }
        }
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

impl fmt::Display for Prediction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (low, high) = (self.time() * (-self.spread).exp(), self.time() * self.spread.exp());
        let stands = match self.samples {
            0 => "never measured at this size".to_string(),
            1 => "1 run".to_string(),
            runs => format!("{runs} runs"),
        };
        let closed = match (&self.why_closed, self.is_closed) {
            (Some(why), true) => format!(", closed: {why}"),
            (None, true) => ", closed".to_string(),
            (_, false) => String::new(),
        };
        let (time, low, high) = (nanoseconds(self.time()), nanoseconds(low), nanoseconds(high));
        let energy = self.energy_told();
        let compile =
            if self.compile > 0.0 { format!(" + compile {}", nanoseconds(self.compile)) } else { String::new() };
        write!(f, "{}: {energy}{time} ({low} to {high}; {}{compile}; {stands}{closed})", self.device, self.parts)
    }
}

impl Prediction {
    /// The energy in joules, where devices are compared by that and it is known what this one draws.
    pub fn joules(&self) -> Option<f64> {
        self.watts.map(|watts| watts * self.time() / 1e9)
    }

    /// The energy for people, before the time; nothing where devices are compared by time.
    fn energy_told(&self) -> String {
        match (self.joules(), &self.why_unknown) {
            (Some(own), _) => format!("{} in ", joules(own)),
            (None, Some(why)) => format!("not compared, as nobody knows what it draws ({why}); "),
            (None, None) => String::new(),
        }
    }
}

impl Ranking {
    /// The device that takes the least energy and is not this one, and not closed; `None` where energy is not compared.
    pub fn cheapest_but(&self, device: &str) -> Option<&Prediction> {
        let others = self.predictions.iter().filter(|one| one.device != device && !one.is_closed);
        let known = others.filter_map(|one| Some((one.joules()?, one)));
        known.min_by(|(a, _), (b, _)| a.total_cmp(b)).map(|(_, one)| one)
    }

    /// The best device that is not this one, by what they are compared by; the fastest, where nobody knows what others draw.
    pub(crate) fn best_but(&self, device: &str) -> Option<&Prediction> {
        self.cheapest_but(device).or_else(|| self.fastest_but(device))
    }

    /// Why the first comes first, where energy is what counts and others are open.
    fn why_by_energy(&self) -> Option<String> {
        let [first, rest @ ..] = &self.predictions[..] else { return None };
        let open = rest.iter().find(|one| !one.is_closed).filter(|_| self.goal == Goal::Energy)?;
        if self.explores {
            return Some(format!("to learn whether it takes less energy than {} here", open.device));
        }
        let Some(own) = first.joules() else {
            return Some(format!("energy cannot be compared: nobody knows what {} draws", first.device));
        };
        let Some(next) = self.cheapest_but(&first.device) else {
            return Some("energy cannot be compared: nobody knows what the others draw".to_string());
        };
        let other = next.joules().unwrap_or(f64::INFINITY);
        let close = if other < own { ": too close to leave it" } else { "" };
        Some(format!("{} predicted, {} on {}{close}", joules(own), joules(other), next.device))
    }
}
