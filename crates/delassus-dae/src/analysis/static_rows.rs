//! One-sided constraints at rest: which points are near, which of them are closed, and what they add to a step.
//!
//! A rigid contact is closed where a step would pass through it, and opens where it would pull. Its friction holds as long as it
//! can; beyond, it slides with its full friction against what drives it. A compliant contact is a spring without damping and
//! without friction. A one-way clutch holds in its direction. Dry friction in joints is left out: it would make every
//! position near an equilibrium another one.

use crate::normal_law::Onset;
use crate::problem::Problem;
use crate::unilateral::{BEHIND, ContactPoint, PointId, PointLaw, Unilateral};

/// Part of the largest multiplier by which a force may pull, or leave its cone, by rounding.
const ROUNDING: f64 = 1e-9;

/// Gap, in lengths of the system, up to which friction holds a point: before, it is on its way.
const TOUCHING: f64 = 1e-7;

/// How a closed point holds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Hold {
    /// Along its normal only.
    Normal,
    /// Along its tangents as well.
    Stick,
    /// Its friction, of full size, acts along this direction.
    Slide([f64; 2]),
}

/// A closed point of an equilibrium.
#[derive(Debug, Clone, PartialEq)]
pub struct ClosedPoint {
    /// Which.
    pub id: PointId,
    /// Features that touch.
    pub features: [u32; 2],
    /// Friction holds it.
    pub sticks: bool,
    /// Friction cannot hold it: it is at its limit.
    pub slides: bool,
    /// Forces along its rows: normal, tangential.
    pub force: [f64; 3],
}

/// A point of compliant contact that is inside.
#[derive(Debug, Clone, PartialEq)]
pub struct PressedPoint {
    /// Which.
    pub id: PointId,
    /// Features that touch.
    pub features: [u32; 2],
    /// What its law is asked with.
    pub onset: Onset,
    /// Normal force, N.
    pub force: f64,
}

/// A point that may come to touch within a step.
#[derive(Debug, Clone)]
pub(super) struct Candidate {
    pub id: PointId,
    pub law: PointLaw,
    pub at: ContactPoint,
    /// The gap is closed: friction may hold.
    pub touches: bool,
    /// Compliant contact that is inside: F and ∂F/∂δ.
    pub press: Option<(f64, f64, Onset)>,
}

impl Candidate {
    /// Coefficient of friction that must be overcome, with the number of directions.
    fn friction(&self) -> Option<(f64, usize)> {
        match self.law {
            PointLaw::Contact { mu, mu_static, tangential, .. }
                if tangential > 0 && mu.max(mu_static) > 0.0 =>
            {
                Some((mu.max(mu_static), tangential))
            }
            _ => None,
        }
    }

    fn at_first(&self) -> Hold {
        if self.touches && self.friction().is_some() { Hold::Stick } else { Hold::Normal }
    }
}

/// Candidates at the realised position, up to a gap. `known` are features of points that touched before.
pub(super) fn candidates<P: Unilateral>(
    p: &P,
    ws: &P::Ws,
    margin: f64,
    known: &[(PointId, [u32; 2])],
) -> Vec<Candidate> {
    let mut ids = Vec::new();
    let mut out = Vec::new();
    if p.near_at_most(ws, margin, p.most_points(), &mut ids).is_err() {
        return out;
    }
    for id in ids {
        let law = p.law(id);
        if matches!(law, PointLaw::DryFriction { .. }) {
            continue;
        }
        let before = known.iter().find(|k| k.0 == id).map(|k| k.1);
        let mut at = ContactPoint::default();
        if !p.position(ws, id, false, before, &mut at) {
            continue;
        }
        if p.one_sided(id) && at.gap < -BEHIND * p.length() && before.is_none() {
            continue;
        }
        let touches = at.gap <= TOUCHING * p.length() * p.gap_per_metre(id);
        let mut press = None;
        if let (PointLaw::Compliant, Some(c)) = (&law, p.compliance(id))
            && touches
        {
            let stiffness = p.stiffness(id, at.features);
            let onset = Onset { speed: c.least_speed, stiffness, mass: 1.0 };
            let found = c.law.press(&onset, (-at.gap).max(0.0), 0.0);
            press = Some((found.force, found.by_depth, onset));
        }
        out.push(Candidate { id, law, at, touches, press });
    }
    out
}

