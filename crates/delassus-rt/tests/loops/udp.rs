//! Messages over UDP against a loop: every bad one is refused and flagged in its own cycle, and the loop goes on.

use crate::toy::{Time, Toy, gate, layout, plan, run};
use delassus_rt::packet::{self, HEADS};
use delassus_rt::{Ending, OnOverrun, OnTimeout, PATIENCE, Udp, status};
use std::io::ErrorKind;
use std::net::UdpSocket;
use std::time::Duration;

struct Answer {
    sequence: u64,
    status: u32,
    inputs: u64,
    sum: f64,
}

fn read(bytes: &[u8]) -> Answer {
    let at = |k: usize| <[u8; 8]>::try_from(&bytes[k..k + 8]).unwrap();
    assert_eq!((&bytes[..4], bytes[6], bytes.len()), (&b"DLRT"[..], 2, HEADS[1] + 16));
    Answer {
        sequence: u64::from_le_bytes(at(8)),
        status: u32::from_le_bytes(bytes[24..28].try_into().unwrap()),
        inputs: u64::from_le_bytes(at(32)),
        sum: f64::from_le_bytes(at(48)),
    }
}

fn connected(udp: &Udp) -> UdpSocket {
    let client = UdpSocket::bind("127.0.0.1:0").unwrap();
    client.connect(udp.address().unwrap()).unwrap();
    client.set_read_timeout(Some(Duration::from_secs(10))).unwrap();
    client
}

fn open() -> Udp {
    Udp::open("127.0.0.1:0".parse().unwrap(), &layout(), 1000.0).unwrap()
}

fn inputs(sequence: u64, values: &[f64]) -> Vec<u8> {
    let mut out = Vec::new();
    packet::write_inputs(&mut out, sequence, layout().id(), values);
    out
}

