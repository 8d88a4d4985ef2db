//! The jump of the velocity when points meet.
//!
//! ```text
//! v⁺ = v⁻ + A⁻¹Hᵀ P,  u⁺ = u⁻ + W P        joints are inside A⁻¹ and take their own impulses
//! ```
//!
//! Bodies that are connected neither by joints nor by touching points are independent of each other: every group
//! (`groups.rs`) is an impact of its own, with its own laws and its own energy check. Within a group:
//!
//! - `moreau`: Newton's law for all points at once, 0 ≤ P_N ⊥ u_N⁺ + e u_N⁻ ≥ 0.
//! - `poisson`: compression, then restitution; points with Newton's law among them end it with their
//!   own condition.
//! - `energetic`: one point, with the work of the normal force (Stronge).
//! - `sequential`: one point after another, by decreasing approach speed, each by the law it names.
//!
//! The energy of every impact is checked: for e ≤ 1 no group may leave with more kinetic energy than it had. The known
//! laws do not guarantee that with friction or different coefficients (Kane's example). Nor do they guarantee a
//! solution: where friction locks a linkage, or two stops face each other, nothing can leave as Newton's law requires,
//! and bounces one by one never end; close to such cases, impulses grow without bound. Without restitution there is
//! always a solution as long as nothing is driven. So if a law has none, or gains energy, the restitution of its group
//! is reduced by as little as necessary, which is reported in [`Impact::reduced`].

mod energetic;
mod moreau;
mod poisson;
mod sequential;
mod shared;
mod slip;
mod swerve;

use crate::even;
use crate::response::Response;
use delassus_cone as cone;
use delassus_dae::{PointId, PointLaw, RestitutionLaw};
use delassus_math::largest;
use thiserror::Error;

/// A jump of the velocity.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Impact {
    /// Impulses, row by row of the response.
    pub impulse: Vec<f64>,
    /// u⁻.
    pub before: Vec<f64>,
    /// u⁺.
    pub after: Vec<f64>,
    /// Kinetic energy after minus before, J.
    pub energy: f64,
    /// Smallest factor on coefficients of restitution; 1 if all laws were kept.
    pub softened: f64,
    /// Where the law of the user was not kept.
    pub reduced: Vec<Reduced>,
}

/// Points of one group whose coefficients of restitution were reduced.
#[derive(Debug, Clone, PartialEq)]
pub struct Reduced {
    /// Those of them that approached and have a coefficient.
    pub points: Vec<PointId>,
    /// Factor on all coefficients of the group, the largest with a solution that does not gain energy.
    pub factor: f64,
}

/// Why there is no jump.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum ImpactError {
    /// The laws could not be satisfied.
    #[error("no impulses fulfil the laws of impact at {} points ({status})", points.len())]
    NoSolution {
        /// Points that take part.
        points: Vec<PointId>,
        /// What the solver said.
        status: String,
    },
    /// They are connected at more points than are searched for impulses.
    #[error("impulses at {} points that hang together are not searched for", points.len())]
    TooLarge {
        /// Points that take part.
        points: Vec<PointId>,
    },
}

/// Residual at which impulses are accepted, relative.
const RESIDUAL: f64 = 1e-10;
/// Growth of the kinetic energy that is round-off, relative to what the impulses move.
const ROUND_OFF: f64 = 1e-13;
/// Bisections of the factor on restitution; each may be an attempt that fails after much work.
const HALVINGS: u32 = 20;
/// How much larger impulses may be than what it takes to stop the least mass that points share: friction that is about
/// to lock a motion would increase them without limit.
const LARGEST: f64 = 1e3;
/// Fraction of its own diagonal below which the remainder of a row counts as zero.
const DEPENDENT: f64 = 1e-9;
/// Compliance, relative to the diagonal of W, with which a problem without a unique solution is tried again, and the
/// residual that it may leave.
const COMPLIANCE: f64 = 1e-10;
const COMPLIANT_RESIDUAL: f64 = 1e-8;

/// Points that meet in one group, with the part of W that belongs to them.
struct Meeting {
    points: Vec<Meets>,
    /// Row of the response for each row.
    rows: Vec<usize>,
    /// The equivalent of a metre in the unit of each row.
    per_metre: Vec<f64>,
    w: Vec<f64>,
    n: usize,
    /// Its rows depend on each other, and how the points share impulses affects the motion.
    shares: bool,
    /// Largest impulse that can be explained by the approach, relative to it, both in the metric of W.
    largest: f64,
}

