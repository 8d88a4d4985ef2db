//! [`Mode`]: the system while a fixed set of points is closed, each sticking or sliding.
//!
//! ```text
//! rows of G:  [joints: g]  [closed points: g_N]  [joints: velocity only]  [stick, clutches: u]
//! force:      f + Σ over sliding points of r_T(r_N, u_T) + Σ over pressed points of F(δ, δ̇)
//! ```
//!
//! Points of compliant contact have no rows: they are forces (`pressed.rs`).
//!
//! The friction of a sliding point depends on its normal force, which is a multiplier. It is nevertheless treated as a
//! force: r_N is found inside the evaluation of f, from the non-symmetric system of all closed points at (t, q, v). To
//! a method the force r_T is then a plain function of the state, and the multiplier it finds is the same r_N. So
//! explicit, half-explicit and implicit methods keep their order, and none of them knows about friction.

mod problem;

use crate::friction::{Force, SLOW, Sliding, forces, tangential_row};
use crate::pressed::{Pressed, Pressing};
use delassus_dae::{
    ContactPoint, Dims, KktError, PointId, PointLaw, Scales, Structure, Unilateral,
};
use delassus_linalg::Csr;
use delassus_math::memory::{Memory, Remember};
use delassus_math::remember;
use std::sync::Arc;

/// How a closed point moves.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub enum SlipState {
    /// Closed, without friction (or an engaged clutch).
    #[default]
    Closed,
    /// It does not slide.
    Stick,
    /// It slides; the direction of sliding at the start of the mode (in the plane: ±1, 0), or in space at the
    /// start of a step.
    Slip([f64; 2]),
}

impl Remember for SlipState {
    fn remember(&mut self, m: &mut Memory<'_>) {
        let (case, mut d) = match *self {
            SlipState::Closed => (0, [0.0; 2]),
            SlipState::Stick => (1, [0.0; 2]),
            SlipState::Slip(d) => (2, d),
        };
        let case = m.case(case, 3);
        d.remember(m);
        *self = [SlipState::Closed, SlipState::Stick, SlipState::Slip(d)][usize::from(case)];
    }
}

/// A closed point.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Active {
    /// Which.
    pub id: PointId,
    /// Features that touch, kept while the mode lasts.
    pub features: [u32; 2],
    /// How it moves.
    pub motion: SlipState,
}
remember!(Active { id, features, motion });

struct Place {
    law: PointLaw,
    /// Its sliding friction depends on the speed.
    falls: bool,
    /// Row of the normal in G, if it has one.
    normal: Option<usize>,
    /// Rows of sticking directions in G.
    tangent: [Option<usize>; 2],
    /// Slots of the columns of the point in the rows above.
    slots: [Vec<usize>; 3],
}

/// A problem with some of its points closed.
pub struct Mode<P: Unilateral> {
    base: Arc<P>,
    active: Vec<Active>,
    /// Points of compliant contact that are inside.
    pressed: Vec<Pressed>,
    places: Vec<Place>,
    dims: Dims,
    base_dims: Dims,
    structure: Structure,
    scales: Scales,
    /// First value of each kind of row of the base in the values of G.
    vel_from: (usize, usize),
    base_nnz: usize,
    /// Some point slides.
    slides: bool,
    /// Normal and sticking forces of the closed points, in their order.
    pub(crate) forces: Vec<Force>,
    /// Slots of the values of the base in the pattern of K and C, if that has more.
    pub(crate) tangent_slots: Option<Vec<usize>>,
    /// Scale of speeds, m/s.
    pub(crate) speed: f64,
}

impl<P: Unilateral> Remember for Mode<P> {
    /// What is closed, which rows count and which forces are shared; the rest follows.
    fn remember(&mut self, m: &mut Memory<'_>) {
        let mut active = std::mem::take(&mut self.active);
        let mut independent = self.structure.independent_rows.take();
        active.remember(m);
        self.pressed.remember(m);
        independent.remember(m);
        self.speed.remember(m);
        self.forces.remember(m);
        if !m.reads() {
            (self.active, self.structure.independent_rows) = (active, independent);
            return;
        }
        let forces = std::mem::take(&mut self.forces);
        let pressed = std::mem::take(&mut self.pressed);
        let made = Mode::new(self.base.clone(), active, independent, self.speed);
        match made.and_then(|mode| mode.with_pressed(pressed)) {
            Ok(mode) => *self = Mode { forces, ..mode },
            Err(_) => m.fail("contacts are closed that cannot be"),
        }
    }
}

