//! Time-stepping: fixed steps, no events are located.
//!
//! All points that close within a step are resolved at its end, together with the joints, in one problem for impulses.
//! Any number of impacts per step is ordinary; where impacts accumulate nothing special happens. The price is order 1
//! in the times of impacts.
//!
//! ```text
//! S (v₁ − v₀) = h f + Gᵀ Λ + Hᵀ P ,   G v₁ + g_t = 0 ,   laws between P and u₁ = H v₁ + …
//! ```
//!
//! * [`Scheme::MoreauJean`]: velocities, the method of choice. See `moreau_jean.rs`.
//! * [`Scheme::SchatzmanPaoli`]: positions over three times. See `schatzman_paoli.rs`.
//! * [`Scheme::NonsmoothGenAlpha`]: smooth motion of order 2, separate impulses of points. See `gen_alpha.rs`.
//!
//! Compliant contacts are forces, treated implicitly by all of them alike (`yielding.rs`).
//!
//! A gap that closes within the step and is approached gets Newton's restitution, whatever law the point names
//! (Poisson's and the energetic one need the phases of an impact, which a step does not resolve); others must not be
//! negative at the end. Remaining penetrations (curved gaps, impacts early in a step) are removed from positions only
//! (`position.rs`), except by Schatzman–Paoli, whose condition allows e times the approach of one step.
//!
//! References: Moreau, in: Nonsmooth Mechanics and Applications (1988); Jean, Comput. Methods Appl.
//! Mech. Eng. 177 (1999); Paoli & Schatzman, SIAM J. Numer. Anal. 40 (2002); Brüls, Acary & Cardona,
//! Comput. Methods Appl. Mech. Eng. 281 (2014).

mod contact;
mod delassus;
mod gen_alpha;
mod mean_press;
mod mechanisms;
mod moreau_jean;
mod operator;
mod parts;
mod passing;
mod points;
mod position;
mod report;
mod schatzman_paoli;
mod settle;
mod yielding;

pub use operator::Forces;
pub use report::{PointImpulse, StepReport, StepperError};
pub use settle::{Moment, PressedStep};

use crate::groups::Groups;
use delassus::Delassus;
use delassus_cone as cone;
use delassus_dae::{Derived, Dims, KktError, State, StepFailure, Unilateral};
use delassus_math::largest;
use delassus_math::remember;
use gen_alpha::GenAlpha;
use operator::Operator;
use parts::Parts;
use passing::Passing;
use points::Points;
use position::Correction;
use schatzman_paoli::Half;
use yielding::Yielding;

/// Which time-stepping method.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Scheme {
    /// Velocity level; θ from ½ (no damping of its own) to 1.
    MoreauJean {
        /// Weight of the end of the step.
        theta: f64,
    },
    /// Position level over three times.
    SchatzmanPaoli,
    /// Generalized-α for smooth motion, impulses at the end of the step.
    NonsmoothGenAlpha {
        /// Spectral radius at infinite frequency, 0 to 1.
        rho: f64,
    },
}

impl Default for Scheme {
    fn default() -> Scheme {
        Scheme::MoreauJean { theta: 0.5 }
    }
}

/// Settings of the solution.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StepperSettings {
    /// Natural residual of the contact problem, a pure number.
    pub tolerance: f64,
    /// The same for problems that are solved in factored form, by sweeps, and for others that no shorter step solves either.
    pub large_tolerance: f64,
    /// Iterations of each solver.
    pub max_iterations: usize,
    /// A step whose contact problem is not solved is halved at most this often.
    pub max_halvings: u32,
    /// Allowed penetration, as a fraction of the length of the model.
    pub penetration: f64,
    /// The same if the contact problem is solved in factored form.
    pub large_penetration: f64,
    /// How forces are treated.
    pub forces: Forces,
}

impl Default for StepperSettings {
    fn default() -> StepperSettings {
        StepperSettings {
            tolerance: 1e-10,
            large_tolerance: 1e-3,
            max_iterations: 2000,
            max_halvings: 4,
            penetration: 1e-9,
            large_penetration: 5e-6,
            forces: Forces::Auto,
        }
    }
}

