//! A mechanism with the runs against which everything else is compared.
//!
//! Each judgement is based on three runs: the one a user would make, a careful one (tight tolerance, short steps), and
//! a careful one of a mechanism that differs by parts in ten million. The last shows how much small errors grow, so
//! that a chaotic motion is not called a defect.

use crate::mechanism::{
    Body, Column, ForceKind, JointKind, Kind, Mechanism, Method, Place, V3, View, add, columns,
    cross, sub, times, toml,
};
use crate::random::Random;
use crate::run::{BUDGET, Ended, Trace, run, run_within};
use crate::verdict::Violation;
use delassus::math::largest;

/// Relative size of the small change whose growth is measured.
const NUDGE: f64 = 1e-7;
/// Errors may be this many tolerances large, times the growth.
const MULTIPLE: f64 = 2e3;
/// Relative tolerance of the default method.
pub const RTOL: f64 = 1e-8;
/// Relative accuracy expected of runs with contact, in which short periods are of first order.
const CONTACT_RTOL: f64 = 1e-7;

/// A mechanism and its reference runs.
pub struct Subject {
    pub mechanism: Mechanism,
    pub columns: Vec<Column>,
    pub names: Vec<String>,
    /// As a user would run it.
    pub base: Trace,
    pub careful: Trace,
    /// Growth of small changes up to each sample, at least 1.
    pub growth: Vec<f64>,
    scales: [f64; 4],
}

/// How a body moves.
pub struct BodyState {
    pub at: V3,
    /// Its axes, in components of the stage.
    pub axes: [V3; 3],
    pub velocity: V3,
    /// Angular velocity, in components of the stage.
    pub rate: V3,
}

impl BodyState {
    /// The position on the stage of a point of the body.
    pub fn point(&self, local: V3) -> V3 {
        add(self.at, self.vector(local))
    }

    /// A vector of the body, in components of the stage.
    pub fn vector(&self, [a, b, c]: V3) -> V3 {
        let [x, y, z] = self.axes;
        add(times(a, x), add(times(b, y), times(c, z)))
    }

    /// Components of a vector in its axes.
    pub fn components(&self, v: V3) -> V3 {
        self.axes.map(|a| a[0] * v[0] + a[1] * v[1] + a[2] * v[2])
    }
}

/// Why there is nothing to compare with.
pub enum Hopeless {
    /// The model is rejected in every view: the generator is to blame.
    Refused(String),
    /// A finding.
    Violated(Violation),
}

impl Subject {
    /// Makes the reference runs.
    pub fn new(mechanism: &Mechanism) -> Result<Subject, Hopeless> {
        let columns = columns(mechanism);
        let names: Vec<String> = columns.iter().map(|c| c.name.clone()).collect();
        let text = toml(mechanism, &View::plain());
        let base = match run(&text, &names) {
            Ended::Done(trace) => trace,
            Ended::Refused(codes) => return Err(Hopeless::Refused(codes)),
            other => {
                let v = Violation::new("default-run", other.kind(), other.words(), f64::INFINITY);
                return Err(Hopeless::Violated(v));
            }
        };
        if let Some(bad) = not_finite(&base, &names) {
            let v = Violation::new("default-run", "not finite".into(), bad, f64::INFINITY);
            return Err(Hopeless::Violated(v));
        }
        let view = careful_view(mechanism);
        let careful = match run_within(&toml(mechanism, &view), &names, 5 * BUDGET) {
            Ended::Done(trace) => trace,
            other => {
                let v = Violation::new("careful", other.kind(), other.words(), f64::INFINITY);
                return Err(Hopeless::Violated(v.with_twin(toml(mechanism, &view))));
            }
        };
        let mut subject = Subject {
            mechanism: mechanism.clone(),
            scales: scales(mechanism, &columns, &careful),
            growth: vec![1.0; careful.t.len()],
            columns,
            names,
            base,
            careful,
        };
        let nudged = nudged(mechanism);
        if let Ended::Done(trace) = run_within(&toml(&nudged, &view), &subject.names, 5 * BUDGET) {
            subject.grow(&trace);
        }
        Ok(subject)
    }

    fn grow(&mut self, nudged: &Trace) {
        let mut largest = 1.0_f64;
        for i in 0..self.growth.len() {
            for (c, column) in self.columns.iter().enumerate() {
                if !self.counts(column.kind) {
                    continue;
                }
                let (a, b) = (self.careful.data[c].get(i), nudged.data[c].get(i));
                if let (Some(a), Some(b)) = (a, b) {
                    largest = largest.max((a - b).abs() / (NUDGE * self.scale(column.kind)));
                }
            }
            self.growth[i] = largest;
        }
    }