/// Scratch of a [`Mode`].
pub struct ModeWorkspace<P: Unilateral> {
    /// Scratch of the system itself, realised with it.
    pub base: P::Ws,
    /// Kinematics of the active points.
    pub points: Vec<ContactPoint>,
    /// Forces of sliding friction, nv.
    pub(crate) friction: Vec<f64>,
    pub(crate) sliding: Sliding,
    /// Points of compliant contact.
    pub pressing: Pressing,
    /// Power lost by sliding, W.
    pub lost: f64,
}

impl<P: Unilateral> Mode<P> {
    /// The system with these points closed. `independent` are the rows of G, contact rows
    /// included, that methods solve with; `None`: all.
    pub fn new(
        base: Arc<P>,
        active: Vec<Active>,
        independent: Option<Vec<usize>>,
        speed: f64,
    ) -> Result<Mode<P>, KktError> {
        let b = base.dims();
        let s = base.structure();
        let mut n_pos = b.n_pos;
        let mut places: Vec<Place> = Vec::with_capacity(active.len());
        for a in &active {
            let law = base.law(a.id);
            let normal = matches!(law, PointLaw::Contact { .. }).then_some(n_pos);
            n_pos += usize::from(normal.is_some());
            let falls = base.sliding_friction(a.id, 0.0).is_some();
            places.push(Place {
                law,
                falls,
                normal,
                tangent: [None; 2],
                slots: Default::default(),
            });
        }
        let first_vel = n_pos;
        let mut n_vel = n_pos + (b.n_vel - b.n_pos);
        let mut slides = false;
        for (a, place) in active.iter().zip(&mut places) {
            match place.law {
                PointLaw::Contact { tangential, .. } => {
                    if a.motion == SlipState::Stick {
                        for t in place.tangent.iter_mut().take(tangential) {
                            *t = Some(n_vel);
                            n_vel += 1;
                        }
                    }
                }
                PointLaw::OneWay => {
                    place.normal = Some(n_vel);
                    n_vel += 1;
                }
                // a force, never among the closed points
                PointLaw::Compliant => {}
                PointLaw::DryFriction { .. } => {
                    if a.motion == SlipState::Stick {
                        place.tangent[0] = Some(n_vel);
                        n_vel += 1;
                    }
                }
            }
            slides |= matches!(a.motion, SlipState::Slip(_));
        }
        // pattern: rows of the base keep their order, contact rows are inserted between and after
        let mut pairs: Vec<(usize, usize)> = Vec::new();
        for i in 0..b.n_vel {
            let row = if i < b.n_pos { i } else { first_vel + i - b.n_pos };
            pairs.extend(s.jac.row(i).iter().map(|c| (row, *c)));
        }
        let mut cols = Vec::new();
        for (a, place) in active.iter().zip(&places) {
            base.columns(a.id, &mut cols);
            for row in place.normal.iter().chain(place.tangent.iter().flatten()) {
                pairs.extend(cols.iter().map(|c| (*row, *c)));
            }
        }
        let jac = Csr::from_pairs(n_vel, b.nv, pairs)?;
        for (a, place) in active.iter().zip(&mut places) {
            base.columns(a.id, &mut cols);
            let slots = |row: usize| -> Vec<usize> {
                cols.iter().filter_map(|c| jac.slot(row, *c)).collect()
            };
            let rows = [place.normal, place.tangent[0], place.tangent[1]];
            for (k, row) in rows.iter().enumerate() {
                if let Some(row) = row {
                    place.slots[k] = slots(*row);
                }
            }
        }
        let base_scales = base.scales();
        let mut scale_row = vec![base.length(); n_vel];
        for (p, a) in places.iter().zip(&active) {
            for row in [p.normal, p.tangent[0], p.tangent[1]].into_iter().flatten() {
                scale_row[row] *= base.gap_per_metre(a.id);
            }
        }
        scale_row[..b.n_pos].copy_from_slice(&base_scales.row[..b.n_pos]);
        for i in b.n_pos..b.n_vel {
            scale_row[first_vel + i - b.n_pos] = base_scales.row[i];
        }
        let vel_from = (s.jac.row_ptr[b.n_pos], jac.row_ptr[first_vel]);
        let base_nnz = s.jac.nnz();
        let rows = places.iter().map(|p| (&p.law, p.normal, p.tangent));
        let forces = forces(rows, independent.as_deref());
        let mut rank = s.rank.clone();
        let moved = rank.yielding.iter_mut().chain(&mut rank.dependent);
        for i in moved.filter(|i| **i >= b.n_pos) {
            *i += first_vel - b.n_pos;
        }
        let structure = Structure {
            mass: s.mass.clone(),
            jac,
            tangent: s.tangent.clone(),
            constant_mass: s.constant_mass,
            mass_floor: s.mass_floor.clone(),
            independent_rows: independent,
            rank,
        };
        let mut mode = Mode {
            dims: Dims { n_pos, n_vel, ..b },
            base_dims: b,
            structure,
            scales: Scales { q: base_scales.q, row: scale_row, z: base_scales.z },
            base,
            active,
            pressed: Vec::new(),
            places,
            vel_from,
            base_nnz,
            slides,
            forces,
            tangent_slots: None,
            speed,
        };
        if mode.turns() || mode.places.iter().any(|p| p.falls) {
            mode.widen_tangent()?;
        }
        Ok(mode)
    }

