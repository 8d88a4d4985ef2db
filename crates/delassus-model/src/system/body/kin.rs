//! Poses and motion of bodies and frames.

use super::{BodyKind, FrameJac, Kind, Varying};
use crate::{Body, Flexible, Frame};
use delassus_flex::Node;
use delassus_linalg::MassShape;
use delassus_math::{Mat3, Vec3};
use std::sync::Arc;

/// A body in the layout of q and v.
#[derive(Debug, Clone)]
pub(crate) struct BodyLayout {
    pub kind: BodyKind,
    /// First coordinate and velocity, and their numbers.
    pub iq: usize,
    pub iv: usize,
    pub nq: usize,
    pub nv: usize,
    pub mass: f64,
    /// About the mass centre, body axes.
    pub inertia: Mat3,
    /// Mass centre in the user's body frame.
    pub com: Vec3,
    /// Which of its velocities are coupled; `None`: all with all.
    pub coupling: Option<MassShape>,
    /// How it deforms; `None` for bodies that do not.
    pub flexible: Option<Arc<Flexible>>,
}

impl BodyLayout {
    /// Whether all of its frames move as parts of one rigid body, or of a point.
    pub fn in_one_piece(&self) -> bool {
        of_kind!(self.kind, K => K::ONE_PIECE)
    }

    pub fn new(b: &Body, iq: usize, iv: usize) -> BodyLayout {
        BodyLayout {
            kind: b.kind,
            iq,
            iv,
            nq: b.nq(),
            nv: b.nv(),
            mass: b.mass,
            inertia: b.inertia,
            com: b.com,
            coupling: of_kind!(b.kind, K => K::coupling(b)),
            flexible: b.flexible.clone(),
        }
    }

    /// Number of values of its part of M.
    pub fn mass_len(&self) -> usize {
        self.coupling.as_ref().map_or(self.nv * self.nv, MassShape::value_len)
    }

    /// Shape of its part of M.
    pub fn mass_shape(&self) -> MassShape {
        self.coupling.clone().unwrap_or_else(|| MassShape::new(vec![self.nv]))
    }

    /// Its velocities among all.
    pub fn span(&self) -> std::ops::Range<usize> {
        self.iv..self.iv + self.nv
    }

    pub fn has_constant_mass(&self) -> bool {
        of_kind!(self.kind, K => K::CONSTANT_MASS)
    }

    /// The only velocities, among its own, that turn frames and are coupled by its inertia; `None`: any.
    pub fn turning(&self) -> Option<std::ops::Range<usize>> {
        of_kind!(self.kind, K => K::TURNING)
    }

    /// Index, among all velocities, of the rate of its angle that counts turns.
    pub fn angle_rate(&self) -> Option<usize> {
        of_kind!(self.kind, K => K::ANGLE).map(|k| self.iv + k)
    }

    /// Typical sizes of its coordinates: a length, 1 rad, amplitudes that displace its mass by a length.
    pub fn scales(&self, length: f64) -> impl Iterator<Item = f64> {
        let turning = self.kind.rotation();
        (0..self.nv).map(move |k| match &self.flexible {
            _ if turning.contains(&k) => 1.0,
            Some(f) if k >= turning.end => length / f.modal.mean_displacement(k - turning.end),
            _ => length,
        })
    }

    /// Its own forces dissipate energy.
    pub fn is_damped(&self) -> bool {
        self.flexible.as_ref().is_some_and(|f| f.modal.damping.iter().any(|d| *d != 0.0))
    }

    /// Its velocities that are rates of amplitudes of deformation, among its own.
    pub fn amplitudes(&self) -> std::ops::Range<usize> {
        self.nv - self.flexible.as_ref().map_or(0, |f| f.modal.modes())..self.nv
    }

    /// Fictitious inertia of its velocities that have none, and zeros for the others.
    pub fn mass_floor(&self, lin: f64, ang: f64) -> impl Iterator<Item = f64> {
        let turning = self.kind.rotation();
        let lin = if self.mass > 0.0 { 0.0 } else { lin };
        let ang = if of_kind!(self.kind, K => K::lacks_inertia(&self.inertia)) { ang } else { 0.0 };
        (0..self.nv).map(move |k| if turning.contains(&k) { ang } else { lin })
    }

