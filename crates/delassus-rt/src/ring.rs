//! Rows of numbers on their way from one thread to another, without a lock and without waiting.
//!
//! Owns the memory between one sender and one receiver. A sender that finds no room is told so and goes on.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

#[derive(Debug)]
struct Shared {
    /// Bits of the numbers, row by row.
    slots: Box<[AtomicU64]>,
    width: usize,
    rows: usize,
    /// Rows sent and received so far.
    sent: AtomicUsize,
    received: AtomicUsize,
}

/// The end that sends.
#[derive(Debug)]
pub struct Sender(Arc<Shared>);

/// The end that receives.
#[derive(Debug)]
pub struct Receiver(Arc<Shared>);

/// A ring of so many rows of so many numbers. All of its memory is touched here.
pub fn ring(rows: usize, width: usize) -> (Sender, Receiver) {
    let rows = rows.max(1);
    // a value other than zero: the system hands out zeros without memory behind them
    let slots = (0..rows * width).map(|_| AtomicU64::new(u64::MAX)).collect();
    let (sent, received) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let shared = Arc::new(Shared { slots, width, rows, sent, received });
    (Sender(shared.clone()), Receiver(shared))
}

impl Shared {
    fn row(&self, number: usize) -> &[AtomicU64] {
        let from = number % self.rows * self.width;
        &self.slots[from..from + self.width]
    }
}

impl Sender {
    /// Sends a row; `false` if there is no room for it. Missing numbers keep old values.
    pub fn send(&mut self, row: impl IntoIterator<Item = f64>) -> bool {
        let Sender(s) = self;
        let sent = s.sent.load(Ordering::Relaxed);
        if sent.wrapping_sub(s.received.load(Ordering::Acquire)) >= s.rows {
            return false;
        }
        for (slot, x) in s.row(sent).iter().zip(row) {
            slot.store(x.to_bits(), Ordering::Relaxed);
        }
        s.sent.store(sent.wrapping_add(1), Ordering::Release);
        true
    }
}

impl Receiver {
    /// Takes the oldest row; `false` if there is none.
    pub fn receive(&mut self, row: &mut [f64]) -> bool {
        let Receiver(s) = self;
        let received = s.received.load(Ordering::Relaxed);
        if received == s.sent.load(Ordering::Acquire) {
            return false;
        }
        for (x, slot) in row.iter_mut().zip(s.row(received)) {
            *x = f64::from_bits(slot.load(Ordering::Relaxed));
        }
        s.received.store(received.wrapping_add(1), Ordering::Release);
        true
    }

    /// Numbers in a row.
    pub fn width(&self) -> usize {
        self.0.width
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::thread;

    #[test]
    fn a_full_ring_says_so_and_keeps_the_order() {
        let (mut to, mut from) = ring(3, 2);
        let mut row = [0.0; 2];
        assert!(!from.receive(&mut row));
        let taken: Vec<bool> = (0..5).map(|k| to.send([f64::from(k), -1.0])).collect();
        assert_eq!(taken, [true, true, true, false, false]);
        for k in 0..3 {
            assert!(from.receive(&mut row));
            assert_eq!(row, [f64::from(k), -1.0]);
        }
        assert!(!from.receive(&mut row) && to.send([7.0, 8.0]) && from.receive(&mut row));
        assert_eq!(row, [7.0, 8.0]);
    }

    #[test]
    fn two_threads_lose_nothing_and_tear_nothing() {
        let (mut to, mut from) = ring(8, 3);
        let sender = thread::spawn(move || {
            for k in 0..20_000 {
                while !to.send([f64::from(k), f64::from(2 * k), f64::from(-k)]) {
                    thread::yield_now();
                }
            }
        });
        let mut row = [0.0; 3];
        for k in 0..20_000 {
            while !from.receive(&mut row) {
                thread::yield_now();
            }
            assert_eq!(row, [f64::from(k), f64::from(2 * k), f64::from(-k)]);
        }
        sender.join().unwrap();
    }
}