/// Adds forces of pressed points to f and, where asked for, their stiffness to the entries of K.
pub(super) fn add_pressed<P: Unilateral>(
    p: &P,
    ws: &P::Ws,
    points: &[Candidate],
    f: &mut [f64],
    mut k: Option<&mut Vec<(usize, usize, f64)>>,
) {
    let mut hessian = Vec::new();
    for c in points {
        let Some((force, by_depth, _)) = c.press else { continue };
        c.at.add_row(0, force, f);
        let Some(k) = k.as_deref_mut() else { continue };
        let n = c.at.cols.len();
        hessian.clear();
        hessian.resize(n * n, 0.0);
        p.row_hessian(ws, c.id, &c.at, 0, &mut hessian);
        let h = &c.at.rows[0];
        for i in 0..n {
            for j in 0..n {
                let x = by_depth * h[i] * h[j] - force * hessian[i * n + j];
                k.push((c.at.cols[i], c.at.cols[j], x));
            }
        }
    }
}

/// Adds −∂(Hᵀr)/∂ξ of closed points with the forces they had to the entries of K.
pub(super) fn add_curvature<P: Unilateral>(
    p: &P,
    ws: &P::Ws,
    points: &[Candidate],
    loads: &[ClosedPoint],
    k: &mut Vec<(usize, usize, f64)>,
) {
    let mut hessian = Vec::new();
    for load in loads {
        let Some(c) = points.iter().find(|c| c.id == load.id) else { continue };
        let n = c.at.cols.len();
        for (row, force) in load.force.iter().enumerate().filter(|f| *f.1 != 0.0) {
            hessian.clear();
            hessian.resize(n * n, 0.0);
            if p.row_hessian(ws, c.id, &c.at, row, &mut hessian) {
                for (e, h) in hessian.iter().enumerate() {
                    k.push((c.at.cols[e / n], c.at.cols[e % n], -force * h));
                }
            }
        }
    }
}

/// Which candidates are closed.
#[derive(Debug, Clone, Default)]
pub(super) struct ActiveSet {
    /// Number of the candidate, and how it holds.
    pub closed: Vec<(usize, Hold)>,
    opened: Vec<usize>,
}

impl ActiveSet {
    /// What was closed before stays so, as long as it is near.
    pub fn new(points: &[Candidate], before: &[(PointId, [u32; 2])]) -> ActiveSet {
        let stays = |c: &Candidate| {
            c.press.is_none() && before.iter().any(|b| b.0 == c.id) && c.law != PointLaw::Compliant
        };
        let closed = points.iter().enumerate().filter(|(_, c)| stays(c));
        ActiveSet {
            closed: closed.map(|(k, c)| (k, c.at_first())).collect(),
            opened: vec![0; points.len()],
        }
    }

    /// Rows: (candidate, row of it), and for each the column that its multiplier acts through.
    pub fn rows(&self, points: &[Candidate]) -> Vec<ActiveRow> {
        let mut out = Vec::new();
        for (k, hold) in &self.closed {
            let c = &points[*k];
            let mut column = c.at.rows[0].clone();
            if let (Hold::Slide(d), Some((mu, n))) = (hold, c.friction()) {
                for i in 0..n {
                    for (x, h) in column.iter_mut().zip(&c.at.rows[1 + i]) {
                        *x += mu * d[i] * h;
                    }
                }
            }
            out.push(ActiveRow { point: *k, row: 0, gap: c.at.gap, column });
            if *hold == Hold::Stick {
                let n = c.friction().map_or(0, |f| f.1);
                for i in 1..=n {
                    out.push(ActiveRow {
                        point: *k,
                        row: i,
                        gap: 0.0,
                        column: c.at.rows[i].clone(),
                    });
                }
            }
        }
        out
    }

