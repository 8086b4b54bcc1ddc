//! Queries that are awaited: the answers of `run`, on any executor, and nothing left of those that are dropped.

use crate::executor::{Alarm, Door, all, block_on};
use crate::{ROWS, floats, simulated};
use arrow_array::{ArrayRef, BooleanArray, Float32Array, RecordBatch};
use pointsman::{
    CancellationToken, Column, ErrorKind, F32, Param, Phase, Progress, Promise, Session, SessionOptions, count,
};
use pointsman_device::sim::{SimDevice, SimFault, SimOptions};
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

/// A session with one thread for queries that are awaited, and room for so many behind the one that it runs.
fn one_at_a_time(queue: usize) -> Session {
    let options = SessionOptions::new().async_threads(1).async_queue_limit(queue);
    options.threads(2).open().unwrap()
}

/// A query that stands at the door, on the session's only thread, before it does anything.
fn held(session: &Session, door: &Arc<Door>) -> Promise<Column<f32>> {
    let at = door.clone();
    let promise = session.from(floats(10)).map(|x| x + 1.0).on_progress(move |_| at.pass()).run_async();
    door.until_arrived();
    promise
}

#[test]
fn answers_are_those_of_run() {
    let session = SessionOptions::new().threads(2).open().unwrap();
    let x = Column::from(floats(100_000));
    let expected = session.from(&x).filter(|x| x.gt(0.0)).run().unwrap();
    let answer = block_on(session.from(x.clone()).filter(|x| x.gt(0.0)).run_async()).unwrap();
    assert_eq!(answer[..], expected[..]);
    assert!(!answer.receipt().time(Phase::Queue).is_zero(), "the way to the thread is counted: {}", answer.receipt());
    let folds = session.from(x.clone()).folds(|x| (x.sum(), x.max(), count())).run_async();
    assert_eq!(*block_on(folds).unwrap(), *session.from(&x).folds(|x| (x.sum(), x.max(), count())).run().unwrap());
    let squares = block_on(session.from(0u32..1000).map(|i| i * i).run_async()).unwrap();
    assert_eq!(squares[..], *session.from(0u32..1000).map(|i| i * i).to_vec().unwrap());
    let (array, flags) = (Float32Array::from(vec![Some(1.0), None, Some(3.0)]), BooleanArray::from(vec![true; 3]));
    let kept = session.from((array.clone(), flags.clone())).filter(|(_, flag)| flag).map(|(x, _)| x * 2.0).run_async();
    assert_eq!(block_on(kept).unwrap().iter().collect::<Vec<_>>(), [Some(2.0), None, Some(6.0)]);
    let columns: [(&str, ArrayRef); 2] = [("x", Arc::new(array.clone())), ("flag", Arc::new(flags.clone()))];
    let batch = RecordBatch::try_from_iter(columns).unwrap();
    let whole = session.from(batch.clone()).filter(|row| row.col::<f32>("x").gt(2.0)).run_async();
    assert_eq!(*block_on(whole).unwrap(), batch.slice(2, 1));
    let scaled = Arc::new(session.prepare(|x: F32, k: Param<f32>| (x * k).sum()).unwrap());
    assert_eq!(*block_on(scaled.run_async(x.clone(), 2.0)).unwrap(), *scaled.run(&x, 2.0).unwrap());
    assert_eq!(*block_on(scaled.run_async(array, 2.0)).unwrap(), 8.0);
    assert_eq!(*block_on(scaled.run_async(vec![1.0, 2.0], 3.0)).unwrap(), 9.0);
}

#[test]
fn mistakes_and_faults_are_answers_too() {
    let session = SessionOptions::new().threads(1).open().unwrap();
    let mistake = session.from((vec![1, 2], vec![1])).map(|(a, b)| a + b).run_async();
    assert_eq!(block_on(mistake).unwrap_err().kind(), ErrorKind::InvalidQuery);
    let fault = session.from(vec![1, 0]).map(|n| 1 / n).run_async();
    let error = block_on(fault).unwrap_err();
    assert_eq!((error.kind(), error.row()), (ErrorKind::Arithmetic, Some(1)));
    assert!(error.location().is_some());
}

