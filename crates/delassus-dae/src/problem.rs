//! [`Problem`]: what whoever has equations writes, and the staged access to it that methods use.

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
    /// Pattern of K and C (with the diagonal and all blocks of M), nv × nv.
    pub tangent: Csr,
    /// M does not depend on q and t.
    pub constant_mass: bool,
    /// Fictitious inertia per velocity for massless coordinates; 0 elsewhere.
    pub mass_floor: Vec<f64>,
    /// Rows that are independent of each other and span all others, in ascending order;
    /// `None`: all rows. Methods solve with these; the multipliers of the others are zero.
    pub independent_rows: Option<Vec<usize>>,
    /// How sure that rank is.
    pub rank: RowRank,
}

/// What was found when the rank of the rows was decided, once for the whole run.
#[derive(Debug, Clone, PartialEq)]
pub struct RowRank {
    /// Shortest combination of independent unit rows, with coefficients of unit norm.
    pub grip: f64,
    /// Rows that count as dependent are so up to the tolerance only, not up to rounding.
    pub almost: bool,
    /// Rows that give way where dependent rows contradict each other.
    pub yielding: Vec<usize>,
    /// Rows that follow from others in every position of the motion, and are to hold in each.
    pub dependent: Vec<usize>,
}

impl Default for RowRank {
    fn default() -> RowRank {
        RowRank { grip: 1.0, almost: false, yielding: Vec::new(), dependent: Vec::new() }
    }
}

impl RowRank {
    /// Whether G M⁻¹ Gᵀ, in which lengths appear squared, hides what the rows say.
    pub fn is_delicate(&self) -> bool {
        self.almost || self.holds_by_a_thread()
    }

    /// Whether independent rows are almost not.
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

/// Typical magnitudes, for error norms and thresholds that must not depend on units.
#[derive(Debug, Clone, PartialEq)]
pub struct Scales {
    /// Per velocity coordinate: typical size of the coordinate (model length, or 1 rad).
    pub q: Vec<f64>,
    /// Per row: typical size of the residual g (model length, or 1).
    pub row: Vec<f64>,
    /// Per auxiliary state: the size of which an error of a part is as bad as one of the same part
    /// of a coordinate; zero where none is known before the motion, infinite for what is held.
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
    /// Lost in dampers (≥ 0 for passive ones).
    pub dissipated: f64,
    /// Fed in by applied forces and prescribed motions.
    pub work: f64,
}
remember!(Power { dissipated, work });

/// Whether a problem depends on time by itself, beside positions and velocities.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum TimeLaws {
    /// It does not.
    #[default]
    None,
    /// Through functions of time alone.
    OfTime,
    /// Also through functions that read the state, which is held while they are looked at.
    OfState,
}

/// What the functions of time of a problem do within an interval that a method may not see: the
/// largest distance from what polynomials show, in sizes of the coordinates.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Unseen {
    /// Of prescribed positions.
    pub position: f64,
    /// Of accelerations, over the pace of what they act on, 1/s.
    pub acceleration: f64,
}

/// What is asked of the functions of time of a problem.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TimeLook<'a> {
    /// From when to when, s.
    pub span: (f64, f64),
    /// Degree of the polynomials that are seen.
    pub degree: u32,
    /// Paces of the groups, 1/s.
    pub paces: &'a [f64],
    /// A bound will do that may be larger by far and costs little: step after step it reuses what it knows of functions of
    /// time alone over a longer interval.
    pub rough: bool,
}

/// A part of the way of a step, and how closely it is looked at.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Stretch {
    /// Where it begins and ends, of 0 to 1.
    pub from: f64,
    /// See `from`.
    pub to: f64,
    /// Equal pieces of it, each of which is compared with a polynomial of its own.
    pub pieces: f64,
    /// Degree of these polynomials.
    pub degree: u32,
    /// It need not be known how much smaller it is than this.
    pub enough: f64,
}

