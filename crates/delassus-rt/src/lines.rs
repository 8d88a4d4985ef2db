//! Messages as lines of JSON, over standard input and output or whatever reads and writes.
//!
//! Two threads wait for the other side, so that the loop does not have to: one reads and checks lines, one writes
//! them. Rings connect them to the loop. In step with its partner the loop makes one step per line instead.

use crate::gate::Gate;
use crate::layout::Layout;
use crate::link::Link;
use crate::packet::{Cycle, Incoming, Refusal};
use crate::ring::{Receiver, Sender, ring};
use crate::text;
use std::io::{BufRead, BufReader, Read, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, Builder, JoinHandle, Thread};
use std::time::{Duration, Instant};

/// The longest line that is read, bytes.
const LONGEST: usize = 1 << 20;
/// Lines on their way, in each direction.
const ROWS: usize = 1024;
/// Lines taken per cycle at most.
const PER_CYCLE: usize = 64;
/// How long a thread waits before it looks again.
const NAP: Duration = Duration::from_millis(20);
/// How long the last lines may take to be written.
const LINGER: Duration = Duration::from_secs(5);

/// Kinds of lines in a ring.
const NUMBERED: f64 = 0.0;
const PLAIN: f64 = 1.0;
const QUESTION: f64 = 2.0;
const END: f64 = 3.0;
const OUTPUTS: f64 = 4.0;
/// Refusals in the order of their codes, which begin here.
const REFUSED: f64 = 10.0;
const REFUSALS: [Refusal; 5] =
    [Refusal::Malformed, Refusal::NotFinite, Refusal::Stale, Refusal::Unknown, Refusal::Foreign];

/// A link over lines.
#[derive(Debug)]
pub struct Lines {
    from: Receiver,
    to: Sender,
    row: Vec<f64>,
    in_step: bool,
    closed: Arc<AtomicBool>,
    over: bool,
    stop: fn() -> bool,
    reader: Thread,
    writer: Option<JoinHandle<()>>,
    lost: u64,
}

impl Lines {
    /// Starts the two threads. In step, every line makes one step, and the loop waits for it.
    pub fn start(
        input: impl Read + Send + 'static,
        output: impl Write + Send + 'static,
        layout: &Layout,
        rate: f64,
        in_step: bool,
        stop: fn() -> bool,
    ) -> std::io::Result<Lines> {
        let (heard, from) = ring(ROWS, 2 + layout.inputs().len());
        let (to, told) = ring(ROWS, 6 + layout.outputs().len());
        let closed = Arc::new(AtomicBool::new(false));
        let names = layout.describe(rate).to_string();
        let (one, two) = (closed.clone(), closed.clone());
        let (here, there) = (layout.clone(), layout.clone());
        let caller = thread::current();
        let reader = Builder::new().name("lines in".to_owned());
        let reader = reader.spawn(move || hear(input, &here, heard, &one, &caller))?;
        let writer = Builder::new().name("lines out".to_owned());
        let writer = writer.spawn(move || tell(output, &there, told, &names, &two))?;
        Ok(Lines {
            from,
            to,
            row: vec![1.0; 2 + layout.inputs().len()],
            in_step,
            closed,
            over: false,
            stop,
            reader: reader.thread().clone(),
            writer: Some(writer),
            lost: 0,
        })
    }

    /// Outputs that were left out because nobody read them in time.
    pub fn lost(&self) -> u64 {
        self.lost
    }

    /// Waits until everything is written, but not for ever.
    pub fn finish(&mut self) {
        self.put([END].into_iter());
        let Some(writer) = self.writer.take() else { return };
        let clock = Instant::now();
        while !writer.is_finished() && clock.elapsed() < LINGER {
            writer.thread().unpark();
            thread::sleep(Duration::from_millis(1));
        }
        self.closed.store(true, Ordering::Relaxed);
    }

    fn put(&mut self, row: impl Iterator<Item = f64> + Clone) {
        let mut sent = self.to.send(row.clone());
        // the partner of a loop in step gets every line
        while !sent && self.in_step && !self.is_closed() && !(self.stop)() {
            thread::yield_now();
            sent = self.to.send(row.clone());
        }
        self.lost += u64::from(!sent);
        if let Some(writer) = &self.writer {
            writer.thread().unpark();
        }
    }

    fn is_closed(&self) -> bool {
        self.closed.load(Ordering::Relaxed)
    }

    /// Takes what the reader has heard; `false` if there is nothing.
    fn take(&mut self, gate: &mut Gate) -> bool {
        if !self.from.receive(&mut self.row) {
            return false;
        }
        let sequence = self.row[1].to_bits();
        match self.row[0] {
            NUMBERED => {
                gate.offer(Some(sequence), &self.row[2..]);
            }
            PLAIN => {
                gate.offer(None, &self.row[2..]);
            }
            QUESTION => self.put([QUESTION].into_iter()),
            END => self.over = true,
            code => {
                let why = REFUSALS.get((code - REFUSED) as usize);
                gate.refuse(why.copied().unwrap_or(Refusal::Malformed));
            }
        }
        self.reader.unpark();
        true
    }
}

