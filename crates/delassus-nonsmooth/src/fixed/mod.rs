//! Contacts of fixed cost, for steps in real time.
//!
//! A capped number of points acts in each step, the deepest first, and a fixed number of sweeps of Gauss–Seidel finds
//! their impulses, beginning with those of the step before. With u = H v at the end of the step and W = H S⁻¹ Hᵀ, joints
//! included,
//!
//! ```text
//! rigid      0 ≤ p_N ⊥ u_N − b ≥ 0 ,   b = −e u_N⁻ where it hits, −g/h where it does not touch yet, else 0
//!            |p_T| ≤ μ p_N , against u_T
//! compliant  p_N = max(0, h F(δ, δ̇)) linearised at the depth that the free motion would reach,
//!            p_T = −p_N c u_T ,  c the ratio of friction and slip at the start of the step
//! ```
//!
//! Depth that is left where rigid points touch is taken out of the positions alone, by as many sweeps. Unused places do
//! the same work with zeros, so that a contact that closes or opens does not change the cost of a step. What cannot be
//! solved with so many points and sweeps is told ([`FixedReport`]), never waited for.

mod choice;
mod place;
mod sweeps;

use choice::Choice;
use delassus_dae::integrator::{Between, FreeStep};
use delassus_dae::{PointId, State, StepFailure, Unilateral};
use delassus_math::remember;
use place::Place;
use sweeps::Sweeps;

/// How many points act, and how they are solved.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FixedSettings {
    /// Largest number of points.
    pub capacity: usize,
    /// Number of sweeps.
    pub sweeps: u32,
}

/// What the contacts of a step left undone.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct FixedReport {
    /// Points that act.
    pub points: usize,
    /// Points that touch beyond the capacity.
    pub left_out: usize,
    /// Change of the impulses in the last sweep, as a part of the largest.
    pub residual: f64,
    /// Deepest gap at the start of the step, m; not negative where nothing is inside.
    pub depth: f64,
}

/// What is kept about a point from step to step.
#[derive(Debug, Clone, Copy, Default)]
struct Memory {
    /// Impulse per second.
    force: [f64; 3],
    features: [u32; 2],
    /// Values latched where a compliant contact began.
    onset: delassus_dae::Onset,
    /// It was examined in the last step.
    near: bool,
    stuck: bool,
    pressed: bool,
    /// It was met from behind, and does not act until it was in front.
    behind: bool,
}
remember!(Memory { force, features, onset, near, stuck, pressed, behind });

/// The contacts of a problem at fixed cost.
pub struct FixedContacts<P: Unilateral> {
    settings: FixedSettings,
    choice: Choice,
    /// Every point that there is, ascending, and what is kept about it.
    all: Vec<PointId>,
    memory: Vec<Memory>,
    places: Vec<Place>,
    sweeps: Sweeps,
    /// Rows of a point, at most.
    rows: usize,
    length: f64,
    scale: Vec<f64>,
    impulse: Vec<f64>,
    stepped: bool,
    report: FixedReport,
    of: std::marker::PhantomData<fn() -> P>,
}
remember!(FixedContacts<P: Unilateral> { memory, stepped } apart from {
    settings, choice, all, places, sweeps, rows, length, scale, impulse, report, of,
});

impl<P: Unilateral> FixedContacts<P> {
    /// Lists all points, and requests everything.
    pub fn new(p: &P, start: &State, settings: FixedSettings) -> FixedContacts<P> {
        let d = p.dims();
        let mut ws = p.workspace();
        p.realize_position(start.t, &start.q, &start.z, &mut ws);
        p.realize_velocity(&start.v, &start.z, &mut ws);
        let mut all = Vec::new();
        p.near(&ws, f64::INFINITY, &mut all);
        let mut cols = Vec::new();
        let (mut width, mut rows) = (1, 1);
        for id in &all {
            p.columns(*id, &mut cols);
            width = width.max(cols.len());
            let rough = p.pressed_friction(*id).map_or(0, |f| f.directions);
            rows = rows.max(p.law(*id).rows().max(1 + rough));
        }
        let capacity = settings.capacity.min(all.len());
        FixedContacts {
            settings: FixedSettings { capacity, ..settings },
            choice: Choice::new(capacity, &all, width),
            memory: vec![Memory::default(); all.len()],
            places: vec![Place::default(); capacity],
            sweeps: Sweeps::new(capacity, rows, width, d),
            rows,
            length: p.length(),
            scale: p.wide_scales(),
            impulse: vec![0.0; d.nv],
            stepped: false,
            report: FixedReport::default(),
            of: std::marker::PhantomData,
            all,
        }
    }