    /// Looks at a step and its multipliers, in the order of [`ActiveSet::rows`]. Whether the set was changed.
    pub fn update(
        &mut self,
        points: &[Candidate],
        step: &[f64],
        lambda: &[f64],
        small: f64,
    ) -> bool {
        // what would be passed
        let mut changed = false;
        for (k, c) in points.iter().enumerate() {
            let is_closed = self.closed.iter().any(|x| x.0 == k);
            if is_closed || c.press.is_some() || self.opened[k] > 2 {
                continue;
            }
            if c.at.gap + c.at.row_dot(0, step) < -small {
                self.closed.push((k, c.at_first()));
                changed = true;
            }
        }
        if changed {
            return true;
        }
        let most = delassus_math::largest(lambda.iter().map(|l| l.abs()));
        let mut at = 0;
        let mut pulls: Vec<(f64, usize)> = Vec::new();
        for (k, hold) in &mut self.closed {
            let normal = lambda[at];
            if normal < -ROUNDING * most {
                pulls.push((normal, *k));
            }
            at += 1;
            if *hold == Hold::Stick {
                let (mu, n) = points[*k].friction().unwrap_or((0.0, 0));
                let t = [lambda[at], if n > 1 { lambda[at + 1] } else { 0.0 }];
                at += n;
                let size = t[0].hypot(t[1]);
                if normal > 0.0 && size > mu * normal * (1.0 + ROUNDING) + ROUNDING * most {
                    *hold = Hold::Slide([t[0] / size, t[1] / size]);
                    changed = true;
                }
            }
        }
        // those that pull most; the others may only seem to
        let worst = pulls.iter().fold(0.0_f64, |m, p| m.min(p.0));
        for (_, k) in pulls.into_iter().filter(|p| p.0 <= 0.5 * worst) {
            self.closed.retain(|c| c.0 != k);
            self.opened[k] += 1;
            changed = true;
        }
        changed
    }

    /// Forces of the closed points.
    pub fn forces(&self, points: &[Candidate], lambda: &[f64]) -> Vec<ClosedPoint> {
        let mut at = 0;
        let mut out = Vec::new();
        for (k, hold) in &self.closed {
            let c = &points[*k];
            let mut force = [lambda[at], 0.0, 0.0];
            at += 1;
            let (mu, n) = c.friction().unwrap_or((0.0, 0));
            match hold {
                Hold::Normal => {}
                Hold::Stick => {
                    force[1..1 + n].copy_from_slice(&lambda[at..at + n]);
                    at += n;
                }
                Hold::Slide(d) => {
                    force[1] = mu * d[0] * force[0];
                    force[2] = mu * d[1] * force[0];
                }
            }
            out.push(ClosedPoint {
                id: c.id,
                features: c.at.features,
                sticks: *hold == Hold::Stick,
                slides: matches!(hold, Hold::Slide(_)),
                force,
            });
        }
        out
    }

    /// Ids and features of what is closed.
    pub fn ids(&self, points: &[Candidate]) -> Vec<(PointId, [u32; 2])> {
        self.closed.iter().map(|(k, _)| (points[*k].id, points[*k].at.features)).collect()
    }
}

/// A row of a closed point.
pub(super) struct ActiveRow {
    pub point: usize,
    pub row: usize,
    pub gap: f64,
    pub column: Vec<f64>,
}

/// Rows of position level and of velocity level that a problem solves with.
pub(super) fn base_rows<P: Problem>(p: &P) -> Vec<usize> {
    p.structure().independent_rows.clone().unwrap_or_else(|| (0..p.dims().n_vel).collect())
}
