//! A [`Mode`] as a [`Problem`]: the rows of its closed points beside those of the base.

use super::{Mode, ModeWorkspace};
use crate::friction::{Sliding, tangential_row};
use crate::pressed::Pressing;
use delassus_dae::{
    ContactPoint, Dims, Energies, Manifold, PointLaw, Power, Problem, Quality, Scales, State,
    StateSlopes, Stretch, Structure, TimeLaws, TimeLook, Unilateral, Unseen,
};

impl<P: Unilateral> Problem for Mode<P> {
    type Ws = ModeWorkspace<P>;

    fn dims(&self) -> Dims {
        self.dims
    }

    fn manifold(&self) -> &Manifold {
        self.base.manifold()
    }

    fn structure(&self) -> &Structure {
        &self.structure
    }

    fn scales(&self) -> Scales {
        self.scales.clone()
    }

    fn wide_scales(&self) -> Vec<f64> {
        self.base.wide_scales()
    }

    fn groups(&self) -> Vec<usize> {
        self.base.groups()
    }

    fn workspace(&self) -> Self::Ws {
        ModeWorkspace {
            base: self.base.workspace(),
            points: vec![ContactPoint::default(); self.active.len()],
            friction: vec![0.0; self.base_dims.nv],
            sliding: Sliding::new(self),
            pressing: Pressing::new(&*self.base, &self.pressed),
            lost: 0.0,
        }
    }

    fn realize_position(&self, t: f64, q: &[f64], z: &[f64], ws: &mut Self::Ws) {
        self.base.realize_position(t, q, z, &mut ws.base);
        for (a, point) in self.active.iter().zip(&mut ws.points) {
            self.base.position(&ws.base, a.id, true, Some(a.features), point);
        }
        self.place_pressed(ws);
    }

    fn realize_velocity(&self, v: &[f64], z: &[f64], ws: &mut Self::Ws) {
        self.base.realize_velocity(v, z, &mut ws.base);
        for (a, point) in self.active.iter().zip(&mut ws.points) {
            self.base.rates(&ws.base, a.id, point);
        }
        if !self.pressed.is_empty() {
            self.press(v, z, ws);
        }
        if self.slides {
            self.apply_sliding_friction(ws);
        }
    }

    fn mass(&self, ws: &Self::Ws, out: &mut [f64]) {
        self.base.mass(&ws.base, out);
    }

    fn residual_pos(&self, ws: &Self::Ws, out: &mut [f64]) {
        let n = self.base_dims.n_pos;
        self.base.residual_pos(&ws.base, &mut out[..n]);
        for (place, point) in self.places.iter().zip(&ws.points) {
            if let (PointLaw::Contact { .. }, Some(row)) = (&place.law, place.normal) {
                out[row] = point.gap;
            }
        }
    }

