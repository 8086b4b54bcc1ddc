//! Loops that take from microseconds to hours, with a deadline or a token that is cancelled: the answer must be right or
//! the error of the limit, and it must not come late. The loops apply `x * factor + summand` some number of times, so the
//! reference knows the result without running them.

use crate::case::{Failure, LATE_ELSEWHERE, LATE_ON_CPU};
use crate::machine::Machine;
use crate::query::block_on;
use crate::random::Random;
use crate::report::Report;
use crate::witness::Witness;
use pointsman::{CancellationToken, ErrorKind, Query, Result, Session, U64, iterate, lit, repeat};
use std::time::{Duration, Instant};

/// Steps that another device may be asked for: the portable GPU does not stop within a dispatch.
const STEPS_ELSEWHERE_MAX: u64 = 50_000_000;
/// The most iterations of one loop.
const ITERATIONS_MAX: u64 = 1 << 24;

/// `x * factor + summand`, modulo 2⁶⁴.
#[derive(Clone, Copy, Debug)]
struct Affine {
    factor: u64,
    summand: u64,
}

impl Affine {
    fn apply(self, x: u64) -> u64 {
        x.wrapping_mul(self.factor).wrapping_add(self.summand)
    }

    /// This map, then another one.
    fn then(self, next: Affine) -> Affine {
        Affine { factor: self.factor.wrapping_mul(next.factor), summand: next.apply(self.summand) }
    }

    /// This map, applied `times` times.
    fn repeated(self, mut times: u64) -> Affine {
        let (mut power, mut result) = (self, Affine { factor: 1, summand: 0 });
        while times > 0 {
            if times & 1 == 1 {
                result = result.then(power);
            }
            (power, times) = (power.then(power), times >> 1);
        }
        result
    }
}

/// How the loops of a case are written.
#[derive(Clone, Copy, Debug)]
enum Nesting {
    Repeat,
    /// With a condition that ends it before its bound.
    Iterate,
    /// A loop around a loop.
    Nested,
}

/// What the query does with the results of the loops.
#[derive(Clone, Copy, Debug)]
enum Sink {
    Store,
    Filter,
    Max,
    RunningMax,
}

/// A query of long loops.
#[derive(Clone, Copy, Debug)]
struct LongCase {
    rows: u64,
    step: Affine,
    outer: u32,
    inner: u32,
    /// Applications of the step in one iteration.
    unrolled: u32,
    /// Divides in each step and puts the number together again: slow, and no change.
    divisor: Option<u64>,
    nesting: Nesting,
    sink: Sink,
}

impl LongCase {
    fn random(random: &mut Random) -> LongCase {
        let rows = *random.pick(&[1, 3, 64, 1000, 5000, 100_000]);
        let power = |random: &mut Random, most: u64| (1u64 << random.below(25)).min(most).max(1) as u32;
        LongCase {
            rows,
            step: Affine { factor: random.next() | 1, summand: random.next() },
            outer: power(random, ITERATIONS_MAX),
            inner: power(random, ITERATIONS_MAX),
            unrolled: *random.pick(&[1, 1, 2, 40]),
            divisor: random.percent(30).then(|| (random.next() >> random.below(64)).max(1)),
            nesting: *random.pick(&[Nesting::Repeat, Nesting::Iterate, Nesting::Nested, Nesting::Nested]),
            sink: *random.pick(&[Sink::Store, Sink::Filter, Sink::Max, Sink::RunningMax]),
        }
    }

    /// How often the step is applied in a row.
    fn steps(&self) -> u64 {
        let outer = match self.nesting {
            Nesting::Nested => u64::from(self.outer),
            Nesting::Repeat | Nesting::Iterate => 1,
        };
        outer * u64::from(self.inner) * u64::from(self.unrolled)
    }

    fn expected(&self) -> Vec<u64> {
        let whole = self.step.repeated(self.steps());
        let results = (0..self.rows).map(|x| whole.apply(x));
        match self.sink {
            Sink::Store => results.collect(),
            Sink::Filter => (0..self.rows).filter(|&x| whole.apply(x) & 1 == 0).collect(),
            Sink::Max => results.max().into_iter().collect(),
            Sink::RunningMax => results
                .scan(0, |most: &mut u64, x| {
                    *most = x.max(*most);
                    Some(*most)
                })
                .collect(),
        }
    }

    fn expression(self, x: U64) -> U64 {
        let LongCase { step: Affine { factor, summand }, outer, inner, unrolled, .. } = self;
        let whole = |x: U64| match self.divisor {
            None => x,
            Some(divisor) => x / divisor * divisor + x % divisor,
        };
        let step = |x: U64| (0..unrolled).fold(x, |x, _| whole(x) * factor + summand);
        match self.nesting {
            Nesting::Repeat => repeat(inner, x, |_, x| step(x)),
            Nesting::Nested => repeat(outer, x, |_, x| repeat(inner, x, |_, x| step(x))),
            Nesting::Iterate => {
                let bound = inner.saturating_mul(2).min(ITERATIONS_MAX as u32);
                iterate(bound, (x, lit(0u32)), |(_, n)| n.lt(inner), |(x, n)| (step(x), n + 1)).0
            }
        }
    }

