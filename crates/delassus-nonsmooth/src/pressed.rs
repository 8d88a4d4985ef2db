//! Compliant contact in a [`Mode`]: points that are pressed into each other, as forces that depend on the state.
//!
//! ```text
//! f += F H_Nᵀ,  F = F(δ, δ̇),  δ = −g_N,  δ̇ = −u_N
//! K += (F_δ H_Nᵀ + F_δ̇ …) H_N:   −∂f/∂ξ = F_δ HᵀH + F_δ̇ Hᵀ(vᵀ𝓗) − F 𝓗,   −∂f/∂v = F_δ̇ HᵀH
//! ```
//!
//! 𝓗 = ∂H_N/∂ξ includes the curvature of the surfaces and the motion of the point along them. Friction adds forces
//! along the tangential rows (`pressed_friction.rs`). A pressed point has no row of G: methods know nothing of it. Its
//! features are kept while the mode lasts, like those of closed points.

use crate::mode::{Mode, ModeWorkspace};
use crate::pressed_friction::{Slopes, add_friction};
use delassus_dae::{ContactPoint, Onset, PointId, Press, SlipForce, Unilateral};
use delassus_linalg::Csr;
use delassus_math::remember;
use std::cell::RefCell;

/// Depth, relative to the deepest point of its pair, up to which a point of compliant contact that comes to face the
/// other shape inside it takes over from that.
pub const TAKES_OVER: f64 = 2.0;

/// A point of compliant contact that is inside.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Pressed {
    /// Which.
    pub id: PointId,
    /// Features that touch, kept while the mode lasts.
    pub features: [u32; 2],
    /// Values latched at the start of this contact.
    pub onset: Onset,
    /// The law would pull: the bodies leave faster than the surface recovers, and no force acts.
    pub slack: bool,
}
remember!(Pressed { id, features, onset, slack });

/// Scratch of the pressed points of a mode.
#[derive(Debug, Default)]
pub struct Pressing {
    /// Kinematics of the points, in their order.
    pub points: Vec<ContactPoint>,
    /// Their forces; `force` is zero for slack points.
    pub presses: Vec<Press>,
    /// Their friction; zero for slack points.
    pub slip_forces: Vec<SlipForce>,
    /// Deflection of their bristles, m.
    pub(crate) bristles: Vec<[f64; 2]>,
    /// Σ F H_Nᵀ + H_Tᵀ r_T, nv.
    pub(crate) load: Vec<f64>,
    v: Vec<f64>,
    pub(crate) scratch: RefCell<Slopes>,
}

impl Pressing {
    /// Sized for the points of a mode: tangents are evaluated where nothing may be allocated.
    pub(crate) fn new<P: Unilateral>(p: &P, pressed: &[Pressed]) -> Pressing {
        let points = pressed.len();
        let nv = if points > 0 { p.dims().nv } else { 0 };
        let mut cols = Vec::new();
        let mut most = 0;
        for point in pressed {
            p.columns(point.id, &mut cols);
            most = most.max(cols.len());
        }
        Pressing {
            points: vec![ContactPoint::default(); points],
            presses: vec![Press::default(); points],
            slip_forces: vec![SlipForce::default(); points],
            bristles: vec![[0.0; 2]; points],
            load: vec![0.0; nv],
            v: vec![0.0; nv],
            scratch: RefCell::new(Slopes::with_room(most)),
        }
    }

    /// Power lost at the realised state, W.
    pub fn lost(&self) -> f64 {
        (0..self.points.len()).map(|k| self.loss(k)[0] + self.loss(k)[1]).sum()
    }

    /// Power that point k loses by its normal force and by friction, W. What bristles store counts as lost until it
    /// comes back.
    pub fn loss(&self, k: usize) -> [f64; 2] {
        let (press, slip_force, at) = (&self.presses[k], &self.slip_forces[k], &self.points[k]);
        let normal = -(press.force - press.elastic) * at.rate[0];
        // without friction there are no tangential rates
        [normal, -(0..2).map(|i| slip_force.force[i] * at.rate[1 + i]).sum::<f64>()]
    }