#[test]
fn many_at_once() {
    let session = SessionOptions::new().threads(2).open().unwrap();
    let scaled = Arc::new(session.prepare(|x: F32, k: Param<f32>| x * k).unwrap());
    let x = Column::from(floats(5000));
    let promises: Vec<_> = (0..200).map(|k| scaled.run_async(x.clone(), k as f32)).collect();
    for (k, answer) in block_on(all(promises)).into_iter().enumerate() {
        assert!(answer.unwrap().iter().zip(x.iter()).all(|(y, x)| y == x.map(|x| x * k as f32)));
    }
    assert_eq!(session.memory().host.outstanding_bytes, 0);
}

#[test]
fn a_full_queue_is_an_error_that_says_the_limit() {
    let (session, door) = (one_at_a_time(2), Door::new());
    let first = held(&session, &door);
    let ask = || session.from(vec![1i64, 2]).map(|n| n + 1).run_async();
    let waiting = [ask(), ask()];
    let error = block_on(ask()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Busy);
    assert!(error.message().contains("2 queries wait") && error.message().contains("async_queue"), "{error}");
    drop(waiting);
    let again = ask();
    door.open();
    assert_eq!(block_on(first).unwrap().len(), 10);
    assert_eq!(block_on(again).unwrap()[..], [2, 3], "who leaves makes room");
}

/// Drops the promise when the query has told its progress so many times; whether it told it so often at all.
fn drop_at(session: &Session, ask: fn(&Session, Column<f32>) -> pointsman::Query<'static, F32>, at: usize) -> bool {
    let (door, calls) = (Door::new(), Arc::new(AtomicUsize::new(0)));
    let (stop, counted) = (door.clone(), calls.clone());
    let told = move |_: &Progress| {
        if counted.fetch_add(1, Ordering::SeqCst) == at {
            stop.pass();
        }
    };
    // Memory of the session's pool, so that it would show if the query kept it.
    let x = session.from(&floats(ROWS / 4)).run().unwrap().into_value();
    let promise = ask(session, x).on_progress(told).run_async();
    // The thread either stops at the door, or is done and serves the next.
    let next = session.from(vec![0.0f32]).map(|x| x + 1.0).on_progress({
        let door = door.clone();
        move |_| door.pass()
    });
    let next = next.run_async();
    door.until_arrived();
    let was_there = calls.load(Ordering::SeqCst) > at;
    drop(promise);
    door.open();
    assert_eq!(block_on(next).unwrap()[..], [1.0]);
    assert_eq!(session.memory().host.outstanding_bytes, 0, "dropped at {at}: its columns are free");
    let after = calls.load(Ordering::SeqCst);
    assert!(after <= at + 2, "dropped at {at}: it went on, and told {after} times");
    was_there
}

#[test]
fn dropped_at_every_point() {
    let session = one_at_a_time(10);
    type Ask = fn(&Session, Column<f32>) -> pointsman::Query<'static, F32>;
    let asks: [Ask; 3] = [
        |s, x| s.from(x).map(|x| x * 2.0),
        |s, x| s.from(x).filter(|x| x.gt(0.0)),
        |s, x| s.from(x).scan(|x| x.running_sum()).filter(|x| x.gt(0.0)),
    ];
    for ask in asks {
        let points = (0..).take_while(|&at| drop_at(&session, ask, at)).count();
        assert!(points >= 4, "{points} points");
    }
}

#[test]
fn dropped_before_it_starts_or_after_it_is_done() {
    let (session, door) = (one_at_a_time(10), Door::new());
    let first = held(&session, &door);
    let x = session.from(&floats(ROWS / 4)).run().unwrap().into_value();
    let before = session.memory().host.outstanding_bytes;
    let waiting = session.from(x).map(|x| x + 1.0).run_async();
    assert!(before > 0 && session.memory().host.outstanding_bytes >= before);
    drop(waiting);
    door.open();
    let answer = block_on(first).unwrap();
    drop(answer);
    let mut done = session.from(vec![1.0f32; 1000]).map(|x| x + 1.0).run_async();
    // The only thread serves the next when this one is done.
    block_on(session.from(vec![1i64]).run_async()).unwrap();
    assert_eq!(format!("{done:?}"), "Promise(there)");
    let mut context = Context::from_waker(Waker::noop());
    assert!(matches!(Pin::new(&mut done).poll(&mut context), Poll::Ready(Ok(_))));
    let Poll::Ready(Err(error)) = Pin::new(&mut done).poll(&mut context) else { panic!("it has no second answer") };
    assert_eq!(error.kind(), ErrorKind::InvalidQuery);
    drop(session.from(vec![1.0f32; 1000]).map(|x| x + 1.0).run_async());
    block_on(session.from(vec![1i64]).run_async()).unwrap();
    assert_eq!(session.memory().host.outstanding_bytes, 0);
}