    /// Where a frame was at a sample of the user's run.
    pub fn place(&self, place: &Place, sample: usize) -> V3 {
        match place.body.as_deref().and_then(|b| self.mechanism.find(b)) {
            None => place.at,
            Some(body) => self.state(&self.base, body, sample).point(place.at),
        }
    }

    /// How a body moved at a sample, from its measured points.
    pub fn state(&self, trace: &Trace, body: &Body, sample: usize) -> BodyState {
        let axes: &[&str] = if self.mechanism.space { &["x", "y", "z"] } else { &["x", "y"] };
        let vector = |letters: &str| {
            let mut p = [0.0; 3];
            for (k, axis) in axes.iter().enumerate() {
                let name = format!("{}_{letters}{axis}", body.name);
                let c = self.names.iter().position(|n| *n == name);
                p[k] = c.map_or(0.0, |c| trace.data[c][sample]);
            }
            p
        };
        let scale = 1.0 / body.reach;
        let (at, velocity) = (vector("p"), vector("pv"));
        let x = times(scale, sub(vector("u"), at));
        let dx = times(scale, sub(vector("uv"), velocity));
        let (y, dy) = if self.mechanism.space {
            (times(scale, sub(vector("w"), at)), times(scale, sub(vector("wv"), velocity)))
        } else {
            ([-x[1], x[0], 0.0], [-dx[1], dx[0], 0.0])
        };
        let z = cross(x, y);
        let dz = add(cross(dx, y), cross(x, dy));
        let sum = add(cross(x, dx), add(cross(y, dy), cross(z, dz)));
        BodyState { at, axes: [x, y, z], velocity, rate: times(0.5, sum) }
    }

    /// Whether a kind of column is compared: velocities jump at impacts, whose times have errors, so they are not
    /// compared then.
    pub fn counts(&self, kind: Kind) -> bool {
        let speed = matches!(kind, Kind::Speed | Kind::Rate);
        !(speed && self.mechanism.has_contacts())
    }

    /// The scale against which an error of this kind is measured.
    pub fn scale(&self, kind: Kind) -> f64 {
        self.scales[kind as usize]
    }

    /// Relative accuracy that a run with this tolerance should have, before growth.
    pub fn accuracy(&self, rtol: f64) -> f64 {
        MULTIPLE * if self.mechanism.has_contacts() { rtol.max(CONTACT_RTOL) } else { rtol }
    }

    /// Runs a view of the mechanism or of another one with the same columns, and compares.
    pub fn compare_view(
        &self,
        relation: &str,
        m: &Mechanism,
        view: &View,
        rtol: f64,
    ) -> Option<Violation> {
        self.compare_view_within(relation, m, view, rtol, 2 * BUDGET)
    }

    /// The same with a budget of steps.
    pub fn compare_view_within(
        &self,
        relation: &str,
        m: &Mechanism,
        view: &View,
        rtol: f64,
        budget: u64,
    ) -> Option<Violation> {
        let text = toml(m, view);
        match run_within(&text, &self.names, budget) {
            Ended::Done(trace) => {
                self.compare(relation, view, &trace, self.accuracy(rtol)).map(|v| v.with_twin(text))
            }
            Ended::NotAble => None,
            other => Some(
                Violation::new(relation, other.kind(), other.words(), f64::INFINITY)
                    .with_twin(text),
            ),
        }
    }

    /// Compares the samples of a view with those of the mechanism itself. A view that agrees with the user's run
    /// satisfies the relation, and one that agrees with the careful run is not to blame.
    pub fn compare(
        &self,
        relation: &str,
        view: &View,
        trace: &Trace,
        accuracy: f64,
    ) -> Option<Violation> {
        self.difference(relation, view, trace, &self.base, accuracy)?;
        self.difference(relation, view, trace, &self.careful, accuracy)
    }

    /// Compares two sets of samples; returns the worst column if they differ too much.
    pub fn difference(
        &self,
        relation: &str,
        view: &View,
        trace: &Trace,
        right: &Trace,
        accuracy: f64,
    ) -> Option<Violation> {
        let mut worst: Option<(f64, usize, usize, f64, f64)> = None;
        if trace.t.len() != right.t.len() {
            let what = format!("{} samples instead of {}", trace.t.len(), right.t.len());
            return Some(Violation::new(relation, "samples".into(), what, f64::INFINITY));
        }
        for (c, column) in self.columns.iter().enumerate() {
            if !self.counts(column.kind) {
                continue;
            }
            let unit = view.unit(column.kind.dim());
            let (mine, its) = (&trace.data[c], &right.data[c]);
            if mine.len() != its.len() {
                let what = format!("column {} is missing", column.name);
                return Some(Violation::new(relation, "columns".into(), what, f64::INFINITY));
            }
            for (i, (x, y)) in mine.iter().zip(its).enumerate() {
                let (x, allowed) = (x / unit, accuracy * self.scale(column.kind) * self.growth[i]);
                let ratio = (x - y).abs() / allowed;
                // a NaN is the worst of all
                if !(ratio <= 1.0) && worst.is_none_or(|w| !(ratio <= w.0)) {
                    worst = Some((ratio, c, i, x, *y));
                }
            }
        }
        let (ratio, c, i, x, y) = worst?;
        let first = self.first(view, trace, right, accuracy);
        let text = format!(
            "{} at t = {:.6}: {x:.9e} against {y:.9e}, off by {:.2e} ({ratio:.1} × what is allowed; first beyond it at t = {first:.6})",
            self.columns[c].name,
            right.t[i],
            (x - y).abs(),
        );
        Some(Violation::new(relation, "differs".into(), text, ratio))
    }

