//! Friction of pressed points, as forces that depend on the state, and bristles as auxiliary states.
//!
//! ```text
//! f += H_Tᵀ r_T,  r_T = r_T(F, u_T, z),   ż = φ(u_T, z) − θ e × z
//! ```
//!
//! F is the normal force, z the deflection of the bristles, for laws that have them, in the tangents of the point. The
//! tangents turn with one of the bodies, and bristles with the mean of both, so that neither body is preferred: θ is
//! the difference, about the normal ([`ContactPoint::turning`]). Bristles of points that are not pressed are at rest;
//! whoever ends a contact resets them to zero.

use crate::mode::{Mode, ModeWorkspace};
use crate::pressed::Pressed;
use delassus_dae::{ContactPoint, PointId, Press, PressedFriction, SlipForce, Unilateral};

impl Pressed {
    /// Friction at the kinematics of the point, with these auxiliary states.
    pub fn slip_force<P: Unilateral>(
        &self,
        p: &P,
        at: &ContactPoint,
        press: &Press,
        z: &[f64],
    ) -> SlipForce {
        let Some(friction) = p.pressed_friction(self.id).filter(|_| !self.slack) else {
            return SlipForce::default();
        };
        // a force that pulls at the end of a contact has no friction, which would drive
        let normal = press.force.max(0.0);
        let mut slip_force =
            friction.law.slip_force(normal, friction.slip(at), friction.deflection(z));
        if press.force < 0.0 {
            slip_force.by_normal = [0.0; 2];
        }
        slip_force
    }
}

/// out += friction of a point as a generalised force.
pub(crate) fn add_friction(at: &ContactPoint, slip_force: &SlipForce, out: &mut [f64]) {
    for (i, force) in slip_force.force.iter().enumerate().filter(|(_, f)| **f != 0.0) {
        at.add_row(1 + i, *force, out);
    }
}

/// Derivatives of the rows of one point along the coordinates.
#[derive(Debug, Default)]
pub(crate) struct Slopes {
    n: usize,
    /// ∂H_k/∂ξ of each row, n × n.
    hessian: [Vec<f64>; 3],
    /// ∂u_k/∂ξ at fixed v of each row, n.
    turned: [Vec<f64>; 3],
}

impl Slopes {
    /// For points with at most so many columns: nothing is allocated later.
    pub fn with_room(most: usize) -> Slopes {
        let room = |n: usize| [0; 3].map(|_| Vec::with_capacity(n));
        Slopes { n: 0, hessian: room(most * most), turned: room(most) }
    }

    /// Derivatives of the rows of a point; zero unless requested. Returns whether all are known.
    pub fn look<P: Unilateral>(
        &mut self,
        p: &P,
        ws: &P::Ws,
        id: PointId,
        at: &ContactPoint,
        directions: usize,
        asked: bool,
    ) -> bool {
        self.n = at.cols.len();
        let mut known = true;
        for (k, out) in self.hessian.iter_mut().enumerate().take(1 + directions) {
            out.clear();
            out.resize(self.n * self.n, 0.0);
            if asked {
                known &= p.row_hessian(ws, id, at, k, out);
            }
        }
        known
    }

    /// Computes their effect on the rates at velocities v.
    pub fn turn(&mut self, at: &ContactPoint, v: &[f64]) {
        let n = self.n;
        for (turned, hessian) in self.turned.iter_mut().zip(&self.hessian) {
            turned.clear();
            turned.resize(n, 0.0);
            for (row, c) in hessian.chunks_exact(n.max(1)).zip(&at.cols) {
                for (t, h) in turned.iter_mut().zip(row) {
                    *t += v[*c] * h;
                }
            }
        }
    }

    /// Entry (i, j) of ∂H_k/∂ξ.
    pub fn hessian(&self, k: usize, i: usize, j: usize) -> f64 {
        self.hessian[k][i * self.n + j]
    }

    /// Entry j of ∂u_k/∂ξ.
    pub fn turned(&self, k: usize, j: usize) -> f64 {
        self.turned[k][j]
    }
}

impl<P: Unilateral> Mode<P> {
    /// Some pressed point has bristles.
    pub(crate) fn has_bristles(&self) -> bool {
        self.pressed().iter().any(|a| self.bristled(a).is_some())
    }

    /// Friction of a pressed point with bristles, and their first auxiliary state; `None` if it is slack.
    fn bristled(&self, a: &Pressed) -> Option<(PressedFriction<'_>, usize)> {
        let friction = self.base().pressed_friction(a.id).filter(|_| !a.slack)?;
        friction.bristle.map(|first| (friction, first))
    }

    /// ż of bristles at the realised state.
    pub(crate) fn bristle_rates(&self, ws: &ModeWorkspace<P>, out: &mut [f64]) {
        let pressing = &ws.pressing;
        let each = pressing.points.iter().zip(&pressing.slip_forces).zip(&pressing.bristles);
        for (a, ((at, slip_force), z)) in self.pressed().iter().zip(each) {
            let Some((friction, first)) = self.bristled(a) else { continue };
            let turned = [at.turning * z[1], -at.turning * z[0]];
            for i in 0..friction.directions {
                out[first + i] = slip_force.bristle_rate[i] + turned[i];
            }
        }
    }

    /// −∂ż/∂z of bristles at the realised state.
    pub(crate) fn bristle_relaxation(&self, ws: &ModeWorkspace<P>, out: &mut [f64]) {
        for (a, slip_force) in self.pressed().iter().zip(&ws.pressing.slip_forces) {
            let Some((friction, first)) = self.bristled(a) else { continue };
            out[first..first + friction.directions].fill(slip_force.relaxation);
        }
    }

    /// values −= Σ ∂f/∂z (ck ∂ż/∂ξ + cc ∂ż/∂v) of bristles, on the pattern of the mode.
    pub(crate) fn bristle_feedback(
        &self,
        ws: &ModeWorkspace<P>,
        by: &[[f64; 2]],
        values: &mut [f64],
    ) {
        let pressing = &ws.pressing;
        let mut slopes = pressing.scratch.borrow_mut();
        for (k, a) in self.pressed().iter().enumerate() {
            let Some((PressedFriction { directions, .. }, first)) = self.bristled(a) else {
                continue;
            };
            let (at, slip_force) = (&pressing.points[k], &pressing.slip_forces[k]);
            let asked = by[first..first + directions].iter().any(|[ck, _]| *ck != 0.0);
            slopes.look(&**self.base(), &ws.base, a.id, at, directions, asked);
            slopes.turn(at, pressing.velocities());
            for (j, &cj) in at.cols.iter().enumerate() {
                for m in 0..directions {
                    let [ck, cc] = by[first + m];
                    let rate: f64 = (0..directions)
                        .map(|l| {
                            let slip = ck * slopes.turned(1 + l, j) + cc * at.rows[1 + l][j];
                            slip_force.rate_by_slip[m][l] * slip
                        })
                        .sum();
                    for (i, &ci) in at.cols.iter().enumerate() {
                        if let Some(slot) = self.tangent_pattern().slot(ci, cj) {
                            values[slot] -= at.rows[1 + m][i] * slip_force.by_bristle * rate;
                        }
                    }
                }
            }
        }
    }
}
