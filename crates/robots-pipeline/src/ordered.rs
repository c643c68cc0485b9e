//! Threads that share work, and results in the order of the work.
//!
//! [`with_pool`] runs threads. Each job has a channel of its own for its results, so that the caller takes them in the
//! order of the jobs. [`map`] is for the common case: one result for each item; `map_ready` the same for items that are at
//! hand. Memory is bounded: channels have a capacity, and the caller decides how many jobs it submits ahead.

use crate::error::Error;
use std::collections::VecDeque;
use std::num::NonZero;
use std::ops::ControlFlow;
use std::sync::mpsc::{self, Receiver, Sender, SyncSender, TryRecvError};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

/// The maximum number of items for each thread that [`map`] submits before their results are taken.
const ITEMS_PER_THREAD: usize = 2;

/// The number of items for each thread that [`map_ready`] submits before their results are taken. A thread that runs out of items
/// sleeps, and waking it costs more than small items take.
const READY_ITEMS_PER_THREAD: usize = 8;

/// Returns the requested number of threads, or else one for each processor.
pub fn threads(requested: Option<u16>) -> usize {
    let processors = || thread::available_parallelism().map_or(1, NonZero::get);
    requested.map_or_else(processors, usize::from)
}

/// A job, and the sender of its results.
type Job<J, M> = (J, SyncSender<M>);

/// A pool of running threads that take jobs.
#[derive(Debug)]
pub struct Pool<J, M> {
    jobs: Sender<Job<J, M>>,
    /// The maximum number of results of a job that wait to be taken.
    capacity: usize,
}

impl<J, M> Pool<J, M> {
    /// Submits a job. Returns the channel of its results; `None` if all threads have ended.
    pub fn submit(&self, job: J) -> Option<Receiver<M>> {
        let (sender, results) = mpsc::sync_channel(self.capacity);
        self.jobs.send((job, sender)).ok()?;
        Some(results)
    }
}

/// Runs up to this number of threads, as many as the system allows, while `body` submits jobs. Returns the value of
/// `body`.
///
/// `worker` makes the function of each thread. That function sends the results of a job; sending fails if the caller no
/// longer takes them. `capacity` is the maximum number of results of a job that wait.
///
/// # Errors
///
/// If the system refuses every thread. Then `body` is not called.
///
/// # Panics
///
/// If a worker panics, with its message.
pub fn with_pool<J, M, R, W>(
    threads: usize,
    capacity: usize,
    worker: impl Fn() -> W + Sync,
    body: impl FnOnce(&Pool<J, M>) -> R,
) -> Result<R, Error>
where
    J: Send,
    M: Send,
    W: FnMut(J, &SyncSender<M>),
{
    let (jobs, queue) = mpsc::channel::<Job<J, M>>();
    // The workers own the receiver: once all of them have ended, submitting fails.
    let queue = Arc::new(Mutex::new(queue));
    thread::scope(|scope| {
        let worker = &worker;
        let run = |queue: Arc<Mutex<Receiver<Job<J, M>>>>| move || work(&queue, worker());
        let mut workers = Vec::new();
        for _ in 0..threads.max(1) {
            let builder = thread::Builder::new();
            match builder.spawn_scoped(scope, run(Arc::clone(&queue))) {
                Ok(thread) => workers.push(thread),
                Err(error) if workers.is_empty() => return Err(Error::NoThread(error)),
                Err(_) => break,
            }
        }
        drop(queue);
        let pool = Pool { jobs, capacity };
        let value = body(&pool);
        // Workers find the channel closed and exit.
        drop(pool);
        for worker in workers {
            if let Err(panic) = worker.join() {
                std::panic::resume_unwind(panic);
            }
        }
        Ok(value)
    })
}

fn work<J, M>(queue: &Mutex<Receiver<Job<J, M>>>, mut worker: impl FnMut(J, &SyncSender<M>)) {
    loop {
        let job = queue.lock().unwrap_or_else(PoisonError::into_inner).recv();
        let Ok((job, results)) = job else { return };
        worker(job, &results);
    }
}

