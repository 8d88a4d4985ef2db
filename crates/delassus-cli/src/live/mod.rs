//! `delassus view --live`: a page on this machine that shows a run while it is in progress.
//!
//! A small server on the loopback interface, for one page and one stream of events ([`http`]); the run and its watchers
//! are connected by the [`hub`].

mod http;
mod hub;
mod policy;

use crate::args::RunArgs;
use crate::exit::{Exit, Failure};
use crate::fault::Fault;
use crate::output::SUMMARY_JSON;
use crate::run_cmd::Integrated;
use crate::{open, page, run_cmd, signal};
use delassus::io::results::read_regular_text;
use delassus::sim::contact::Event;
use delassus::sim::{Observer, Recorder, RunOutcome};
use delassus_report::{Description, Report, ReportColumn, Steps};
use http::{Gate, Refusal, Target};
pub use hub::Frames;
use hub::{Hub, Message, Tracks, message};
use serde_json::{Value, json};
use std::io::Write;
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// Time between two messages.
const INTERVAL: Duration = Duration::from_millis(40);
/// How long a finished run waits for the browser to connect, and then to receive the rest.
const LINGER: Duration = Duration::from_secs(5);
/// The largest number of connections at a time.
const CONNECTIONS: usize = 16;

/// Runs a model into a folder while a browser can watch.
pub fn run(a: &RunArgs, folder: &Path, show: bool) -> Result<Exit, Failure> {
    let mut live: Option<Live> = None;
    let mut kept: Option<RunOutcome> = None;
    let exit = run_cmd::run_watched(a, false, |prepared, target| {
        let server = Live::start(target.description.as_ref())?;
        open::show(&server.address, show);
        let (hub, now) = (server.hub.clone(), Instant::now());
        let mut watch = Watch { hub, last: now, due: false, target, kept: now, full: false };
        live = Some(server);
        let outcome = run_cmd::watched(prepared, &mut watch)?;
        let (rows, left_out) =
            (outcome.motion.t().len(), watch.hub.left_out(outcome.motion.t().len()));
        let note = (left_out > 0).then(|| {
            let message = format!(
                "{left_out} of {rows} frames were left out of the page, which could not take them in time"
            );
            Fault::new("N_FRAMES_LEFT_OUT", "--live", message)
                .help("the results and the report have all of them")
        });
        kept = Some(outcome.clone());
        Ok(Integrated { note, ..outcome.into() })
    });
    if let Some(server) = live {
        let text = read_regular_text(&folder.join(SUMMARY_JSON), 1 << 30).unwrap_or_default();
        server.finish(kept.as_ref(), &text);
    }
    exit
}

/// Time between two writes of new samples: a killed run loses no more than that.
const KEEP: Duration = Duration::from_secs(1);

/// Forwards new samples, writes them to disk as well, and stops on a signal.
struct Watch<'a> {
    hub: Hub,
    last: Instant,
    /// Events are sent together with the frames.
    due: bool,
    target: &'a mut run_cmd::Target,
    /// When samples were written last.
    kept: Instant,
    /// They cannot be written: the end of the run tells why.
    full: bool,
}

impl Observer for Watch<'_> {
    fn stepped(&mut self, _: f64, _: u64) {}

    fn recorded(&mut self, recorder: &Recorder) {
        self.due = self.last.elapsed() >= INTERVAL;
        if self.due {
            self.hub.offer(recorder);
            self.last = Instant::now();
        }
        if !self.full && self.kept.elapsed() >= KEEP {
            self.full = self.target.fill(&recorder.results).is_err();
            self.kept = Instant::now();
        }
    }

    fn happened(&mut self, events: &[Event]) {
        if self.due {
            self.hub.offer_events(events);
        }
    }

    fn stop(&self) -> bool {
        signal::stopped()
    }
}

/// The server.
pub struct Live {
    /// Address of the page.
    pub address: String,
    hub: Hub,
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

/// What every connection needs.
struct Shared {
    gate: Gate,
    page: String,
    policy: String,
    start: Message,
    hub: Hub,
    open: AtomicUsize,
}

impl Live {
    /// 256 bits that cannot be guessed, as hexadecimal digits.
    pub fn token() -> Result<String, Failure> {
        let mut bytes = [0; 32];
        getrandom::fill(&mut bytes).map_err(|e| {
            let message = format!("the system has no random numbers: {e}");
            Failure::file(
                Fault::new("E_LIVE", "", message).help("use `delassus view` without --live"),
            )
        })?;
        Ok(crate::prepare::hex(&bytes))
    }

    /// Starts it for a model.
    pub fn start(description: Option<&Description>) -> Result<Live, Failure> {
        let refused = |e: std::io::Error| {
            let message = format!("no port of the loopback can be opened: {e}");
            Failure::file(
                Fault::new("E_LIVE", "--live", message).help("use `delassus view` without --live"),
            )
        };
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).map_err(refused)?;
        listener.set_nonblocking(true).map_err(refused)?;
        let port = listener.local_addr().map_err(refused)?.port();
        let token = Live::token()?;
        let url = format!("/live?token={token}");
        let html = delassus_report::live_page(&url).unwrap_or_else(|| NO_VIEWER.to_owned());
        let hub = Hub::default();
        let shared = Arc::new(Shared {
            policy: policy::policy(&html),
            page: html,
            gate: Gate { port, token: token.clone() },
            start: start_message(description),
            hub: hub.clone(),
            open: AtomicUsize::new(0),
        });
        let stop = Arc::new(AtomicBool::new(false));
        let stopped = stop.clone();
        let thread = thread::spawn(move || {
            while !stopped.load(Ordering::Relaxed) {
                match listener.accept() {
                    Ok((stream, _)) => accept(&shared, stream),
                    Err(_) => thread::sleep(Duration::from_millis(10)),
                }
            }
        });
        let address = format!("http://127.0.0.1:{port}/?token={token}");
        Ok(Live { address, hub, stop, thread: Some(thread) })
    }