/// One of them.
struct Meets {
    id: PointId,
    law: PointLaw,
    /// Its first row in the meeting.
    row: usize,
}

impl Meeting {
    /// The members with number `group` in `of_group`; dry friction has no impulse and is not included.
    fn new(r: &Response, of_group: &[usize], group: usize) -> Meeting {
        let mut meeting = Meeting {
            points: Vec::new(),
            rows: Vec::new(),
            per_metre: Vec::new(),
            w: Vec::new(),
            n: 0,
            shares: false,
            largest: 0.0,
        };
        for (m, g) in r.members.iter().zip(of_group) {
            if *g == group && has_impulse(&m.law) {
                meeting.points.push(Meets { id: m.id, law: m.law, row: meeting.rows.len() });
                meeting.rows.extend(m.row..m.row + m.law.rows());
                meeting.per_metre.resize(meeting.rows.len(), m.per_metre);
            }
        }
        let rows = &meeting.rows;
        meeting.n = rows.len();
        meeting.w = rows.iter().flat_map(|i| rows.iter().map(|j| r.w[*i * r.n + *j])).collect();
        meeting.shares = meeting.points.iter().any(|m| shared::has_shares(&m.law))
            && even::is_redundant(&meeting.w, meeting.n, &mut even::Scratch::default());
        meeting.largest = LARGEST / weakest_pivot(&meeting.w, meeting.n);
        meeting
    }

    /// u += W P.
    fn add_product(&self, p: &[f64], u: &mut [f64]) {
        for (u, row) in u.iter_mut().zip(self.w.chunks_exact(self.n)) {
            *u += row.iter().zip(p).map(|(w, p)| w * p).sum::<f64>();
        }
    }

    /// √W_ii.
    fn root(&self, i: usize) -> f64 {
        self.w[i * (self.n + 1)].max(0.0).sqrt()
    }

    /// Largest impulse, in the metric of W, that can be explained by these rates.
    fn most(&self, before: &[f64]) -> f64 {
        let sizes = before.iter().enumerate().map(|(i, u)| (u.abs(), self.root(i)));
        self.largest * largest(sizes.filter(|s| s.1 > 0.0).map(|(u, root)| u / root))
    }

    /// Whether impulses can be explained by the approach; NaN cannot.
    fn is_bounded(&self, p: &[f64], before: &[f64]) -> bool {
        largest(p.iter().enumerate().map(|(i, p)| p.abs() * self.root(i))) <= self.most(before)
    }

    /// Impulses by the laws, if they can be explained by the approach.
    fn attempt(
        &self,
        before: &[f64],
        one_by_one: bool,
        factor: f64,
        ws: &mut cone::Workspace,
    ) -> Result<Vec<f64>, ImpactError> {
        let p = by_law(self, before, one_by_one, factor, ws)?;
        if self.is_bounded(&p, before) {
            return Ok(p);
        }
        Err(self.none("impulses without bound"))
    }

    /// Impulses without restitution: the problem of all points at once may have several solutions, and a solver may
    /// find unbounded ones; point by point there is another.
    fn without_restitution(
        &self,
        before: &[f64],
        one_by_one: bool,
        ws: &mut cone::Workspace,
    ) -> Result<Vec<f64>, ImpactError> {
        self.attempt(before, one_by_one, 0.0, ws)
            .or_else(|e| if one_by_one { Err(e) } else { self.attempt(before, true, 0.0, ws) })
    }

    /// The error that the laws of these points have no solution.
    fn none(&self, status: &str) -> ImpactError {
        ImpactError::NoSolution {
            points: self.points.iter().map(|m| m.id).collect(),
            status: status.to_owned(),
        }
    }

    /// No point bounces with coefficients times `factor`.
    fn is_plastic(&self, factor: f64) -> bool {
        self.points.iter().all(|m| factor * coefficient(&m.law) == 0.0)
    }

