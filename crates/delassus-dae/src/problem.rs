//! [`Problem`]: the interface that a set of equations implements, and the staged access to it that methods use.

use crate::manifold::Manifold;
use crate::state::State;
use delassus_linalg::{Csr, KktError, MassShape, rank_tol};
use delassus_math::remember;

/// Sizes of a problem.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Dims {
    /// Coordinates.
    pub nq: usize,
    /// Velocities.
    pub nv: usize,
    /// Auxiliary states.
    pub nz: usize,
    /// Rows at position level; the first rows of G.
    pub n_pos: usize,
    /// Rows at velocity level, n_vel ≥ n_pos.
    pub n_vel: usize,
}

/// Sparsity, fixed for the life of a problem.
#[derive(Debug, Clone)]
pub struct Structure {
    /// Blocks of M, on the diagonal and between coupled ones, with the layout of its values.
    pub mass: MassShape,
    /// Pattern of G, n_vel × nv.
    pub jac: Csr,
    /// Pattern of K and C, with the diagonal and all entries of M that may differ from zero, nv × nv.
    pub tangent: Csr,
    /// M does not depend on q and t.
    pub constant_mass: bool,
    /// Fictitious inertia per velocity for massless coordinates; 0 elsewhere.
    pub mass_floor: Vec<f64>,
    /// Rows that are independent of each other and span all others, in ascending order;
    /// `None`: all rows. Methods solve with these; the multipliers of the others are zero.
    pub independent_rows: Option<Vec<usize>>,
    /// How certain that rank is.
    pub rank: RowRank,
}

/// The result of the rank decision, made once for the whole run.
#[derive(Debug, Clone, PartialEq)]
pub struct RowRank {
    /// Shortest combination of independent unit rows, with coefficients of unit norm.
    pub grip: f64,
    /// Rows that count as dependent are so only up to the tolerance, not up to rounding.
    pub almost: bool,
    /// Rows that yield where dependent rows contradict each other.
    pub yielding: Vec<usize>,
    /// Rows that follow from others in every position of the motion, and must hold in each.
    pub dependent: Vec<usize>,
}

impl Default for RowRank {
    fn default() -> RowRank {
        RowRank { grip: 1.0, almost: false, yielding: Vec::new(), dependent: Vec::new() }
    }
}

impl RowRank {
    /// Whether G M⁻¹ Gᵀ, in which lengths appear squared, is too inaccurate to represent the rows.
    pub fn is_delicate(&self) -> bool {
        self.almost || self.holds_by_a_thread()
    }

    /// Whether independent rows are almost dependent.
    pub fn holds_by_a_thread(&self) -> bool {
        self.grip < rank_tol::DELICATE
    }
}

impl Structure {
    /// Everything dense: right for small systems written by hand.
    pub fn dense(nv: usize, n_vel: usize) -> Structure {
        Structure {
            mass: MassShape::new(vec![nv]),
            jac: Csr::dense(n_vel, nv),
            tangent: Csr::dense(nv, nv),
            constant_mass: false,
            mass_floor: vec![0.0; nv],
            independent_rows: None,
            rank: RowRank::default(),
        }
    }

    /// Number of directions that the rows hold.
    pub fn held(&self) -> usize {
        self.independent_rows.as_ref().map_or(self.jac.nrows, Vec::len).min(self.jac.ncols)
    }
}

/// How auxiliary states, forces and their rates depend on each other, entry by entry: what a linearisation needs
/// beside K and C.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct StateSlopes {
    /// ∂f/∂z: (velocity, state, value).
    pub force_by_z: Vec<(usize, usize, f64)>,
    /// ∂ż/∂ξ: (state, velocity, value).
    pub rate_by_q: Vec<(usize, usize, f64)>,
    /// ∂ż/∂v: (state, velocity, value).
    pub rate_by_v: Vec<(usize, usize, f64)>,
    /// ∂ż/∂z: (state, state, value).
    pub rate_by_z: Vec<(usize, usize, f64)>,
}

/// Typical magnitudes, for error norms and thresholds that must not depend on units.
#[derive(Debug, Clone, PartialEq)]
pub struct Scales {
    /// Per velocity coordinate: typical size of the coordinate (model length, or 1 rad).
    pub q: Vec<f64>,
    /// Per row: typical size of the residual g (model length, or 1).
    pub row: Vec<f64>,
    /// Per auxiliary state: a relative error of this size is as bad as the same relative error of a coordinate; zero
    /// where it is not known before the motion, infinite for held states.
    pub z: Vec<f64>,
}

/// How good a tangent is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Quality {
    /// All terms.
    Exact,
    /// Some terms are left out; Newton converges more slowly.
    Approximate,
}

