//! Connects the run to its watchers. The run never waits: it skips what a watcher is too slow to receive.

use crate::files::rows as event_rows;
use delassus::io::results::MotionFile;
use delassus::sim::contact::{Event, found_after};
use delassus::sim::{ContactTrack, LoadTrack, MotionTrack, Recorder, Results, RunOutcome};
use delassus_report::{LiveContact, LiveFrames, ReportEvent};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard};

/// The largest number of messages queued for a watcher.
const WAITING: usize = 4;
/// The largest number of watchers at a time.
const WATCHERS: usize = 4;
/// The largest number of values in a message; more frames are thinned.
const NUMBERS: usize = 100_000;
/// The largest number of events in a message; the others are sent with the next.
const EVENTS: usize = 2_000;
/// The largest number of contact points of a frame.
const POINTS: usize = 200;

/// A message to the watchers.
#[derive(Clone)]
pub enum Message {
    /// As it is sent.
    Text(Arc<str>),
    /// Numbers that are turned into text in the watcher's thread, so that the run does not have to.
    Frames(Arc<Frames>),
}

impl Message {
    /// The text as it is sent.
    pub fn text(&self) -> Arc<str> {
        match self {
            Message::Text(text) => text.clone(),
            Message::Frames(frames) => frames.text(),
        }
    }
}

/// Some rows of a run.
pub struct Frames {
    motion: MotionFile,
    names: Arc<[String]>,
    columns: Vec<Vec<f64>>,
    contacts: Vec<LiveContact>,
    loads: Vec<Vec<f64>>,
}

impl Frames {
    /// Rows of a motion with the values of columns at the same times.
    pub fn of(motion: MotionFile, names: Arc<[String]>, columns: Vec<Vec<f64>>) -> Frames {
        Frames { motion, names, columns, contacts: Vec::new(), loads: Vec::new() }
    }

    fn text(&self) -> Arc<str> {
        let names = self.names.iter().map(String::as_str);
        let frames = LiveFrames {
            contacts: self.contacts.clone(),
            loads: self.loads.clone(),
            ..LiveFrames::new(&self.motion, names.zip(self.columns.iter().cloned()))
        };
        text("frames", &serde_json::to_string(&frames).unwrap_or_default())
    }
}

/// The messages of a watcher, in order of arrival.
pub struct Line {
    from: Receiver<Message>,
    waiting: Arc<AtomicUsize>,
}

impl Iterator for Line {
    type Item = Message;

    fn next(&mut self) -> Option<Message> {
        let message = self.from.recv().ok()?;
        self.waiting.fetch_sub(1, Ordering::Relaxed);
        Some(message)
    }
}

/// An event of the stream.
pub fn message(event: &str, json: &str) -> Message {
    Message::Text(text(event, json))
}

fn text(event: &str, json: &str) -> Arc<str> {
    // JSON has its line ends escaped, so a message is one line
    format!("event: {event}\ndata: {}\n\n", json.replace(['\n', '\r'], " ")).into()
}

struct Watcher {
    to: SyncSender<Message>,
    /// Number of messages that it has not received yet.
    waiting: Arc<AtomicUsize>,
    /// First row that has not been sent yet.
    next: usize,
    /// Number of rows before it that were skipped.
    left_out: usize,
    /// Number of events sent, in the order in which they were found.
    next_event: usize,
    last: bool,
}

#[derive(Default)]
struct Inner {
    watchers: Vec<Watcher>,
    /// There has been a watcher at some time.
    seen: bool,
    /// The run is over.
    closed: bool,
    /// The largest number of rows that were skipped for a watcher that has left.
    left_out: usize,
}

/// Where the run and its watchers meet.
#[derive(Default, Clone)]
pub struct Hub {
    inner: Arc<Mutex<Inner>>,
}

impl Hub {
    fn lock(&self) -> MutexGuard<'_, Inner> {
        // a thread that died while it held the lock left the list in a valid state
        self.inner.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    /// A new watcher; `None` if there are too many or the run is over.
    pub fn watch(&self) -> Option<Line> {
        let mut inner = self.lock();
        if inner.closed || inner.watchers.len() >= WATCHERS {
            return None;
        }
        let (to, from) = sync_channel(WAITING);
        let waiting = Arc::new(AtomicUsize::new(0));
        inner.watchers.push(Watcher {
            to,
            waiting: waiting.clone(),
            next: 0,
            left_out: 0,
            next_event: 0,
            last: false,
        });
        inner.seen = true;
        Some(Line { from, waiting })
    }

