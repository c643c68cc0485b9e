//! Work that all processors share, whose results come in the order of what was worked on.
//!
//! One thread makes items, several work on them, and the caller takes what becomes of them, in
//! order: what is told is the same with any number of threads.

use std::collections::BTreeMap;
use std::num::NonZero;
use std::ops::ControlFlow;
use std::sync::mpsc::{self, Receiver, SyncSender};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

/// How many items, and how many results, may wait for each thread.
const WAITING: usize = 2;

/// How many threads do work: as many as are asked for, or one for each processor.
pub(crate) fn threads(asked: Option<u16>) -> usize {
    let processors = || thread::available_parallelism().map_or(1, NonZero::get);
    asked.map_or_else(processors, usize::from)
}

/// Has `make` hand items to what it is given, `worker` make for each thread what works on them, and `take` take
/// the results. `make` ends when it is told so: nobody takes more. Gives what `make` gives.
///
/// A panic in one of them goes on in the caller.
pub(crate) fn map<T, U, R, W>(
    threads: usize,
    make: impl FnOnce(&mut dyn FnMut(T) -> ControlFlow<()>) -> R + Send,
    worker: impl Fn() -> W + Sync,
    mut take: impl FnMut(U) -> ControlFlow<()>,
) -> R
where
    T: Send,
    U: Send,
    R: Send,
    W: FnMut(T) -> U,
{
    let threads = threads.max(1);
    let (items, waiting) = mpsc::sync_channel(threads.saturating_mul(WAITING));
    // It is gone when the last worker has ended: then who makes items is told so.
    let waiting = Arc::new(Mutex::new(waiting));
    let (done, results) = mpsc::sync_channel(threads.saturating_mul(WAITING));
    thread::scope(|scope| {
        let maker = scope.spawn(move || {
            let mut number = 0_u64;
            make(&mut |item| {
                let sent = items.send((number, item));
                number = number.saturating_add(1);
                // It fails if every worker has ended.
                sent.map_or(ControlFlow::Break(()), ControlFlow::Continue)
            })
        });
        let workers: Vec<_> = (0..threads)
            .map(|_| {
                let (waiting, worker, done) = (Arc::clone(&waiting), &worker, done.clone());
                scope.spawn(move || work(&waiting, worker(), &done))
            })
            .collect();
        drop((waiting, done));
        let mut early = BTreeMap::new();
        let mut next = 0_u64;
        'all: for (number, result) in &results {
            early.insert(number, result);
            while let Some(result) = early.remove(&next) {
                next = next.saturating_add(1);
                if take(result).is_break() {
                    break 'all;
                }
            }
        }
        // Who works on now finds nobody, and ends; then so does who makes.
        drop(results);
        for worker in workers {
            if let Err(panic) = worker.join() {
                std::panic::resume_unwind(panic);
            }
        }
        match maker.join() {
            Ok(made) => made,
            Err(panic) => std::panic::resume_unwind(panic),
        }
    })
}

fn work<T, U>(
    waiting: &Mutex<Receiver<(u64, T)>>,
    mut worker: impl FnMut(T) -> U,
    done: &SyncSender<(u64, U)>,
) {
    loop {
        let item = {
            let waiting = waiting.lock().unwrap_or_else(PoisonError::into_inner);
            waiting.recv()
        };
        let Ok((number, item)) = item else { return };
        if done.send((number, worker(item))).is_err() {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn results_come_in_order_from_any_number_of_threads() {
        for threads in [0, 1, 2, 7] {
            let mut taken = Vec::new();
            let made = map(
                threads,
                |hand| {
                    for number in 0..200_u64 {
                        assert!(hand(number).is_continue());
                    }
                    "all"
                },
                || {
                    |number: u64| {
                        // The first take the longest.
                        thread::sleep(Duration::from_micros(200_u64.saturating_sub(number)));
                        number * 2
                    }
                },
                |result| {
                    taken.push(result);
                    ControlFlow::Continue(())
                },
            );
            assert_eq!(made, "all");
            assert_eq!(taken, (0..200).map(|number| number * 2).collect::<Vec<_>>());
        }
    }

    #[test]
    fn it_ends_when_nobody_takes_more() {
        let mut taken = 0;
        let made = map(
            2,
            |hand| {
                (0..1_000_000_u64)
                    .take_while(|number| hand(*number).is_continue())
                    .count()
            },
            || |number| number,
            |_| {
                taken += 1;
                if taken < 3 {
                    ControlFlow::Continue(())
                } else {
                    ControlFlow::Break(())
                }
            },
        );
        assert_eq!(taken, 3);
        assert!(made < 100, "{made}");
    }

    #[test]
    #[should_panic(expected = "here")]
    fn a_panic_goes_on() {
        map(
            2,
            |hand| while hand(1).is_continue() {},
            || |_: i32| panic!("here"),
            |()| ControlFlow::Continue(()),
        );
    }
}
