//! Awaited queries: the same answers as `run`, on any executor, and no leftovers of dropped promises.

use super::executor::{CountingWaker, Latch, all, block_on};
use super::{ROWS, floats, simulated};
use arrow_array::{ArrayRef, BooleanArray, Float32Array, RecordBatch};
use pointsman::{
    CancellationToken, Column, ErrorKind, F32, Param, Phase, Progress, Promise, Session, SessionOptions, count, lit,
};
use pointsman_device::sim::{SimDevice, SimFault, SimOptions};
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

/// Opens a session with one thread for awaited queries and a queue of this length.
fn one_at_a_time(queue: usize) -> Session {
    let options = SessionOptions::new().async_threads(1).async_queue_limit(queue);
    options.threads(2).open().unwrap()
}

/// Starts a query that blocks the session's only thread at the latch before it computes anything.
fn held(session: &Session, latch: &Arc<Latch>) -> Promise<Column<f32>> {
    let at = latch.clone();
    let promise = session.from(floats(10)).map(|x| x + 1.0).on_progress(move |_| at.wait()).run_async();
    latch.wait_for_arrival();
    promise
}

#[test]
fn awaited_answers_equal_those_of_run() {
    let session = SessionOptions::new().threads(2).open().unwrap();
    let x = Column::from(floats(100_000));
    let expected = session.from(&x).filter(|x| x.gt(0.0)).run().unwrap();
    let answer = block_on(session.from(x.clone()).filter(|x| x.gt(0.0)).run_async()).unwrap();
    assert_eq!(answer[..], expected[..]);
    assert!(!answer.receipt().time(Phase::Queue).is_zero(), "the wait for the thread is counted: {}", answer.receipt());
    let folds = session.from(x.clone()).folds(|x| (x.sum(), x.max(), count())).run_async();
    assert_eq!(*block_on(folds).unwrap(), *session.from(&x).folds(|x| (x.sum(), x.max(), count())).run().unwrap());
    let squares = block_on(session.from(0u32..1000).map(|i| i * i).run_async()).unwrap();
    assert_eq!(squares[..], *session.from(0u32..1000).map(|i| i * i).to_vec().unwrap());
    let (array, flags) = (Float32Array::from(vec![Some(1.0), None, Some(3.0)]), BooleanArray::from(vec![true; 3]));
    let kept = session.from((array.clone(), flags.clone())).filter(|(_, flag)| flag).map(|(x, _)| x * 2.0).run_async();
    assert_eq!(block_on(kept).unwrap().options().collect::<Vec<_>>(), [Some(2.0), None, Some(6.0)]);
    let sides = (session.from((x.clone(), 0u64..x.len() as u64)), session.from(0u64..5).map(|i| (i, i * i)));
    let joined = sides.0.join(sides.1, |(_, row)| row, |(i, _)| i).group_by(|(_, (i, _))| i % 2);
    let squares = block_on(joined.agg(|(_, (_, square))| square.sum()).sort_by(|(odd, _)| odd).run_async()).unwrap();
    assert_eq!((&squares.0[..], &squares.1[..]), (&[0, 1][..], &[20, 10][..]));
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
fn errors_are_returned_by_the_promise() {
    let session = SessionOptions::new().threads(1).open().unwrap();
    let mistake = session.from((vec![1, 2], vec![1])).map(|(a, b)| a + b).run_async();
    assert_eq!(block_on(mistake).unwrap_err().kind(), ErrorKind::InvalidQuery);
    let fault = session.from(vec![1, 0]).map(|n| 1 / n).run_async();
    let error = block_on(fault).unwrap_err();
    assert_eq!((error.kind(), error.row()), (ErrorKind::Arithmetic, Some(1)));
    assert!(error.location().is_some());
}

#[test]
fn two_hundred_awaited_queries() {
    let session = SessionOptions::new().threads(2).open().unwrap();
    let scaled = Arc::new(session.prepare(|x: F32, k: Param<f32>| x * k).unwrap());
    let x = Column::from(floats(5000));
    let promises: Vec<_> = (0..200).map(|k| scaled.run_async(x.clone(), k as f32)).collect();
    for (k, answer) in block_on(all(promises)).into_iter().enumerate() {
        assert!(answer.unwrap().options().zip(x.options()).all(|(y, x)| y == x.map(|x| x * k as f32)));
    }
    assert_eq!(session.memory().host.outstanding_bytes, 0);
}

#[test]
fn full_async_queue_is_an_error_that_names_the_limit() {
    let (session, latch) = (one_at_a_time(2), Latch::new());
    let first = held(&session, &latch);
    let ask = || session.from(vec![1i64, 2]).map(|n| n + 1).run_async();
    let waiting = [ask(), ask()];
    let error = block_on(ask()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Busy);
    assert!(error.message().contains("2 queries wait") && error.message().contains("async_queue"), "{error}");
    drop(waiting);
    let again = ask();
    latch.open();
    assert_eq!(block_on(first).unwrap().len(), 10);
    assert_eq!(block_on(again).unwrap()[..], [2, 3], "a dropped promise leaves the queue");
}

/// Drops the promise after `at` progress reports; returns whether there were that many.
fn drop_at(session: &Session, ask: fn(&Session, Column<f32>) -> pointsman::Query<'static, F32>, at: usize) -> bool {
    let (latch, calls) = (Latch::new(), Arc::new(AtomicUsize::new(0)));
    let (stop, counted) = (latch.clone(), calls.clone());
    let on_progress = move |_: &Progress| {
        if counted.fetch_add(1, Ordering::SeqCst) == at {
            stop.wait();
        }
    };
    // The column is in the session's pool, so a leak would be visible.
    let x = session.from(&floats(ROWS / 4)).run().unwrap().into_value();
    let promise = ask(session, x).on_progress(on_progress).run_async();
    // The thread either blocks at the latch, or has ended the query and runs the next.
    let next = session.from(vec![0.0f32]).map(|x| x + 1.0).on_progress({
        let latch = latch.clone();
        move |_| latch.wait()
    });
    let next = next.run_async();
    latch.wait_for_arrival();
    let was_there = calls.load(Ordering::SeqCst) > at;
    drop(promise);
    latch.open();
    assert_eq!(block_on(next).unwrap()[..], [1.0]);
    assert_eq!(session.memory().host.outstanding_bytes, 0, "dropped at {at}: its columns are freed");
    let after = calls.load(Ordering::SeqCst);
    assert!(after <= at + 2, "dropped at {at}: it continued to {after} reports");
    was_there
}

#[test]
fn promise_dropped_at_any_point_leaves_nothing() {
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
fn promise_dropped_before_start_or_after_end_leaves_nothing() {
    let (session, latch) = (one_at_a_time(10), Latch::new());
    let first = held(&session, &latch);
    let x = session.from(&floats(ROWS / 4)).run().unwrap().into_value();
    let before = session.memory().host.outstanding_bytes;
    let waiting = session.from(x).map(|x| x + 1.0).run_async();
    assert!(before > 0 && session.memory().host.outstanding_bytes >= before);
    drop(waiting);
    latch.open();
    let answer = block_on(first).unwrap();
    drop(answer);
    let mut done = session.from(vec![1.0f32; 1000]).map(|x| x + 1.0).run_async();
    // The only thread runs the next query after this one has ended.
    block_on(session.from(vec![1i64]).run_async()).unwrap();
    assert_eq!(format!("{done:?}"), "Promise(there)");
    let mut context = Context::from_waker(Waker::noop());
    assert!(matches!(Pin::new(&mut done).poll(&mut context), Poll::Ready(Ok(_))));
    let Poll::Ready(Err(error)) = Pin::new(&mut done).poll(&mut context) else { panic!("a promise has one answer") };
    assert_eq!(error.kind(), ErrorKind::InvalidQuery);
    drop(session.from(vec![1.0f32; 1000]).map(|x| x + 1.0).run_async());
    block_on(session.from(vec![1i64]).run_async()).unwrap();
    assert_eq!(session.memory().host.outstanding_bytes, 0);
}

#[test]
fn promises_outlive_the_session() {
    let (session, latch) = (one_at_a_time(10), Latch::new());
    let first = held(&session, &latch);
    let rest: Vec<_> = (0..5).map(|k| session.from(vec![k, k]).map(|n| n + 1).run_async()).collect();
    drop(session);
    latch.open();
    assert_eq!(block_on(first).unwrap().len(), 10);
    for (k, answer) in block_on(all(rest)).into_iter().enumerate() {
        assert_eq!(answer.unwrap()[..], [k as i32 + 1; 2]);
    }
}

#[test]
fn panic_is_an_error_and_the_thread_survives() {
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
fn token_cancels_the_query_and_dropping_does_not_cancel_the_token() {
    let (session, latch, token) = (one_at_a_time(10), Latch::new(), CancellationToken::new());
    let first = held(&session, &latch);
    let ask = || session.from(vec![1i64]).map(|n| n + 1).cancelled_by(&token);
    drop(ask().run_async());
    assert!(!token.is_cancelled(), "a dropped promise ends only its own query");
    let waiting = ask().run_async();
    token.cancel();
    latch.open();
    assert_eq!(block_on(waiting).unwrap_err().kind(), ErrorKind::Cancelled);
    assert_eq!(block_on(ask().run_async()).unwrap_err().kind(), ErrorKind::Cancelled);
    assert_eq!(block_on(first).unwrap().len(), 10);
}

#[test]
fn waiting_for_a_thread_counts_against_the_deadline() {
    let options = SessionOptions::new().async_threads(1);
    let (device, session) = simulated(1 << 20, Duration::ZERO, options);
    let latch = Latch::new();
    let first = held(&session, &latch);
    let late = session.from(vec![1i64]).map(|n| n + 1).deadline(Duration::from_secs(1)).run_async();
    device.clock().advance(Duration::from_secs(2));
    latch.open();
    assert_eq!(block_on(late).unwrap_err().kind(), ErrorKind::Timeout);
    assert!(block_on(first).is_ok());
}

#[test]
fn last_waker_is_woken_once() {
    let (session, latch) = (one_at_a_time(10), Latch::new());
    let mut promise = held(&session, &latch);
    let wakers = [CountingWaker::new(), CountingWaker::new()];
    for counting in &wakers {
        let waker = Waker::from(counting.clone());
        assert!(Pin::new(&mut promise).poll(&mut Context::from_waker(&waker)).is_pending());
    }
    latch.open();
    block_on(session.from(vec![1i64]).run_async()).unwrap();
    assert_eq!(wakers.map(|waker| waker.wakes.load(Ordering::SeqCst)), [0, 1]);
    assert_eq!(block_on(promise).unwrap().len(), 10);
}

/// The only thread of the pool is held for as long as the test likes: limits hold while a query waits for it, too.
#[test]
fn limits_hold_while_a_query_waits_for_a_thread() {
    let (session, latch) = (one_at_a_time(10), Latch::new());
    let busy = held(&session, &latch);
    let unlimited = session.from(floats(10)).map(|x| x * 2.0).run_async();
    let ask = || session.from(floats(10)).map(|x| x * 2.0);
    let error = block_on(ask().deadline(Duration::from_millis(20)).run_async()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Timeout, "{error}");
    let token = CancellationToken::new();
    let waits = ask().cancelled_by(&token).run_async();
    token.cancel();
    assert_eq!(block_on(waits).unwrap_err().kind(), ErrorKind::Cancelled);
    let prepared = session.prepare(|x: F32| x * 2.0).unwrap().deadline(Duration::from_millis(20));
    let error = block_on(Arc::new(prepared).run_async(floats(10))).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Timeout, "{error}");
    latch.open();
    assert!(block_on(busy).is_ok() && block_on(unlimited).is_ok(), "the others are answered as always");
}

/// A driver that compiles cannot be stopped, but the threads of the pool do not wait for it.
#[test]
fn dropped_promises_do_not_starve_the_pool() {
    const THREADS: usize = 4;
    let device = Arc::new(SimDevice::new(SimOptions::default()));
    let options = SessionOptions::new().async_threads(THREADS).threads(1).add_device(device.clone());
    let session = options.open().unwrap();
    device.block_compilations();
    let ask = |k: i64| session.from(vec![1i64]).map(move |n| n * lit(k)).require("sim").run_async();
    let promises: Vec<_> = (2..2 + 2 * THREADS as i64).map(ask).collect();
    device.wait_for_blocked_compilations(THREADS);
    // Those that wait for a thread first: a dropped promise frees its thread for the next one at once.
    promises.into_iter().rev().for_each(drop);
    assert_eq!(block_on(session.from(vec![1i64]).map(|n| n + 1).require("cpu").run_async()).unwrap()[..], [2]);
    assert_eq!(device.compilations(), THREADS as u64, "those that waited for a thread never began");
    device.unblock_compilations();
}