/// Maps items that are at hand with this number of threads, and takes the results in the order of the items, until `take`
/// returns `Break`.
///
/// One of the threads is that of the caller: it maps items whenever the next result is not ready. `worker` makes the function of
/// each thread, which maps an item.
///
/// # Errors
///
/// If the system refuses the threads.
///
/// # Panics
///
/// If one of the functions panics, with its message.
pub(crate) fn map_ready<T, U, W>(
    threads: usize,
    mut items: impl Iterator<Item = T>,
    worker: impl Fn() -> W + Sync,
    mut take: impl FnMut(U) -> ControlFlow<()>,
) -> Result<(), Error>
where
    T: Send,
    U: Send,
    W: FnMut(T) -> U,
{
    if threads <= 1 {
        let _ = items.map(worker()).try_for_each(take);
        return Ok(());
    }
    let max_waiting = threads * READY_ITEMS_PER_THREAD;
    let others = threads - 1;
    with_pool(
        others,
        1,
        || sending(worker()),
        |pool| {
            let mut work = sending(worker());
            let mut waiting = VecDeque::new();
            loop {
                while waiting.len() < max_waiting
                    && let Some(item) = items.next()
                {
                    // No thread is left if all workers have panicked.
                    let Some(results) = pool.submit(item) else {
                        return;
                    };
                    waiting.push_back(results);
                }
                let Some(results) = waiting.pop_front() else {
                    return;
                };
                let mut result = results.try_recv();
                // While a slow item is mapped, the others do not grow without bound.
                while matches!(result, Err(TryRecvError::Empty))
                    && waiting.len() < max_waiting * 2
                    && let Some(item) = items.next()
                {
                    let (sender, own) = mpsc::sync_channel(1);
                    work(item, &sender);
                    waiting.push_back(own);
                    result = results.try_recv();
                }
                // There is no result if the worker has panicked.
                let Ok(result) = result.or_else(|_| results.recv()) else {
                    return;
                };
                if take(result).is_break() {
                    return;
                }
            }
        },
    )
}

/// Returns a function of a thread of a pool, which sends one result for each item.
fn sending<T, U>(mut work: impl FnMut(T) -> U) -> impl FnMut(T, &SyncSender<U>) {
    move |item, results| {
        // Sending fails if no more results are taken.
        let _ = results.send(work(item));
    }
}