/// Kinetic and potential energy, J.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Energies {
    /// Kinetic.
    pub kinetic: f64,
    /// Potential.
    pub potential: f64,
}

/// Power that leaves and enters, W.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Power {
    /// Dissipated in dampers (≥ 0 for passive ones).
    pub dissipated: f64,
    /// Fed in by applied forces and prescribed motions.
    pub work: f64,
}
remember!(Power { dissipated, work });

/// Whether a problem depends explicitly on time, besides positions and velocities.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum TimeLaws {
    /// It does not.
    #[default]
    None,
    /// Only through functions of time.
    OfTime,
    /// Also through functions that read the state, which is held constant while they are examined.
    OfState,
}

/// What the functions of time of a problem do within an interval that a method may not see: their largest distance from
/// polynomials, in sizes of the coordinates.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Unseen {
    /// Of prescribed positions.
    pub position: f64,
    /// Of accelerations, divided by the pace of what they act on, 1/s.
    pub acceleration: f64,
}

/// A question about the functions of time of a problem.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TimeLook<'a> {
    /// The time interval, s.
    pub span: (f64, f64),
    /// Degree of the polynomials that a method can follow.
    pub degree: u32,
    /// Paces of the groups, 1/s.
    pub paces: &'a [f64],
    /// A cheap bound that may be far too large will do: from step to step it reuses what it knows of functions of time
    /// alone over a longer interval.
    pub rough: bool,
}

/// A part of the path of a step, and how closely it is examined.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Stretch {
    /// Its start, from 0 to 1.
    pub from: f64,
    /// Its end, from 0 to 1.
    pub to: f64,
    /// Number of equal pieces, each of which is compared with a polynomial of its own.
    pub pieces: f64,
    /// Degree of these polynomials.
    pub degree: u32,
    /// A result below this need not be determined more precisely.
    pub enough: f64,
}

