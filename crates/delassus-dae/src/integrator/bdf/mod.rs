//! BDF: backward differences of order 1 to 5 with varying step on the stabilised index-2 form.
//!
//! ```text
//! ξ̇₁ = T(ξ₁)⁻¹ v₁ (+ w) ,   M v̇₁ = f + Gᵀλ₁ ,   ż₁ = φ ,   g(q₁) = 0 ,   G v₁ + g_t = 0
//! ```
//!
//! with ξ̇₁, v̇₁, ż₁ the derivatives at t₁ of the polynomials through the new point and the k points before it, on the
//! actual grid (true variable coefficients, no interpolation to even spacing). On rotations the past configurations are
//! expressed in the chart of the step, q = q₀ ∘ exp(ξ), newly at each attempt: the history is a smooth curve in one
//! chart, as long as it does not turn too far; beyond that the order is lowered. `ggl.rs` explains w, the iteration and
//! the end of a step.
//!
//! Start: a multistep method needs k + 1 points of its own accuracy. The first steps, and every step whose size is
//! outside the range that the history can represent (as after failures, at a hidden jump or when a singular position is
//! jumped over), are made by `radau5`, whose order is 5 and which is as stable. So a run starts with the full order and
//! the step that the tolerance allows, not with order 1 and tiny steps, and a fixed step keeps the order of the method.
//!
//! The local error is the usual multiple of corrector minus predictor. That of velocities is measured by its effect on
//! positions in one step, hω times. Velocities along stiff directions jump by a fixed small amount whenever step or
//! order change, however short the step, and a test of them would hold the step at the fast scale that the method is
//! meant to step over. Order and step are kept for k + 1 steps; the order follows the decrease of the terms hᵏ⁺¹y⁽ᵏ⁺¹⁾,
//! the step the error.
//!
//! Use it for stiff systems at moderate accuracy, and where evaluations are expensive: it keeps one matrix of the size
//! of the model for many steps. Lightly damped fast oscillations do not suit orders 3 to 5; set `max_order` to 2 for
//! these. References: Gear 1971; Brenan, Campbell & Petzold 1996; Hairer & Wanner 1996; Gear, Gupta & Leimkuhler 1985.

mod newton;
mod order;
mod weights;

use super::ggl::{GroupRates, finish, rate_in_step};
use super::newton::Step;
use super::rounding::Rounding;
use super::{Abilities, Integrator, MethodInfo, OptionInfo, OptionKind, Radau5, Settings};
use crate::accel::Accel;
use crate::control::{ErrorScale, ErrorView};
use crate::failure::{StepFailure, Work, check_finite};
use crate::integrator::eliminated::Eliminated;
use crate::manifold::Manifold;
use crate::problem::{Dims, Problem, mass_slots};
use crate::projection::Projector;
use crate::rows::RowSubset;
use crate::state::{Derived, State};
use delassus_linalg::{Backend, KktError, MassShape, TangentKkt};
use delassus_math::remember;
use weights::{MAX_ORDER, NODES, Nodes, derivative, error_constant, predictor};

const MAX_ORDER_OPTION: OptionInfo = OptionInfo {
    name: "max_order",
    summary: "largest order: 5 for accuracy, 2 for little damped fast oscillations",
    kind: OptionKind::Whole { default: MAX_ORDER as u32, min: 1, max: MAX_ORDER as u32 },
};

pub(super) const INFO: MethodInfo = MethodInfo {
    name: "bdf",
    summary: "backward differences of order 1 to 5 on stabilised index 2; stiff systems, adaptive or fixed step",
    order: [5, 5, 5],
    dense_order: 5,
    varies_order: true,
    index: 2,
    stiff: true,
    error_order: 6,
    holds_step: true,
    default_rtol: 1e-6,
    can: Abilities::ALL,
    options: &[MAX_ORDER_OPTION],
    citation: "Gear 1971; Brenan, Campbell & Petzold 1996; Gear, Gupta & Leimkuhler 1985",
    ..MethodInfo::BASE
};

/// Number of states before the present one that are kept.
const PAST: usize = MAX_ORDER;
/// Steps outside this range, relative to the step before, start a new history.
const RATIO: [f64; 2] = [0.2, 2.5];
/// Rotation, rad, over which one chart is used.
const CHART: f64 = 2.5;
/// Local errors of a multistep method add up over a run instead of cancelling; with this factor the global error is of
/// the size of the tolerance on typical mechanisms.
const ADD_UP: f64 = 30.0;

