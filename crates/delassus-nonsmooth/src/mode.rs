//! [`Mode`]: the system while a fixed set of points is closed, each sticking or sliding.
//!
//! ```text
//! rows of G:  [joints: g]  [closed points: g_N]  [joints: velocity only]  [stick, clutches: u]
//! force:      f + Σ over sliding points of r_T(r_N, u_T)
//! ```
//!
//! The friction of a sliding point depends on its normal force, which is a multiplier. It enters
//! as a force all the same: r_N is found inside the evaluation of f, from the non-symmetric system
//! of all closed points at (t, q, v). A method then meets the force r_T as a plain function of the
//! state, and the multiplier it finds is the same r_N. So explicit, half-explicit and implicit
//! methods keep their order, and none of them knows of friction.

use crate::basic::BasicSolver;
use delassus_dae::{
    Accel, Dims, Energies, KktError, Law, Manifold, Point, PointId, Power, Problem, Quality,
    Scales, Structure, Unilateral,
};
use delassus_linalg::Csr;
use std::sync::Arc;

/// How a closed point moves.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Motion {
    /// Closed, without friction (or a clutch that is engaged).
    Closed,
    /// It does not slide.
    Stick,
    /// It slides; the direction of sliding at the start of the mode (in the plane: ±1, 0).
    Slip([f64; 2]),
}

/// A closed point.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Active {
    /// Which.
    pub id: PointId,
    /// Features that touch, kept while the mode lasts.
    pub features: [u32; 2],
    /// How it moves.
    pub motion: Motion,
}

/// Sliding speeds below this part of the scale of speeds take their direction from the start of
/// the mode: at the first moment of sliding the speed is zero and has none.
const SLOW: f64 = 1e-9;

struct Place {
    law: Law,
    /// Row of the normal in G, if it has one.
    normal: Option<usize>,
    /// Rows of sticking directions in G.
    tangent: [Option<usize>; 2],
    /// Places of the columns of the point in the rows above.
    slots: [Vec<usize>; 3],
    /// Index among the unknowns of the force problem.
    unknown: usize,
}

/// A problem with some of its points closed.
pub struct Mode<P: Unilateral> {
    base: Arc<P>,
    active: Vec<Active>,
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
    unknowns: usize,
    speed: f64,
}

