//! Lines of JSON against a loop.

use crate::toy::{Time, Toy, gate, layout, plan, run};
use delassus_rt::{Ending, Lines, OnOverrun, OnTimeout, Plan, status};
use std::io::{Cursor, Write};
use std::sync::{Arc, Mutex};

#[derive(Clone, Default)]
struct Page(Arc<Mutex<Vec<u8>>>);

impl Write for Page {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

fn in_step(text: &str, on_timeout: OnTimeout) -> (Ending, Vec<serde_json::Value>) {
    let page = Page::default();
    let input = Cursor::new(text.as_bytes().to_vec());
    let lines = Lines::start(input, page.clone(), &layout(), 1000.0, true, || false);
    let mut lines = lines.unwrap();
    let time = Time::default();
    let mut toy = Toy::new(&time, |_| Some(10));
    let plan = Plan { throttled: false, steps: None, ..plan(0, OnOverrun::Stop) };
    let (out, _) = run(&mut toy, &mut lines, &mut gate(on_timeout), &plan, None, || false);
    lines.finish();
    let text = String::from_utf8(page.0.lock().unwrap().clone()).unwrap();
    (out.ending, text.lines().map(|l| serde_json::from_str(l).unwrap()).collect())
}

#[test]
fn every_line_makes_one_step_and_gets_one_line() {
    let text = "{\"seq\":5,\"inputs\":{\"force\":1.5}}\n\n{}\n{\"inputs\":{\"force\":0.25}}\n{\"names\":true}\n{}";
    let (ending, lines) = in_step(text, OnTimeout::Stop);
    assert_eq!(ending, Ending::Closed);
    let sums: Vec<_> = lines.iter().map(|l| l["outputs"]["sum"].as_f64()).collect();
    // the start, three steps, the names, a step, the end
    let expected = [0.0, 1.5, 3.0, 3.25, f64::NAN, 3.5, 3.5];
    let expected: Vec<_> = expected.iter().map(|x| x.is_finite().then_some(*x)).collect();
    assert_eq!(sums, expected);
    assert_eq!(lines[4]["outputs"][0]["name"], "sum");
    let seqs: Vec<_> = lines.iter().filter_map(|l| l["seq"].as_u64()).collect();
    assert_eq!(seqs, [0, 1, 2, 3, 4, 5]);
    assert_eq!((&lines[2]["inputs"], &lines[2]["status"]), (&5.into(), &0.into()));
    assert_eq!(lines[6]["status"], status::ENDED);
}

#[test]
fn bad_lines_are_steps_with_a_flag() {
    let long = format!("{{\"seq\":{}}}\n", "1".repeat(2 << 20));
    let text = format!(
        "{{\"inputs\":{{\"force\":2}}}}\nnonsense\n{{\"inputs\":{{\"x\":1}}}}\n{long}{{}}\n"
    );
    let (ending, lines) = in_step(&text, OnTimeout::Stop);
    assert_eq!(ending, Ending::Closed);
    let held = status::HELD;
    let flags: Vec<_> = lines.iter().map(|l| l["status"].as_u64().unwrap() as u32).collect();
    let malformed = status::MALFORMED | held;
    assert_eq!(flags, [0, 0, malformed, status::UNKNOWN | held, malformed, 0, status::ENDED]);
    assert_eq!(lines[5]["outputs"]["sum"], 10.0);
}

#[test]
fn more_lines_than_fit_on_their_way_are_all_answered() {
    let text = "{\"inputs\":{\"force\":1}}\n".repeat(5000);
    let (_, lines) = in_step(&text, OnTimeout::Stop);
    assert_eq!(lines.len(), 5002);
    assert_eq!(lines[5000]["outputs"]["sum"], 5000.0);
}