    /// Impulses, and the factor on restitution that keeps the energy from growing.
    fn resolve(
        &self,
        before: &[f64],
        one_by_one: bool,
        ws: &mut cone::Workspace,
    ) -> Result<(Vec<f64>, f64), ImpactError> {
        let gains = |p: &[f64]| {
            let mut change = vec![0.0; self.n];
            self.add_product(p, &mut change);
            let energy: f64 =
                p.iter().zip(before).zip(&change).map(|((p, u), d)| p * (u + 0.5 * d)).sum();
            let moved: f64 = p.iter().zip(before).map(|(p, u)| (p * u).abs()).sum();
            energy > ROUND_OFF * moved
        };
        if self.is_plastic(1.0) {
            return Ok((self.without_restitution(before, one_by_one, ws)?, 1.0));
        }
        if let Ok(full) = self.attempt(before, one_by_one, 1.0, ws)
            && !gains(&full)
        {
            return Ok((full, 1.0));
        }
        let (mut lo, mut hi) = (0.0, 1.0);
        let mut best = self.without_restitution(before, one_by_one, ws)?;
        for _ in 0..HALVINGS {
            let mid = 0.5 * (lo + hi);
            match self.attempt(before, one_by_one, mid, ws) {
                Ok(p) if !gains(&p) => (lo, best) = (mid, p),
                _ => hi = mid,
            }
        }
        Ok((best, lo))
    }
}

/// Whether a law has impulses: dry friction is finite, and an impact takes no time.
pub fn has_impulse(law: &PointLaw) -> bool {
    !matches!(law, PointLaw::Compliant | PointLaw::DryFriction { .. })
}

/// Finds the jump at velocities u⁻ = `before` of the members of the response.
pub fn resolve(
    r: &Response,
    before: &[f64],
    one_by_one: bool,
    ws: &mut cone::Workspace,
) -> Result<Impact, ImpactError> {
    let (of_group, groups) = r.groups_joined_by(has_impulse);
    let mut impulse = vec![0.0; r.n];
    let mut reduced = Vec::new();
    for group in 0..groups {
        if let Some(most) = ws.most_rows {
            refuse_large(r, before, (&of_group, group), most)?;
        }
        let meeting = Meeting::new(r, &of_group, group);
        let own: Vec<f64> = meeting.rows.iter().map(|i| before[*i]).collect();
        if meeting.points.iter().all(|m| own[m.row] >= 0.0) {
            continue;
        }
        let (p, factor) = meeting.resolve(&own, one_by_one, ws)?;
        for (row, p) in meeting.rows.iter().zip(p) {
            impulse[*row] = p;
        }
        if factor < 1.0 {
            let bounces = |m: &&Meets| own[m.row] < 0.0 && coefficient(&m.law) > 0.0;
            let points = meeting.points.iter().filter(bounces).map(|m| m.id).collect();
            reduced.push(Reduced { points, factor });
        }
    }
    let mut after = before.to_vec();
    r.add_product(&impulse, &mut after);
    let energy = r.energy_of_impulse(before, &after, &impulse);
    let softened = reduced.iter().map(|r| r.factor).fold(1.0, f64::min);
    Ok(Impact { impulse, before: before.to_vec(), after, energy, softened, reduced })
}

/// An error if some points of a group approach and it has more rows than `most`.
fn refuse_large(
    r: &Response,
    before: &[f64],
    (of_group, group): (&[usize], usize),
    most: usize,
) -> Result<(), ImpactError> {
    let members = || {
        let own = r.members.iter().zip(of_group).filter(move |(_, of)| **of == group);
        own.map(|(m, _)| m).filter(|m| has_impulse(&m.law))
    };
    if members().map(|m| m.law.rows()).sum::<usize>() <= most
        || members().all(|m| before[m.row] >= 0.0)
    {
        return Ok(());
    }
    Err(ImpactError::TooLarge { points: members().map(|m| m.id).collect() })
}

/// Impulses by the laws of the points, all coefficients of restitution times `factor`.
fn by_law(
    m: &Meeting,
    before: &[f64],
    one_by_one: bool,
    factor: f64,
    ws: &mut cone::Workspace,
) -> Result<Vec<f64>, ImpactError> {
    let has = |law: RestitutionLaw| {
        m.points.iter().any(
            |m| matches!(m.law, PointLaw::Contact { restitution, .. } if restitution.law == law && restitution.e > 0.0),
        )
    };
    if one_by_one || has(RestitutionLaw::Energetic) {
        sequential::impulses(m, before, factor, ws)
    } else if has(RestitutionLaw::Poisson) {
        poisson::impulses(m, before, factor, ws)
    } else {
        moreau::impulses(m, before, factor, ws)
    }
}