/// Scratch of a [`Mode`].
pub struct ModeWorkspace<P: Unilateral> {
    /// Scratch of the system itself, realised with it.
    pub base: P::Ws,
    /// Kinematics of the active points.
    pub points: Vec<Point>,
    acc: Option<Accel>,
    /// Forces of sliding friction, nv.
    friction: Vec<f64>,
    a: Vec<f64>,
    f: Vec<f64>,
    lambda: Vec<f64>,
    lambda_base: Vec<f64>,
    /// A⁻¹ (force direction), one vector per unknown.
    columns: Vec<f64>,
    system: BasicSolver,
    /// Smallest u̇_N per unit of r_N of a sliding point, 1/kg:
    /// not positive says that its equations have no answer or several (Painlevé).
    pub painleve: f64,
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
            let normal = matches!(law, Law::Contact { .. }).then_some(n_pos);
            n_pos += usize::from(normal.is_some());
            places.push(Place {
                law,
                normal,
                tangent: [None; 2],
                slots: Default::default(),
                unknown: usize::MAX,
            });
        }
        let first_vel = n_pos;
        let mut n_vel = n_pos + (b.n_vel - b.n_pos);
        let mut unknowns = 0;
        let mut slides = false;
        for (a, place) in active.iter().zip(&mut places) {
            match place.law {
                Law::Contact { tangential, .. } => {
                    place.unknown = unknowns;
                    unknowns += 1;
                    if a.motion == Motion::Stick {
                        for t in place.tangent.iter_mut().take(tangential) {
                            *t = Some(n_vel);
                            n_vel += 1;
                            unknowns += 1;
                        }
                    }
                }
                Law::OneWay => {
                    place.normal = Some(n_vel);
                    n_vel += 1;
                    place.unknown = unknowns;
                    unknowns += 1;
                }
                Law::DryFriction { .. } => {
                    if a.motion == Motion::Stick {
                        place.tangent[0] = Some(n_vel);
                        n_vel += 1;
                        place.unknown = unknowns;
                        unknowns += 1;
                    }
                }
            }
            slides |= matches!(a.motion, Motion::Slip(_));
        }
        // pattern: rows of the base keep their order, contact rows come between and behind
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
        scale_row[..b.n_pos].copy_from_slice(&base_scales.row[..b.n_pos]);
        for i in b.n_pos..b.n_vel {
            scale_row[first_vel + i - b.n_pos] = base_scales.row[i];
        }
        let vel_from = (s.jac.row_ptr[b.n_pos], jac.row_ptr[first_vel]);
        let base_nnz = s.jac.nnz();
        let structure = Structure { jac, independent_rows: independent, ..s };
        Ok(Mode {
            dims: Dims { n_pos, n_vel, ..b },
            base_dims: b,
            structure,
            scales: Scales { q: base_scales.q, row: scale_row },
            base,
            active,
            places,
            vel_from,
            base_nnz,
            slides,
            unknowns,
            speed,
        })
    }

    /// The system below.
    pub fn base(&self) -> &Arc<P> {
        &self.base
    }

    /// The closed points.
    pub fn active(&self) -> &[Active] {
        &self.active
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
    pub fn law(&self, k: usize) -> Law {
        self.places[k].law
    }

    /// Multipliers of the rows of the base among those of the mode.
    pub fn base_multipliers(&self, lambda: &[f64], out: &mut [f64]) {
        let b = self.base_dims;
        let first_vel = b.n_pos + self.normals();
        out[..b.n_pos].copy_from_slice(&lambda[..b.n_pos]);
        let n = b.n_vel - b.n_pos;
        out[b.n_pos..].copy_from_slice(&lambda[first_vel..first_vel + n]);
    }

    fn with_base_multipliers<T>(&self, lambda: &[f64], f: impl FnOnce(&[f64]) -> T) -> T {
        let b = self.base_dims;
        if b.n_vel == b.n_pos || self.normals() == 0 {
            return f(&lambda[..b.n_vel]);
        }
        let mut base = vec![0.0; b.n_vel];
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
            Motion::Closed => {}
            Motion::Stick => {
                for (i, row) in place.tangent.iter().enumerate() {
                    out[1 + i] = row.map_or(0.0, |row| lambda[row]);
                }
            }
            Motion::Slip(d0) => {
                let d = self.direction(k, &ws.points[k], d0);
                let size = match place.law {
                    Law::Contact { mu, .. } => mu * normal,
                    Law::DryFriction { bound, .. } => bound,
                    Law::OneWay => 0.0,
                };
                out[1] = -size * d[0];
                out[2] = -size * d[1];
            }
        }
        if matches!(place.law, Law::DryFriction { .. }) {
            out = [0.0, out[1], out[2]];
        }
        out
    }

    /// Unit direction of sliding. In the plane it is fixed, so that the force stays smooth where
    /// the speed passes zero; in space it turns with the velocity.
    fn direction(&self, k: usize, point: &Point, d0: [f64; 2]) -> [f64; 2] {
        match self.places[k].law {
            Law::Contact { tangential: 2, .. } => {
                let slow = SLOW * self.speed;
                // past the point where sliding stops the force goes on smoothly, not turned round
                let along = point.rate[1] * d0[0] + point.rate[2] * d0[1];
                let sign = if along < 0.0 { -1.0 } else { 1.0 };
                let d = [sign * point.rate[1] + slow * d0[0], sign * point.rate[2] + slow * d0[1]];
                let n = d[0].hypot(d[1]);
                if n > 0.0 { [d[0] / n, d[1] / n] } else { d0 }
            }
            _ => d0,
        }
    }

    /// Row of the tangential kinematics of a law (dry friction has its rate in row 0).
    fn tangential_row(law: &Law, i: usize) -> usize {
        match law {
            Law::DryFriction { .. } => 0,
            _ => 1 + i,
        }
    }

    /// f_T of sliding points at the realised velocities.
    fn friction(&self, ws: &mut ModeWorkspace<P>) {
        ws.friction.fill(0.0);
        ws.painleve = f64::INFINITY;
        ws.lost = 0.0;
        if !self.slides {
            return;
        }
        let (nv, n) = (self.dims.nv, self.unknowns);
        // friction with a known bound first: a plain force
        for (k, a) in self.active.iter().enumerate() {
            if let (Motion::Slip(d), Law::DryFriction { bound, .. }) =
                (a.motion, self.places[k].law)
            {
                ws.points[k].add_row(0, -bound * d[0], &mut ws.friction);
            }
        }
        let Some(acc) = &mut ws.acc else { return };
        let ok = (|| -> Result<(), delassus_dae::StepFailure> {
            acc.factor_realized(&*self.base, &ws.base)?;
            // accelerations of the base with its own and the known forces: the known part by
            // superposition
            self.base.force(&ws.base, &mut ws.f);
            for (f, x) in ws.f.iter_mut().zip(&ws.friction) {
                *f += x;
            }
            self.base.bias(&ws.base, &mut ws.lambda_base);
            for x in &mut ws.lambda_base {
                *x = -*x;
            }
            acc.solve(&ws.f, &ws.lambda_base, &mut ws.a, &mut ws.lambda)?;
            // unknowns: a normal force each (with the friction it brings), sticking forces
            for (k, a) in self.active.iter().enumerate() {
                let place = &self.places[k];
                if place.unknown == usize::MAX {
                    continue;
                }
                let mut column = place.unknown;
                let mut respond = |ws_f: &mut [f64], column: usize| {
                    let out = &mut ws.columns[column * nv..(column + 1) * nv];
                    acc.respond(ws_f, out, &mut ws.lambda)
                };
                if let Law::Contact { mu, tangential, .. } = place.law {
                    ws.f.fill(0.0);
                    ws.points[k].add_row(0, 1.0, &mut ws.f);
                    if let Motion::Slip(d0) = a.motion {
                        let d = self.direction(k, &ws.points[k], d0);
                        for i in 0..tangential {
                            ws.points[k].add_row(1 + i, -mu * d[i], &mut ws.f);
                        }
                    }
                    respond(&mut ws.f, column)?;
                    column += 1;
                } else if matches!(place.law, Law::OneWay) {
                    ws.f.fill(0.0);
                    ws.points[k].add_row(0, 1.0, &mut ws.f);
                    respond(&mut ws.f, column)?;
                }
                for i in 0..2 {
                    if place.tangent[i].is_some() {
                        ws.f.fill(0.0);
                        let row = Self::tangential_row(&place.law, i);
                        ws.points[k].add_row(row, 1.0, &mut ws.f);
                        respond(&mut ws.f, column)?;
                        column += 1;
                    }
                }
            }
            Ok(())
        })();
        if ok.is_err() {
            ws.friction.fill(f64::NAN);
            return;
        }
        // rows: each unknown's own direction must not accelerate
        for (k, _) in self.active.iter().enumerate() {
            let place = &self.places[k];
            if place.unknown == usize::MAX {
                continue;
            }
            let point = &ws.points[k];
            let mut row = place.unknown;
            let mut fill = |kin_row: usize, row: usize| {
                for j in 0..n {
                    let column = &ws.columns[j * nv..(j + 1) * nv];
                    ws.system.w[row * n + j] = point.row_dot(kin_row, column);
                }
                ws.system.x[row] = -point.row_dot(kin_row, &ws.a) - point.bias[kin_row];
            };
            if place.normal.is_some() {
                fill(0, row);
                row += 1;
            }
            for i in 0..2 {
                if place.tangent[i].is_some() {
                    fill(Self::tangential_row(&place.law, i), row);
                    row += 1;
                }
            }
        }
        for (k, a) in self.active.iter().enumerate() {
            let place = &self.places[k];
            if let (Motion::Slip(_), Law::Contact { .. }) = (a.motion, place.law) {
                let u = place.unknown;
                let smooth = ws.points[k].row_dot(0, &ws.columns[u * nv..(u + 1) * nv]);
                ws.painleve = ws.painleve.min(smooth);
            }
        }
        ws.system.solve();
        for (k, a) in self.active.iter().enumerate() {
            let Motion::Slip(d0) = a.motion else { continue };
            let place = &self.places[k];
            let size = match place.law {
                Law::Contact { mu, .. } => mu * ws.system.x[place.unknown],
                Law::DryFriction { bound, .. } => bound,
                Law::OneWay => continue,
            };
            let d = self.direction(k, &ws.points[k], d0);
            let contact = matches!(place.law, Law::Contact { .. });
            for i in 0..place.law.rows().max(2) - 1 {
                let row = Self::tangential_row(&place.law, i);
                if contact {
                    ws.points[k].add_row(row, -size * d[i], &mut ws.friction);
                }
                ws.lost += size * d[i] * ws.points[k].rate[row];
            }
        }
    }
}