/// A time-stepping method with its memory; buffers grow to the largest number of points met.
pub struct Stepper<P: Unilateral> {
    scheme: Scheme,
    settings: StepperSettings,
    dims: Dims,
    length: f64,
    q_scale: Vec<f64>,
    ws: P::Ws,
    op: Operator,
    points: Points,
    /// The groups, with explicit and with implicit forces.
    groups: (Groups, Groups),
    /// Impulses and multipliers (N s) of the parts so far of a halved step.
    parts: Parts,
    delassus: Delassus,
    correction: Correction,
    passing: Passing,
    /// Compliant contacts.
    yielding: Yielding,
    gen_alpha: GenAlpha,
    half: Half,
    derived: Derived,
    saved: Vec<State>,
    // contact problem
    b: Vec<f64>,
    r: Vec<f64>,
    du: Vec<f64>,
    /// Some group of the present step is solved in factored form.
    large: bool,
    /// The step at hand cannot be halved once more.
    last_try: bool,
    laws: Vec<cone::Law>,
    // the step at hand: time and position of its place, …
    t: f64,
    f: Vec<f64>,
    rows: Vec<f64>,
    gamma: Vec<f64>,
    lambda: Vec<f64>,
    lambda_points: Vec<f64>,
    /// Generalised force of the points in the last step, without impacts, and of compliant contacts that continue.
    carried: Vec<f64>,
    a: Vec<f64>,
    v: Vec<f64>,
    dv: Vec<f64>,
    dv_points: Vec<f64>,
    xi: Vec<f64>,
    q: Vec<f64>,
    z: Vec<f64>,
    zdot: Vec<f64>,
}
remember!(Stepper<P: Unilateral> {
    op, points, yielding, gen_alpha, half, derived, carried,
} apart from {
    scheme, settings, dims, length, q_scale, ws, groups, parts, delassus, correction, passing,
    saved, b, r, du, large, last_try, laws, t, f, rows, gamma, lambda, lambda_points, a, v, dv, dv_points,
    xi, q, z, zdot,
});

impl<P: Unilateral> Stepper<P> {
    /// Sizes everything for a problem.
    pub fn new(p: &P, scheme: Scheme, settings: StepperSettings) -> Result<Stepper<P>, KktError> {
        let d = p.dims();
        let scheme = match scheme {
            Scheme::MoreauJean { theta } => Scheme::MoreauJean { theta: theta.clamp(0.5, 1.0) },
            Scheme::NonsmoothGenAlpha { rho } => {
                Scheme::NonsmoothGenAlpha { rho: rho.clamp(0.0, 1.0) }
            }
            Scheme::SchatzmanPaoli => scheme,
        };
        let state = State { t: 0.0, q: vec![0.0; d.nq], v: vec![0.0; d.nv], z: vec![0.0; d.nz] };
        let nv = || vec![0.0; d.nv];
        let rows = || vec![0.0; d.n_vel];
        let op = Operator::new(p, settings.forces)?;
        let structure = p.structure();
        Ok(Stepper {
            scheme,
            settings,
            dims: d,
            length: p.length(),
            q_scale: p.wide_scales(),
            ws: p.workspace(),
            passing: Passing::new(&op.shape, d.nv, d.nq),
            op,
            points: Points::default(),
            groups: (Groups::of_structure(structure, false), Groups::of_structure(structure, true)),
            parts: Parts::new(d),
            delassus: Delassus::new(p),
            correction: Correction::new(p),
            yielding: Yielding::new(d),
            gen_alpha: GenAlpha::new(d),
            half: Half::new(d),
            derived: Derived::zeros(d.nv, d.n_vel, d.nz),
            saved: vec![state; settings.max_halvings as usize + 1],
            b: Vec::new(),
            r: Vec::new(),
            du: Vec::new(),
            large: false,
            last_try: false,
            laws: Vec::new(),
            t: 0.0,
            f: nv(),
            rows: rows(),
            gamma: rows(),
            lambda: rows(),
            lambda_points: rows(),
            carried: nv(),
            a: nv(),
            v: nv(),
            dv: nv(),
            dv_points: nv(),
            xi: nv(),
            q: vec![0.0; d.nq],
            z: vec![0.0; d.nz],
            zdot: vec![0.0; d.nz],
        })
    }