/// The method with its memory.
pub struct Bdf {
    dims: Dims,
    max_order: usize,
    starter: Radau5,
    acc: Accel,
    proj: Projector,
    kkt: TangentKkt,
    mass_blocks: MassShape,
    mass_slots: Vec<usize>,
    subset: RowSubset,
    scale: Vec<f64>,
    rounding: Rounding,
    scale_z: Vec<f64>,
    made_for: Option<f64>,
    renew: bool,
    // values on patterns
    mass: Vec<f64>,
    jac: Vec<f64>,
    s: Vec<f64>,
    // history: states before the present one, newest first; their number; order of the next step and steps made since
    // order or step were changed
    past: [State; PAST],
    len: usize,
    order: usize,
    held: usize,
    // the attempt
    from: State,
    tau: Nodes,
    /// Number of nodes in one chart: order k looks back to k + 1.
    reach: usize,
    /// hω: the effect of an error of the velocity on positions in one step.
    weight: f64,
    /// ξ of the present state (zero) and of the past ones.
    xi_past: [Vec<f64>; NODES],
    k: usize,
    /// c of the step, v̇₁ = (v₁ − …)/c.
    c: f64,
    motion_rates: GroupRates,
    by_starter: bool,
    new_history: bool,
    next_order: Option<usize>,
    xi: Vec<f64>,
    xi_pred: Vec<f64>,
    xi_known: Vec<f64>,
    xi_before: Vec<f64>,
    w: Vec<f64>,
    v: Vec<f64>,
    v_pred: Vec<f64>,
    v_known: Vec<f64>,
    z: Vec<f64>,
    z_pred: Vec<f64>,
    z_known: Vec<f64>,
    a: Vec<f64>,
    lambda: Vec<f64>,
    zdot: Vec<f64>,
    eliminated: Eliminated,
    r: Vec<f64>,
    g: Vec<f64>,
    g_vel: Vec<f64>,
    x: Vec<f64>,
    y: Vec<f64>,
    rows: Vec<f64>,
    tmp: Vec<f64>,
    tmp2: Vec<f64>,
    err_xi: Vec<f64>,
    err_v: Vec<f64>,
    err_z: Vec<f64>,
    start: Derived,
    end: Derived,
    work: Work,
}
remember!(Bdf {
    starter, acc, kkt, made_for, renew, past, len, order, held, by_starter, start, work,
} apart from {
    dims, max_order, proj, mass_blocks, mass_slots, subset, scale, rounding, scale_z, mass, jac, s, from,
    tau, reach, weight, xi_past, k, c, motion_rates, new_history, next_order, xi, xi_pred, xi_known, xi_before, w,
    v, v_pred, v_known, z, z_pred, z_known, a, lambda, zdot, eliminated, r, g, g_vel, x, y, rows, tmp, tmp2,
    err_xi, err_v, err_z, end,
});

