//! `view --live`: who is admitted, what is sent, and that the run waits for nobody.
#![cfg(unix)]

use crate::support;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};
use support::Bench;

fn model(end: &str) -> String {
    format!(
        r#"schema = 1
title = "swing"
gravity = [0, -9.81]
body.bob = {{ type = "planar-point", mass = 1, position = [1, 0] }}
joint.rod = {{ type = "distance", between = ["ground", "bob"] }}
sensor.bob = {{ type = "position", of = "bob" }}
analysis = {{ end = {end}, sample = 0.01 }}
"#
    )
}

/// A run with its server, ended with the test.
struct Server {
    child: Child,
    out: BufReader<ChildStdout>,
    port: u16,
    token: String,
}

impl Server {
    fn start(bench: &Bench) -> Server {
        let mut child = Command::new(env!("CARGO_BIN_EXE_delassus"))
            .current_dir(bench.dir.path())
            .args(["view", "--live", "m.toml", "--no-open", "--out", "o"])
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut out = BufReader::new(child.stdout.take().unwrap());
        let mut line = String::new();
        out.read_line(&mut line).unwrap();
        let rest = line.trim().strip_prefix("http://127.0.0.1:").unwrap();
        let (port, token) = rest.split_once("/?token=").unwrap();
        let (port, token) = (port.parse().unwrap(), token.to_owned());
        assert_eq!(token.len(), 64);
        Server { child, out, port, token }
    }

    fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        stream
    }

    /// The whole answer to a request.
    fn ask(&self, request: &str) -> String {
        let mut stream = self.connect();
        stream.write_all(request.replace('\n', "\r\n").as_bytes()).unwrap();
        let mut answer = Vec::new();
        // a refusal may come before everything was read
        let _ = stream.read_to_end(&mut answer);
        String::from_utf8_lossy(&answer).into_owned()
    }

    fn get(&self, target: &str, more: &str) -> String {
        let host = format!("Host: 127.0.0.1:{}", self.port);
        self.ask(&format!("GET {target} HTTP/1.1\n{host}\n{more}\n"))
    }

    fn end(mut self) -> (i32, String) {
        let mut rest = String::new();
        self.out.read_to_string(&mut rest).unwrap();
        (self.child.wait().unwrap().code().unwrap(), rest)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn rel_r48_only_the_page_with_the_token_gets_in() {
    let bench = Bench::new(&model("1e6").replace("sample = 0.01", "sample = 1"));
    let s = Server::start(&bench);
    let (page, live) = (format!("/?token={}", s.token), format!("/live?token={}", s.token));
    let answer = s.get(&page, "");
    assert!(answer.starts_with("HTTP/1.1 200 OK\r\n"), "{answer}");
    let head = answer.split("\r\n\r\n").next().unwrap();
    for word in [
        "Content-Security-Policy: default-src 'none'; script-src '",
        "connect-src 'self'",
        "frame-ancestors 'none'",
        "nosniff",
        "no-store",
    ] {
        assert!(head.contains(word), "{word}: {head}");
    }
    assert!(!head.contains("script-src 'unsafe-inline'") && !head.contains("Access-Control"));
    let host = format!("Host: 127.0.0.1:{}", s.port);
    for (request, code) in [
        (format!("GET / HTTP/1.1\n{host}\n\n"), 403),
        (format!("GET /live HTTP/1.1\n{host}\n\n"), 403),
        (format!("GET /?token={} HTTP/1.1\n{host}\n\n", "0".repeat(64)), 403),
        (format!("GET {page} HTTP/1.1\nHost: evil.example\n\n"), 403),
        (format!("GET {page} HTTP/1.1\n\n"), 403),
        (format!("GET {live} HTTP/1.1\n{host}\nOrigin: http://evil.example\n\n"), 403),
        (format!("POST {page} HTTP/1.1\n{host}\nContent-Length: 0\n\n"), 405),
        (format!("OPTIONS {live} HTTP/1.1\n{host}\n\n"), 405),
        (format!("GET /etc/passwd?token={} HTTP/1.1\n{host}\n\n", s.token), 404),
        ("nonsense\n\n".to_owned(), 400),
        (format!("GET {page} HTTP/1.1\n{host}\nX: {}\n\n", "a".repeat(20_000)), 431),
    ] {
        let answer = s.ask(&request);
        assert!(answer.starts_with(&format!("HTTP/1.1 {code} ")), "{code}: {request}\n{answer}");
        assert!(!answer.contains(&s.token) && !answer.contains("swing"));
    }
}

/// The events of a stream until the one of this name.
fn events(stream: TcpStream, last: &str) -> Vec<(String, serde_json::Value)> {
    let mut out: Vec<(String, serde_json::Value)> = Vec::new();
    let mut name = String::new();
    for line in BufReader::new(stream).lines() {
        let Ok(line) = line else { break };
        if let Some(event) = line.strip_prefix("event: ") {
            name = event.to_owned();
        } else if let Some(data) = line.strip_prefix("data: ") {
            out.push((name.clone(), serde_json::from_str(data).unwrap()));
            if name == last {
                break;
            }
        }
    }
    out
}

#[test]
fn a_watcher_sees_the_run_to_its_end() {
    let bench = Bench::new(&model("300"));
    let s = Server::start(&bench);
    let mut stream = s.connect();
    let origin = format!("http://127.0.0.1:{}", s.port);
    let request = format!(
        "GET /live?token={} HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nOrigin: {origin}\r\n\r\n",
        s.token, s.port
    );
    stream.write_all(request.as_bytes()).unwrap();
    let seen = events(stream, "done");
    let names: Vec<&str> = seen.iter().map(|(n, _)| n.as_str()).collect();
    assert_eq!((names[0], names[names.len() - 1]), ("start", "done"), "{names:?}");
    assert!(names[1..names.len() - 1].iter().all(|n| *n == "frames"));
    let start = &seen[0].1;
    assert_eq!(start["meta"]["status"], "running");
    assert_eq!(start["scene"]["bodies"][1]["name"], "bob");
    assert_eq!(start["columns"][0]["name"], "bob.x");
    assert_eq!(start["motion"]["t"]["shape"][0], 0);
    let mut t = -1.0;
    for (_, frames) in &seen[1..seen.len() - 1] {
        let times = frames["t"].as_array().unwrap();
        assert_eq!(times.len(), frames["poses"].as_array().unwrap().len());
        assert_eq!(times.len(), frames["columns"]["bob.x"].as_array().unwrap().len());
        for (k, time) in times.iter().enumerate() {
            let time = time.as_f64().unwrap();
            assert!(time > t, "in order");
            t = time;
            let pose = frames["poses"][k].as_array().unwrap();
            assert_eq!(pose.len(), 2 * 3);
            assert_eq!(pose[3], frames["columns"]["bob.x"][k], "the column is the position");
        }
    }
    assert_eq!(t, 300.0, "the last sample is there");
    let done = &seen[seen.len() - 1].1;
    assert_eq!(done["summary"]["status"], "done");
    assert_eq!(done["steps"]["t"].as_array().unwrap().last().unwrap(), 300.0);
    let (code, rest) = s.end();
    assert_eq!(code, 0);
    assert!(rest.trim_end().ends_with("o/report.html"), "{rest}");
    assert!(bench.path("o/results.csv").is_file());
}

#[test]
fn rel_r48_nobody_is_waited_for() {
    // one that never reads, one that sends half a request, and nobody at all
    let bench = Bench::new(&model("2000"));
    let s = Server::start(&bench);
    let mut stuck = s.connect();
    let request =
        format!("GET /live?token={} HTTP/1.1\r\nHost: localhost:{}\r\n\r\n", s.token, s.port);
    stuck.write_all(request.as_bytes()).unwrap();
    let mut half = s.connect();
    half.write_all(b"GET / HT").unwrap();
    let clock = Instant::now();
    let (code, _) = s.end();
    assert_eq!(code, 0);
    assert!(clock.elapsed() < Duration::from_secs(50), "{:?}", clock.elapsed());
    let summary = bench.read("o/summary.json");
    assert!(summary.contains("\"done\""));
    assert!(
        summary.contains("N_FRAMES_LEFT_OUT") && summary.contains("of 200001 frames"),
        "{summary}"
    );
    let short = Bench::new(&model("1"));
    assert_eq!(Server::start(&short).end().0, 0);
}

#[test]
fn a_signal_ends_it_and_keeps_the_results() {
    let bench = Bench::new(&model("1e6").replace("sample = 0.01", "sample = 1"));
    let s = Server::start(&bench);
    std::thread::sleep(Duration::from_millis(300));
    let sent = Command::new("kill").args(["-INT", &s.child.id().to_string()]).status().unwrap();
    assert!(sent.success());
    let clock = Instant::now();
    assert_eq!(s.end().0, 130);
    assert!(clock.elapsed() < Duration::from_secs(5));
    assert!(bench.read("o/summary.json").contains("\"interrupted\""));
    assert!(bench.path("o/report.html").is_file());
}

/// What a live run has written when it is killed can be shown.
#[test]
fn a_killed_live_run_leaves_its_samples() {
    let bench = Bench::new(&model("1e6").replace("sample = 0.01", "sample = 1"));
    let mut s = Server::start(&bench);
    let samples = bench.path("o/delassus-unfinished/results.csv");
    let clock = Instant::now();
    while std::fs::read_to_string(&samples).map_or(0, |t| t.lines().count()) < 10 {
        assert!(clock.elapsed() < Duration::from_secs(30));
        std::thread::sleep(Duration::from_millis(50));
    }
    s.child.kill().unwrap();
    s.child.wait().unwrap();
    for args in [&["report", "o"][..], &["plot", "o", "bob.*"]] {
        let ran = bench.run(args);
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        assert!(ran.stderr.contains("its samples reach t = "), "{}", ran.stderr);
    }
}