#[test]
fn rel_r47_every_fault_is_flagged_in_the_same_cycle_and_the_loop_goes_on() {
    let mut udp = open();
    let (client, other) = (connected(&udp), connected(&udp));
    let mut foreign_layout = inputs(50, &[1.0, 1.0]);
    foreign_layout[16] ^= 1;
    // what is sent before a step, the flags that it must have, and the value of the force in it
    let held = status::HELD;
    let script: Vec<(Vec<u8>, u32, f64)> = vec![
        (inputs(1, &[0.5, 1.0]), 0, 0.5),
        (inputs(2, &[0.25, 1.0]), 0, 0.25),
        (inputs(2, &[9.0, 1.0]), status::STALE | held, 0.25),
        (inputs(3, &[f64::NAN, 1.0]), status::NOT_FINITE | held, 0.25),
        (inputs(4, &[1.0]), status::MALFORMED | held, 0.25),
        (b"hello".to_vec(), status::MALFORMED | held, 0.25),
        (foreign_layout, status::UNKNOWN | held, 0.25),
        (inputs(5, &[-99.0, 1.0]), status::CLAMPED, -10.0),
        (br#"{"seq":6,"inputs":{"tork":1}}"#.to_vec(), status::UNKNOWN | held, -10.0),
        (br#"{"seq":6,"inputs":{"force":NaN}}"#.to_vec(), status::NOT_FINITE | held, -10.0),
        (br#"{"seq":6,"inputs":{"force":"#.to_vec(), status::MALFORMED | held, -10.0),
        (vec![0; 60_000], status::MALFORMED | held, -10.0),
        (inputs(7, &[2.0, 1.0]), 0, 2.0),
    ];
    let time = Time::default();
    let steps = script.len() as u64 + 2;
    let mut toy = Toy::new(&time, |n| {
        // before the next step; the first one has nothing
        if let Some((bytes, ..)) = script.get(n as usize - 1) {
            client.send(bytes).unwrap();
        } else {
            other.send(&inputs(100, &[7.0, 1.0])).unwrap();
        }
        Some(10)
    });
    let mut gate = gate(OnTimeout::Stop);
    let plan = plan(steps, OnOverrun::Skip);
    let (out, _) = run(&mut toy, &mut udp, &mut gate, &plan, None, || false);
    assert_eq!(out.ending, Ending::Done);
    let (mut buffer, mut sum) = ([0; 100], 0.0);
    for (k, (_, flags, force)) in script.iter().enumerate() {
        let n = client.recv(&mut buffer).unwrap();
        let answer = read(&buffer[..n]);
        sum += force;
        assert_eq!(answer.sequence, k as u64 + 2);
        assert_eq!(answer.status, *flags, "{k}: {:#b}", answer.status);
        assert_eq!(answer.sum, sum, "{k}");
    }
    // a second sender is refused while the first one is there, and gets nothing
    let n = client.recv(&mut buffer).unwrap();
    let answer = read(&buffer[..n]);
    assert_eq!((answer.status, answer.inputs), (status::FOREIGN | held, 7));
    let n = client.recv(&mut buffer).unwrap();
    assert_eq!(read(&buffer[..n]).status, status::ENDED);
    other.set_nonblocking(true).unwrap();
    assert_eq!(other.recv(&mut buffer).unwrap_err().kind(), ErrorKind::WouldBlock);
}

#[test]
fn another_sender_takes_over_when_the_first_one_has_left() {
    let mut udp = open();
    let (first, second) = (connected(&udp), connected(&udp));
    let time = Time::default();
    let mut toy = Toy::new(&time, |n| {
        match n {
            1 => first.send(&inputs(1000, &[1.0, 1.0])).unwrap(),
            // its numbers begin anew
            12 => second.send(&inputs(1, &[3.0, 1.0])).unwrap(),
            _ => 0,
        };
        Some(10)
    });
    let mut gate = gate(OnTimeout::Hold);
    let plan = plan(14, OnOverrun::Skip);
    run(&mut toy, &mut udp, &mut gate, &plan, None, || false);
    assert_eq!(gate.values()[0], 3.0);
    let mut buffer = [0; 100];
    let mut received = |from: &UdpSocket| {
        from.set_nonblocking(true).unwrap();
        std::iter::from_fn(|| from.recv(&mut buffer).ok().map(|n| read(&buffer[..n]).sequence))
            .collect::<Vec<_>>()
    };
    // the first one is answered while it is there and for as long as it may be silent
    assert_eq!(received(&first), (2..=2 + PATIENCE).collect::<Vec<_>>());
    assert_eq!(received(&second), [13, 14, 15]);
}

#[test]
fn silence_ends_the_run_where_that_was_asked_for() {
    let mut udp = open();
    let client = connected(&udp);
    let time = Time::default();
    let mut toy = Toy::new(&time, |n| {
        if n == 1 {
            client.send(&inputs(1, &[1.0, 1.0])).unwrap();
        }
        Some(10)
    });
    let mut gate = gate(OnTimeout::Stop);
    let plan = plan(100, OnOverrun::Skip);
    let (out, tally) = run(&mut toy, &mut udp, &mut gate, &plan, None, || false);
    assert_eq!((out.ending, tally.steps()), (Ending::Inputs, 2 + PATIENCE));
    let mut buffer = [0; 100];
    let mut last = 0;
    client.set_nonblocking(true).unwrap();
    while let Ok(n) = client.recv(&mut buffer) {
        last = read(&buffer[..n]).status;
    }
    assert_eq!(last, status::TIMEOUT | status::ENDED);
}

#[test]
fn names_are_told_to_whoever_asks_and_json_is_answered_by_json() {
    let mut udp = open();
    let client = connected(&udp);
    let mut question = Vec::new();
    packet::write_question(&mut question);
    let time = Time::default();
    let mut toy = Toy::new(&time, |n| {
        match n {
            1 => client.send(&question).unwrap(),
            2 => client.send(b"{\"names\": true}").unwrap(),
            3 => client.send(br#"{"seq":4,"inputs":{"force":0.1}}"#).unwrap(),
            _ => 0,
        };
        Some(10)
    });
    let mut gate = gate(OnTimeout::Stop);
    run(&mut toy, &mut udp, &mut gate, &plan(4, OnOverrun::Skip), None, || false);
    let mut buffer = [0; 2000];
    let n = client.recv(&mut buffer).unwrap();
    assert_eq!((&buffer[..4], buffer[6]), (&b"DLRT"[..], 4));
    let first: serde_json::Value = serde_json::from_slice(&buffer[HEADS[0]..n]).unwrap();
    assert_eq!(first["inputs"][0]["name"], "force");
    assert_eq!(first["inputs"][0]["max"], 10.0);
    assert_eq!(
        (&first["inputs"][1]["max"], &first["outputs"][1]["name"]),
        (&serde_json::Value::Null, &"steps".into())
    );
    assert_eq!(first["layout"], layout().id());
    let n = client.recv(&mut buffer).unwrap();
    assert_eq!(serde_json::from_slice::<serde_json::Value>(&buffer[..n]).unwrap(), first);
    let n = client.recv(&mut buffer).unwrap();
    let outputs: serde_json::Value = serde_json::from_slice(&buffer[..n]).unwrap();
    assert_eq!(
        outputs,
        serde_json::json!({
            "seq": 4, "t": 0.004, "status": 0, "late": 0, "inputs": 4, "outputs": {"sum": 0.1, "steps": 4.0}
        })
    );
}

#[test]
fn an_address_in_use_is_refused() {
    let udp = open();
    let again = Udp::open(udp.address().unwrap(), &layout(), 1000.0);
    assert_eq!(again.unwrap_err().kind(), ErrorKind::AddrInUse);
}