#[test]
fn the_session_may_go_first() {
    let (session, door) = (one_at_a_time(10), Door::new());
    let first = held(&session, &door);
    let rest: Vec<_> = (0..5).map(|k| session.from(vec![k, k]).map(|n| n + 1).run_async()).collect();
    drop(session);
    door.open();
    assert_eq!(block_on(first).unwrap().len(), 10);
    for (k, answer) in block_on(all(rest)).into_iter().enumerate() {
        assert_eq!(answer.unwrap()[..], [k as i32 + 1; 2]);
    }
}

#[test]
fn a_panic_is_an_error_and_the_thread_lives_on() {
    let faults = vec![SimFault::CompilePanics { compilation: 0 }];
    let device = Arc::new(SimDevice::new(SimOptions { faults, ..SimOptions::default() }));
    let options = SessionOptions::new().async_threads(1);
    let session = options.threads(1).add_device(device.clone()).open().unwrap();
    let error = block_on(session.from(vec![1i64]).map(|n| n + 1).require("sim").run_async()).unwrap_err();
    assert_eq!((error.kind(), device.fired().len()), (ErrorKind::Internal, 1));
    assert!(error.message().contains("compilation 0 was told to panic"), "{error}");
    assert_eq!(block_on(session.from(vec![1i64]).map(|n| n + 2).run_async()).unwrap()[..], [3]);
}

#[test]
fn a_token_ends_it_and_outlives_it() {
    let (session, door, token) = (one_at_a_time(10), Door::new(), CancellationToken::new());
    let first = held(&session, &door);
    let ask = || session.from(vec![1i64]).map(|n| n + 1).cancelled_by(&token);
    drop(ask().run_async());
    assert!(!token.is_cancelled(), "a promise that is dropped ends its own query alone");
    let waiting = ask().run_async();
    token.cancel();
    door.open();
    assert_eq!(block_on(waiting).unwrap_err().kind(), ErrorKind::Cancelled);
    assert_eq!(block_on(ask().run_async()).unwrap_err().kind(), ErrorKind::Cancelled);
    assert_eq!(block_on(first).unwrap().len(), 10);
}

#[test]
fn waiting_for_a_thread_counts_as_time() {
    let options = SessionOptions::new().async_threads(1);
    let (device, session) = simulated(1 << 20, Duration::ZERO, options);
    let door = Door::new();
    let first = held(&session, &door);
    let late = session.from(vec![1i64]).map(|n| n + 1).deadline(Duration::from_secs(1)).run_async();
    device.clock().advance(Duration::from_secs(2));
    door.open();
    assert_eq!(block_on(late).unwrap_err().kind(), ErrorKind::Timeout);
    assert!(block_on(first).is_ok());
}

#[test]
fn whoever_polled_last_is_woken_once() {
    let (session, door) = (one_at_a_time(10), Door::new());
    let mut promise = held(&session, &door);
    let alarms = [Alarm::new(), Alarm::new()];
    for alarm in &alarms {
        let waker = Waker::from(alarm.clone());
        assert!(Pin::new(&mut promise).poll(&mut Context::from_waker(&waker)).is_pending());
    }
    door.open();
    block_on(session.from(vec![1i64]).run_async()).unwrap();
    assert_eq!(alarms.map(|alarm| alarm.rings.load(Ordering::SeqCst)), [0, 1]);
    assert_eq!(block_on(promise).unwrap().len(), 10);
}
