//! The plots of a benchmark as pictures: steps per mechanism and performance profiles.

use super::sheet::Ranking;
use super::text::{View, question};
use delassus::io::plot::{Axis, Plot, Series, panels};

/// Ends of the two ranges of τ.
const RANGES: [f64; 2] = [5.0, 80.0];

/// Average step and number of steps, at the tolerance in the middle; profiles by tolerance and by error.
pub fn plots(v: &View<'_>) -> Vec<(&'static str, String)> {
    let mut list = Vec::new();
    if let Some(rtol) = v.sheet.rtols.get(v.sheet.rtols.len() / 2) {
        list.push(("steps.svg", steps(v, *rtol)));
    }
    let files = [
        ("profile_tolerance.svg", "tolerance"),
        ("profile_error.svg", "error"),
        ("profile_work.svg", "work"),
    ];
    for (name, by) in files {
        let of_kind: Vec<&Ranking> =
            v.rankings.iter().filter(|r| r.by == by && r.mechanisms > 0).collect();
        if let Some(r) = of_kind.get(of_kind.len() / 2) {
            list.push((name, profiles(v, r)));
        }
    }
    list
}

fn steps(v: &View<'_>, rtol: f64) -> String {
    let draw = |title: &str, y: &str, value: &dyn Fn(&super::record::Work) -> f64| {
        let title = format!("{title}, rtol {rtol:e}");
        let mut plot = Plot::new(&title, Axis::linear("mechanism"), Axis::log(y));
        for (style, method) in v.sheet.methods.iter().enumerate() {
            let points = v.sheet.mechanisms.iter().enumerate().filter_map(|(k, m)| {
                let run = v.sheet.run(m, method, rtol).filter(|r| r.done)?;
                Some(((k + 1) as f64, value(run.cost.as_ref()?)))
            });
            let points: Vec<(f64, f64)> = points.collect();
            if !points.is_empty() {
                plot.series.push(Series { style, ..Series::new(method, points) });
            }
        }
        plot
    };
    panels(&[
        draw("Average step", "step, s", &|c| c.mean_step),
        draw("Number of steps", "accepted steps", &|c| c.steps as f64),
    ])
}

fn profiles(v: &View<'_>, r: &Ranking) -> String {
    let draw = |last: f64| {
        let title = format!("{}, τ up to {last}", question(r));
        let mut plot = Plot::new(
            &title,
            Axis::linear("cost over that of the best method, τ"),
            Axis::linear("part of the mechanisms solved, ρ"),
        );
        for (style, (method, profile)) in v.sheet.methods.iter().zip(&r.profiles).enumerate() {
            let mut points = vec![(1.0, profile.at(1.0))];
            points.extend(profile.jumps.iter().filter(|j| j.0 > 1.0 && j.0 <= last));
            points.push((last, profile.at(last)));
            let series = Series::new(method, points);
            plot.series.push(Series { style, stairs: true, markers: false, ..series });
        }
        plot
    };
    panels(&RANGES.map(draw))
}