    /// The same with these points of compliant contact inside.
    pub fn with_pressed(mut self, pressed: Vec<Pressed>) -> Result<Mode<P>, KktError> {
        self.pressed = pressed;
        if !self.pressed.is_empty() {
            self.widen_tangent()?;
        }
        Ok(self)
    }

    /// Adds the blocks of points that slide in space and of those that are pressed to the pattern of K and C.
    fn widen_tangent(&mut self) -> Result<(), KktError> {
        let own = &self.base.structure().tangent;
        let nv = self.dims.nv;
        let mut pairs: Vec<(usize, usize)> =
            (0..nv).flat_map(|i| own.row(i).iter().map(move |j| (i, *j))).collect();
        let mut cols = Vec::new();
        let slide = self.active.iter().filter(|a| matches!(a.motion, SlipState::Slip(_)));
        for id in slide.map(|a| a.id).chain(self.pressed.iter().map(|a| a.id)) {
            self.base.columns(id, &mut cols);
            for i in &cols {
                pairs.extend(cols.iter().map(|j| (*i, *j)));
            }
        }
        let wide = Csr::from_pairs(nv, nv, pairs)?;
        if wide.nnz() > own.nnz() {
            let places = (0..nv).flat_map(|i| own.row(i).iter().map(move |j| (i, *j)));
            self.tangent_slots = Some(places.filter_map(|(i, j)| wide.slot(i, j)).collect());
            self.structure.tangent = wide;
        }
        Ok(())
    }

    /// Pattern of K and C.
    pub(crate) fn tangent_pattern(&self) -> &Csr {
        &self.structure.tangent
    }

    /// Lets the base add to values on its own pattern of K and C.
    fn on_base_pattern<T>(
        &self,
        ws: &ModeWorkspace<P>,
        values: &mut [f64],
        add: impl FnOnce(&mut [f64]) -> T,
    ) -> T {
        let Some(slots) = &self.tangent_slots else { return add(values) };
        let mut own = ws.sliding.tangent.borrow_mut();
        own.fill(0.0);
        let out = add(&mut own);
        for (slot, x) in slots.iter().zip(own.iter()) {
            values[*slot] += x;
        }
        out
    }

    /// The underlying system.
    pub fn base(&self) -> &Arc<P> {
        &self.base
    }

    /// The closed points.
    pub fn active(&self) -> &[Active] {
        &self.active
    }

    /// The points of compliant contact that are inside.
    pub fn pressed(&self) -> &[Pressed] {
        &self.pressed
    }

    /// Active point k slides at this velocity where the next step starts. A point that is too slow to have a direction
    /// keeps the one in which it set off.
    pub fn set_direction(&mut self, k: usize, u: [f64; 2]) {
        let size = u[0].hypot(u[1]);
        if size > SLOW * self.speed
            && let SlipState::Slip(d) = &mut self.active[k].motion
        {
            *d = [u[0] / size, u[1] / size];
        }
    }

    /// Row of G that holds the normal of active point k (the rate of a clutch).
    pub fn normal_row(&self, k: usize) -> Option<usize> {
        self.places[k].normal
    }

    /// Rows of G that hold the sticking directions of active point k.
    pub fn tangent_rows(&self, k: usize) -> [Option<usize>; 2] {
        self.places[k].tangent
    }

    /// Law of active point k.
    pub fn law(&self, k: usize) -> PointLaw {
        self.places[k].law
    }

    /// Whether sliding friction of active point k depends on its speed.
    pub(crate) fn falls(&self, k: usize) -> bool {
        self.places[k].falls
    }

