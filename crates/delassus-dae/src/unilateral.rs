//! [`Unilateral`]: the interface of a system with one-sided constraints and friction.
//!
//! A *point* is one place where an interaction may act: a contact point of two shapes, a stop of
//! a joint, a rope, a one-way clutch, dry friction in a joint. It has a normal row and tangential
//! rows, which are like rows of G, and a law.
//!
//! ```text
//! gap g_N(q,t) ≥ 0,  u_N = H_N v + g_t,  u_T = H_T v + …        u̇ = H a + bias
//! M a = f + Gᵀλ + H_Nᵀ r_N + H_Tᵀ r_T                            r acts along +H, as λ along +G
//! 0 ≤ g_N ⊥ r_N ≥ 0       |r_T| ≤ μ r_N,  r_T against u_T when it slips
//! ```

use crate::compliance::Compliance;
use crate::friction_law::FrictionLaw;
use crate::problem::Problem;
use delassus_math::remember;
use thiserror::Error;

/// One place where an interaction may act; the order of ids is the order of results.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PointId {
    /// Pair of shapes, or other interaction.
    pub pair: u64,
    /// Which of its points.
    pub slot: u32,
}
remember!(PointId { pair, slot });

/// How an approach rebounds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Restitution {
    /// Coefficient e, 0 to 1.
    pub e: f64,
    /// The quantity it multiplies.
    pub law: RestitutionLaw,
}

/// The quantity that the coefficient of restitution multiplies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum RestitutionLaw {
    /// Velocities: u_N⁺ = −e u_N⁻ (Newton; Moreau where several points take part).
    #[default]
    Newton,
    /// Impulses: that of restitution is e times that of compression.
    Poisson,
    /// Work: that of restitution is −e² that of compression (Stronge).
    Energetic,
}

/// The law of a point.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum PointLaw {
    /// A gap that must not become negative; row 0 is the normal, then the tangential rows.
    Contact {
        /// Sliding friction, 0 for none.
        mu: f64,
        /// Friction that must be overcome to start sliding, ≥ `mu`.
        mu_static: f64,
        /// Bounce.
        restitution: Restitution,
        /// Tangential rows: 0, 1 (plane) or 2.
        tangential: usize,
    },
    /// A gap that may become negative, with a force that depends on depth and rate
    /// ([`Unilateral::compliance`]); row 0 is the normal.
    Compliant,
    /// A rate that must not become negative (one-way clutch); row 0 is the rate.
    OneWay,
    /// Friction with known bounds (dry friction in a joint); row 0 is the rate it acts against.
    DryFriction {
        /// Force while it slides.
        bound: f64,
        /// Force that must be overcome to start, ≥ `bound`.
        bound_static: f64,
    },
}

impl PointLaw {
    /// Rows of a point.
    pub fn rows(&self) -> usize {
        match self {
            PointLaw::Contact { tangential, .. } => 1 + tangential,
            PointLaw::Compliant | PointLaw::OneWay | PointLaw::DryFriction { .. } => 1,
        }
    }

    /// Has a gap.
    pub fn has_gap(&self) -> bool {
        matches!(self, PointLaw::Contact { .. } | PointLaw::Compliant)
    }

    /// Has friction.
    pub fn is_rough(&self) -> bool {
        match self {
            PointLaw::Contact { mu, mu_static, tangential, .. } => {
                *tangential > 0 && mu.max(*mu_static) > 0.0
            }
            PointLaw::Compliant | PointLaw::OneWay => false,
            PointLaw::DryFriction { .. } => true,
        }
    }
}

/// Kinematics of one point; buffers are reused.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ContactPoint {
    /// Gap, m (rad); negative is penetration. 0 for laws without a gap.
    pub gap: f64,
    /// Parts of the two shapes that face each other.
    pub features: [u32; 2],
    /// Velocity coordinates of its rows, ascending.
    pub cols: Vec<usize>,
    /// H: gradients on `cols`, [`PointLaw::rows`] of them are used.
    pub rows: [Vec<f64>; 3],
    /// u = H v + (rates of prescribed motion), after [`Unilateral::rates`].
    pub rate: [f64; 3],
    /// u̇ = H a + bias.
    pub bias: [f64; 3],
    /// Where it acts, ground components, for drawings.
    pub at: [f64; 3],
    /// Normal in ground components, for drawings; zero where there is none.
    pub normal: [f64; 3],
    /// First tangent in ground components, where there are two; the second is perpendicular to it and to the normal.
    pub tangent: [f64; 3],
    /// Rate at which two tangents turn about the normal beyond the mean of both bodies, rad/s.
    pub turning: f64,
}