    /// Offers rows to the watchers: how many there are, and those from one on. Does not wait.
    pub fn offer(&self, rows: usize, frames: &dyn Fn(usize) -> Option<Frames>) {
        self.hub.offer_rows(rows, frames);
    }

    /// Sends what is left, and ends when it has been received or nobody fetches it.
    fn finish(self, outcome: Option<&RunOutcome>, summary: &str) {
        let steps = outcome.map(|o| steps_json(&page::steps(&o.steps)));
        let rest = |from: usize| outcome.and_then(|o| Tracks::whole(o).frames(from));
        self.end(&rest, outcome.map_or(&[][..], |o| &o.events), steps, summary);
    }

    /// The same for rows from elsewhere.
    pub fn finish_with(self, frames: &dyn Fn(usize) -> Option<Frames>, summary: &str) {
        self.end(frames, &[], None, summary);
    }

    fn end(
        mut self,
        frames: &dyn Fn(usize) -> Option<Frames>,
        events: &[Event],
        steps: Option<Value>,
        summary: &str,
    ) {
        let summary: Value = serde_json::from_str(summary).unwrap_or_default();
        let last = match summary.get("errors").and_then(|e| e.get(0)) {
            None => {
                let done = json!({
                    "notes": summary.get("notes"),
                    "steps": steps,
                    "summary": summary,
                });
                message("done", &done.to_string())
            }
            Some(e) => message(
                "failed",
                &json!({
                    "error": {
                        "code": e.get("code"),
                        "t": summary.get("t_end"),
                        "message": e.get("message"),
                        "help": e.get("help"),
                    },
                    "notes": summary.get("notes"),
                    "steps": steps,
                    "summary": summary,
                })
                .to_string(),
            ),
        };
        let rest = |from: usize| Some(Message::Frames(Arc::new(frames(from)?)));
        let clock = Instant::now();
        while !self.hub.finish(&rest, events, &last)
            && clock.elapsed() < LINGER
            && !signal::stopped()
        {
            thread::sleep(Duration::from_millis(20));
        }
        let seen = self.hub.seen();
        self.hub.close();
        if seen {
            // give the watchers' threads time to write what they have
            thread::sleep(Duration::from_millis(200));
        }
        self.stop.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

const NO_VIEWER: &str = "<!DOCTYPE html><html lang=\"en\"><head><meta charset=\"utf-8\">\
<title>delassus</title></head><body><p>This program was built without the viewer (Node.js was \
missing), so that a run cannot be shown while it goes on. The report is made when it ends.</p>\
</body></html>\n";

/// The report without samples: what the page needs before the first of them.
fn start_message(description: Option<&Description>) -> Message {
    let Some(d) = description else { return message("start", "{}") };
    let columns = d.channels.iter().cloned();
    let report = Report {
        description: Some(d.clone()),
        summary: json!({ "status": "running", "model_sha256": d.model.sha256 }),
        columns: columns.map(|info| ReportColumn { info, values: Vec::new() }).collect(),
        motion: page::no_motion(d),
        ..Report::default()
    };
    message("start", &report.payload().to_string())
}

/// The log of the steps, by name.
fn steps_json(s: &Steps) -> Value {
    let lists = Steps::NAMES.iter().zip(s.lists());
    Value::Object(lists.map(|(name, list)| ((*name).to_owned(), json!(list))).collect())
}

fn accept(shared: &Arc<Shared>, mut stream: TcpStream) {
    if http::limit(&stream).is_err() {
        return;
    }
    if shared.open.fetch_add(1, Ordering::Relaxed) >= CONNECTIONS {
        let _ = http::refuse(&mut stream, Refusal::Busy);
        shared.open.fetch_sub(1, Ordering::Relaxed);
        return;
    }
    let shared = shared.clone();
    thread::spawn(move || {
        // a client that disconnects is not a failure of the run
        let _ = answer(&shared, &mut stream);
        shared.open.fetch_sub(1, Ordering::Relaxed);
    });
}

fn answer(shared: &Shared, stream: &mut TcpStream) -> std::io::Result<()> {
    let judged = http::read_head(stream).and_then(|head| shared.gate.judge(&head));
    match judged {
        Err(why) => http::refuse(stream, why),
        Ok(Target::Page) => http::page(stream, &shared.page, &shared.policy),
        Ok(Target::Stream) => {
            let Some(messages) = shared.hub.watch() else {
                return http::refuse(stream, Refusal::Busy);
            };
            http::begin_stream(stream)?;
            stream.write_all(shared.start.text().as_bytes())?;
            // ends when the hub closes, or when the client does not receive in time what is sent
            for m in messages {
                stream.write_all(m.text().as_bytes())?;
            }
            Ok(())
        }
    }
}