    /// How many of `rows` rows were skipped for the watchers: the largest number for one of them.
    pub fn left_out(&self, rows: usize) -> usize {
        let late = |w: &Watcher| if w.is_behind() { rows.saturating_sub(w.next) } else { 0 };
        let inner = self.lock();
        inner.watchers.iter().map(|w| w.left_out + late(w)).fold(inner.left_out, usize::max)
    }

    /// Whether somebody watches or has watched.
    pub fn seen(&self) -> bool {
        self.lock().seen
    }

    /// Sends new rows to every watcher that can receive them. Does not block, not even on the list of watchers.
    pub fn offer(&self, recorder: &Recorder) {
        let rows = recorder.motion.t().len();
        self.offer_rows(rows, &|from| Tracks::of(recorder).frames(from));
    }

    /// The same for rows from elsewhere: how many there are, and those from one on.
    pub fn offer_rows(&self, rows: usize, frames: &dyn Fn(usize) -> Option<Frames>) {
        let Ok(mut inner) = self.inner.try_lock() else { return };
        let Inner { watchers, left_out, .. } = &mut *inner;
        watchers.retain_mut(|w| {
            let stays = w.offer(rows, frames);
            if !stays {
                *left_out = (*left_out).max(w.left_out + rows.saturating_sub(w.next));
            }
            stays
        });
    }

    /// Sends new events to every watcher that can receive them. Does not block.
    pub fn offer_events(&self, log: &[Event]) {
        let Ok(mut inner) = self.inner.try_lock() else { return };
        inner.watchers.retain_mut(|w| w.offer_events(log));
    }

    /// Sends everything that is left and the last message; `true` when everybody has received them. Call it until then,
    /// or until a time limit is reached.
    pub fn finish(
        &self,
        frames: &dyn Fn(usize) -> Option<Message>,
        log: &[Event],
        last: &Message,
    ) -> bool {
        let mut inner = self.lock();
        inner.watchers.retain_mut(|w| {
            if w.next != usize::MAX {
                if w.is_full() {
                    return true;
                }
                match frames(w.next).map_or(Sent::Yes, |m| w.send(m)) {
                    Sent::Yes => w.next = usize::MAX,
                    Sent::Later => return true,
                    Sent::Gone => return false,
                }
            }
            while w.next_event < log.len() {
                let before = w.next_event;
                if !w.offer_events(log) {
                    return false;
                }
                if w.next_event == before {
                    return true;
                }
            }
            if !w.last {
                match w.send(last.clone()) {
                    Sent::Yes => w.last = true,
                    Sent::Later => return true,
                    Sent::Gone => return false,
                }
            }
            true
        });
        inner.seen && inner.watchers.iter().all(|w| w.last)
    }

    /// No more messages: the watchers have reached the end.
    pub fn close(&self) {
        let mut inner = self.lock();
        inner.closed = true;
        inner.watchers.clear();
    }
}

/// The result of sending a message.
enum Sent {
    Yes,
    Later,
    Gone,
}

impl Watcher {
    /// It has not received everything that was sent.
    fn is_behind(&self) -> bool {
        self.waiting.load(Ordering::Relaxed) > 0
    }

    /// Nothing more can be sent at the moment.
    fn is_full(&self) -> bool {
        self.waiting.load(Ordering::Relaxed) >= WAITING
    }

    fn send(&self, m: Message) -> Sent {
        self.waiting.fetch_add(1, Ordering::Relaxed);
        match self.to.try_send(m) {
            Ok(()) => return Sent::Yes,
            Err(TrySendError::Full(_)) => {}
            Err(TrySendError::Disconnected(_)) => return Sent::Gone,
        }
        self.waiting.fetch_sub(1, Ordering::Relaxed);
        Sent::Later
    }

    /// `false` if the watcher is gone. A slow watcher costs nothing: the next message covers these rows too, thinned.
    fn offer(&mut self, rows: usize, frames: &dyn Fn(usize) -> Option<Frames>) -> bool {
        if self.is_behind() {
            return true;
        }
        let Some(frames) = frames(self.next) else { return true };
        let shown = frames.motion.t.len();
        match self.send(Message::Frames(Arc::new(frames))) {
            Sent::Yes => {
                self.left_out += (rows - self.next).saturating_sub(shown);
                self.next = rows;
            }
            Sent::Later => {}
            Sent::Gone => return false,
        }
        true
    }