impl<P: Unilateral> Problem for Mode<P> {
    type Ws = ModeWorkspace<P>;

    fn dims(&self) -> Dims {
        self.dims
    }

    fn manifold(&self) -> &Manifold {
        self.base.manifold()
    }

    fn structure(&self) -> Structure {
        self.structure.clone()
    }

    fn scales(&self) -> Scales {
        self.scales.clone()
    }

    fn workspace(&self) -> Self::Ws {
        let (b, n) = (self.base_dims, self.unknowns);
        ModeWorkspace {
            base: self.base.workspace(),
            points: vec![Point::default(); self.active.len()],
            acc: if self.slides { Accel::new(&*self.base).ok() } else { None },
            friction: vec![0.0; b.nv],
            a: vec![0.0; b.nv],
            f: vec![0.0; b.nv],
            lambda: vec![0.0; b.n_vel],
            lambda_base: vec![0.0; b.n_vel],
            columns: vec![0.0; n * b.nv],
            system: BasicSolver::new(n),
            painleve: f64::INFINITY,
            lost: 0.0,
        }
    }

    fn realize_position(&self, t: f64, q: &[f64], z: &[f64], ws: &mut Self::Ws) {
        self.base.realize_position(t, q, z, &mut ws.base);
        for (a, point) in self.active.iter().zip(&mut ws.points) {
            self.base.position(&ws.base, a.id, true, Some(a.features), point);
        }
    }