/// Solves W P + b for laws; the points of the meeting are named if there is no solution.
fn solve(
    m: &Meeting,
    (w, b): (&[f64], &[f64]),
    laws: &[cone::Law],
    ws: &mut cone::Workspace,
) -> Result<Vec<f64>, ImpactError> {
    let mut p = vec![0.0; b.len()];
    let problem = cone::DenseProblem { w, b, laws };
    let settings = cone::Settings { tolerance: RESIDUAL, ..Default::default() };
    let report = cone::solve(&problem, &mut p, &settings, ws);
    if report.status == cone::Status::Solved {
        return Ok(p);
    }
    Err(m.none(&format!("{:?}, residual {:.1e}", report.status, report.residual)))
}

/// Impulses that end the approach of rates u without restitution. A solution is known to exist. The rows of a linkage
/// may have many, some of them unbounded: then loads are spread evenly, and if solvers find none, a little compliance
/// leaves one.
fn stop(m: &Meeting, u: &[f64], ws: &mut cone::Workspace) -> Result<Vec<f64>, ImpactError> {
    let laws = laws(m);
    let found = shared::solve_shared(m, u, ws);
    if found.as_ref().is_ok_and(|p| m.is_bounded(p, u)) {
        return found;
    }
    let stiff = cone::DenseProblem { w: &m.w, b: u, laws: &laws };
    let settings = cone::Settings { tolerance: RESIDUAL, ..Default::default() };
    let mut p = vec![0.0; m.n];
    let mut scratch = even::Scratch::default();
    let even = even::solve(&stiff, &m.per_metre, true, &settings, &mut p, ws, &mut scratch);
    if even.status == cone::Status::Solved && m.is_bounded(&p, u) {
        return Ok(p);
    }
    let mut soft = m.w.clone();
    (0..m.n).for_each(|i| soft[i * (m.n + 1)] *= 1.0 + COMPLIANCE);
    p.fill(0.0);
    let compliant = cone::DenseProblem { w: &soft, b: u, laws: &laws };
    cone::solve(&compliant, &mut p, &settings, ws);
    if cone::natural_residual(&stiff, &p, ws) <= COMPLIANT_RESIDUAL { Ok(p) } else { found }
}

/// The smallest remainder of the rows of a symmetric matrix ≥ 0 in elimination, relative to their diagonal, without
/// those that depend on others.
fn weakest_pivot(w: &[f64], n: usize) -> f64 {
    let mut a = w.to_vec();
    let own: Vec<f64> = (0..n).map(|i| w[i * (n + 1)]).collect();
    let mut open: Vec<usize> = (0..n).filter(|i| own[*i] > 0.0).collect();
    let mut weakest = 1.0f64;
    let part = |a: &[f64], i: usize| a[i * (n + 1)] / own[i];
    let by_part = |a: &[f64], x: usize, y: usize| part(a, x).total_cmp(&part(a, y));
    while let Some(k) = (0..open.len()).max_by(|x, y| by_part(&a, open[*x], open[*y])) {
        let i = open.swap_remove(k);
        if !(part(&a, i) > DEPENDENT) {
            break;
        }
        weakest = weakest.min(part(&a, i));
        for &j in &open {
            let c = a[j * n + i] / a[i * (n + 1)];
            for &k in &open {
                a[j * n + k] -= c * a[i * n + k];
            }
        }
    }
    weakest
}

/// Laws of all rows for impulses.
fn laws(m: &Meeting) -> Vec<cone::Law> {
    m.points
        .iter()
        .map(|m| match m.law {
            PointLaw::Contact { mu, tangential, .. } if tangential > 0 => {
                cone::Law::Coulomb { mu, tangential }
            }
            _ => cone::Law::Unilateral,
        })
        .collect()
}

/// Coefficient of restitution of a member.
fn coefficient(law: &PointLaw) -> f64 {
    match law {
        PointLaw::Contact { restitution, .. } => restitution.e,
        PointLaw::Compliant | PointLaw::OneWay | PointLaw::DryFriction { .. } => 0.0,
    }
}