    /// The first time at which samples differ too much.
    fn first(&self, view: &View, trace: &Trace, right: &Trace, accuracy: f64) -> f64 {
        for (i, t) in right.t.iter().enumerate() {
            for (c, column) in self.columns.iter().enumerate() {
                let unit = view.unit(column.kind.dim());
                let allowed = accuracy * self.scale(column.kind) * self.growth[i];
                if self.counts(column.kind)
                    && !((trace.data[c][i] / unit - right.data[c][i]).abs() <= allowed)
                {
                    return *t;
                }
            }
        }
        f64::NAN
    }
}

/// Tight tolerance and short steps.
pub fn careful_view(m: &Mechanism) -> View {
    let max_step = Some(m.end / 400.0);
    View::with(Method { rtol: Some(RTOL / 100.0), max_step, ..Method::default() })
}

fn not_finite(trace: &Trace, names: &[String]) -> Option<String> {
    let bad = trace.data.iter().zip(names).find(|(d, _)| d.iter().any(|x| !x.is_finite()));
    bad.map(|(_, name)| format!("column {name} is not finite"))
}

/// Length, speed, angle, rate.
fn scales(m: &Mechanism, columns: &[Column], trace: &Trace) -> [f64; 4] {
    let mut scales = [0.0_f64; 4];
    for (column, data) in columns.iter().zip(&trace.data) {
        let (low, high) =
            data.iter().fold((f64::MAX, f64::MIN), |(l, h), x| (l.min(*x), h.max(*x)));
        let size = match column.kind {
            Kind::Length => high - low,
            _ => high.abs().max(low.abs()),
        };
        let slot = &mut scales[column.kind as usize];
        *slot = slot.max(size);
    }
    let reach = largest(m.bodies.iter().map(|b| b.reach));
    scales[0] = scales[0].max(reach);
    scales[1] = scales[1].max(scales[0] / m.end);
    scales[2] = scales[2].max(1.0);
    scales[3] = scales[3].max(1.0 / m.end);
    scales
}

/// The mechanism with every mass, start velocity, function of time and the direction of gravity slightly changed. If
/// there is no gravity, a trace of it is added: a crank at its dead centre must be seen to leave it.
fn nudged(m: &Mechanism) -> Mechanism {
    let mut random = Random::of(m.salt, "nudge", 0);
    let mut off = |x: f64| x * (1.0 + NUDGE * random.between(-1.0, 1.0));
    let mut n = m.clone();
    for b in &mut n.bodies {
        b.mass = off(b.mass);
        b.inertia = if m.space {
            b.inertia.map(|i| off(i) * (1.0 - NUDGE))
        } else {
            b.inertia.map(&mut off)
        };
        if let Some(v) = &mut b.velocity {
            *v = v.map(&mut off);
        }
        if let Some(w) = &mut b.rate {
            let size = crate::mechanism::norm(*w);
            *w = if m.space { w.map(|x| x + NUDGE * size) } else { w.map(&mut off) };
        }
    }
    let motions = n.joints.iter_mut().filter_map(|j| match &mut j.kind {
        JointKind::Motion { law, .. } => Some(law),
        _ => None,
    });
    let drives = n.forces.iter_mut().filter_map(|f| match &mut f.kind {
        ForceKind::Push { law, .. } | ForceKind::Twist { law, .. } => Some(law),
        ForceKind::Actuator { target, .. } => Some(target),
        _ => None,
    });
    for law in motions.chain(drives) {
        *law = law.times(off(1.0));
    }
    let [x, y, z] = n.gravity;
    let reach = n.bodies.iter().fold(0.0_f64, |r, b| r.max(b.reach));
    let trace = NUDGE * reach / (n.end * n.end);
    n.gravity = if n.gravity == [0.0; 3] {
        [trace, 0.7 * trace, if m.space { 0.4 * trace } else { 0.0 }]
    } else if m.space {
        [x + NUDGE * y, y - NUDGE * z, z + NUDGE * x + NUDGE * y]
    } else {
        [x + NUDGE * y, y - NUDGE * x, z]
    };
    n
}