    fn realize_velocity(&self, v: &[f64], z: &[f64], ws: &mut Self::Ws) {
        self.base.realize_velocity(v, z, &mut ws.base);
        for (a, point) in self.active.iter().zip(&mut ws.points) {
            self.base.rates(&ws.base, a.id, point);
        }
        self.friction(ws);
    }

    fn mass(&self, ws: &Self::Ws, out: &mut [f64]) {
        self.base.mass(&ws.base, out);
    }

    fn residual_pos(&self, ws: &Self::Ws, out: &mut [f64]) {
        let n = self.base_dims.n_pos;
        self.base.residual_pos(&ws.base, &mut out[..n]);
        for (place, point) in self.places.iter().zip(&ws.points) {
            if let (Law::Contact { .. }, Some(row)) = (&place.law, place.normal) {
                out[row] = point.gap;
            }
        }
    }

    fn jacobian(&self, ws: &Self::Ws, out: &mut [f64]) {
        // the base writes its rows one after another; those of velocity level move behind the
        // normals
        let (from, to) = self.vel_from;
        self.base.jacobian(&ws.base, &mut out[..self.base_nnz]);
        out.copy_within(from..self.base_nnz, to);
        for (place, point) in self.places.iter().zip(&ws.points) {
            for k in 0..3 {
                let row = match (k, &place.law) {
                    (0, _) => 0,
                    (k, law) => Self::tangential_row(law, k - 1),
                };
                for (slot, h) in place.slots[k].iter().zip(&point.rows[row]) {
                    out[*slot] = *h;
                }
            }
        }
    }