    /// The smallest real moment of inertia; `None` for bodies that cannot turn.
    pub fn least_inertia(&self) -> Option<f64> {
        of_kind!(self.kind, K => K::least_inertia(&self.inertia))
    }
}

/// Position and motion of the part of a body that represents it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct BodyKin {
    /// Mass centre, m.
    pub x: Vec3,
    /// Body components to ground components.
    pub r_wb: Mat3,
    /// Velocity of the mass centre, m/s.
    pub v: Vec3,
    /// Angular velocity, ground components, rad/s.
    pub w: Vec3,
}

impl Default for BodyKin {
    fn default() -> Self {
        BodyKin { x: Vec3::zeros(), r_wb: Mat3::identity(), v: Vec3::zeros(), w: Vec3::zeros() }
    }
}

/// The body that carries a frame.
#[derive(Debug, Clone, Copy)]
struct Carrier {
    body: usize,
    kind: BodyKind,
    iq: usize,
    iv: usize,
    nv: usize,
}

/// A frame on a body or on the ground. Its axes are those of the body frame, moved to its origin: an element that needs
/// others rotates them by a constant.
#[derive(Debug, Clone)]
pub(crate) struct FrameLayout {
    on: Option<Carrier>,
    /// Its body as one that deforms, and its node there, if it is on one.
    node: Option<(Arc<Flexible>, usize)>,
    /// Origin from the mass centre, body components (ground: position), or from the node, in axes that turn with it.
    pub r_b: Vec3,
    /// The velocities that it follows, among all: the first and their number.
    first: usize,
    len: usize,
    /// Frames that follow the same velocities have the same number: that of the body if they are all of its own.
    pub part: usize,
}

impl FrameLayout {
    pub fn new(f: &Frame, bodies: &[BodyLayout]) -> FrameLayout {
        let on = f.body.map(|b| {
            let BodyLayout { kind, iq, iv, nv, .. } = bodies[b.0];
            Carrier { body: b.0, kind, iq, iv, nv }
        });
        let flexible = f.body.and_then(|b| bodies[b.0].flexible.clone());
        let node = flexible.zip(f.node);
        let com = f.body.filter(|_| node.is_none()).map_or(Vec3::zeros(), |b| bodies[b.0].com);
        let part = f.body.map_or(usize::MAX, |b| b.0);
        FrameLayout { on, node, r_b: f.p - com, first: 0, len: 0, part }.following()
    }

    /// The node that carries it.
    #[inline]
    pub fn node(&self) -> Option<&Node> {
        self.node.as_ref().and_then(|(f, k)| f.modal.nodes.get(*k))
    }

    /// Number of the node that carries it.
    pub fn node_number(&self) -> Option<usize> {
        self.node.as_ref().map(|n| n.1)
    }

    /// Distance from the mass centre of the undeformed body, m.
    pub fn reach(&self) -> f64 {
        (self.node().map_or(Vec3::zeros(), |n| n.at) + self.r_b).norm()
    }

    /// Determines the velocities that it follows from its position.
    fn following(mut self) -> FrameLayout {
        if let Some(on) = &self.on {
            let own = of_kind!(on.kind, K => K::follows(&self, on.nv));
            (self.first, self.len) = (on.iv + own.start, own.len());
        }
        self
    }

    /// The velocities that it follows, among all; none for the ground.
    #[inline]
    pub fn span(&self) -> std::ops::Range<usize> {
        self.first..self.first + self.len
    }

    /// Frame that carries everything fixed to this one.
    pub fn anchored(mut self) -> FrameLayout {
        match &self.on {
            Some(on) => self.r_b = of_kind!(on.kind, K => K::anchor(&self.r_b)),
            None => self.r_b = Vec3::zeros(),
        }
        self.following()
    }

    /// Its body; `None` for the ground.
    #[inline]
    pub fn body(&self) -> Option<usize> {
        self.on.as_ref().map(|on| on.body)
    }

    /// The first velocity that it follows, among those of its body.
    #[cfg(any(test, feature = "toys"))]
    pub fn offset(&self) -> usize {
        self.first - self.on.as_ref().map_or(0, |on| on.iv)
    }