impl Link for Lines {
    fn receive(&mut self, gate: &mut Gate) -> bool {
        if !self.in_step {
            for _ in 0..PER_CYCLE {
                if self.over || !self.take(gate) {
                    break;
                }
            }
            return !self.over && !self.is_closed();
        }
        loop {
            if self.is_closed() || (self.stop)() {
                return false;
            }
            if self.take(gate) {
                // a question for the names is no step
                if self.over || self.row[0] != QUESTION {
                    return !self.over;
                }
            } else {
                thread::park_timeout(NAP);
            }
        }
    }

    fn send(&mut self, c: &Cycle<'_>) {
        let bits = f64::from_bits;
        let head =
            [OUTPUTS, bits(c.sequence), c.t, f64::from(c.status), bits(c.late), bits(c.inputs)];
        self.put(head.into_iter().chain(c.values.iter().copied()));
    }
}

/// Reads lines until there are no more.
fn hear(
    input: impl Read,
    layout: &Layout,
    mut to: Sender,
    closed: &AtomicBool,
    loop_thread: &Thread,
) {
    let mut input = BufReader::new(input);
    let mut values = vec![f64::NAN; layout.inputs().len()];
    let mut put = |head: [f64; 2], values: &[f64]| {
        while !to.send(head.iter().chain(values).copied()) {
            if closed.load(Ordering::Relaxed) {
                return false;
            }
            thread::park_timeout(NAP);
        }
        loop_thread.unpark();
        true
    };
    let mut line = Vec::new();
    loop {
        line.clear();
        let code = match next_line(&mut input, &mut line) {
            None => break,
            Some(false) => Err(Refusal::Malformed),
            Some(true) if line.trim_ascii().is_empty() => continue,
            Some(true) => text::read(&line, layout, &mut values),
        };
        let head = match code {
            Ok(Incoming::Inputs(Some(n))) => [NUMBERED, f64::from_bits(n)],
            Ok(Incoming::Inputs(None)) => [PLAIN, 0.0],
            Ok(Incoming::Question) => [QUESTION, 0.0],
            Err(why) => {
                let code = REFUSALS.iter().position(|r| *r == why).unwrap_or(0);
                [REFUSED + code as f64, 0.0]
            }
        };
        if !put(head, &values) {
            return;
        }
    }
    put([END, 0.0], &values);
}

/// Reads a line without its end; `None` after the last one, `false` if it is too long to be a message.
fn next_line(input: &mut impl BufRead, line: &mut Vec<u8>) -> Option<bool> {
    let mut any = false;
    loop {
        let Ok(some) = input.fill_buf() else { return None };
        if some.is_empty() {
            return any.then_some(line.len() <= LONGEST);
        }
        any = true;
        let end = some.iter().position(|b| *b == b'\n');
        let n = end.unwrap_or(some.len());
        // one byte more than allowed is enough to know
        let room = (LONGEST + 1).saturating_sub(line.len());
        line.extend_from_slice(&some[..n.min(room)]);
        input.consume(n + usize::from(end.is_some()));
        if end.is_some() {
            return Some(line.len() <= LONGEST);
        }
    }
}

/// Writes lines until the end is announced or nobody reads them.
fn tell(
    mut output: impl Write,
    layout: &Layout,
    mut from: Receiver,
    names: &str,
    closed: &AtomicBool,
) {
    let mut row = vec![0.0; from.width()];
    let mut line = Vec::with_capacity(text::room(layout) + 1);
    loop {
        if !from.receive(&mut row) {
            if output.flush().is_err() || closed.load(Ordering::Relaxed) {
                break;
            }
            thread::park_timeout(NAP);
            continue;
        }
        match row[0] {
            END => {
                let _ = output.flush();
                return;
            }
            QUESTION => {
                line.clear();
                line.extend_from_slice(names.as_bytes());
            }
            _ => {
                let cycle = Cycle {
                    sequence: row[1].to_bits(),
                    t: row[2],
                    status: row[3] as u32,
                    late: row[4].to_bits(),
                    inputs: row[5].to_bits(),
                    values: &row[6..],
                };
                text::write_outputs(&mut line, layout, &cycle);
            }
        }
        line.push(b'\n');
        if output.write_all(&line).is_err() {
            break;
        }
    }
    closed.store(true, Ordering::Relaxed);
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Cursor;

    #[test]
    fn lines_end_anywhere_and_long_ones_are_cut() {
        let long = vec![b'x'; 3 * LONGEST];
        let text = [b"one\n\n", &long[..], b"\ntwo"].concat();
        let mut input = BufReader::with_capacity(7, Cursor::new(text));
        let mut next = || {
            let mut line = Vec::new();
            let whole = next_line(&mut input, &mut line);
            (whole, line.len())
        };
        assert_eq!(next(), (Some(true), 3));
        assert_eq!(next(), (Some(true), 0));
        assert_eq!(next(), (Some(false), LONGEST + 1));
        assert_eq!((next(), next().0), ((Some(true), 3), None));
    }
}