    /// Forces of point k: normal, tangential.
    pub fn force(&self, k: usize) -> [f64; 3] {
        let [a, b] = self.slip_forces[k].force;
        [self.presses[k].force, a, b]
    }

    pub(crate) fn velocities(&self) -> &[f64] {
        &self.v
    }
}

impl Pressed {
    /// Place of the point at the realised position. Its features are kept while they last, although another part of the
    /// shape may be nearer, for example where a corner is about to slide over an edge. False if it faces nothing.
    pub fn place<P: Unilateral>(&self, p: &P, ws: &P::Ws, at: &mut ContactPoint) -> bool {
        let features = Some(self.features);
        p.can_pass(self.id)
            && p.position(ws, self.id, true, features, at)
            && p.feature_margin(ws, self.id, at) >= 0.0
            || p.position(ws, self.id, false, features, at)
    }

    /// Force at the kinematics of the point.
    pub fn press<P: Unilateral>(&self, p: &P, at: &ContactPoint) -> Press {
        let Some(c) = p.compliance(self.id) else { return Press::default() };
        let press = c.law.press(&self.onset, -at.gap, -at.rate[0]);
        if self.slack { Press { elastic: press.elastic, ..Press::default() } } else { press }
    }

    /// Energy that is stored, J.
    pub fn energy<P: Unilateral>(&self, p: &P, at: &ContactPoint) -> f64 {
        p.compliance(self.id).map_or(0.0, |c| c.law.energy(&self.onset, (-at.gap).max(0.0)))
    }

    /// Positive while the law pushes, whether the point is slack or not.
    pub fn push<P: Unilateral>(&self, p: &P, at: &ContactPoint) -> f64 {
        p.compliance(self.id).map_or(1.0, |c| c.law.push(&self.onset, -at.gap, -at.rate[0]))
    }
}

/// Kinematics of a point that was pressed with these features at the realised state, with the place given by
/// [`Pressed::place`]. False if it faces nothing.
pub(crate) fn follow<P: Unilateral>(
    p: &P,
    ws: &P::Ws,
    id: PointId,
    features: [u32; 2],
    at: &mut ContactPoint,
) -> bool {
    if !p.can_pass(id) {
        return p.evaluate(ws, id, Some(features), at);
    }
    let faces = Pressed { id, features, ..Pressed::default() }.place(p, ws, at);
    if faces {
        p.rates(ws, id, at);
    }
    faces
}

/// Energy, J, lost at the realised position where features of a pressed point gave way to those of `at`, as far as the
/// gap jumps.
pub(crate) fn lost_by_change<P: Unilateral>(
    p: &P,
    ws: &P::Ws,
    point: &Pressed,
    at: &ContactPoint,
    scratch: &mut ContactPoint,
) -> f64 {
    if at.features == point.features
        || !p.position(ws, point.id, true, Some(point.features), scratch)
    {
        return 0.0;
    }
    point.energy(p, scratch) - point.energy(p, at)
}

/// out += forces of pressed points at the realised state, which has these auxiliary states, as generalised forces.
pub(crate) fn add_load<P: Unilateral>(
    p: &P,
    ws: &P::Ws,
    z: &[f64],
    pressed: &[Pressed],
    out: &mut [f64],
) {
    let mut at = ContactPoint::default();
    for point in pressed {
        p.position(ws, point.id, true, Some(point.features), &mut at);
        p.rates(ws, point.id, &mut at);
        let press = point.press(p, &at);
        at.add_row(0, press.force, out);
        add_friction(&at, &point.slip_force(p, &at, &press, z), out);
    }
}

impl<P: Unilateral> Mode<P> {
    /// Places the pressed points at the realised position.
    pub(crate) fn place_pressed(&self, ws: &mut ModeWorkspace<P>) {
        for (a, at) in self.pressed().iter().zip(&mut ws.pressing.points) {
            self.base().position(&ws.base, a.id, true, Some(a.features), at);
        }
    }