    /// What the last step left undone.
    pub fn report(&self) -> FixedReport {
        self.report
    }

    /// Number of points that there are, whether they touch or not.
    pub fn listed(&self) -> usize {
        self.all.len()
    }

    /// Places for points, and rows of each.
    pub fn size(&self) -> (usize, usize) {
        (self.places.len(), self.rows)
    }

    /// Points that acted in the last step, with their impulses, N s.
    pub fn impulses(&self) -> impl Iterator<Item = (PointId, [f64; 3])> {
        let n = self.report.points;
        self.places[..n].iter().enumerate().map(|(k, x)| (self.all[x.index], self.sweeps.of(k)))
    }

    /// Fastest motion of a velocity vector, m/s.
    fn speed(&self, v: &[f64]) -> f64 {
        let of = |(v, s): (&f64, &f64)| v.abs() * self.length / s;
        delassus_math::largest(v.iter().zip(&self.scale).map(of))
    }

    /// Keeps what the next step begins with.
    fn keep(&mut self, h: f64) {
        for m in &mut self.memory {
            m.force = [0.0; 3];
            m.near = false;
        }
        for at in self.choice.examined() {
            self.memory[at].near = true;
        }
        for k in 0..self.report.points {
            let place = &self.places[k];
            let m = &mut self.memory[place.index];
            let p = self.sweeps.of(k);
            // an impact is no force that lasts
            m.force = if place.hit { [0.0; 3] } else { p.map(|x| x / h) };
            m.stuck = place.sticks(&p);
        }
        self.stepped = true;
    }
}

impl<P: Unilateral> Between<P> for FixedContacts<P> {
    fn act(&mut self, p: &P, ws: &P::Ws, step: &mut FreeStep<'_>) -> Result<(), StepFailure> {
        let h = step.h;
        step.by.fill(0.0);
        step.rows.fill(0.0);
        step.shift.fill(0.0);
        if self.places.is_empty() {
            return Ok(());
        }
        let margin = 2.0 * h * self.speed(&step.from.v) + choice::CLOSE * self.length;
        let found =
            self.choice.collect(p, ws, (&self.all, &mut self.memory), margin, (h, self.stepped));
        self.report = FixedReport { points: found.points, left_out: found.left_out, ..self.report };
        self.report.depth = found.depth;
        for k in 0..self.places.len() {
            let used = k < found.points;
            self.sweeps.load(k, used.then(|| self.choice.at(k)));
            for r in 0..self.rows {
                self.sweeps.impulse(k, r, &mut self.impulse);
                let (dv, dl) = self.sweeps.response(k, r);
                step.respond(&self.impulse, dv, dl)?;
                self.sweeps.clear(k, &mut self.impulse);
            }
        }
        self.sweeps.couple();
        for k in 0..self.places.len() {
            self.places[k] = match k < found.points {
                true => {
                    let (index, at) = (self.choice.index(k), self.choice.at(k));
                    let free = self.sweeps.free(k, at, step.dv, h);
                    let own = self.sweeps.own(k);
                    let memory = &mut self.memory[index];
                    let place = Place::new(p, (index, self.all[index]), at, free, own, memory, h);
                    self.sweeps.start(k, place.warm(&memory.force, h));
                    place
                }
                false => {
                    self.sweeps.start(k, [0.0; 3]);
                    Place::default()
                }
            };
        }
        self.report.residual = self.sweeps.run(&self.places, self.settings.sweeps);
        self.sweeps.push_out(&self.places, self.settings.sweeps, h);
        self.sweeps.collect(step.by, step.rows, step.shift);
        self.keep(h);
        Ok(())
    }
}
