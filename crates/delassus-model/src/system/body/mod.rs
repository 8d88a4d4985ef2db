//! Kinds of bodies: the only folder that knows what a body is made of.
//!
//! Everything else sees frames: their pose and motion ([`FrameKin`]), and how they follow the velocities of their
//! carrier ([`FrameJac`], with as many columns as that has). A kind is one file with one implementation of [`Kind`]; it
//! then works with every joint, force, sensor and contact, which its contract test shows (`contract.rs`).

/// Runs an expression with a kind of body as a type, without a call by pointer.
macro_rules! of_kind {
    ($kind:expr, $k:ident => $run:expr) => {
        match $kind {
            $crate::BodyKind::Planar => {
                type $k = $crate::system::body::planar::Planar;
                $run
            }
            $crate::BodyKind::Rigid => {
                type $k = $crate::system::body::rigid::Rigid;
                $run
            }
            $crate::BodyKind::Point => {
                type $k = $crate::system::body::point::Point;
                $run
            }
            $crate::BodyKind::PlanarPoint => {
                type $k = $crate::system::body::point::PlanarPoint;
                $run
            }
            $crate::BodyKind::Modal => {
                type $k = $crate::system::body::modal::Floating<$crate::system::body::rigid::Rigid>;
                $run
            }
            $crate::BodyKind::PlanarModal => {
                type $k =
                    $crate::system::body::modal::Floating<$crate::system::body::planar::Planar>;
                $run
            }
            #[cfg(any(test, feature = "toys"))]
            $crate::BodyKind::Telescope => {
                type $k = $crate::system::body::telescope::Telescope;
                $run
            }
            #[cfg(any(test, feature = "toys"))]
            $crate::BodyKind::Rope(_) => {
                type $k = $crate::system::body::rope::Rope;
                $run
            }
        }
    };
}

#[cfg(test)]
mod contract;
mod jacobian;
mod kin;
mod mass_points;
mod modal;
mod node;
mod planar;
mod point;
mod pose;
mod rigid;
#[cfg(any(test, feature = "toys"))]
mod rope;
#[cfg(any(test, feature = "toys"))]
mod telescope;

pub(crate) use jacobian::{FrameJac, Varying};
pub(crate) use kin::{BodyKin, BodyLayout, FrameKin, FrameLayout, Here, Kin, Loose};
pub use node::node_pose;
pub use pose::{Pose, PoseForm};
#[cfg(any(test, feature = "toys"))]
pub use rope::roping;
#[cfg(any(test, feature = "toys"))]
pub use telescope::telescoping;

use crate::spec::BodyType;
use crate::{Body, Flexible};
use delassus_dae::Block;
use delassus_linalg::MassShape;
use delassus_math::{Mat3, Quat, Vec3, so3};
use std::ops::Range;

/// Kind of body: which coordinates it has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum BodyKind {
    /// x, y, θ.
    Planar,
    /// ℝ³ × SO(3).
    Rigid,
    /// x, y, z.
    Point,
    /// x, y.
    PlanarPoint,
    /// ℝ³ × SO(3) and amplitudes of modes.
    Modal,
    /// x, y, θ and amplitudes of modes.
    PlanarModal,
    /// Rigid with a rod that slides along x; see `telescope.rs`.
    #[cfg(any(test, feature = "toys"))]
    Telescope,
    /// A number of nodes with elements between them; see `rope.rs`.
    #[cfg(any(test, feature = "toys"))]
    Rope(usize),
}

/// Kinds that model files may name.
const KINDS: [BodyKind; 6] = [
    BodyKind::Planar,
    BodyKind::Rigid,
    BodyKind::Point,
    BodyKind::PlanarPoint,
    BodyKind::Modal,
    BodyKind::PlanarModal,
];

/// Velocity and angular velocity (or a variation of them), ground components.
pub(crate) type Twist = [Vec3; 2];