/// Maps items with several threads, and takes the results in the order of the items. Returns the value of `produce`.
///
/// `produce` runs on a thread of its own and passes items to its argument; it should end when that returns `Break`. `worker`
/// makes the function of each thread, which maps an item. `take` receives the results, and ends the run with `Break`.
///
/// # Errors
///
/// If the system refuses the threads.
///
/// # Panics
///
/// If one of the functions panics, with its message.
pub fn map<T, U, R, W>(
    threads: usize,
    produce: impl FnOnce(&mut dyn FnMut(T) -> ControlFlow<()>) -> R + Send,
    worker: impl Fn() -> W + Sync,
    mut take: impl FnMut(U) -> ControlFlow<()>,
) -> Result<R, Error>
where
    T: Send,
    U: Send,
    R: Send,
    W: FnMut(T) -> U,
{
    let (sender, waiting) = mpsc::sync_channel(threads.max(1) * ITEMS_PER_THREAD);
    let (hand_pool, pool) = mpsc::sync_channel::<Pool<T, U>>(1);
    thread::scope(|scope| {
        // It is started before the workers, whose number may be lower: the system may refuse threads.
        let producer = thread::Builder::new().spawn_scoped(scope, move || {
            let pool = pool.recv().ok();
            produce(&mut |item| {
                let submitted = pool.as_ref().and_then(|pool| pool.submit(item));
                let sent = submitted.is_some_and(|results| sender.send(results).is_ok());
                if sent {
                    ControlFlow::Continue(())
                } else {
                    ControlFlow::Break(())
                }
            })
        });
        let producer = producer.map_err(Error::NoThread)?;
        let pooled = with_pool(
            threads,
            1,
            || sending(worker()),
            |pool| {
                // Owned by this function, it is dropped if the first worker is refused, and the producer ends.
                let hand_pool = hand_pool;
                let _ = hand_pool.send(Pool {
                    jobs: pool.jobs.clone(),
                    capacity: pool.capacity,
                });
                for results in &waiting {
                    // There is no result if the worker has panicked.
                    let Ok(result) = results.recv() else { break };
                    if take(result).is_break() {
                        break;
                    }
                }
                // The producer finds the channel closed and ends.
                drop(waiting);
            },
        );
        match producer.join() {
            Ok(value) => pooled.map(|()| value),
            Err(panic) => std::panic::resume_unwind(panic),
        }
    })
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a failure here fails the test")]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::time::Duration;

    #[test]
    fn results_come_in_order_from_any_number_of_threads() {
        for threads in [0, 1, 2, 7] {
            let mut taken = Vec::new();
            let produced = map(
                threads,
                |submit| {
                    for number in 0..200_u64 {
                        assert!(submit(number).is_continue());
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
            assert_eq!(produced.unwrap(), "all");
            assert_eq!(taken, (0..200).map(|number| number * 2).collect::<Vec<_>>());
        }
    }

    #[test]
    fn results_of_ready_items_come_in_order_from_any_number_of_threads() {
        for threads in [0, 1, 2, 7] {
            let mut taken = Vec::new();
            let mapped = map_ready(
                threads,
                0..200_u64,
                || {
                    |number: u64| {
                        thread::sleep(Duration::from_micros(200_u64.saturating_sub(number)));
                        number * 2
                    }
                },
                |result| {
                    taken.push(result);
                    ControlFlow::Continue(())
                },
            );
            mapped.unwrap();
            assert_eq!(taken, (0..200).map(|number| number * 2).collect::<Vec<_>>());
        }
    }

    #[test]
    fn few_ready_items_are_taken_before_their_results_are() {
        let threads = 2;
        let bound = 2 * threads * READY_ITEMS_PER_THREAD + 1;
        let begun = AtomicUsize::new(0);
        let items = (0..1_000_usize).inspect(|_| {
            begun.fetch_add(1, Ordering::Relaxed);
        });
        let mut taken = 0;
        let mapped = map_ready(
            threads,
            items,
            || {
                |number| {
                    if number == 0 {
                        thread::sleep(Duration::from_millis(100));
                    }
                    begun.load(Ordering::Relaxed)
                }
            },
            |begun_before| {
                assert!(begun_before <= taken + bound, "{begun_before}");
                taken += 1;
                if taken < 100 {
                    ControlFlow::Continue(())
                } else {
                    ControlFlow::Break(())
                }
            },
        );
        mapped.unwrap();
        assert_eq!(taken, 100);
        assert!(begun.into_inner() <= 100 + bound);
    }

    #[test]
    #[should_panic(expected = "here")]
    fn a_panic_over_a_ready_item_reaches_the_caller() {
        // Of two threads, both map items.
        let _ = map_ready(
            2,
            0..1_000,
            || |_: i32| panic!("here"),
            |()| ControlFlow::Continue(()),
        );
    }

    #[test]
    fn producing_ends_when_taking_ends() {
        let mut taken = 0;
        let produced = map(
            2,
            |submit| {
                (0..1_000_000_u64)
                    .take_while(|number| submit(*number).is_continue())
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
        // `ITEMS_PER_THREAD` keeps the producer a few items ahead of the results.
        assert!(produced.unwrap() < 100);
    }

    #[test]
    fn jobs_have_any_number_of_results() {
        let worker = || {
            |job: usize, results: &SyncSender<usize>| {
                for result in 0..job {
                    if results.send(result).is_err() {
                        return;
                    }
                }
            }
        };
        let sums = with_pool(3, 1, worker, |pool| {
            let all: Vec<_> = (0..50).map(|job| pool.submit(job).unwrap()).collect();
            // Results that no one takes do not block the others.
            let all = all.into_iter().skip(5);
            all.map(|results| results.iter().count())
                .collect::<Vec<_>>()
        });
        assert_eq!(sums.unwrap(), (5..50).collect::<Vec<_>>());
    }

    #[test]
    #[should_panic(expected = "here")]
    fn a_panic_of_a_worker_reaches_the_caller() {
        let _ = map(
            2,
            |submit| while submit(1).is_continue() {},
            || |_: i32| panic!("here"),
            |()| ControlFlow::Continue(()),
        );
    }

    #[test]
    #[should_panic(expected = "there")]
    fn a_panic_of_the_producer_reaches_the_caller() {
        let _ = map(
            2,
            |submit| {
                let _ = submit(1);
                panic!("there")
            },
            || |number: i32| number,
            |_| ControlFlow::Continue(()),
        );
    }
}