    /// Coordinates of its body, given all.
    pub fn own_q<'q>(&self, q: &'q [f64]) -> &'q [f64] {
        &q[self.on.as_ref().map_or(0, |on| on.iq)..]
    }

    /// Velocities of its body, given all.
    pub fn own_v<'v>(&self, v: &'v [f64]) -> &'v [f64] {
        &v[self.on.as_ref().map_or(0, |on| on.iv)..]
    }

    /// Entries that change, with the configuration, in the row of its Jacobian that gives the velocity
    /// of the origin along a ground axis.
    pub fn varying(&self, axis: usize) -> Varying {
        self.on.as_ref().map_or(Varying::None, |on| of_kind!(on.kind, K => K::varying(axis)))
    }

    /// The frame at rest.
    fn still(&self) -> FrameKin {
        let at = if self.on.is_some() { Vec3::zeros() } else { self.r_b };
        FrameKin { p: at, arm: at, ..FrameKin::default() }
    }

    /// Pose of the frame at a configuration.
    pub fn at(&self, bodies: &[BodyLayout], q: &[f64]) -> FrameKin {
        let mut f = self.still();
        if let Some(on) = &self.on {
            let (b, mut at) = (&bodies[on.body], BodyKin::default());
            of_kind!(on.kind, K => {
                K::place(&q[b.iq..b.iq + b.nq], &mut at);
                K::place_frame(self, &at, q, &mut f);
            });
        }
        f
    }
}

/// Pose and motion of a frame.
#[derive(Debug, Clone, Copy)]
pub(crate) struct FrameKin {
    /// Origin, m.
    pub p: Vec3,
    /// Axes: frame components to ground components.
    pub axes: Mat3,
    /// Angle about z with its turns, if the body keeps it; 0 otherwise.
    pub turn: f64,
    /// Velocity of the origin, m/s.
    pub v: Vec3,
    /// Angular velocity, ground components, rad/s.
    pub w: Vec3,
    /// Acceleration of the origin at zero generalised acceleration.
    pub bias: Vec3,
    /// Angular acceleration at zero generalised acceleration.
    pub bias_w: Vec3,
    /// Origin from the mass centre, ground components.
    pub(in crate::system) arm: Vec3,
}

impl Default for FrameKin {
    fn default() -> Self {
        let zero = Vec3::zeros();
        let axes = Mat3::identity();
        FrameKin { p: zero, axes, turn: 0.0, v: zero, w: zero, bias: zero, bias_w: zero, arm: zero }
    }
}

impl FrameKin {
    /// (ẑ × arm)_k: velocity of the origin along x or y per unit of turning about z.
    #[inline]
    pub fn about_z(&self, axis: usize) -> f64 {
        if axis == 0 { -self.arm.y } else { self.arm.x }
    }
}

/// Kinematics of a system: bodies are for their kinds only, frames for everyone.
#[derive(Debug, Clone)]
pub(crate) struct Kin {
    pub(in crate::system) q: Vec<f64>,
    pub(in crate::system) v: Vec<f64>,
    bodies: Vec<BodyKin>,
    pub frames: Vec<FrameKin>,
}

impl Kin {
    pub fn new(bodies: &[BodyLayout], frames: &[FrameLayout]) -> Kin {
        Kin {
            q: vec![0.0; bodies.iter().map(|b| b.nq).sum()],
            v: vec![0.0; bodies.iter().map(|b| b.nv).sum()],
            bodies: vec![BodyKin::default(); bodies.len()],
            frames: frames.iter().map(FrameLayout::still).collect(),
        }
    }

    /// Bodies, then their frames.
    #[inline]
    pub fn place(&mut self, bodies: &[BodyLayout], frames: &[FrameLayout], q: &[f64]) {
        self.q.copy_from_slice(q);
        for (b, at) in bodies.iter().zip(&mut self.bodies) {
            let q = &q[b.iq..b.iq + b.nq];
            of_kind!(b.kind, K => K::place(q, at));
        }
        for (frame, f) in frames.iter().zip(&mut self.frames) {
            if let Some(on) = &frame.on {
                let at = &self.bodies[on.body];
                of_kind!(on.kind, K => K::place_frame(frame, at, q, f));
            }
        }
    }