impl ContactPoint {
    /// Tangential acceleration along d for accelerations a of the coordinates.
    pub fn acceleration_along(&self, d: [f64; 2], a: &[f64]) -> f64 {
        (0..2).map(|i| d[i] * (self.row_dot(1 + i, a) + self.bias[1 + i])).sum()
    }

    /// H_k · x.
    pub fn row_dot(&self, k: usize, x: &[f64]) -> f64 {
        let (cols, row) = (&self.cols[..], &self.rows[k][..]);
        // two rigid bodies: ascending columns, so that each half is contiguous
        if let (Ok(row), Ok(cols)) = (<&[f64; 12]>::try_from(row), <&[usize; 12]>::try_from(cols))
            && cols[5] == cols[0] + 5
            && cols[11] == cols[6] + 5
            && let (Some(a), Some(b)) = (x.get(cols[0]..cols[0] + 6), x.get(cols[6]..cols[6] + 6))
        {
            // sums side by side: the compiler must not reorder a single one
            let mut sum = [0.0; 6];
            for i in 0..6 {
                sum[i] = row[i] * a[i] + row[6 + i] * b[i];
            }
            return (sum[0] + sum[2] + sum[4]) + (sum[1] + sum[3] + sum[5]);
        }
        cols.iter().zip(row).map(|(c, h)| h * x[*c]).sum()
    }

    /// f += c H_kᵀ.
    pub fn add_row(&self, k: usize, c: f64, f: &mut [f64]) {
        for (col, h) in self.cols.iter().zip(&self.rows[k]) {
            f[*col] += c * h;
        }
    }
}

/// Friction at a point of compliant contact.
#[derive(Debug, Clone, Copy)]
pub struct PressedFriction<'a> {
    /// The law.
    pub law: &'a dyn FrictionLaw,
    /// Tangential rows: 1 (plane) or 2.
    pub directions: usize,
    /// First auxiliary state of its bristles, one for each direction, where the law has them.
    pub bristle: Option<usize>,
}

impl PressedFriction<'_> {
    /// Deflection of its bristles among the auxiliary states.
    pub fn deflection(&self, z: &[f64]) -> [f64; 2] {
        let Some(first) = self.bristle else { return [0.0; 2] };
        [z[first], if self.directions > 1 { z[first + 1] } else { 0.0 }]
    }

    /// Sliding velocity at its kinematics, m/s.
    pub fn slip(&self, at: &ContactPoint) -> [f64; 2] {
        [at.rate[1], if self.directions > 1 { at.rate[2] } else { 0.0 }]
    }
}

/// More pairs or points are near each other at a time than is allowed, or than there is memory for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("more than {most} {} are near each other", .what.name())]
pub struct Crowded {
    /// What there are too many of.
    pub what: Crowd,
    /// The allowed number.
    pub most: usize,
    /// One of those in the middle of the list, where there is a list.
    pub example: Option<PointId>,
}

/// What there may be too many of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Crowd {
    /// Pairs of shapes.
    Pairs,
    /// Points where interactions may act.
    Points,
}

impl Crowd {
    /// In words, plural.
    pub fn name(self) -> &'static str {
        match self {
            Crowd::Pairs => "pairs of shapes",
            Crowd::Points => "points of contact",
        }
    }

    /// Approximate memory of one, bytes.
    pub fn bytes(self) -> usize {
        match self {
            Crowd::Pairs => 32,
            Crowd::Points => 1024,
        }
    }

    /// Name of its limit.
    pub fn limit(self) -> &'static str {
        match self {
            Crowd::Pairs => "contact-pairs",
            Crowd::Points => "contact-points",
        }
    }
}

impl Crowded {
    /// Too many points, with some of them.
    pub fn points(most: usize, some: &[PointId]) -> Crowded {
        Crowded { what: Crowd::Points, most, example: some.get(some.len() / 2).copied() }
    }
}