    /// Forces of the pressed points at the realised velocities.
    pub(crate) fn press(&self, v: &[f64], z: &[f64], ws: &mut ModeWorkspace<P>) {
        let Pressing { points, presses, slip_forces, bristles, load, v: own, .. } =
            &mut ws.pressing;
        load.fill(0.0);
        own.copy_from_slice(v);
        let each = points.iter_mut().zip(presses).zip(slip_forces).zip(bristles);
        for (a, (((at, press), slip_force), bristle)) in self.pressed().iter().zip(each) {
            self.base().rates(&ws.base, a.id, at);
            *press = a.press(&**self.base(), at);
            at.add_row(0, press.force, load);
            *slip_force = a.slip_force(&**self.base(), at, press, z);
            *bristle = self.base().pressed_friction(a.id).map_or([0.0; 2], |r| r.deflection(z));
            add_friction(at, slip_force, load);
        }
    }

    /// Energy that pressed points store at the realised state, J.
    pub fn stored(&self, ws: &ModeWorkspace<P>) -> f64 {
        let each = self.pressed().iter().zip(&ws.pressing.points);
        each.map(|(a, at)| a.energy(&**self.base(), at)).sum()
    }

    /// values += ck K + cc C of the pressed points, on the pattern of the mode; returns whether all of it is known.
    pub(crate) fn press_tangent(
        &self,
        ws: &ModeWorkspace<P>,
        ck: f64,
        cc: f64,
        values: &mut [f64],
    ) -> bool {
        let pressing = &ws.pressing;
        let mut exact = true;
        let mut slopes = pressing.scratch.borrow_mut();
        for (k, a) in self.pressed().iter().enumerate().filter(|(_, a)| !a.slack) {
            let (at, press, slip_force) =
                (&pressing.points[k], &pressing.presses[k], &pressing.slip_forces[k]);
            let own = PointTangent { id: a.id, at, press, slip_force, v: pressing.velocities() };
            let pattern = self.tangent_pattern();
            exact &= own.add(&**self.base(), &ws.base, [ck, cc], pattern, &mut slopes, values);
        }
        exact
    }
}

/// The ingredients of K and C of one pressed point, at the realised state.
pub(crate) struct PointTangent<'a> {
    pub id: PointId,
    pub at: &'a ContactPoint,
    pub press: &'a Press,
    pub slip_force: &'a SlipForce,
    /// Velocities of all coordinates.
    pub v: &'a [f64],
}

impl PointTangent<'_> {
    /// values += ck K + cc C on a pattern; returns whether all of it is known.
    pub fn add<P: Unilateral>(
        &self,
        p: &P,
        ws: &P::Ws,
        [ck, cc]: [f64; 2],
        pattern: &Csr,
        slopes: &mut Slopes,
        values: &mut [f64],
    ) -> bool {
        let &PointTangent { id, at, press, slip_force, v } = self;
        let directions = p.pressed_friction(id).map_or(0, |r| r.directions);
        let exact = slopes.look(p, ws, id, at, directions, ck != 0.0);
        slopes.turn(at, v);
        for (j, &cj) in at.cols.iter().enumerate() {
            // normal force along coordinate j, of positions and velocities together
            let normal = -ck
                * (press.by_depth * at.rows[0][j] + press.by_rate * slopes.turned(0, j))
                - cc * press.by_rate * at.rows[0][j];
            let slip = |l: usize| ck * slopes.turned(1 + l, j) + cc * at.rows[1 + l][j];
            for (i, &ci) in at.cols.iter().enumerate() {
                let Some(slot) = pattern.slot(ci, cj) else { continue };
                let mut sum = at.rows[0][i] * normal + ck * press.force * slopes.hessian(0, i, j);
                for m in 0..directions {
                    let along: f64 =
                        (0..directions).map(|l| slip_force.by_slip[m][l] * slip(l)).sum();
                    sum += at.rows[1 + m][i] * (slip_force.by_normal[m] * normal + along)
                        + ck * slip_force.force[m] * slopes.hessian(1 + m, i, j);
                }
                values[slot] -= sum;
            }
        }
        exact
    }
}