    /// Velocities of bodies and frames; after `place`.
    #[inline]
    pub fn travel(&mut self, bodies: &[BodyLayout], frames: &[FrameLayout], v: &[f64]) {
        self.v.copy_from_slice(v);
        for (b, at) in bodies.iter().zip(&mut self.bodies) {
            let v = &v[b.iv..b.iv + b.nv];
            of_kind!(b.kind, K => K::travel(v, at));
        }
        for (frame, f) in frames.iter().zip(&mut self.frames) {
            if let Some(on) = &frame.on {
                let at = &self.bodies[on.body];
                of_kind!(on.kind, K => K::move_frame(frame, at, &self.q, v, f));
            }
        }
    }

    /// A body at the realised state.
    #[inline]
    pub fn here<'w>(&'w self, bodies: &'w [BodyLayout], body: usize) -> Here<'w> {
        Here { body: &bodies[body], at: &self.bodies[body], q: &self.q, v: &self.v }
    }

    /// Jacobian of a frame; `None` on the ground.
    #[inline]
    pub fn jac<'w>(
        &'w self,
        bodies: &'w [BodyLayout],
        frames: &'w [FrameLayout],
        frame: usize,
    ) -> Option<FrameJac<'w>> {
        let layout = &frames[frame];
        let on = layout.on.as_ref()?;
        Some(FrameJac { h: self.here(bodies, on.body), frame: layout, f: &self.frames[frame] })
    }

    /// Pose of a body, for tests.
    #[cfg(test)]
    pub fn body(&self, body: usize) -> &BodyKin {
        &self.bodies[body]
    }
}

/// A body at the realised state.
#[derive(Clone, Copy)]
pub(crate) struct Here<'w> {
    pub body: &'w BodyLayout,
    pub(super) at: &'w BodyKin,
    q: &'w [f64],
    v: &'w [f64],
}

impl Here<'_> {
    /// Coordinates of the body.
    pub(super) fn q(&self) -> &[f64] {
        &self.q[self.body.iq..]
    }

    /// Velocities of the body.
    pub(super) fn v(&self) -> &[f64] {
        &self.v[self.body.iv..]
    }
}

impl Here<'_> {
    /// Its part of M; zero before.
    pub fn mass(&self, block: &mut [f64]) {
        of_kind!(self.body.kind, K => K::mass(self, block));
    }

    /// Weight and all inertial forces; zero before.
    #[inline]
    pub fn force(&self, gravity: &Vec3, f: &mut [f64]) {
        of_kind!(self.body.kind, K => K::force(self, gravity, f));
    }

    /// ck ∂(M a − f)/∂ξ + cc ∂(M a − f)/∂v of the body alone, entry by entry.
    pub fn tangent(
        &self,
        gravity: &Vec3,
        a: &[f64],
        ck: f64,
        cc: f64,
        add: impl FnMut(usize, usize, f64),
    ) {
        let a = &a[self.body.span()];
        of_kind!(self.body.kind, K => K::tangent(self, gravity, a, ck, cc, add));
    }

    /// Kinetic energy, J.
    pub fn kinetic(&self) -> f64 {
        of_kind!(self.body.kind, K => K::kinetic(self))
    }

    /// Potential energy, J.
    pub fn potential(&self, gravity: &Vec3) -> f64 {
        of_kind!(self.body.kind, K => K::potential(self, gravity))
    }

    /// Power that its own damping dissipates, W.
    pub fn loss(&self) -> f64 {
        of_kind!(self.body.kind, K => K::loss(self))
    }
}

/// A frame that no element has, evaluated on demand: not for step loops.
pub(crate) struct Loose<'w> {
    h: Option<Here<'w>>,
    frame: FrameLayout,
    pub f: FrameKin,
}

impl<'w> Loose<'w> {
    /// A frame at the realised position.
    pub fn new(kin: &'w Kin, bodies: &'w [BodyLayout], frame: &Frame) -> Loose<'w> {
        let frame = FrameLayout::new(frame, bodies);
        let f = frame.at(bodies, &kin.q);
        Loose { h: frame.body().map(|b| kin.here(bodies, b)), frame, f }
    }

    /// Its Jacobian; `None` on the ground.
    pub fn jac(&self) -> Option<FrameJac<'_>> {
        self.h.map(|h| FrameJac { h, frame: &self.frame, f: &self.f })
    }
}
