//! Samples that are passed on are those that would have been kept, however many there are in a step, and samples that
//! cannot be accepted end the run with a named failure.

use crate::support;

use delassus::model::Assembled;
use delassus::sim::{Refused, Results, RunOptions, RunOutcome, Simulation, Sink};
use std::sync::{Arc, Mutex};
use support::{assembled, parsed};

#[derive(Default)]
struct Kept {
    t: Vec<f64>,
    data: Vec<Vec<f64>>,
    largest: usize,
    most: Option<usize>,
}

#[derive(Clone, Default)]
struct Basket(Arc<Mutex<Kept>>);

impl Sink for Basket {
    fn take(&mut self, samples: &Results) -> Result<(), Refused> {
        let mut kept = self.0.lock().unwrap();
        let room = kept.most.map_or(samples.t.len(), |most| most - kept.t.len());
        let n = samples.t.len().min(room);
        kept.largest = kept.largest.max(samples.t.len());
        kept.t.extend_from_slice(&samples.t[..n]);
        kept.data.resize(samples.data.len(), Vec::new());
        kept.data.iter_mut().zip(&samples.data).for_each(|(k, s)| k.extend_from_slice(&s[..n]));
        let t = kept.t.last().copied().unwrap_or(0.0);
        let refused = Refused { taken: n as u64, t, why: "the basket is full".to_owned() };
        if n < samples.t.len() { Err(refused) } else { Ok(()) }
    }
}

/// Flies in a few long steps.
const FREE: &str = "schema = 1\ngravity = [0, -9.81]\n\
    body.b = { type = \"planar-point\", mass = 1, velocity = [1, 2] }\n\
    sensor.b = { type = \"position\", of = \"b\" }\n\
    analysis = { end = 10, sample = 1e-4 }\n";

fn options(m: &Assembled) -> RunOptions {
    RunOptions { hand_on: true, ..RunOptions::from_model(m.system.model()) }
}

fn run(text: &str, basket: Option<&Basket>) -> RunOutcome {
    let m = assembled(&parsed(text), &[]);
    let options = RunOptions { hand_on: basket.is_some(), ..options(&m) };
    let mut sim = Simulation::new(&m, &options).unwrap();
    if let Some(basket) = basket {
        sim.hand_to(Box::new(basket.clone()));
    }
    let _ = sim.advance_to(options.t_end);
    sim.finish()
}

#[test]
fn the_same_samples_a_chunk_at_a_time() {
    let whole = run(FREE, None);
    let basket = Basket::default();
    let handed = run(FREE, Some(&basket));
    let kept = basket.0.lock().unwrap();
    assert!(kept.t == whole.results.t && kept.data == whole.results.data);
    assert_eq!((kept.t.len() as u64, handed.results.t.len()), (whole.summary.samples, 0));
    assert_eq!(handed.summary.samples, whole.summary.samples);
    assert!(kept.largest <= 4096 && handed.summary.steps < 1000);
}

#[test]
fn what_is_not_finite_ends_them() {
    let text = FREE
        .replace("type = \"position\", of = \"b\"", "type = \"expression\", value = \"ln(5 - t)\"");
    let whole = run(&text, None);
    let basket = Basket::default();
    let handed = run(&text, Some(&basket));
    let kept = basket.0.lock().unwrap();
    assert!(kept.t.len() == 50_000 && kept.t == whole.results.t);
    assert_eq!(handed.error, whole.error);
    assert_eq!(handed.error.unwrap().kind.code(), "E_NONFINITE");
}

#[test]
fn a_full_basket_ends_the_run() {
    let basket = Basket::default();
    basket.0.lock().unwrap().most = Some(5000);
    let outcome = run(FREE, Some(&basket));
    let e = outcome.error.unwrap();
    assert_eq!((e.kind.code(), e.detail.as_str()), ("E_OUTPUT", "the basket is full"));
    assert_eq!((outcome.summary.samples, e.t), (5000, 0.4999));
    assert_eq!(basket.0.lock().unwrap().t.len(), 5000);
}

#[test]
fn a_run_that_was_saved_goes_on_where_they_end() {
    let whole = run(FREE, None);
    let m = assembled(&parsed(FREE), &[]);
    let options = options(&m);
    let (first, second) = (Basket::default(), Basket::default());
    let mut sim = Simulation::new(&m, &options).unwrap();
    sim.hand_to(Box::new(first.clone()));
    sim.advance_to(3.0).unwrap();
    sim.hand_on();
    let saved = sim.save();
    assert!(saved.len() < 100_000, "{} bytes: samples are not in there", saved.len());
    let mut sim = Simulation::restored(&m, &options, &saved).unwrap();
    sim.hand_to(Box::new(second.clone()));
    sim.advance_to(options.t_end).unwrap();
    let outcome = sim.finish();
    assert_eq!(outcome.summary.samples, whole.summary.samples);
    let (first, second) = (first.0.lock().unwrap(), second.0.lock().unwrap());
    assert!([&first.t[..], &second.t].concat() == whole.results.t);
    for (k, column) in whole.results.data.iter().enumerate() {
        assert!([&first.data[k][..], &second.data[k]].concat() == *column);
    }
}
