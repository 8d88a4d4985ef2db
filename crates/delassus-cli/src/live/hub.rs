//! Between the run and those who watch it. The run never waits: it leaves out what they are too
//! slow for.

use crate::files::rows as event_rows;
use delassus::sim::contact::{Event, found_after};
use delassus::sim::{ContactTrack, LoadTrack, MotionTrack, Recorder, Results, RunOutcome};
use delassus_report::{LiveContact, LiveFrames, ReportEvent};
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard};

/// Messages that may wait for a watcher.
const WAITING: usize = 4;
/// Watchers at a time.
const WATCHERS: usize = 4;
/// Numbers in a message at most; more frames are thinned.
const NUMBERS: usize = 100_000;
/// Events in a message at most; the others come with the next.
const EVENTS: usize = 2_000;
/// Contact points of a frame at most.
const POINTS: usize = 200;

/// A message as it goes over the line.
pub type Message = Arc<str>;

/// An event of the stream.
pub fn message(event: &str, json: &str) -> Message {
    // JSON has its line ends escaped, so that a message is one line
    format!("event: {event}\ndata: {}\n\n", json.replace(['\n', '\r'], " ")).into()
}

struct Watcher {
    to: SyncSender<Message>,
    /// First row that was not sent yet.
    next: usize,
    /// Events that were sent, in the order in which they were found.
    next_event: usize,
    last: bool,
}

#[derive(Default)]
struct Inner {
    watchers: Vec<Watcher>,
    /// There was one at some time.
    seen: bool,
    /// The run is over.
    closed: bool,
}

/// The meeting point.
#[derive(Default, Clone)]
pub struct Hub {
    inner: Arc<Mutex<Inner>>,
}

impl Hub {
    fn lock(&self) -> MutexGuard<'_, Inner> {
        // a thread that died while it held the lock left a list that is still good
        self.inner.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    /// A new watcher; `None` when there are too many or all is over.
    pub fn watch(&self) -> Option<Receiver<Message>> {
        let mut inner = self.lock();
        if inner.closed || inner.watchers.len() >= WATCHERS {
            return None;
        }
        let (to, from) = sync_channel(WAITING);
        inner.watchers.push(Watcher { to, next: 0, next_event: 0, last: false });
        inner.seen = true;
        Some(from)
    }

    /// Somebody watches or watched.
    pub fn seen(&self) -> bool {
        self.lock().seen
    }

    /// Sends what is new to whoever can take it. Does not wait, not even for the list of
    /// watchers.
    pub fn offer(&self, recorder: &Recorder) {
        let Ok(mut inner) = self.inner.try_lock() else { return };
        inner.watchers.retain_mut(|w| w.offer(recorder));
    }

    /// Sends new events to whoever can take them. Does not wait.
    pub fn offer_events(&self, log: &[Event]) {
        let Ok(mut inner) = self.inner.try_lock() else { return };
        inner.watchers.retain_mut(|w| w.offer_events(log));
    }

    /// Sends all that is left and the last message; `true` when everybody has them. To be called
    /// until then, or until one has waited long enough.
    pub fn finish(
        &self,
        frames: &dyn Fn(usize) -> Option<Message>,
        log: &[Event],
        last: &Message,
    ) -> bool {
        let mut inner = self.lock();
        inner.watchers.retain_mut(|w| {
            if w.next != usize::MAX {
                let sent = frames(w.next).map_or(Ok(()), |m| w.to.try_send(m));
                match sent {
                    Ok(()) => w.next = usize::MAX,
                    Err(TrySendError::Full(_)) => return true,
                    Err(TrySendError::Disconnected(_)) => return false,
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
                match w.to.try_send(last.clone()) {
                    Ok(()) => w.last = true,
                    Err(TrySendError::Full(_)) => return true,
                    Err(TrySendError::Disconnected(_)) => return false,
                }
            }
            true
        });
        inner.seen && inner.watchers.iter().all(|w| w.last)
    }

    /// No more messages: those who watch have reached the end.
    pub fn close(&self) {
        let mut inner = self.lock();
        inner.closed = true;
        inner.watchers.clear();
    }
}

impl Watcher {
    /// `false` when it is gone.
    fn offer(&mut self, r: &Recorder) -> bool {
        let rows = r.motion.t().len();
        let frames = Tracks::of(r).frames(self.next);
        let Some(frames) = frames else { return true };
        match self.to.try_send(frames) {
            Ok(()) => self.next = rows,
            // too slow: the next message covers these rows too, thinned
            Err(TrySendError::Full(_)) => {}
            Err(TrySendError::Disconnected(_)) => return false,
        }
        true
    }

    /// `false` when it is gone.
    fn offer_events(&mut self, log: &[Event]) -> bool {
        let mut new = found_after(log, self.next_event as u64);
        new.truncate(EVENTS);
        if new.is_empty() {
            return true;
        }
        let list: Vec<ReportEvent> =
            event_rows(new.iter().copied()).map(ReportEvent::from).collect();
        match self.to.try_send(message("events", &serde_json::to_string(&list).unwrap_or_default()))
        {
            Ok(()) => self.next_event += new.len(),
            Err(TrySendError::Full(_)) => {}
            Err(TrySendError::Disconnected(_)) => return false,
        }
        true
    }
}

/// Points of the shown rows: the strongest ones where there are many.
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
    /// Of a run that goes on.
    pub fn of(r: &'a Recorder) -> Tracks<'a> {
        Tracks { motion: &r.motion, touches: &r.touches, loads: &r.loads, results: &r.results }
    }

    /// Of a run that is over.
    pub fn whole(o: &'a RunOutcome) -> Tracks<'a> {
        Tracks { motion: &o.motion, touches: &o.touches, loads: &o.loads, results: &o.results }
    }

    /// The rows from `from` on, thinned where there are many; `None` where there are none.
    pub fn frames(&self, from: usize) -> Option<Message> {
        let (motion, results) = (self.motion, self.results);
        let rows = motion.t().len();
        if from >= rows {
            return None;
        }
        let stride = (motion.stride() as usize).max(1);
        let wide = 7 * (motion.forms().len() + 1) + results.data.len() + 3 * self.loads.count();
        let rows = thinned(from, rows, NUMBERS / wide);
        let shown = crate::page::motion(motion, rows.iter().copied());
        let columns = results.channels.iter().zip(&results.data).map(|(c, values)| {
            let at = |row: &usize| values.get(row * stride).copied().unwrap_or(f64::NAN);
            (c.name.as_str(), rows.iter().map(at).collect::<Vec<f64>>())
        });
        let load = |row: &usize| self.loads.row(row / self.loads.stride()).map(<[f64]>::to_vec);
        let frames = LiveFrames {
            contacts: contacts(self.touches, &rows),
            loads: rows.iter().filter_map(load).filter(|l| !l.is_empty()).collect(),
            ..LiveFrames::new(&shown, columns)
        };
        Some(message("frames", &serde_json::to_string(&frames).unwrap_or_default()))
    }
}

/// At most about `most` rows, the last one among them.
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
            // fills the line of the slow one without blocking
            hub.finish(&|_| Some(message("frames", "{}")), &[], &message("done", "{}"));
        }
        assert!(hub.seen());
        hub.close();
        assert!(hub.watch().is_none());
        let received: Vec<Message> = slow.into_iter().flatten().collect();
        assert_eq!(received.len(), 2, "frames once, then the end");
        assert!(received[1].starts_with("event: done\n"));
    }
}