/// A constrained mechanical system. See the crate head for the equations.
///
/// Values go into slices laid out by [`Structure`]; methods access these functions through [`at`], which keeps them
/// from reading what has not been computed.
pub trait Problem: Send + Sync {
    /// All scratch, sized once.
    type Ws: Send;
    /// Sizes.
    fn dims(&self) -> Dims;
    /// The configuration manifold.
    fn manifold(&self) -> &Manifold;
    /// Sparsity.
    fn structure(&self) -> &Structure;
    /// Typical magnitudes.
    fn scales(&self) -> Scales {
        let d = self.dims();
        Scales { q: vec![1.0; d.nv], row: vec![1.0; d.n_vel], z: vec![1.0; d.nz] }
    }
    /// Sizes of the coordinates if all groups had the size of the whole. Thresholds of contact are fractions of it,
    /// whichever bodies touch.
    fn wide_scales(&self) -> Vec<f64> {
        self.scales().q
    }
    /// The group of each velocity, then of each auxiliary state, numbered from zero. Groups never influence each other:
    /// no row, force or contact joins them. Errors and rates are measured for each group.
    fn groups(&self) -> Vec<usize> {
        let d = self.dims();
        vec![0; d.nv + d.nz]
    }
    /// Creates the scratch.
    fn workspace(&self) -> Self::Ws;
    /// Computes everything that depends only on t and q. Position-level functions may use z for what q cannot express
    /// (how many turns a joint has made) but must not vary with it otherwise.
    fn realize_position(&self, t: f64, q: &[f64], z: &[f64], ws: &mut Self::Ws);
    /// Computes everything that also depends on v and z; after `realize_position`.
    fn realize_velocity(&self, v: &[f64], z: &[f64], ws: &mut Self::Ws);
    /// Computes no more than [`Problem::residual_pos`] needs. Everything else counts as not realised.
    fn realize_places(&self, t: f64, q: &[f64], z: &[f64], ws: &mut Self::Ws) {
        self.realize_position(t, q, z, ws);
    }
    /// Computes no more than [`Problem::residual_vel`] needs; after `realize_position`.
    fn realize_rates(&self, v: &[f64], z: &[f64], ws: &mut Self::Ws) {
        self.realize_velocity(v, z, ws);
    }
    /// M, block by block in the layout of its shape.
    fn mass(&self, ws: &Self::Ws, out: &mut [f64]);
    /// g, n_pos entries.
    fn residual_pos(&self, ws: &Self::Ws, out: &mut [f64]);
    /// G on its pattern.
    fn jacobian(&self, ws: &Self::Ws, out: &mut [f64]);
    /// G v + g_t, n_vel entries.
    fn residual_vel(&self, ws: &Self::Ws, out: &mut [f64]);
    /// γ, n_vel entries.
    fn bias(&self, ws: &Self::Ws, out: &mut [f64]);
    /// f, nv entries.
    fn force(&self, ws: &Self::Ws, out: &mut [f64]);
    /// ż, nz entries.
    fn z_dot(&self, _ws: &Self::Ws, _out: &mut [f64]) {}
    /// values += ck K + cc C with r = M a − f − Gᵀλ, K = ∂r/∂ξ, C = ∂r/∂v.
    fn tangent(
        &self,
        ws: &Self::Ws,
        a: &[f64],
        lambda: &[f64],
        ck: f64,
        cc: f64,
        values: &mut [f64],
    ) -> Quality;
    /// Whether forces depend on z, and ż on q and v, as given by [`Problem::feedback`].
    fn feeds_back(&self) -> bool {
        false
    }
    /// values −= Σ ∂f/∂z_k (ck ∂ż_k/∂ξ + cc ∂ż_k/∂v) with [ck, cc] of each auxiliary state, on the pattern of K and C:
    /// the contribution to r of states that are eliminated by z = … + c ż.
    fn feedback(&self, _ws: &Self::Ws, _by: &[[f64; 2]], _values: &mut [f64]) {}
    /// Rate at which each auxiliary state relaxes, a = −∂ż/∂z ≥ 0, 1/s: nz entries. Implicit methods use it to
    /// eliminate z, so that it may be arbitrarily fast.
    fn relaxation(&self, _ws: &Self::Ws, out: &mut [f64]) {
        out.fill(0.0);
    }
    /// Adds the derivatives that join auxiliary states with forces and rates; states that no force follows need none.
    fn state_slopes(&self, _ws: &Self::Ws, _out: &mut StateSlopes) {}
    /// Hands on, entry by entry, what [`Problem::tangent`] leaves out of K for these multipliers, and says how good both are
    /// together, the tangent being of the given quality.
    fn left_out(
        &self,
        _ws: &Self::Ws,
        _lambda: &[f64],
        tangent: Quality,
        _add: &mut dyn FnMut(usize, usize, f64),
    ) -> Quality {
        tangent
    }
    /// Velocities that are components, along the axes of the ground, of one vector each; `None` for a component that is always
    /// zero. Rotations of the manifold are not among them.
    fn ground_vectors(&self) -> Vec<[Option<usize>; 3]> {
        Vec::new()
    }
    /// The fastest rotation among all whose angle is known only up to whole turns, rad/s, and its first velocity.
    fn spin(&self, v: &[f64]) -> (f64, usize) {
        self.manifold().fastest(v)
    }
    /// Sets auxiliary states that are known exactly from t and q, up to what q cannot express, to their exact values.
    /// `s` is the end of a step that turned nothing by half a turn or more.
    fn restore_known_states(&self, _s: &mut State) {}
    /// The auxiliary states from this index on are held: they change only between steps, from outside. Their rates are
    /// zero, and their scales infinite.
    fn held(&self) -> usize {
        self.dims().nz
    }
    /// Energies at the realised state, if the problem knows them.
    fn energies(&self, _ws: &Self::Ws) -> Option<Energies> {
        None
    }
    /// Power at the realised state; `None` when the system is conservative.
    fn power(&self, _ws: &Self::Ws, _lambda: &[f64]) -> Option<Power> {
        None
    }
    /// Whether it contains functions of time.
    fn time_laws(&self) -> TimeLaws {
        TimeLaws::None
    }
    /// Whether every function of time is smooth from a to b: no `if` or `abs` of it switches, no ramp begins or ends.
    /// State variables are taken from the realised state.
    fn smooth_in_time(&self, _ws: &mut Self::Ws, _a: f64, _b: f64) -> bool {
        true
    }
    /// How far functions of time are from polynomials. It bounds everything that happens there, however short.
    fn unseen_in_time(&self, _ws: &mut Self::Ws, _look: TimeLook<'_>) -> Unseen {
        Unseen::default()
    }
    /// The function of time that varies most beyond such polynomials, for messages.
    fn restless(&self, _ws: &mut Self::Ws, _a: f64, _b: f64) -> Option<String> {
        None
    }
    /// Whether there are laws that are more than polynomials of the state variables they read.
    fn state_laws(&self) -> bool {
        false
    }
    /// Records what such laws read, and how it changes, at the realised state with velocities v and accelerations a: at
    /// the start of a step, or at its end.
    fn take_down(&self, _ws: &mut Self::Ws, _v: &[f64], _a: &[f64], _end: bool) {}
    /// Spans the path of a step from t over h between the values recorded at its start and at its end, by polynomials
    /// with the values and rates of both.
    fn span_way(&self, _ws: &mut Self::Ws, _t: f64, _h: f64) {}
    /// The step is accepted: its end is the start of the next.
    fn keep_end(&self, _ws: &mut Self::Ws) {}
    /// By how much accelerations, in sizes of the coordinates and divided by the paces of their groups, may differ from
    /// polynomials in a part of the path because of such laws, 1/s; and whether none of them switches there.
    fn unseen_on_way(&self, _ws: &mut Self::Ws, _part: Stretch, _paces: &[f64]) -> (f64, bool) {
        (0.0, true)
    }
    /// Distance of what laws read at the realised state, at this part of the step, from the spanned path, relative to
    /// its change along the step.
    fn off_way(&self, _ws: &Self::Ws, _part: f64) -> f64 {
        0.0
    }
    /// The law that varies most on the path, for messages.
    fn restless_on_way(&self, _ws: &mut Self::Ws) -> Option<String> {
        None
    }
    /// Name of a constraint row for messages.
    fn row_name(&self, row: usize) -> String {
        format!("constraint {row}")
    }
    /// Name of a velocity coordinate for messages.
    fn dof_name(&self, dof: usize) -> String {
        format!("coordinate {dof}")
    }
}

