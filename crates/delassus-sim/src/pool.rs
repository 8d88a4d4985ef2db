//! A few threads that share a list of jobs.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Does `work` for 0 … count − 1 on some threads; results are in order, `None` if a stop came before the job was begun.
pub fn run<T: Send>(
    jobs: usize,
    count: usize,
    stop: &(dyn Fn() -> bool + Sync),
    work: impl Fn(usize) -> T + Sync,
) -> Vec<Option<T>> {
    let next = AtomicUsize::new(0);
    let slots: Mutex<Vec<Option<T>>> = Mutex::new((0..count).map(|_| None).collect());
    std::thread::scope(|scope| {
        for _ in 0..jobs.clamp(1, count.max(1)) {
            scope.spawn(|| {
                while !stop() {
                    let k = next.fetch_add(1, Ordering::Relaxed);
                    if k >= count {
                        break;
                    }
                    let result = work(k);
                    // a lock is poisoned only by a panic between these two lines
                    if let Ok(mut slots) = slots.lock()
                        && let Some(slot) = slots.get_mut(k)
                    {
                        *slot = Some(result);
                    }
                }
            });
        }
    });
    slots.into_inner().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn in_order_and_complete() {
        for jobs in [0, 1, 3, 100] {
            let squares = run(jobs, 20, &|| false, |k| k * k);
            let expected: Vec<Option<usize>> = (0..20).map(|k| Some(k * k)).collect();
            assert_eq!(squares, expected);
        }
        assert!(run(2, 0, &|| false, |k| k).is_empty());
    }

    #[test]
    fn a_stop_leaves_gaps() {
        assert_eq!(run(2, 3, &|| true, |k| k), [None, None, None]);
    }
}
