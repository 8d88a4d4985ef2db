//! Hands out models to workers and collects their results.

use crate::arguments::Arguments;
use crate::report::Report;
use crate::worker::model;
use delassus_adversary::judge::plain;
use delassus_adversary::{
    families::{FAMILIES, LATER},
    relations::RELATIONS,
};
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// CPU time after which a relation without any output is taken to hang inside a step, where no budget of steps applies,
/// s. All runs of one relation together take a few seconds at most.
const SILENCE: f64 = 120.0;
/// How often that is checked.
const LOOK: Duration = Duration::from_secs(5);

/// A line of a worker's output.
pub enum Line {
    Found {
        relation: String,
        kind: String,
        text: String,
    },
    Refused(String),
    /// The relation that is checked next.
    Begun(String),
    Ended,
}

impl Line {
    /// One line of text.
    pub fn text(&self) -> String {
        let clean = |s: &str| s.replace(['\t', '\n', '\r'], " ");
        match self {
            Line::Found { relation, kind, text } => {
                format!("found\t{}\t{}\t{}", clean(relation), clean(kind), clean(text))
            }
            Line::Refused(codes) => format!("refused\t{}", clean(codes)),
            Line::Begun(relation) => format!("begun\t{}", clean(relation)),
            Line::Ended => "ended".to_owned(),
        }
    }

    fn read(text: &str) -> Option<Line> {
        let parts: Vec<&str> = text.split('\t').collect();
        match parts[..] {
            ["found", relation, kind, text] => Some(Line::Found {
                relation: relation.to_owned(),
                kind: kind.to_owned(),
                text: text.to_owned(),
            }),
            ["refused", codes] => Some(Line::Refused(codes.to_owned())),
            ["begun", relation] => Some(Line::Begun(relation.to_owned())),
            ["ended"] => Some(Line::Ended),
            _ => None,
        }
    }
}

struct Shared {
    next: u64,
    report: Report,
}

pub fn run(a: &Arguments) -> Result<bool, String> {
    if a.list {
        for f in FAMILIES {
            println!("family    {}", f.name);
        }
        for f in LATER {
            println!("family    {}, only if it is named", f.name);
        }
        for r in RELATIONS {
            println!("relation  {:10} {}", r.name, r.says);
        }
        return Ok(true);
    }
    if a.show {
        let (family, m) = model(a, a.first)?;
        println!("# {}:{} {}\n{}", a.seed, a.first, family.name, plain(&m));
        return Ok(true);
    }
    model(a, a.first)?;
    let began = Instant::now();
    let seconds = a.seconds.or(if a.models.is_none() { Some(60) } else { None });
    let deadline = seconds.map(|s| began + Duration::from_secs(s));
    let shared = Arc::new(Mutex::new(Shared { next: a.first, report: Report::new(a) }));
    let last = a.models.map(|n| a.first + n);
    let mut threads = Vec::new();
    for _ in 0..a.jobs {
        let (a, shared) = (a.clone(), Arc::clone(&shared));
        threads.push(std::thread::spawn(move || serve(&a, &shared, deadline, last)));
    }
    for thread in threads {
        thread.join().map_err(|_| "a thread of the adversary panicked".to_owned())??;
    }
    let shared = shared.lock().map_err(|_| "a thread of the adversary panicked".to_owned())?;
    shared.report.print(began.elapsed())
}

/// Starts one worker after another, until there is nothing left to do.
fn serve(
    a: &Arguments,
    shared: &Mutex<Shared>,
    deadline: Option<Instant>,
    last: Option<u64>,
) -> Result<(), String> {
    let mut worker: Option<Worker> = None;
    loop {
        let index = {
            let mut s =
                shared.lock().map_err(|_| "a thread of the adversary panicked".to_owned())?;
            let index = s.next;
            if last.is_some_and(|l| index >= l) || deadline.is_some_and(|d| Instant::now() >= d) {
                return Ok(());
            }
            s.next += 1;
            index
        };
        let family = model(a, index)?.0.name;
        let mut child = match worker.take() {
            Some(w) => w,
            None => Worker::start()?,
        };
        let mut lines = Vec::new();
        let kept = match child.ask(index, &mut lines) {
            Ok(()) => true,
            Err(what) => {
                let _ = child.process.kill();
                let _ = child.process.wait();
                let last = lines.iter().rev().find_map(|l| match l {
                    Line::Begun(relation) => Some(relation.clone()),
                    _ => None,
                });
                lines.push(Line::Found {
                    relation: last.unwrap_or_else(|| "default-run".into()),
                    kind: what.into(),
                    text: what.into(),
                });
                false
            }
        };
        worker = kept.then_some(child);
        let mut s = shared.lock().map_err(|_| "a thread of the adversary panicked".to_owned())?;
        s.report.add(index, family, lines);
    }
}

struct Worker {
    process: Child,
    input: ChildStdin,
    lines: Receiver<String>,
    started: Instant,
}

impl Worker {
    fn start() -> Result<Worker, String> {
        let own = std::env::current_exe().map_err(|e| e.to_string())?;
        let mut process = Command::new(own)
            .args(std::env::args().skip(1))
            .arg("--worker")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .map_err(|e| format!("a worker cannot be started: {e}"))?;
        let (Some(input), Some(output)) = (process.stdin.take(), process.stdout.take()) else {
            return Err("a worker has no pipes".to_owned());
        };
        let (sender, lines) = channel();
        std::thread::spawn(move || {
            for line in BufReader::new(output).lines().map_while(Result::ok) {
                if sender.send(line).is_err() {
                    return;
                }
            }
        });
        Ok(Worker { process, input, lines, started: Instant::now() })
    }

    /// Lets the worker judge a model.
    fn ask(&mut self, index: u64, lines: &mut Vec<Line>) -> Result<(), &'static str> {
        writeln!(self.input, "{index}").and_then(|()| self.input.flush()).map_err(|_| "aborted")?;
        let mut since = self.processor_time();
        loop {
            match self.lines.recv_timeout(LOOK) {
                Ok(text) => {
                    since = self.processor_time();
                    match Line::read(&text) {
                        Some(Line::Ended) => return Ok(()),
                        Some(line) => lines.push(line),
                        None => {}
                    }
                }
                Err(RecvTimeoutError::Timeout) if self.processor_time() - since < SILENCE => {}
                Err(RecvTimeoutError::Timeout) => return Err("hangs inside a step"),
                Err(RecvTimeoutError::Disconnected) => return Err("aborted"),
            }
        }
    }

    /// CPU time of the worker, s; wall-clock time if the system does not provide it, so that a hang ends all the same.
    fn processor_time(&self) -> f64 {
        let ticks = std::fs::read_to_string(format!("/proc/{}/stat", self.process.id()))
            .ok()
            .and_then(|stat| {
                let after_name = stat.rsplit_once(')')?.1.to_owned();
                let fields: Vec<&str> = after_name.split_whitespace().collect();
                let ticks = |i: usize| fields.get(i)?.parse::<f64>().ok();
                Some(ticks(11)? + ticks(12)?)
            });
        match ticks {
            Some(ticks) => ticks / 100.0,
            None => self.started.elapsed().as_secs_f64(),
        }
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