    /// Multipliers of the rows of the base among those of the mode.
    pub fn base_multipliers(&self, lambda: &[f64], out: &mut [f64]) {
        let b = self.base_dims;
        let first_vel = b.n_pos + self.normals();
        out[..b.n_pos].copy_from_slice(&lambda[..b.n_pos]);
        let n = b.n_vel - b.n_pos;
        out[b.n_pos..].copy_from_slice(&lambda[first_vel..first_vel + n]);
    }

    fn with_base_multipliers<T>(
        &self,
        ws: &ModeWorkspace<P>,
        lambda: &[f64],
        f: impl FnOnce(&[f64]) -> T,
    ) -> T {
        let b = self.base_dims;
        if b.n_vel == b.n_pos || self.normals() == 0 {
            return f(&lambda[..b.n_vel]);
        }
        let mut base = ws.sliding.multipliers.borrow_mut();
        self.base_multipliers(lambda, &mut base);
        f(&base)
    }

    fn normals(&self) -> usize {
        self.dims.n_pos - self.base_dims.n_pos
    }

    /// Forces (normal, tangential) at active point k for multipliers of this mode at the realised
    /// state.
    pub fn point_force(&self, ws: &ModeWorkspace<P>, k: usize, lambda: &[f64]) -> [f64; 3] {
        let place = &self.places[k];
        let normal = place.normal.map_or(0.0, |row| lambda[row]);
        let mut out = [normal, 0.0, 0.0];
        match self.active[k].motion {
            SlipState::Closed => {}
            SlipState::Stick => {
                for (i, row) in place.tangent.iter().enumerate() {
                    out[1 + i] = row.map_or(0.0, |row| lambda[row]);
                }
            }
            SlipState::Slip(d0) => {
                let d = self.direction(k, &ws.points[k], d0);
                let size = match place.law {
                    PointLaw::Contact { .. } => self.sliding_at(k, &ws.points[k]).0 * normal,
                    PointLaw::DryFriction { .. } => self.sliding_at(k, &ws.points[k]).0,
                    PointLaw::Compliant | PointLaw::OneWay => 0.0,
                };
                out[1] = -size * d[0];
                out[2] = -size * d[1];
            }
        }
        if matches!(place.law, PointLaw::DryFriction { .. }) {
            out = [0.0, out[1], out[2]];
        }
        out
    }
}

impl<P: Unilateral> Mode<P> {
    /// −∂(Hᵀr)/∂ξ of the closed points for multipliers of this mode, entry by entry. False where the curvature of some point is
    /// not known.
    fn add_curvature(
        &self,
        ws: &ModeWorkspace<P>,
        lambda: &[f64],
        add: &mut dyn FnMut(usize, usize, f64),
    ) -> bool {
        let (mut known, mut hessian) = (true, Vec::new());
        for ((a, place), point) in self.active.iter().zip(&self.places).zip(&ws.points) {
            let n = point.cols.len();
            for (k, row) in [place.normal, place.tangent[0], place.tangent[1]].iter().enumerate() {
                let Some(row) = row else { continue };
                let which = if k == 0 { 0 } else { tangential_row(&place.law, k - 1) };
                hessian.clear();
                hessian.resize(n * n, 0.0);
                known &= self.base.row_hessian(&ws.base, a.id, point, which, &mut hessian);
                for (e, h) in hessian.iter().enumerate() {
                    add(point.cols[e / n], point.cols[e % n], -lambda[*row] * h);
                }
            }
        }
        known
    }

    /// Whether the tangent of all pressed points is whole.
    fn pressed_curvature_known(&self, ws: &ModeWorkspace<P>) -> bool {
        let mut hessian = Vec::new();
        self.pressed.iter().zip(&ws.pressing.points).all(|(a, at)| {
            hessian.clear();
            hessian.resize(at.cols.len() * at.cols.len(), 0.0);
            a.slack || self.base.row_hessian(&ws.base, a.id, at, 0, &mut hessian)
        })
    }

    /// Moves the values of velocity-only rows of the base behind the normals and writes those of the points.
    fn spread(
        &self,
        ws: &ModeWorkspace<P>,
        out: &mut [f64],
        value: impl Fn(&ContactPoint, usize) -> f64,
    ) {
        let b = self.base_dims;
        out.copy_within(b.n_pos..b.n_vel, b.n_pos + self.normals());
        for (place, point) in self.places.iter().zip(&ws.points) {
            if let Some(row) = place.normal {
                out[row] = value(point, 0);
            }
            for i in 0..2 {
                if let Some(row) = place.tangent[i] {
                    out[row] = value(point, tangential_row(&place.law, i));
                }
            }
        }
    }
}