    /// Runs the query; `None` if its promise was dropped.
    fn run(self, session: &Session, limit: &Limit<'_>, caller: Caller) -> Option<Result<Vec<u64>>> {
        let source = session.from(0u64..self.rows);
        let query = limit.set(match self.sink {
            Sink::Store | Sink::Max => source.map(|x| self.expression(x)),
            Sink::Filter => source.filter(|x| (self.expression(x) & 1).eq(0)),
            Sink::RunningMax => source.scan(|x| self.expression(x).running_max()),
        });
        let is_max = matches!(self.sink, Sink::Max);
        match caller {
            Caller::Waits if is_max => Some(query.max().map(|max| max.into_iter().collect())),
            Caller::Waits => Some(query.to_vec()),
            Caller::Awaits if is_max => {
                let answer = block_on(query.folds(|x| x.max()).run_async());
                Some(answer.map(|max| max.into_value().into_iter().collect()))
            }
            Caller::Awaits => Some(block_on(query.run_async()).map(|column| column.to_vec())),
            Caller::Drops => {
                let promise = query.run_async();
                std::thread::sleep(limit.after);
                drop(promise);
                None
            }
        }
    }
}

/// How the caller gets the answer.
#[derive(Clone, Copy, Debug)]
enum Caller {
    Waits,
    Awaits,
    /// Drops the promise when the time is over, which must not take long either.
    Drops,
}

/// The device of a query, and what ends it.
struct Limit<'l> {
    device: &'l str,
    after: Duration,
    /// Cancelled after that time; without a token the query has a deadline.
    token: Option<&'l CancellationToken>,
}

impl Limit<'_> {
    fn set<'a>(&self, query: Query<'a, U64>) -> Query<'a, U64> {
        let query = query.require(self.device);
        match self.token {
            Some(token) => query.cancelled_by(token),
            None => query.deadline(self.after),
        }
    }
}

/// Runs the long case of a seed.
pub(crate) fn check(seed: u64, machine: &Machine, report: &mut Report) -> Vec<Failure> {
    let random = &mut Random::new(seed);
    let mut case = LongCase::random(random);
    let other = machine.others.get(random.below(machine.others.len().max(1)));
    let other = other.filter(|_| random.percent(15) || !machine.has_cpu);
    if other.is_some() {
        case.rows = case.rows.min(5000);
        let most = STEPS_ELSEWHERE_MAX / case.rows / u64::from(case.unrolled);
        case.outer = case.outer.min((most / u64::from(case.inner)).max(1) as u32);
        case.inner = case.inner.min(most.max(1) as u32);
    }
    let device = other.map_or(machine.cpu, |other| other.name.as_str());
    let session = random.pick(&machine.sessions);
    let limit = Duration::from_millis(random.between(5, 300) as u64);
    let is_cancelled = random.percent(30);
    let token = CancellationToken::new();
    report.add("total", "", "cases", 1);
    report.add("total", "", "rows", case.rows);
    report.add("sink", "long loops", "cases", 1);
    let started = Instant::now();
    let witness = Witness::new(started + limit);
    let canceller = is_cancelled.then(|| {
        let token = token.clone();
        std::thread::spawn(move || {
            std::thread::sleep(limit);
            token.cancel();
        })
    });
    let ends = Limit {
        device: other.map_or("cpu", |other| other.name.as_str()),
        after: limit,
        token: is_cancelled.then_some(&token),
    };
    let caller = *random.pick(&[Caller::Waits, Caller::Waits, Caller::Awaits, Caller::Drops]);
    let got = case.run(&session.session, &ends, caller);
    let late = witness.finish();
    if let Some(canceller) = canceller {
        // The thread only sleeps and cancels.
        let _ = canceller.join();
    }
    let (outcome, wrong) = match &got {
        None => ("dropped", None),
        Some(Ok(values)) => ("answers", (*values != case.expected()).then(|| "a wrong answer".to_string())),
        Some(Err(error)) => match error.kind() {
            ErrorKind::Timeout if !is_cancelled => ("deadlines", None),
            ErrorKind::Cancelled if is_cancelled => ("cancelled", None),
            ErrorKind::Unsupported | ErrorKind::Unavailable if other.is_some() => ("unsupported", None),
            _ => ("other errors", Some(format!("{error:?}"))),
        },
    };
    report.add("device", device, outcome, 1);
    report.add("device", device, "rows", case.rows);
    report.add("session", session.name, outcome, 1);
    report.add("total", "", "runs", 1);
    match outcome {
        "deadlines" => report.add("total", "", "deadlines fired", 1),
        "cancelled" => report.add("total", "", "cancelled", 1),
        _ => {}
    }
    let context = |text: String| {
        let limited = if is_cancelled { "cancelled" } else { "deadline" };
        format!("{text} [{case:?}, {caller:?}, {limited} after {limit:?}, {device}, session `{}`]", session.name)
    };
    let allowed = if other.is_some() { LATE_ELSEWHERE } else { LATE_ON_CPU };
    report.add("total", "", "stolen", u64::from(late.is_excused(allowed)));
    let late = late.exceeds(allowed).then(|| Failure { kind: "late", text: context(late.to_string()) });
    let wrong = wrong.map(|text| Failure { kind: "wrong", text: context(text) });
    wrong.into_iter().chain(late).collect()
}