    fn jacobian(&self, ws: &Self::Ws, out: &mut [f64]) {
        // the base writes its rows one after another; those of velocity level move behind the normals
        let (from, to) = self.vel_from;
        self.base.jacobian(&ws.base, &mut out[..self.base_nnz]);
        out.copy_within(from..self.base_nnz, to);
        for (place, point) in self.places.iter().zip(&ws.points) {
            for k in 0..3 {
                let row = match (k, &place.law) {
                    (0, _) => 0,
                    (k, law) => tangential_row(law, k - 1),
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
        for (f, x) in out.iter_mut().zip(&ws.pressing.load) {
            *f += x;
        }
    }

    fn z_dot(&self, ws: &Self::Ws, out: &mut [f64]) {
        self.base.z_dot(&ws.base, out);
        self.bristle_rates(ws, out);
    }

    fn spin(&self, v: &[f64]) -> (f64, usize) {
        self.base.spin(v)
    }

    fn restore_known_states(&self, s: &mut State) {
        self.base.restore_known_states(s);
    }

    fn held(&self) -> usize {
        self.base.held()
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
        if self.active.is_empty() && self.pressed.is_empty() {
            return self.base.tangent(&ws.base, a, lambda, ck, cc, values);
        }
        let quality = self.on_base_pattern(ws, values, |values| {
            self.with_base_multipliers(ws, lambda, |l| {
                self.base.tangent(&ws.base, a, l, ck, cc, values)
            })
        });
        let exact = self.press_tangent(ws, ck, cc, values);
        if self.slides {
            self.friction_tangent(ws, cc, values);
        }
        // the curvature of closed contacts is left out, and how friction follows the normal force
        if exact && self.active.is_empty() { quality } else { Quality::Approximate }
    }

    fn feeds_back(&self) -> bool {
        self.base.feeds_back() || self.has_bristles()
    }

    fn feedback(&self, ws: &Self::Ws, by: &[[f64; 2]], values: &mut [f64]) {
        self.on_base_pattern(ws, values, |values| self.base.feedback(&ws.base, by, values));
        self.bristle_feedback(ws, by, values);
    }

    fn relaxation(&self, ws: &Self::Ws, out: &mut [f64]) {
        self.base.relaxation(&ws.base, out);
        self.bristle_relaxation(ws, out);
    }

    fn state_slopes(&self, ws: &Self::Ws, out: &mut StateSlopes) {
        // bristles at rest hold nothing: a linearisation leaves friction of compliant contact out
        self.base.state_slopes(&ws.base, out);
    }

    fn left_out(
        &self,
        ws: &Self::Ws,
        lambda: &[f64],
        tangent: Quality,
        add: &mut dyn FnMut(usize, usize, f64),
    ) -> Quality {
        if self.active.is_empty() {
            return tangent;
        }
        let own = self.with_base_multipliers(ws, lambda, |l| {
            self.base.left_out(&ws.base, l, Quality::Exact, add)
        });
        let known = self.add_curvature(ws, lambda, add) && self.pressed_curvature_known(ws);
        if known && !self.slides { own } else { Quality::Approximate }
    }

    fn ground_vectors(&self) -> Vec<[Option<usize>; 3]> {
        self.base.ground_vectors()
    }

    fn energies(&self, ws: &Self::Ws) -> Option<Energies> {
        let own = self.base.energies(&ws.base)?;
        Some(Energies { potential: own.potential + self.stored(ws), ..own })
    }

    fn power(&self, ws: &Self::Ws, lambda: &[f64]) -> Option<Power> {
        let own = self.with_base_multipliers(ws, lambda, |l| self.base.power(&ws.base, l));
        if !self.slides && self.pressed.is_empty() {
            return own;
        }
        let own = own.unwrap_or_default();
        let lost = ws.lost + ws.pressing.lost();
        Some(Power { dissipated: own.dissipated + lost, work: own.work })
    }

    fn time_laws(&self) -> TimeLaws {
        self.base.time_laws()
    }

    fn smooth_in_time(&self, ws: &mut Self::Ws, a: f64, b: f64) -> bool {
        self.base.smooth_in_time(&mut ws.base, a, b)
    }

    fn unseen_in_time(&self, ws: &mut Self::Ws, look: TimeLook<'_>) -> Unseen {
        self.base.unseen_in_time(&mut ws.base, look)
    }

    fn restless(&self, ws: &mut Self::Ws, a: f64, b: f64) -> Option<String> {
        self.base.restless(&mut ws.base, a, b)
    }

    fn state_laws(&self) -> bool {
        self.base.state_laws()
    }

    fn take_down(&self, ws: &mut Self::Ws, v: &[f64], a: &[f64], end: bool) {
        self.base.take_down(&mut ws.base, v, a, end);
    }

    fn span_way(&self, ws: &mut Self::Ws, t: f64, h: f64) {
        self.base.span_way(&mut ws.base, t, h);
    }

    fn keep_end(&self, ws: &mut Self::Ws) {
        self.base.keep_end(&mut ws.base);
    }

    fn unseen_on_way(&self, ws: &mut Self::Ws, part: Stretch, paces: &[f64]) -> (f64, bool) {
        self.base.unseen_on_way(&mut ws.base, part, paces)
    }

    fn off_way(&self, ws: &Self::Ws, part: f64) -> f64 {
        self.base.off_way(&ws.base, part)
    }

    fn restless_on_way(&self, ws: &mut Self::Ws) -> Option<String> {
        self.base.restless_on_way(&mut ws.base)
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