/// Gap, as a fraction of a typical length, below which a point of a one-sided wall is behind it: above what a start may
/// be off by rounding (1e-6) and the penetration that time-stepping allows (5e-6).
pub const BEHIND: f64 = 2e-5;

/// A problem with one-sided constraints. Its own rows (g, G) stay two-sided.
///
/// A point is evaluated with the workspace realised: [`Unilateral::position`] after
/// `realize_position`, [`Unilateral::rates`] after `realize_velocity`.
pub trait Unilateral: Problem {
    /// Ids of all points whose gap may be below `margin` (m, see [`Unilateral::gap_per_metre`]) at the realised
    /// position, ascending, and always those without a gap. With an infinite margin: all of them.
    fn near(&self, ws: &Self::Ws, margin: f64, out: &mut Vec<PointId>);

    /// The same, if there are at most `most` of them; more cost neither time nor memory. After an error `out` contains
    /// some of them.
    fn near_at_most(
        &self,
        ws: &Self::Ws,
        margin: f64,
        most: usize,
        out: &mut Vec<PointId>,
    ) -> Result<(), Crowded> {
        self.near(ws, margin, out);
        if out.len() > most { Err(Crowded::points(most, out)) } else { Ok(()) }
    }

    /// Largest number of points that may be near at a time.
    fn most_points(&self) -> usize {
        usize::MAX
    }

    /// The law of a point.
    fn law(&self, point: PointId) -> PointLaw;

    /// Name of the interaction of a point, for messages and the event log.
    fn point_name(&self, point: PointId) -> String;

    /// Velocity coordinates that the rows of a point can involve, ascending; fixed.
    fn columns(&self, point: PointId, out: &mut Vec<usize>);

    /// Gap, features and rows at the realised position. With `keep`, the gap is that between these features, also a
    /// little beyond their borders, where it continues smoothly. Without it, the gap is that between the features that
    /// face each other now; `before` is kept where both are as good. False if the point does not exist at present (the
    /// shapes do not face each other there).
    fn position(
        &self,
        ws: &Self::Ws,
        point: PointId,
        keep: bool,
        before: Option<[u32; 2]>,
        out: &mut ContactPoint,
    ) -> bool;

    /// The gap alone, as [`Unilateral::position`] gives it up to rounding; `None` if the point does not exist at
    /// present, and for laws without a gap. `scratch` is overwritten.
    fn gap(
        &self,
        ws: &Self::Ws,
        point: PointId,
        before: Option<[u32; 2]>,
        scratch: &mut ContactPoint,
    ) -> Option<f64> {
        (self.law(point).has_gap() && self.position(ws, point, false, before, scratch))
            .then_some(scratch.gap)
    }

    /// Rates and biases at the realised velocities, for a point that [`Unilateral::position`]
    /// filled at the same position.
    fn rates(&self, ws: &Self::Ws, point: PointId, out: &mut ContactPoint);

    /// [`Unilateral::position`] without `keep`, and [`Unilateral::rates`], in one call.
    fn evaluate(
        &self,
        ws: &Self::Ws,
        point: PointId,
        before: Option<[u32; 2]>,
        out: &mut ContactPoint,
    ) -> bool {
        let has_meaning = self.position(ws, point, false, before, out);
        if has_meaning {
            self.rates(ws, point, out);
        }
        has_meaning
    }

    /// [`Unilateral::position`] without `keep`, of which only the gap, `cols` and row 0 are needed; the other entries
    /// are undefined.
    fn normal(
        &self,
        ws: &Self::Ws,
        point: PointId,
        before: Option<[u32; 2]>,
        out: &mut ContactPoint,
    ) -> bool {
        self.position(ws, point, false, before, out)
    }

    /// How far the features of the point are from handing over to their neighbours: positive
    /// inside, crossing zero at the change. Infinite where they never change.
    fn feature_margin(&self, _ws: &Self::Ws, _point: PointId, _at: &ContactPoint) -> f64 {
        f64::INFINITY
    }

    /// Whether the parts that meet at a point may end or hand over to others, so that bodies may pass each other there
    /// although the gap of the point closes by its rate.
    fn can_pass(&self, _point: PointId) -> bool {
        false
    }

    /// Size of the smaller of the two parts that meet at a point, m: a motion of more than a tenth of it may pass
    /// through unnoticed. Infinite if nothing can be passed.
    fn finest(&self, _point: PointId) -> f64 {
        f64::INFINITY
    }