    fn residual_vel(&self, ws: &Self::Ws, out: &mut [f64]) {
        self.base.residual_vel(&ws.base, &mut out[..self.base_dims.n_vel]);
        self.spread(ws, out, |p, k| p.rate[k]);
    }

    fn bias(&self, ws: &Self::Ws, out: &mut [f64]) {
        self.base.bias(&ws.base, &mut out[..self.base_dims.n_vel]);
        self.spread(ws, out, |p, k| p.bias[k]);
    }

    fn force(&self, ws: &Self::Ws, out: &mut [f64]) {
        self.base.force(&ws.base, out);
        if self.slides {
            for (f, x) in out.iter_mut().zip(&ws.friction) {
                *f += x;
            }
        }
    }

    fn z_dot(&self, ws: &Self::Ws, out: &mut [f64]) {
        self.base.z_dot(&ws.base, out);
    }

    fn tangent(
        &self,
        ws: &Self::Ws,
        a: &[f64],
        lambda: &[f64],
        ck: f64,
        cc: f64,
        values: &mut [f64],
    ) -> Quality {
        if self.active.is_empty() {
            return self.base.tangent(&ws.base, a, lambda, ck, cc, values);
        }
        // the curvature of contacts and the derivative of friction are left out
        self.with_base_multipliers(lambda, |l| self.base.tangent(&ws.base, a, l, ck, cc, values));
        Quality::Approximate
    }

    fn feeds_back(&self) -> bool {
        self.base.feeds_back()
    }

    fn feedback(&self, ws: &Self::Ws, ck: f64, cc: f64, values: &mut [f64]) {
        self.base.feedback(&ws.base, ck, cc, values);
    }

    fn energies(&self, ws: &Self::Ws) -> Option<Energies> {
        self.base.energies(&ws.base)
    }

    fn power(&self, ws: &Self::Ws, lambda: &[f64]) -> Option<Power> {
        let own = self.with_base_multipliers(lambda, |l| self.base.power(&ws.base, l));
        if !self.slides {
            return own;
        }
        let own = own.unwrap_or_default();
        Some(Power { dissipated: own.dissipated + ws.lost, work: own.work })
    }

    fn row_name(&self, row: usize) -> String {
        for (a, place) in self.active.iter().zip(&self.places) {
            if place.normal == Some(row) {
                return format!("contact \"{}\"", self.base.point_name(a.id));
            }
            if place.tangent.contains(&Some(row)) {
                return format!("contact \"{}\" (sticking)", self.base.point_name(a.id));
            }
        }
        let n = self.base_dims.n_pos;
        self.base.row_name(if row < n { row } else { row - self.normals() })
    }

    fn dof_name(&self, dof: usize) -> String {
        self.base.dof_name(dof)
    }
}

impl<P: Unilateral> Mode<P> {
    /// Moves the values of velocity-only rows of the base behind the normals and writes those of
    /// the points.
    fn spread(&self, ws: &ModeWorkspace<P>, out: &mut [f64], value: impl Fn(&Point, usize) -> f64) {
        let b = self.base_dims;
        out.copy_within(b.n_pos..b.n_vel, b.n_pos + self.normals());
        for (place, point) in self.places.iter().zip(&ws.points) {
            if let Some(row) = place.normal {
                out[row] = value(point, 0);
            }
            for i in 0..2 {
                if let Some(row) = place.tangent[i] {
                    out[row] = value(point, Self::tangential_row(&place.law, i));
                }
            }
        }
    }
}
