//! N spheres fall into a box: `spheres [N [seconds [step]]]`, default 1000 1 0.001.
//!
//! Prints steps per CPU second, contacts, residual, largest penetration and memory.
#![allow(missing_docs, clippy::unwrap_used, clippy::print_stdout)]

#[path = "../tests/spheres/mod.rs"]
mod spheres;

use delassus_nonsmooth::stepping::{Scheme, Stepper, StepperSettings};
use spheres::Spheres;

/// A field of /proc/self/status, kB.
fn memory(field: &str) -> u64 {
    let text = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = text.lines().find(|l| l.starts_with(field));
    line.and_then(|l| l.split_whitespace().nth(1)).and_then(|x| x.parse().ok()).unwrap_or(0)
}

/// CPU time of this process, s: user and system, in ticks of 10 ms.
fn cpu() -> f64 {
    let text = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let after = text.rsplit(')').next().unwrap_or("").to_string();
    let ticks: u64 =
        after.split_whitespace().skip(11).take(2).filter_map(|x| x.parse::<u64>().ok()).sum();
    ticks as f64 / 100.0
}

fn main() {
    let args: Vec<f64> = std::env::args().skip(1).filter_map(|a| a.parse().ok()).collect();
    let n = args.first().map_or(1000, |x| *x as usize);
    let seconds = args.get(1).copied().unwrap_or(1.0);
    let h = args.get(2).copied().unwrap_or(1e-3);
    let tolerance = args.get(3).copied().unwrap_or(StepperSettings::default().large_tolerance);
    let radius = 0.05;
    // ten spheres side by side for a thousand
    let half = 1.05 * radius * (n as f64).cbrt().round();
    let p = Spheres::new(n, radius, half, 0.3, 0.0);
    let mut s = p.start();
    let settings = StepperSettings { large_tolerance: tolerance, ..StepperSettings::default() };
    let mut m = Stepper::new(&p, Scheme::default(), settings).unwrap();
    m.restart(&p, &s).unwrap();
    let begin = cpu();
    let steps = (seconds / h).round() as usize;
    let (mut depth, mut residual, mut most, mut sweeps, mut halved) = (0.0f64, 0.0f64, 0, 0, 0);
    let (mut corrections, mut gained) = (0, f64::NEG_INFINITY);
    let mut at_tenth = 0;
    for k in 0..steps {
        match m.step(&p, &mut s, h) {
            Ok(r) => {
                depth = depth.max(r.penetration);
                residual = residual.max(r.residual);
                most = most.max(r.active);
                sweeps += r.iterations;
                halved += r.halvings;
                corrections += r.corrections;
                gained = gained.max(r.energy);
                if (k + 1) % (steps / 10).max(1) == 0 {
                    println!(
                        "t = {:.3} s, {:7.2} CPU s, {} contacts, {} near, {} sweeps, residual {:.1e}, depth {:.1e} m",
                        s.t,
                        cpu() - begin,
                        r.active,
                        r.contacts,
                        r.iterations,
                        r.residual,
                        r.penetration
                    );
                    if at_tenth == 0 {
                        at_tenth = memory("VmRSS");
                    }
                }
            }
            Err(e) => {
                println!("step {k}: {e}");
                return;
            }
        }
    }
    let spent = cpu() - begin;
    println!(
        "{n} spheres, {steps} steps of {h} s: {:.1} steps per CPU second",
        steps as f64 / spent
    );
    println!(
        "most contacts {most}, sweeps per step {:.1}, halvings {halved}, corrections per step {:.2}",
        sweeps as f64 / steps as f64,
        corrections as f64 / steps as f64
    );
    println!(
        "largest residual {residual:.1e}, largest penetration {depth:.1e} m, largest energy gain of a step {gained:.1e} J"
    );
    println!(
        "memory {} kB at a tenth, {} kB at the end, peak {} kB",
        at_tenth,
        memory("VmRSS"),
        memory("VmHWM")
    );
}
