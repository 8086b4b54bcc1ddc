//! Counters of a run, by name. They add up over processes, and print as tables.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

/// The start of a line that carries a counter to the parent process.
const LINE: &str = "@count";

/// Counters by group, subject and name: `device / cpu / runs`.
#[derive(Clone, Debug, Default)]
pub(crate) struct Report(BTreeMap<[String; 3], u64>);

impl Report {
    pub(crate) fn add(&mut self, group: &str, subject: &str, name: &str, count: u64) {
        *self.0.entry([group, subject, name].map(String::from)).or_default() += count;
    }

    pub(crate) fn merge(&mut self, other: &Report) {
        for ([group, subject, name], count) in &other.0 {
            self.add(group, subject, name, *count);
        }
    }

    pub(crate) fn total(&self, name: &str) -> u64 {
        self.0.get(&["total", "", name].map(String::from)).copied().unwrap_or(0)
    }

    /// Answers that were wrong or late, and panics.
    pub(crate) fn failures(&self) -> u64 {
        ["wrong", "panics", "late"].iter().map(|name| self.total(name)).sum()
    }

    /// The counters as lines for the parent process.
    pub(crate) fn lines(&self) -> String {
        let line = |([group, subject, name], count): (&[String; 3], &u64)| {
            format!("{LINE}\t{group}\t{subject}\t{name}\t{count}\n")
        };
        self.0.iter().map(line).collect()
    }

    /// Adds the counter of a line; false for any other line.
    pub(crate) fn read_line(&mut self, line: &str) -> bool {
        let fields: Vec<&str> = line.split('\t').collect();
        let [LINE, group, subject, name, count] = fields[..] else { return false };
        self.add(group, subject, name, count.parse().unwrap_or(0));
        true
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for group in ["device", "session", "sink"] {
            let of_group = || self.0.iter().filter(|([own, ..], _)| own == group);
            let names: BTreeSet<&str> = of_group().map(|([_, _, name], _)| name.as_str()).collect();
            let subjects: BTreeSet<&str> = of_group().map(|([_, subject, _], _)| subject.as_str()).collect();
            write!(f, "{group:<32}")?;
            names.iter().try_for_each(|name| write!(f, "{name:>13}"))?;
            writeln!(f)?;
            for subject in subjects {
                write!(f, "{subject:<32}")?;
                for name in &names {
                    let key = [group, subject, name].map(String::from);
                    write!(f, "{:>13}", self.0.get(&key).copied().unwrap_or(0))?;
                }
                writeln!(f)?;
            }
            writeln!(f)?;
        }
        let names = ["cases", "rows", "runs", "faults expected", "faults seen", "deadlines fired", "cancelled"];
        let line = |name: &&str| format!("{} {name}", self.total(name));
        writeln!(f, "{}", names.iter().map(line).collect::<Vec<_>>().join(", "))?;
        let (wrong, panics, late) = (self.total("wrong"), self.total("panics"), self.total("late"));
        write!(f, "{wrong} wrong, {panics} panics, {late} late")?;
        match self.total("stolen") {
            0 => Ok(()),
            stolen => write!(f, " ({stolen} more late by no more than the hypervisor's stolen time)"),
        }
    }
}