    /// Whether one side of a point is a wall that lets bodies pass from behind: the point acts only after its gap has
    /// been at least −[`BEHIND`] times [`Unilateral::length`] once.
    fn one_sided(&self, _point: PointId) -> bool {
        false
    }

    /// For the pair of a point at the realised state: a lower bound of the gaps of all its points where it is positive,
    /// m (otherwise it says nothing), and an upper bound of the speed at which any part of one side moves past the
    /// other, m/s. −∞ and ∞ where no bound is known.
    fn approach(&self, _ws: &Self::Ws, _point: PointId) -> (f64, f64) {
        (f64::NEG_INFINITY, f64::INFINITY)
    }

    /// A lower bound of the gap of one point at the realised position, m, cheaper than the gap; −∞ if none is known.
    fn clearance(&self, _ws: &Self::Ws, _point: PointId) -> f64 {
        f64::NEG_INFINITY
    }

    /// A typical length of the system, m: thresholds of gaps are fractions of it.
    fn length(&self) -> f64 {
        1.0
    }

    /// The equivalent of a metre in the unit of the gap of a point: 1 if that is a length, one over
    /// [`Unilateral::length`] if it is an angle. Thresholds of gaps and rates are given in metres and multiplied by
    /// this: an angle of a mechanism of 1 mm is no smaller than that of one of 100 m.
    fn gap_per_metre(&self, _point: PointId) -> f64 {
        1.0
    }

    /// Law and start of a point that is [`PointLaw::Compliant`]; `None` for all others.
    fn compliance(&self, _point: PointId) -> Option<&Compliance> {
        None
    }

    /// Stiffness of a compliant point that touches with these features, N/mⁿ.
    fn stiffness(&self, _point: PointId, _features: [u32; 2]) -> f64 {
        0.0
    }

    /// Friction of a point that is [`PointLaw::Compliant`]; its tangential rows follow the normal. `None` if it has
    /// none, and for all others.
    fn pressed_friction(&self, _point: PointId) -> Option<PressedFriction<'_>> {
        None
    }

    /// Coefficient of sliding friction at a speed, m/s, and its slope, s/m, of a point that is [`PointLaw::Contact`];
    /// bound and slope of one that is [`PointLaw::DryFriction`]. `None` if it does not depend on the speed.
    fn sliding_friction(&self, _point: PointId, _speed: f64) -> Option<(f64, f64)> {
        None
    }

    /// The law of a point at its rates: with the friction at its speed, where that matters.
    fn law_at(&self, point: PointId, rate: &[f64; 3]) -> PointLaw {
        let law = self.law(point);
        let at = |speed: f64| self.sliding_friction(point, speed).map(|(size, _)| size);
        match law {
            PointLaw::Contact { mu_static, restitution, tangential, .. } if tangential > 0 => {
                let speed = if tangential > 1 { rate[1].hypot(rate[2]) } else { rate[1].abs() };
                at(speed).map_or(law, |mu| PointLaw::Contact {
                    mu,
                    mu_static,
                    restitution,
                    tangential,
                })
            }
            PointLaw::DryFriction { bound_static, .. } => {
                at(rate[0].abs()).map_or(law, |bound| PointLaw::DryFriction { bound, bound_static })
            }
            _ => law,
        }
    }

    /// ∂H/∂ξ of row k as [`Unilateral::gap_hessian`] gives it for the normal.
    fn row_hessian(
        &self,
        ws: &Self::Ws,
        point: PointId,
        at: &ContactPoint,
        k: usize,
        out: &mut [f64],
    ) -> bool {
        k == 0 && self.gap_hessian(ws, point, at, out)
    }

    /// ∂H_N/∂ξ at the realised position, of a point that [`Unilateral::position`] filled there: entry (i, j) is the
    /// change of row 0 at column i along coordinate j, row by row, on the columns of the point. False, with the output
    /// unchanged, if it is not known.
    fn gap_hessian(
        &self,
        _ws: &Self::Ws,
        _point: PointId,
        _at: &ContactPoint,
        _out: &mut [f64],
    ) -> bool {
        false
    }

    /// Whether multiple impacts are resolved one after another (by falling approach speed) instead of all at once.
    fn sequential_impacts(&self) -> bool {
        false
    }
}
