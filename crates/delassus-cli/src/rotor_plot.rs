//! Pictures of `delassus rotor`.

use crate::exit::Failure;
use crate::fault::Fault;
use crate::files::Writer;
use crate::output::check_file;
use delassus::io::plot::{Axis, Plot, Series, panels, png};
use delassus::math::largest;
use delassus::sim::analysis::{Orbit, Whirl, WhirlMode};
use std::f64::consts::TAU;
use std::path::Path;

/// Revolutions per minute of a rate in rad/s.
pub fn rpm(speed: f64) -> f64 {
    speed * 60.0 / TAU
}

/// Refuses a name that tells no kind of picture, before the work.
pub fn check_name(file: &Path) -> Result<(), Failure> {
    if is_png(file).is_none() {
        let message = format!("{} is neither .svg nor .png", file.display());
        let fault = Fault::new("E_OUTPUT", "--plot", message)
            .help("end the name of the file with .svg or .png");
        return Err(Failure::input(vec![fault]));
    }
    check_file("--plot", file)
}

fn is_png(file: &Path) -> Option<bool> {
    match file.extension()?.to_string_lossy().to_lowercase().as_str() {
        "png" => Some(true),
        "svg" => Some(false),
        _ => None,
    }
}

/// Writes a picture.
pub fn write(file: &Path, plots: &[Plot]) -> Result<(), Failure> {
    let bytes = match is_png(file) {
        Some(true) => png(plots),
        _ => panels(plots).into_bytes(),
    };
    Writer::one(file, &bytes)
}

/// Frequencies up to so many times the highest speed are drawn, and at least so many of the lowest.
const ABOVE: f64 = 2.0;
const LOWEST: usize = 4;

/// Frequencies over the speed, with the line on which they meet it.
pub fn campbell(title: &str, ladder: &[(f64, Vec<WhirlMode>)]) -> Vec<Plot> {
    let label = "speed of the rotor, rpm";
    let mut p = Plot::new(title, Axis::linear(label), Axis::linear("frequency, Hz"));
    let last = largest(ladder.iter().map(|(s, _)| *s));
    let low = ladder.iter().filter_map(|(_, list)| Some(list.get(LOWEST - 1)?.imag));
    let highest = low.fold(ABOVE * last, f64::max);
    let kinds = [Whirl::Forward, Whirl::Backward, Whirl::Planar, Whirl::Axial];
    for (style, kind) in kinds.into_iter().enumerate() {
        // the k-th of a kind is one line; at rest nothing is with or against the spin
        let turns = matches!(kind, Whirl::Forward | Whirl::Backward);
        let speeds = || ladder.iter().filter(|(s, _)| !turns || *s > 0.0);
        let most = speeds().map(|(_, list)| of(list, kind).count()).max().unwrap_or(0);
        for k in 0..most {
            let points = speeds().filter_map(|(speed, list)| {
                let frequency = of(list, kind).nth(k)?.imag;
                (frequency <= highest).then_some((rpm(*speed), frequency / TAU))
            });
            let points: Vec<(f64, f64)> = points.collect();
            if !points.is_empty() {
                p.series.push(Series { style, ..Series::new(kind.name(), points) });
            }
        }
    }
    let line = Series::new("speed", vec![(0.0, 0.0), (rpm(last), last / TAU)]);
    p.series.push(Series { style: kinds.len(), markers: false, ..line });
    vec![p]
}

fn of(list: &[WhirlMode], kind: Whirl) -> impl Iterator<Item = &WhirlMode> {
    list.iter().filter(move |m| m.whirl == kind)
}

/// Semi-axes of orbits and phases over the speed.
pub fn unbalance(title: &str, ladder: &[(f64, Vec<Orbit>)]) -> Vec<Plot> {
    let x = || Axis::linear("speed of the rotor, rpm");
    let mut size = Plot::new(title, x(), Axis::log("semi-major axis of the orbit, m"));
    let mut phase = Plot::new("", x(), Axis::linear("ahead of the unbalance, deg"));
    let bodies = ladder.first().map_or(0, |(_, orbits)| orbits.len());
    for k in 0..bodies {
        let line = |of: &dyn Fn(&Orbit) -> f64, name: &str, style| {
            let points = ladder.iter().map(|(s, o)| (rpm(*s), of(&o[k]))).collect();
            Series { style, markers: false, ..Series::new(name, points) }
        };
        let body = &ladder[0].1[k].body;
        size.series.push(line(&|o| o.semi_axes[0], body, k));
        for (j, axis) in ["x", "y", "z"].into_iter().enumerate() {
            let along = largest(ladder.iter().map(|(_, o)| o[k].amplitude[j]));
            let most = largest(ladder.iter().map(|(_, o)| o[k].semi_axes[0]));
            if along > 1e-6 * most {
                let name = format!("{body} {axis}");
                phase.series.push(line(&|o| o.phase[j].to_degrees(), &name, 3 * k + j));
            }
        }
    }
    vec![size, phase]
}