impl Bdf {
    /// Allocates everything for a problem.
    pub fn new<P: Problem>(p: &P, s: &Settings) -> Result<Bdf, KktError> {
        let d = p.dims();
        let st = p.structure();
        let n_jac = st.jac.nnz();
        let subset = RowSubset::new(st.jac.clone(), st.independent_rows.clone())?;
        let kkt = TangentKkt::new(st.tangent.clone(), subset.pattern().clone(), Backend::Auto)?;
        let mass_slots = mass_slots(&st.mass, &st.tangent)?;
        let nv = || vec![0.0; d.nv];
        let nz = || vec![0.0; d.nz];
        let rows = || vec![0.0; d.n_vel];
        let state = State { t: 0.0, q: vec![0.0; d.nq], v: nv(), z: nz() };
        let derived = Derived::zeros(d.nv, d.n_vel, d.nz);
        let max_order = s.options.number(&INFO, MAX_ORDER_OPTION.name) as usize;
        Ok(Bdf {
            dims: d,
            max_order: max_order.clamp(1, MAX_ORDER),
            starter: Radau5::new(p, s)?,
            acc: Accel::beside_rows(p)?,
            proj: Projector::new(p, s.constraint_tol),
            kkt,
            mass: vec![0.0; st.mass.value_len()],
            mass_blocks: st.mass.clone(),
            mass_slots,
            subset,
            scale: p.scales().q,
            rounding: Rounding::new(p),
            scale_z: p.scales().z,
            made_for: None,
            renew: false,
            jac: vec![0.0; n_jac],
            s: vec![0.0; st.tangent.nnz()],
            past: std::array::from_fn(|_| state.clone()),
            len: 0,
            order: max_order.clamp(1, MAX_ORDER),
            held: 0,
            from: state,
            tau: [0.0; NODES],
            reach: 0,
            weight: 1.0,
            xi_past: std::array::from_fn(|_| nv()),
            k: 1,
            c: 0.0,
            motion_rates: GroupRates::new(p),
            by_starter: false,
            new_history: false,
            next_order: None,
            xi: nv(),
            xi_pred: nv(),
            xi_known: nv(),
            xi_before: nv(),
            w: nv(),
            v: nv(),
            v_pred: nv(),
            v_known: nv(),
            z: nz(),
            z_pred: nz(),
            z_known: nz(),
            a: nv(),
            lambda: rows(),
            zdot: nz(),
            eliminated: Eliminated::new(d.nz),
            r: nv(),
            g: rows(),
            g_vel: rows(),
            x: nv(),
            y: rows(),
            rows: rows(),
            tmp: nv(),
            tmp2: nv(),
            err_xi: nv(),
            err_v: nv(),
            err_z: nz(),
            start: derived.clone(),
            end: derived,
            work: Work::default(),
        })
    }

    /// Times and positions of the nodes relative to a step of h.
    fn look_back(&mut self, m: &Manifold, h: f64) {
        let t = self.from.t;
        self.tau[1] = h;
        self.xi_past[1].fill(0.0);
        self.reach = 1;
        let mut turned = 0.0;
        for j in 2..=self.len + 1 {
            self.tau[j] = h + (t - self.past[j - 2].t);
            let newer = if j == 2 { &self.from } else { &self.past[j - 3] };
            m.local(&newer.q, &self.past[j - 2].q, &mut self.tmp);
            turned += m.spin(&self.tmp);
            m.local(&self.from.q, &self.past[j - 2].q, &mut self.xi_past[j]);
            if turned <= CHART {
                self.reach = j;
            }
        }
    }

    /// Predictions of order k into `*_pred`.
    fn predict(&mut self, k: usize) {
        let w = predictor(&self.tau, k);
        self.xi_pred.fill(0.0);
        self.v_pred.fill(0.0);
        self.z_pred.fill(0.0);
        for j in 1..=k + 1 {
            let s = if j == 1 { &self.from } else { &self.past[j - 2] };
            add(w[j], &self.xi_past[j], &mut self.xi_pred);
            add(w[j], &s.v, &mut self.v_pred);
            add(w[j], &s.z, &mut self.z_pred);
        }
    }

    /// Local error of order k at the new point, from the error of the prediction of that order.
    fn local_error(&mut self, k: usize) {
        self.predict(k);
        let c = ADD_UP * error_constant(&self.tau, k);
        difference(c, &self.xi, &self.xi_pred, &mut self.err_xi);
        difference(c * self.weight, &self.v, &self.v_pred, &mut self.err_v);
        difference(c, &self.z, &self.z_pred, &mut self.err_z);
    }

    /// A step by backward differences of order k.
    fn step<P: Problem>(&mut self, s: &mut Step<'_, P>) -> Result<(), StepFailure> {
        let m = s.p.manifold();
        let k = self.k;
        self.acc.weakest_pivot = 1.0;
        let d = derivative(&self.tau, k);
        let c = 1.0 / d[0];
        self.c = c;
        self.xi_known.fill(0.0);
        self.v_known.fill(0.0);
        self.z_known.fill(0.0);
        for j in 1..=k {
            let at = if j == 1 { &self.from } else { &self.past[j - 2] };
            add(-c * d[j], &self.xi_past[j], &mut self.xi_known);
            add(-c * d[j], &at.v, &mut self.v_known);
            add(-c * d[j], &at.z, &mut self.z_known);
        }
        self.predict(k);
        self.xi.copy_from_slice(&self.xi_pred);
        self.v.copy_from_slice(&self.v_pred);
        self.z.copy_from_slice(&self.z_pred);
        self.lambda.copy_from_slice(&self.start.lambda);
        self.w.fill(0.0);
        m.retract(&self.from.q, &self.xi_pred, &mut s.to.q);
        check_finite("prediction", &s.to.q)?;
        self.acc.factor_at(s.p, s.ws, s.to.t, &s.to.q, &self.z)?;
        self.positions(m);
        self.newton(s)?;
        m.retract(&self.from.q, &self.xi, &mut s.to.q);
        s.to.v.copy_from_slice(&self.v);
        s.to.z.copy_from_slice(&self.z);
        finish(s.p, s.ws, &mut self.acc, &mut self.proj, s.to, &mut self.end)?;
        self.local_error(k);
        Ok(())
    }
}