    /// (Re)starts at a state: nothing is remembered of earlier steps.
    pub fn restart(&mut self, p: &P, s: &State) -> Result<(), StepFailure> {
        self.points.forget();
        self.yielding.forget();
        self.carried.fill(0.0);
        self.op.restart();
        self.half.forget();
        let d = &mut self.derived;
        self.op.acc.eval(
            p,
            &mut self.ws,
            s.t,
            &s.q,
            &s.v,
            &s.z,
            &mut d.a,
            &mut d.lambda,
            &mut d.zdot,
        )?;
        self.gen_alpha.restart(d);
        Ok(())
    }

    /// Changes the held states at a state, from there on. What the methods remember of the last step is shifted by the
    /// immediate effect on the accelerations.
    pub fn set_held(&mut self, p: &P, s: &mut State, values: &[f64]) -> Result<(), StepFailure> {
        let remembers = !matches!(self.scheme, Scheme::MoreauJean { .. });
        let held = p.held();
        if remembers {
            self.accelerations(p, s)?;
            self.dv.copy_from_slice(&self.a);
        }
        s.z[held..].copy_from_slice(values);
        if remembers {
            self.accelerations(p, s)?;
            self.dv.iter_mut().zip(&self.a).for_each(|(d, a)| *d = a - *d);
            self.derived.a.iter_mut().zip(&self.dv).for_each(|(a, d)| *a += d);
            self.gen_alpha.jump(&self.dv);
            self.half.jump(&self.dv, &s.z);
        }
        Ok(())
    }

    /// Accelerations of the motion without points, into `a`.
    fn accelerations(&mut self, p: &P, s: &State) -> Result<(), StepFailure> {
        let Stepper { op, ws, a, lambda, zdot, .. } = self;
        op.acc.eval(p, ws, s.t, &s.q, &s.v, &s.z, a, lambda, zdot)
    }

    /// One step of length h, in place. After an error the state is unchanged, and the method must be restarted.
    pub fn step(&mut self, p: &P, s: &mut State, h: f64) -> Result<StepReport, StepperError> {
        if !(h > 0.0 && h.is_finite()) {
            return Err(StepperError::BadStep { h });
        }
        self.parts.clear();
        self.yielding.steps.clear();
        let done = self.advance(p, s, h, 0);
        match &done {
            Err(_) => s.copy_from(&self.saved[0]),
            Ok(_) => self.parts.finish(h, &self.saved[0], s),
        }
        done
    }

    fn advance(
        &mut self,
        p: &P,
        s: &mut State,
        h: f64,
        depth: u32,
    ) -> Result<StepReport, StepperError> {
        self.saved[depth as usize].copy_from(s);
        self.last_try = depth == self.settings.max_halvings;
        let done = match self.scheme {
            Scheme::MoreauJean { theta } => self.moreau_jean(p, s, h, theta),
            Scheme::SchatzmanPaoli => self.schatzman_paoli(p, s, h),
            Scheme::NonsmoothGenAlpha { rho } => self.nonsmooth_gen_alpha(p, s, h, rho),
        };
        match done {
            Err(_) if depth < self.settings.max_halvings => {
                s.copy_from(&self.saved[depth as usize]);
                let first = self.advance(p, s, 0.5 * h, depth + 1)?;
                let both = first.join(self.advance(p, s, 0.5 * h, depth + 1)?);
                Ok(StepReport { halvings: both.halvings.max(depth + 1), ..both })
            }
            Ok(report) if depth > 0 => {
                let points = &self.points.pool[..self.points.n];
                self.parts.add(h, points, &self.derived);
                Ok(report)
            }
            other => other,
        }
    }

