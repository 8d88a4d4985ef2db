//! The plots of a comparison.

use delassus::io::plot::{Axis, Plot, Series, panels};
use delassus::sim::compare::{
    Comparison, Cost, Plan, Reached, Row, RowStatus, performance_profile,
};

/// Error over CPU time.
pub const WORK_PRECISION: &str = "work_precision.svg";
/// Constraint violation at three levels over the tolerance.
pub const DRIFT: &str = "drift.svg";
/// Average step and number of steps over the tolerance.
pub const STEPS: &str = "steps.svg";
/// Step size over time.
pub const HISTORY: &str = "step_history.svg";
/// Performance profile over the thresholds.
pub const PROFILE: &str = "performance.svg";

/// All plots with their file names.
pub fn plots(c: &Comparison, plan: &Plan, reached: &[Reached]) -> Vec<(&'static str, String)> {
    let view = View { c, plan };
    vec![
        (WORK_PRECISION, view.work_precision().svg()),
        (DRIFT, panels(&view.drift())),
        (STEPS, panels(&view.steps())),
        (HISTORY, view.history().svg()),
        (PROFILE, profile(c, reached).svg()),
    ]
}

struct View<'a> {
    c: &'a Comparison,
    plan: &'a Plan,
}

impl View<'_> {
    /// One line per method through its finished runs.
    fn lines(&self, point: impl Fn(&Row, &Cost) -> Option<(f64, f64)>) -> Vec<Series> {
        let names = methods(self.c);
        names
            .iter()
            .enumerate()
            .map(|(style, name)| {
                let rows = self.c.rows.iter().filter(|r| r.method == *name);
                let rows = rows.filter(|r| r.status == RowStatus::Done);
                let points = rows.filter_map(|r| point(r, r.cost.as_ref()?)).collect();
                Series { style, ..Series::new(name, points) }
            })
            .filter(|s| !s.points.is_empty())
            .collect()
    }

    fn work_precision(&self) -> Plot {
        let m = self.plan.measure;
        let mut p = Plot::new("Work and precision", Axis::log("CPU time, s"), Axis::log("error"));
        p.series = self.lines(|r, c| Some((c.cpu_s, r.error.as_ref()?.get(m))));
        let uncertainty = self.c.reference.as_ref().and_then(|r| r.uncertainty.as_ref());
        p.level = uncertainty
            .map(|u| u.get(m))
            .filter(|u| *u > 0.0)
            .map(|u| (u, "known accuracy of the reference".to_owned()));
        p
    }

    /// A quantity over the tolerance, or over the step if all steps were given.
    fn over_setting(&self, title: &str, y: &str, value: impl Fn(&Cost) -> f64) -> Plot {
        let by_rtol = self.c.rows.iter().any(|r| r.rtol.is_some());
        let label = if by_rtol { "relative tolerance" } else { "step, s" };
        let mut p = Plot::new(title, Axis::log(label), Axis::log(y));
        p.series = self.lines(|r, c| {
            let x = if by_rtol { r.rtol } else { r.step };
            Some((x?, value(c)))
        });
        p
    }

    fn drift(&self) -> Vec<Plot> {
        vec![
            self.over_setting("Position constraints", "largest |g|", |c| c.drift_position),
            self.over_setting("Velocity constraints", "largest |Gv + g_t|", |c| c.drift_velocity),
            self.over_setting("Acceleration constraints", "largest |Ga + γ|", |c| {
                c.drift_acceleration
            }),
        ]
    }

    fn steps(&self) -> Vec<Plot> {
        vec![
            self.over_setting("Average step", "step, s", |c| c.mean_step),
            self.over_setting("Factorisations", "number", |c| c.factorizations as f64),
        ]
    }

    /// Step sizes of the tightest successful run of each method.
    fn history(&self) -> Plot {
        let mut p = Plot::new("Step size over time", Axis::linear("time, s"), Axis::log("step, s"));
        for (style, name) in methods(self.c).iter().enumerate() {
            let mut rows = self.c.rows.iter().filter(|r| r.method == *name);
            let Some(row) = rows.rfind(|r| r.status == RowStatus::Done) else { continue };
            let setting = row.rtol.or(row.step).map_or(String::new(), |x| format!(" {x:e}"));
            p.series.push(Series {
                style,
                markers: false,
                ..Series::new(&format!("{name}{setting}"), row.history.points().to_vec())
            });
        }
        p
    }
}

fn methods(c: &Comparison) -> Vec<&str> {
    let mut names: Vec<&str> = Vec::new();
    for row in &c.rows {
        if !names.contains(&row.method.as_str()) {
            names.push(&row.method);
        }
    }
    names
}

/// Each threshold is a case; the cost of a method is the CPU time of its cheapest run below the threshold.
fn profile(c: &Comparison, reached: &[Reached]) -> Plot {
    let names = methods(c);
    let time = |r: &Reached, k: usize| {
        let (_, row) = r.by_method.get(k)?;
        c.rows.get((*row)?)?.cost.as_ref().map(|c| c.cpu_s)
    };
    let times: Vec<Vec<Option<f64>>> =
        (0..names.len()).map(|k| reached.iter().map(|r| time(r, k)).collect()).collect();
    let profiles = performance_profile(&times);
    let last = profiles.iter().flat_map(|p| &p.jumps).fold(10.0_f64, |m, j| m.max(j.0));
    let mut p = Plot::new(
        "Performance profile over the thresholds",
        Axis::log("time over the best time, τ"),
        Axis::linear("part of the thresholds reached"),
    );
    for (style, (name, profile)) in names.iter().zip(&profiles).enumerate() {
        let mut points = profile.jumps.clone();
        points.push((last, profile.at(last)));
        if profile.jumps.first().is_none_or(|j| j.0 > 1.0) {
            points.insert(0, (1.0, 0.0));
        }
        p.series.push(Series { style, stairs: true, ..Series::new(name, points) });
    }
    p
}