/// y += c x.
fn add(c: f64, x: &[f64], y: &mut [f64]) {
    for (y, x) in y.iter_mut().zip(x) {
        *y += c * x;
    }
}

/// out = c (a − b).
fn difference(c: f64, a: &[f64], b: &[f64], out: &mut [f64]) {
    for (o, (a, b)) in out.iter_mut().zip(a.iter().zip(b)) {
        *o = c * (a - b);
    }
}

impl<P: Problem> Integrator<P> for Bdf {
    fn info(&self) -> MethodInfo {
        INFO
    }

    fn restart(&mut self, p: &P, ws: &mut P::Ws, s: &State) -> Result<(), StepFailure> {
        self.starter.restart(p, ws, s)?;
        self.start.copy_from(Integrator::<P>::start(&self.starter));
        self.len = 0;
        self.order = self.max_order;
        self.held = 0;
        self.made_for = None;
        self.next_order = None;
        Ok(())
    }

    fn attempt(
        &mut self,
        p: &P,
        ws: &mut P::Ws,
        from: &State,
        h: f64,
        to: &mut State,
    ) -> Result<(), StepFailure> {
        self.from.copy_from(from);
        self.next_order = None;
        to.t = from.t + h;
        let last = from.t - self.past[0].t;
        self.new_history = self.len == 0 || !(RATIO[0] * last..=RATIO[1] * last).contains(&h);
        self.by_starter = self.new_history || self.len < self.max_order;
        self.look_back(p.manifold(), h);
        self.weight = (h * rate_in_step(&from.v, &self.start.a, &self.scale, h)).min(1.0);
        if !self.by_starter {
            self.k = self.order.min(self.reach - 1);
            return self.step(&mut Step { p, ws, from, h, to });
        }
        self.starter.attempt(p, ws, from, h, to)?;
        self.end.copy_from(Integrator::<P>::end(&self.starter));
        p.manifold().local(&from.q, &to.q, &mut self.xi);
        self.v.copy_from_slice(&to.v);
        self.z.copy_from_slice(&to.z);
        let e = Integrator::<P>::error(&self.starter);
        self.err_xi.copy_from_slice(e.xi);
        self.err_v.fill(0.0);
        add(self.weight, e.v, &mut self.err_v);
        self.err_z.copy_from_slice(e.z);
        Ok(())
    }

    fn commit(&mut self) {
        if self.by_starter {
            Integrator::<P>::commit(&mut self.starter);
        }
        if self.new_history {
            self.len = 0;
            self.order = self.max_order;
            self.held = 0;
        }
        self.past.rotate_right(1);
        self.past[0].copy_from(&self.from);
        self.len = (self.len + 1).min(PAST);
        self.held += 1;
        if let Some(order) = self.next_order {
            self.order = order;
        }
        std::mem::swap(&mut self.start, &mut self.end);
        if !self.by_starter {
            self.starter.adopt(&self.start);
        }
    }

    fn error(&self) -> ErrorView<'_> {
        ErrorView { xi: &self.err_xi, v: &self.err_v, z: &self.err_z, second: None }
    }

    fn start(&self) -> &Derived {
        &self.start
    }

    fn end(&self) -> &Derived {
        &self.end
    }

    fn weakest_pivot(&self) -> f64 {
        if self.by_starter {
            return Integrator::<P>::weakest_pivot(&self.starter);
        }
        self.acc.weakest_pivot
    }

    fn work(&self) -> Work {
        self.work + self.acc.work + Integrator::<P>::work(&self.starter)
    }

    fn error_order(&self) -> u32 {
        if self.by_starter {
            return super::radau5::INFO.error_order;
        }
        self.k as u32 + 1
    }

    fn choose_order(&mut self, scale: &ErrorScale) -> Option<f64> {
        Some(self.choose(scale))
    }
}