/// Evaluates a problem at (t, q, z).
pub fn at<'a, P: Problem>(
    p: &'a P,
    ws: &'a mut P::Ws,
    t: f64,
    q: &[f64],
    z: &[f64],
) -> AtPos<'a, P> {
    p.realize_position(t, q, z, ws);
    AtPos { p, ws }
}

/// Position level: mass, g and G exist; forces do not, and asking for them does not compile.
pub struct AtPos<'a, P: Problem> {
    p: &'a P,
    ws: &'a mut P::Ws,
}

impl<'a, P: Problem> AtPos<'a, P> {
    /// M.
    pub fn mass(&self, out: &mut [f64]) {
        self.p.mass(self.ws, out);
    }
    /// g.
    pub fn residual_pos(&self, out: &mut [f64]) {
        self.p.residual_pos(self.ws, out);
    }
    /// G.
    pub fn jacobian(&self, out: &mut [f64]) {
        self.p.jacobian(self.ws, out);
    }
    /// Continues to velocity level.
    pub fn velocity(self, v: &[f64], z: &[f64]) -> AtVel<'a, P> {
        self.p.realize_velocity(v, z, self.ws);
        AtVel { p: self.p, ws: self.ws }
    }
}

/// Velocity level: everything exists.
pub struct AtVel<'a, P: Problem> {
    p: &'a P,
    ws: &'a mut P::Ws,
}

impl<'a, P: Problem> AtVel<'a, P> {
    /// The point that a projection left realised in `ws`.
    pub(crate) fn realized(p: &'a P, ws: &'a mut P::Ws) -> AtVel<'a, P> {
        AtVel { p, ws }
    }

    /// M.
    pub fn mass(&self, out: &mut [f64]) {
        self.p.mass(self.ws, out);
    }
    /// g.
    pub fn residual_pos(&self, out: &mut [f64]) {
        self.p.residual_pos(self.ws, out);
    }
    /// G.
    pub fn jacobian(&self, out: &mut [f64]) {
        self.p.jacobian(self.ws, out);
    }
    /// G v + g_t.
    pub fn residual_vel(&self, out: &mut [f64]) {
        self.p.residual_vel(self.ws, out);
    }
    /// γ.
    pub fn bias(&self, out: &mut [f64]) {
        self.p.bias(self.ws, out);
    }
    /// f.
    pub fn force(&self, out: &mut [f64]) {
        self.p.force(self.ws, out);
    }
    /// ż.
    pub fn z_dot(&self, out: &mut [f64]) {
        self.p.z_dot(self.ws, out);
    }
    /// values += ck K + cc C.
    pub fn tangent(
        &self,
        a: &[f64],
        lambda: &[f64],
        ck: f64,
        cc: f64,
        values: &mut [f64],
    ) -> Quality {
        self.p.tangent(self.ws, a, lambda, ck, cc, values)
    }
    /// Contribution of auxiliary states to the tangent.
    pub fn feedback(&self, by: &[[f64; 2]], values: &mut [f64]) {
        self.p.feedback(self.ws, by, values);
    }
    /// −∂ż/∂z.
    pub fn relaxation(&self, out: &mut [f64]) {
        self.p.relaxation(self.ws, out);
    }
    /// The same with other auxiliary states.
    pub fn with_z(self, v: &[f64], z: &[f64]) -> AtVel<'a, P> {
        self.p.realize_velocity(v, z, self.ws);
        self
    }
}

/// y += M x for values in the layout of `shape`.
pub fn mass_mul_add(shape: &MassShape, values: &[f64], x: &[f64], y: &mut [f64]) {
    shape.mul_add(values, x, y);
}

/// Slots of the mass values in a pattern that contains them all.
pub(crate) fn mass_slots(shape: &MassShape, pattern: &Csr) -> Result<Vec<usize>, KktError> {
    shape.slots(pattern)
}