/// A constrained mechanical system. See the crate head for the equations.
///
/// Values go into slices laid out by [`Structure`]; methods reach these functions through
/// [`at`], which keeps them from reading what has not been computed.
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
    /// Sizes of the coordinates if all groups were of one size, that of the whole. Thresholds of contact are parts of
    /// it, whichever bodies touch.
    fn wide_scales(&self) -> Vec<f64> {
        self.scales().q
    }
    /// The group of each velocity, then of each auxiliary state, numbered from zero. What is in one group can never
    /// be felt in another: no row, force or contact joins them. Errors and rates are measured group by group.
    fn groups(&self) -> Vec<usize> {
        let d = self.dims();
        vec![0; d.nv + d.nz]
    }
    /// Makes the scratch.
    fn workspace(&self) -> Self::Ws;
    /// Everything that depends on t and q only. Position-level functions may use z for what
    /// q cannot hold (how many turns a joint has made) but must not vary with it otherwise.
    fn realize_position(&self, t: f64, q: &[f64], z: &[f64], ws: &mut Self::Ws);
    /// Everything that depends on v and z too; after `realize_position`.
    fn realize_velocity(&self, v: &[f64], z: &[f64], ws: &mut Self::Ws);
    /// M, block by block as its shape says.
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
    /// Forces depend on z and ż on q and v, in a way that [`Problem::feedback`] tells.
    fn feeds_back(&self) -> bool {
        false
    }
    /// values −= Σ ∂f/∂z_k (ck ∂ż_k/∂ξ + cc ∂ż_k/∂v) with [ck, cc] of each auxiliary state, on the pattern of K and C:
    /// what those that are eliminated by z = … + c ż add to r.
    fn feedback(&self, _ws: &Self::Ws, _by: &[[f64; 2]], _values: &mut [f64]) {}
    /// How fast each auxiliary state forgets itself, a = −∂ż/∂z ≥ 0, 1/s: nz entries. Implicit methods eliminate z with
    /// it, so that it may be as fast as it likes.
    fn relaxation(&self, _ws: &Self::Ws, out: &mut [f64]) {
        out.fill(0.0);
    }
    /// The fastest turning of a velocity among all whose angle is known but for whole turns,
    /// rad/s, and its first velocity.
    fn spin(&self, v: &[f64]) -> (f64, usize) {
        self.manifold().fastest(v)
    }
    /// Sets auxiliary states that are known exactly from t and q, but for what q cannot hold, to
    /// their exact values. `s` is the end of a step that turned nothing by half a turn or more.
    fn restore_known_states(&self, _s: &mut State) {}
    /// The auxiliary states from this one on are held: they change between steps alone, from outside. Their
    /// rates are zero, and their scales infinite.
    fn held(&self) -> usize {
        self.dims().nz
    }
    /// Energies at the realised state, where the problem knows them.
    fn energies(&self, _ws: &Self::Ws) -> Option<Energies> {
        None
    }
    /// Power at the realised state; `None` when the system is conservative.
    fn power(&self, _ws: &Self::Ws, _lambda: &[f64]) -> Option<Power> {
        None
    }
    /// Whether functions of time act in it.
    fn time_laws(&self) -> TimeLaws {
        TimeLaws::None
    }
    /// Whether every function of time is smooth from a to b: no `if` or `abs` of it switches, no
    /// ramp begins or ends. What reads the state reads that which is realised.
    fn smooth_in_time(&self, _ws: &mut Self::Ws, _a: f64, _b: f64) -> bool {
        true
    }
    /// What functions of time do that polynomials do not show. It bounds all that happens there, however short.
    fn unseen_in_time(&self, _ws: &mut Self::Ws, _look: TimeLook<'_>) -> Unseen {
        Unseen::default()
    }
    /// The function of time that varies most beyond such polynomials, for messages.
    fn restless(&self, _ws: &mut Self::Ws, _a: f64, _b: f64) -> Option<String> {
        None
    }
    /// Whether laws act that are more than polynomials of what they read of the state.
    fn state_laws(&self) -> bool {
        false
    }
    /// Takes down what such laws read, and how it changes, at the realised state with velocities v and
    /// accelerations a: at the start of a step, or at its end.
    fn take_down(&self, _ws: &mut Self::Ws, _v: &[f64], _a: &[f64], _end: bool) {}
    /// A step from t over h leads from what was taken down at its start to that at its end, by
    /// polynomials with the values and rates of both.
    fn span_way(&self, _ws: &mut Self::Ws, _t: f64, _h: f64) {}
    /// The step is made: its end is the start of the next.
    fn keep_end(&self, _ws: &mut Self::Ws) {}
    /// By how much accelerations, in sizes of the coordinates and over the paces of their groups, may differ from
    /// polynomials in a part of the way, by such laws, 1/s; and whether none of them switches there.
    fn unseen_on_way(&self, _ws: &mut Self::Ws, _part: Stretch, _paces: &[f64]) -> (f64, bool) {
        (0.0, true)
    }
    /// How far what laws read at the realised state, at this part of the step, is from the way that was
    /// spanned, in what it goes along the step.
    fn off_way(&self, _ws: &Self::Ws, _part: f64) -> f64 {
        0.0
    }
    /// The law that varies most on the way, for messages.
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
    /// Goes on to velocity level.
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
    /// Part of auxiliary states in the tangent.
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

/// y += M x for values laid out by `shape`.
pub fn mass_mul_add(shape: &MassShape, values: &[f64], x: &[f64], y: &mut [f64]) {
    shape.mul_add(values, x, y);
}

/// Slots of the mass values in a pattern that holds them all.
pub(crate) fn mass_slots(shape: &MassShape, pattern: &Csr) -> Result<Vec<usize>, KktError> {
    shape.slots(pattern)
}