/// What a kind of body provides.
///
/// Coordinates begin with those of the mass centre, or of another point that represents the body, and its orientation;
/// velocities with those of this point in ground components and the angular velocity in body components. A kind may
/// have any further ones after them.
pub(crate) trait Kind {
    /// Its word in model files.
    const NAME: &'static str;
    /// Its name in messages.
    const LABEL: &'static str;
    /// Fields of model files that have a meaning for it, among those that not all bodies have.
    const FIELDS: &'static [&'static str];
    /// It stays in the x-y plane.
    const PLANAR: bool;
    /// Its velocities of rotation, after those of translation; empty if it cannot turn.
    const ROTATION: Range<usize>;
    /// The columns of the Jacobian of a frame that may turn it; `None`: any. Where they are given, they are also the only
    /// velocities that inertia, its forces and a fixed wrench at a frame couple: M is diagonal beside them.
    const TURNING: Option<Range<usize>> = None;
    /// The form in which motion files store its pose.
    const POSE: PoseForm;
    /// Whether its mass matrix is independent of the configuration.
    const CONSTANT_MASS: bool = true;
    /// Whether all of its frames move as parts of one rigid body, or of a point.
    const ONE_PIECE: bool = true;
    /// Its coordinate that is an angle about z and counts turns, and the velocity that is its rate.
    const ANGLE: Option<usize> = None;

    /// Names of its coordinates and of its velocities.
    fn names(b: &Body) -> (Vec<String>, Vec<String>);
    /// Its part of the manifold.
    fn blocks(b: &Body) -> Vec<Block>;

    /// Writes the coordinates of a pose of the mass centre; coordinates beyond that are left unchanged.
    fn put(pose: &Pose, q: &mut [f64]);
    /// Orientation, and the angle about z with its turns if it is kept.
    fn turn(q: &[f64]) -> (Quat, f64);
    /// Computes its pose.
    fn place(q: &[f64], at: &mut BodyKin);
    /// Computes its motion; after `place`.
    fn travel(v: &[f64], at: &mut BodyKin);

    /// Which of its velocities are coupled by its inertia and by its own forces, as blocks: for a kind with many
    /// velocities each of which has few neighbours, so that its cost does not grow with their square. `None`: all with
    /// all.
    fn coupling(_b: &Body) -> Option<MassShape> {
        None
    }
    /// The velocities that a frame follows, among the `nv` of its body. Columns of its Jacobian count from the first of
    /// them. It depends on the frame, not on the configuration.
    fn follows(_frame: &FrameLayout, nv: usize) -> Range<usize> {
        0..nv
    }

    /// Point of the body whose frame carries what is fixed at `p` (body components, from the mass centre): if the whole
    /// body turns as one, its mass centre serves all.
    fn anchor(_p: &Vec3) -> Vec3 {
        Vec3::zeros()
    }
    /// Computes the pose of a frame.
    fn place_frame(frame: &FrameLayout, at: &BodyKin, q: &[f64], f: &mut FrameKin);
    /// Computes the motion of a frame; after `place_frame`.
    fn move_frame(frame: &FrameLayout, at: &BodyKin, q: &[f64], v: &[f64], f: &mut FrameKin);

    /// out += Jᵀ (lin, ang).
    fn transpose_mul(j: &FrameJac<'_>, lin: &Vec3, ang: &Vec3, out: &mut [f64]);
    /// out += Jᵀ (0, ang).
    #[inline]
    fn transpose_mul_turn(j: &FrameJac<'_>, ang: &Vec3, out: &mut [f64]) {
        Self::transpose_mul(j, &Vec3::zeros(), ang, out);
    }
    /// out += c times the row of J that gives the velocity of the origin along a ground axis.
    #[inline]
    fn transpose_mul_axis(j: &FrameJac<'_>, axis: usize, c: f64, out: &mut [f64]) {
        let mut lin = Vec3::zeros();
        lin[axis] = c;
        Self::transpose_mul(j, &lin, &Vec3::zeros(), out);
    }
    /// Which entries of that row change with the configuration.
    fn varying(_axis: usize) -> Varying {
        Varying::Many
    }
    /// Column k of J: twist per unit of velocity k.
    fn column(j: &FrameJac<'_>, k: usize) -> Twist;
    /// ∂(twist)/∂ξ_k at fixed velocities.
    fn drift(j: &FrameJac<'_>, k: usize) -> Twist;
    /// ∂(Jᵀ (lin, ang))/∂ξ at fixed (lin, ang), entry by entry.
    fn geometric(j: &FrameJac<'_>, lin: &Vec3, ang: &Vec3, add: impl FnMut(usize, usize, f64));

    /// Its part of M in the layout of [`Kind::coupling`], or column by column; zero before.
    fn mass(h: &Here<'_>, block: &mut [f64]);
    /// Weight and all inertial forces; zero before.
    fn force(h: &Here<'_>, gravity: &Vec3, f: &mut [f64]);
    /// Its own part of ck ∂(M a − f)/∂ξ + cc ∂(M a − f)/∂v, entry by entry; only between coupled velocities.
    fn tangent(
        h: &Here<'_>,
        gravity: &Vec3,
        a: &[f64],
        ck: f64,
        cc: f64,
        add: impl FnMut(usize, usize, f64),
    );
    /// Kinetic energy, J.
    fn kinetic(h: &Here<'_>) -> f64;
    /// Potential energy, J.
    fn potential(h: &Here<'_>, gravity: &Vec3) -> f64 {
        -(h.body.mass * gravity.dot(&h.at.x))
    }
    /// Power that its own damping dissipates, W.
    fn loss(_: &Here<'_>) -> f64 {
        0.0
    }

    /// Whether some rotation has no inertia, so that its block of M is singular.
    fn lacks_inertia(inertia: &Mat3) -> bool;
    /// Rotations without inertia: their names, and the velocities of which they consist.
    fn idle_rotations(inertia: &Mat3) -> Vec<(String, Vec<(usize, f64)>)>;
    /// The smallest real moment of inertia; `None` for bodies that cannot turn.
    fn least_inertia(inertia: &Mat3) -> Option<f64>;
}

impl BodyKind {
    /// Its word in model files.
    pub fn name(self) -> &'static str {
        of_kind!(self, K => K::NAME)
    }

    /// Its name in messages: "a planar body".
    pub fn label(self) -> &'static str {
        of_kind!(self, K => K::LABEL)
    }

    /// Confined to the x-y plane.
    pub fn is_planar(self) -> bool {
        of_kind!(self, K => K::PLANAR)
    }

    /// Whether it has an orientation.
    pub fn turns(self) -> bool {
        !self.rotation().is_empty()
    }

    /// The form in which motion files store its pose.
    pub fn pose_form(self) -> PoseForm {
        of_kind!(self, K => K::POSE)
    }

    /// Writes the coordinates of a pose of the mass centre.
    pub(crate) fn put(self, pose: &Pose, q: &mut [f64]) {
        of_kind!(self, K => K::put(pose, q));
    }

    /// Its velocities of rotation; those before are of translation.
    pub(crate) fn rotation(self) -> Range<usize> {
        of_kind!(self, K => K::ROTATION)
    }

    /// Fields of model files that not all bodies have.
    pub(crate) fn fields(self) -> &'static [&'static str] {
        of_kind!(self, K => K::FIELDS)
    }

    /// Rotations without inertia of a body with this inertia.
    pub(crate) fn idle_rotations(self, inertia: &Mat3) -> Vec<(String, Vec<(usize, f64)>)> {
        of_kind!(self, K => K::idle_rotations(inertia))
    }
}

impl From<BodyType> for BodyKind {
    fn from(t: BodyType) -> BodyKind {
        match t {
            // those of the nodes of a beam
            BodyType::Planar | BodyType::PlanarBeam => BodyKind::Planar,
            BodyType::Rigid | BodyType::Beam => BodyKind::Rigid,
            BodyType::Point => BodyKind::Point,
            BodyType::PlanarPoint => BodyKind::PlanarPoint,
            BodyType::Modal => BodyKind::Modal,
            BodyType::PlanarModal => BodyKind::PlanarModal,
        }
    }
}

impl std::str::FromStr for BodyKind {
    type Err = String;

    fn from_str(name: &str) -> Result<BodyKind, String> {
        let found = KINDS.into_iter().find(|k| k.name() == name);
        found.ok_or_else(|| format!("`{name}` is no kind of body"))
    }
}

impl Body {
    /// Numbers of coordinates and of velocities.
    fn sizes(&self) -> (usize, usize) {
        let of = |b: &Block| match b {
            Block::Vector(n) => (*n, *n),
            Block::So3 => (4, 3),
        };
        let add = |(q, v): (usize, usize), (x, y): (usize, usize)| (q + x, v + y);
        self.blocks().iter().map(of).fold((0, 0), add)
    }

    /// Number of coordinates.
    pub fn nq(&self) -> usize {
        self.sizes().0
    }

    /// Number of velocities.
    pub fn nv(&self) -> usize {
        self.sizes().1
    }

    /// Names of the coordinates.
    pub fn coordinate_names(&self) -> Vec<String> {
        of_kind!(self.kind, K => K::names(self)).0
    }

    /// Names of the velocities.
    pub fn velocity_names(&self) -> Vec<String> {
        of_kind!(self.kind, K => K::names(self)).1
    }

    pub(crate) fn blocks(&self) -> Vec<Block> {
        of_kind!(self.kind, K => K::blocks(self))
    }

    /// Orientation at the start: body components to ground components.
    pub fn start_rotation(&self) -> Mat3 {
        match self.kind.rotation().len() {
            0 => Mat3::identity(),
            1 => Quat::from_axis_angle(&Vec3::z(), self.angle).matrix(),
            _ => self.rotation.matrix(),
        }
    }

    /// Writes the coordinates at the start, as given.
    pub(crate) fn start(&self, q: &mut [f64]) {
        let p = self.position + self.start_rotation() * self.com;
        let pose = Pose { p, r: self.rotation, angle: self.angle };
        self.kind.put(&pose, q);
        if let Some(f) = &self.flexible {
            let first = q.len() - f.amplitudes.len();
            q[first..].copy_from_slice(&f.amplitudes);
        }
    }

    /// Orientation of one of its nodes at the start, or of the body frame: its components to ground components.
    pub fn start_rotation_of(&self, node: Option<usize>) -> Mat3 {
        self.start_rotation() * so3::exp(&self.start_turn_of(node))
    }

    /// Rotation vector of a node at the start, body components.
    pub(crate) fn start_turn_of(&self, node: Option<usize>) -> Vec3 {
        let of =
            |f: &Flexible| node.and_then(|k| f.modal.nodes.get(k)).map(|n| n.turn(&f.amplitudes));
        self.flexible.as_ref().and_then(|f| of(f)).unwrap_or_default()
    }

    /// Pose of the body frame, for coordinates of the body.
    pub fn pose(&self, q: &[f64]) -> Pose {
        pose_of(self.kind, &self.com, q)
    }
}

/// Pose of the frame of a body whose mass centre is at `com` in it.
pub fn pose_of(kind: BodyKind, com: &Vec3, q: &[f64]) -> Pose {
    let mut at = BodyKin::default();
    let (r, angle) = of_kind!(kind, K => {
        K::place(q, &mut at);
        K::turn(q)
    });
    Pose { p: at.x - at.r_wb * com, r, angle }
}

/// Names from words.
fn words(list: &[&str]) -> Vec<String> {
    list.iter().map(|x| (*x).to_owned()).collect()
}