    /// `false` if the watcher is gone.
    fn offer_events(&mut self, log: &[Event]) -> bool {
        if self.is_full() || self.next_event >= log.len() {
            return true;
        }
        let mut new = found_after(log, self.next_event as u64);
        new.truncate(EVENTS);
        if new.is_empty() {
            return true;
        }
        let list: Vec<ReportEvent> =
            event_rows(new.iter().copied()).map(ReportEvent::from).collect();
        match self.send(message("events", &serde_json::to_string(&list).unwrap_or_default())) {
            Sent::Yes => self.next_event += new.len(),
            Sent::Later => {}
            Sent::Gone => return false,
        }
        true
    }
}

/// Contact points of the shown rows: the strongest ones if there are many.
fn contacts(track: &ContactTrack, rows: &[usize]) -> Vec<LiveContact> {
    let all = track.points();
    let mut out = Vec::new();
    for (frame, row) in rows.iter().enumerate() {
        let row = row - row % track.stride();
        let from = all.partition_point(|(r, _)| *r < row);
        let to = all.partition_point(|(r, _)| *r <= row);
        let mut here: Vec<_> = all[from..to].iter().map(|(_, p)| p).collect();
        here.sort_by(|a, b| b.force.abs().total_cmp(&a.force.abs()));
        here.truncate(POINTS);
        let sent = |p: &&_| {
            let p: &delassus::sim::TouchPoint = p;
            LiveContact(frame, p.contact, p.at, p.normal, p.force)
        };
        out.extend(here.iter().map(sent));
    }
    out
}

/// What a run has recorded so far.
pub struct Tracks<'a> {
    motion: &'a MotionTrack,
    touches: &'a ContactTrack,
    loads: &'a LoadTrack,
    results: &'a Results,
}

impl<'a> Tracks<'a> {
    /// Tracks of a run in progress.
    pub fn of(r: &'a Recorder) -> Tracks<'a> {
        Tracks { motion: &r.motion, touches: &r.touches, loads: &r.loads, results: &r.results }
    }

    /// Tracks of a run that is over.
    pub fn whole(o: &'a RunOutcome) -> Tracks<'a> {
        Tracks { motion: &o.motion, touches: &o.touches, loads: &o.loads, results: &o.results }
    }

    /// The rows from `from` on, thinned if there are many; `None` if there are none.
    pub fn frames(&self, from: usize) -> Option<Frames> {
        let (motion, results) = (self.motion, self.results);
        let rows = motion.t().len();
        if from >= rows {
            return None;
        }
        let stride = (motion.stride() as usize).max(1);
        let wide = 7 * (motion.forms().len() + 1) + results.data.len() + 3 * self.loads.count();
        let rows = thinned(from, rows, NUMBERS / wide);
        let column = |values: &Vec<f64>| {
            let at = |row: &usize| values.get(row * stride).copied().unwrap_or(f64::NAN);
            rows.iter().map(at).collect::<Vec<f64>>()
        };
        let load = |row: &usize| self.loads.row(row / self.loads.stride()).map(<[f64]>::to_vec);
        Some(Frames {
            motion: crate::page::motion(motion, rows.iter().copied()),
            names: results.channels.iter().map(|c| c.name.clone()).collect(),
            columns: results.data.iter().map(column).collect(),
            contacts: contacts(self.touches, &rows),
            loads: rows.iter().filter_map(load).filter(|l| !l.is_empty()).collect(),
        })
    }
}

/// At most about `most` rows, including the last one.
fn thinned(from: usize, to: usize, most: usize) -> Vec<usize> {
    let step = (to - from).div_ceil(most.max(10)).max(1);
    let mut rows: Vec<usize> = (from..to).rev().step_by(step).collect();
    rows.reverse();
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_row_is_always_among_them() {
        assert_eq!(thinned(3, 7, 100), [3, 4, 5, 6]);
        let rows = thinned(0, 1000, 10);
        assert_eq!((rows.len(), rows.last()), (10, Some(&999)));
    }

    #[test]
    fn nobody_is_waited_for() {
        let hub = Hub::default();
        assert!(!hub.finish(&|_| None, &[], &message("done", "{}")) && !hub.seen());
        let slow = hub.watch();
        let gone = hub.watch();
        drop(gone);
        for _ in 0..2 * WAITING {
            // fills the queue of the slow one without blocking
            hub.finish(&|_| Some(message("frames", "{}")), &[], &message("done", "{}"));
        }
        assert!(hub.seen());
        hub.close();
        assert!(hub.watch().is_none());
        let received: Vec<Message> = slow.into_iter().flatten().collect();
        assert_eq!(received.len(), 2, "frames once, then the end");
        assert!(received[1].text().starts_with("event: done\n"));
    }
}