    /// Impulses at the points of the last step, in all its parts.
    pub fn impulses(&self) -> &[PointImpulse] {
        self.parts.impulses().unwrap_or(&self.points.pool[..self.points.n])
    }

    /// Mean acceleration and mean multipliers of joints over the last step, and rates of z.
    pub fn derived(&self) -> &Derived {
        self.parts.derived().unwrap_or(&self.derived)
    }

    /// The method.
    pub fn scheme(&self) -> Scheme {
        self.scheme
    }

    /// Fastest motion of a velocity vector, m/s.
    fn speed(&self, v: &[f64]) -> f64 {
        largest(v.iter().zip(&self.q_scale).map(|(v, s)| v.abs() * self.length / s))
    }

    /// Ends a step: positions onto joints and out of each other, velocities onto joints, mean accelerations. `s` has
    /// the new q, v, z and t; `v` is the velocity with which the step began.
    fn finish(
        &mut self,
        p: &P,
        s: &mut State,
        h: f64,
        push: bool,
        report: &mut StepReport,
    ) -> Result<(), StepperError> {
        p.restore_known_states(s);
        let Stepper { op, points, correction, ws, groups, delassus, .. } = self;
        points.drop_noise(|group, row| delassus.mobility(group, row));
        points.mark_held(|group| delassus.is_redundant(group));
        let tolerance =
            if self.large { self.settings.large_penetration } else { self.settings.penetration };
        let corrected = correction.run(
            p,
            ws,
            op,
            &mut groups.0,
            (&points.ids, &points.before, &points.held),
            push,
            tolerance,
            s.t,
            &mut s.q,
            &s.z,
        )?;
        points.held.iter_mut().zip(&correction.held).for_each(|(held, touches)| {
            if !touches {
                *held = None;
            }
        });
        report.corrections = corrected.iterations;
        report.penetration = corrected.depth;
        report.implicit = op.implicit;
        if self.dims.n_vel > 0 {
            p.realize_velocity(&s.v, &s.z, &mut self.ws);
            p.residual_vel(&self.ws, &mut self.rows);
            for r in &mut self.rows {
                *r = -*r;
            }
            self.op.acc.correct(&self.rows, &mut self.xi)?;
            for (v, d) in s.v.iter_mut().zip(&self.xi) {
                *v += d;
            }
        }
        let finite = s.q.iter().chain(&s.v).chain(&s.z).all(|x| x.is_finite());
        if !finite {
            let index = s.v.iter().position(|x| !x.is_finite()).unwrap_or(0);
            return Err(StepFailure::NonFinite { what: "velocities", index }.into());
        }
        for (i, a) in self.derived.a.iter_mut().enumerate() {
            *a = (s.v[i] - self.v[i]) / h;
        }
        for (i, l) in self.derived.lambda.iter_mut().enumerate() {
            *l = (self.lambda[i] + self.lambda_points[i]) / h;
        }
        self.points.remember(h);
        self.points.smooth_force(h, &mut self.carried);
        report.lost = self.settle_yielding(p, s);
        Ok(())
    }

    /// z over the step, by the rates at the posed place, with the mean velocity.
    fn advance_z(&mut self, p: &P, s: &mut State, h: f64, t: f64) {
        if self.dims.nz == 0 {
            return;
        }
        // `f` is free until the next step
        for (i, v) in self.f.iter_mut().enumerate() {
            *v = 0.5 * (self.v[i] + s.v[i]);
        }
        p.realize_position(t, &self.q, &self.z, &mut self.ws);
        p.realize_velocity(&self.f, &self.z, &mut self.ws);
        p.z_dot(&self.ws, &mut self.zdot);
        for (z, d) in s.z.iter_mut().zip(&self.zdot) {
            *z += h * d;
        }
        self.derived.zdot.copy_from_slice(&self.zdot);
    }
}
