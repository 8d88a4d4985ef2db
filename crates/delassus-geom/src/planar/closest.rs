//! The nearest feature of a chain to a point, with sign.

use super::curve::{Chain, Curve};
use super::element::Corner;
use delassus_math::Vec3;

/// How deep behind an open curve a point still counts as having gone through it, as a fraction of the curve's length.
/// Anything deeper passes behind.
const DEPTH: f64 = 0.25;

/// How deep a corner may be behind a part of a closed curve that is not the nearest one, as a fraction of the curve's
/// size: a corner that rests on a face close to its end is nearer to the side.
const SHALLOW: f64 = 0.1;

/// A feature of a curve seen from a point.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Hit {
    pub id: u32,
    /// Signed distance: positive outside the body.
    pub distance: f64,
    /// Outward normal of the curve there.
    pub normal: Vec3,
}

/// Which hits may be considered, and what was active before.
pub(crate) struct Query<'a> {
    /// Length within which two descriptions are equally good (m).
    pub tol: f64,
    pub admit: &'a dyn Fn(&Hit) -> bool,
    pub previous: Option<u32>,
}

impl Curve {
    /// The feature of `chain` nearest to `x`. `None`: the chain is seen from behind, or the place nearest to `x` is
    /// beyond a smooth end, where the neighbour is responsible.
    pub fn hit(&self, chain: &Chain, x: &Vec3, q: &Query) -> Option<Hit> {
        let mut best: Option<Hit> = None;
        for &k in &chain.elements {
            self.consider(self.element_hit(k, x, q.tol), q, &mut best);
        }
        for &k in &chain.joints {
            let hit = match self.joints[k].corner {
                Corner::Concave => self.corner_hit(chain, k, x, q),
                _ => self.joint_hit(k, x, q.tol),
            };
            self.consider(hit, q, &mut best);
        }
        let best = best?;
        (best.distance >= 0.0 || self.went_through(&best, x, q)).then_some(best)
    }

    /// Whether a point seen through a feature, `depth` behind it, has come in through that feature: no
    /// other part of the curve is much nearer to it.
    pub fn holds(&self, x: &Vec3, depth: f64, tol: f64) -> bool {
        if !self.closed {
            return depth <= DEPTH * self.length();
        }
        let all = Query { tol: 0.0, admit: &|_| true, previous: None };
        self.nearest(x, &all).is_some_and(|h| depth <= 2.0 * -h.distance + tol)
    }

    /// Signed distance of the whole curve; `None` if nothing is admitted.
    pub fn nearest(&self, x: &Vec3, q: &Query) -> Option<Hit> {
        let mut best = None;
        for k in 0..self.elements.len() {
            self.consider(self.element_hit(k, x, q.tol), q, &mut best);
        }
        for k in 0..self.joints.len() {
            let hit = match self.joints[k].corner {
                Corner::Smooth => None,
                Corner::Convex => self.joint_hit(k, x, q.tol),
                Corner::Concave => {
                    let inside = self.plain_hit(k, x);
                    Some(Hit { distance: -inside.distance, normal: -inside.normal, ..inside })
                }
            };
            self.consider(hit, q, &mut best);
        }
        best
    }

    fn consider(&self, hit: Option<Hit>, q: &Query, best: &mut Option<Hit>) {
        let Some(hit) = hit.filter(|h| (q.admit)(h)) else { return };
        let better = match best {
            None => true,
            // The active feature is kept while it is as good as any other.
            Some(b) if q.previous == Some(hit.id) => hit.distance.abs() <= b.distance.abs() + q.tol,
            Some(b) if q.previous == Some(b.id) => hit.distance.abs() < b.distance.abs() - q.tol,
            Some(b) => hit.distance.abs() < b.distance.abs(),
        };
        if better {
            *best = Some(hit);
        }
    }

    fn element_hit(&self, k: usize, x: &Vec3, tol: f64) -> Option<Hit> {
        let e = &self.elements[k];
        (e.margin(x) >= -tol).then(|| Hit {
            id: k as u32,
            distance: e.distance(x),
            normal: e.normal_at(x),
        })
    }

    /// A convex corner is nearest only within its cone of normals.
    fn joint_hit(&self, k: usize, x: &Vec3, tol: f64) -> Option<Hit> {
        let joint = &self.joints[k];
        (joint.violation(&(x - joint.x)) <= tol).then(|| self.plain_hit(k, x))
    }

    fn plain_hit(&self, k: usize, x: &Vec3) -> Hit {
        let joint = &self.joints[k];
        let d = x - joint.x;
        let distance = d.norm();
        let normal = if distance > 0.0 { d / distance } else { joint.out };
        Hit { id: self.joint_id(k), distance, normal }
    }

    /// The concave end of a chain: a plain distance from outside; from inside the body, the last element is continued.
    fn corner_hit(&self, chain: &Chain, k: usize, x: &Vec3, q: &Query) -> Option<Hit> {
        let n = self.elements.len();
        let plain = self.plain_hit(k, x);
        let own = if chain.elements.first() == Some(&k) { k } else { (k + n - 1) % n };
        let e = &self.elements[own];
        if e.distance(x) < 0.0 && self.nearest(x, q).is_some_and(|h| h.id == plain.id) {
            let hit = Hit { id: own as u32, distance: e.distance(x), normal: e.normal_at(x) };
            return Some(hit);
        }
        Some(plain)
    }

    /// Whether `x`, behind the hit, has come through this part of the surface: it is inside, and no
    /// other part of the surface that it could have come through is much nearer.
    fn went_through(&self, hit: &Hit, x: &Vec3, q: &Query) -> bool {
        let depth = -hit.distance;
        if !self.closed {
            return depth <= DEPTH * self.length();
        }
        let all = Query { tol: 0.0, admit: &|_| true, previous: None };
        let Some(g) = self.nearest(x, &all) else { return false };
        if g.distance > q.tol || depth > (2.0 * -g.distance + q.tol).max(SHALLOW * self.radius) {
            return false;
        }
        self.nearest(x, q).is_some_and(|g| depth <= 2.0 * g.distance.abs() + q.tol)
    }

    /// How far the foot of `x` is from leaving the feature `id` of this chain (m).
    pub fn chain_margin(&self, chain: &Chain, id: u32, x: &Vec3) -> f64 {
        match self.joint_of(id) {
            None => self.elements.get(id as usize).map_or(f64::INFINITY, |e| e.margin(x)),
            Some((k, joint)) => {
                let d = x - joint.x;
                if joint.corner != Corner::Concave {
                    return -joint.violation(&d);
                }
                // A concave end is left only towards its own chain.
                let arm = usize::from(chain.elements.first() == Some(&k));
                joint.arms[arm].map_or(f64::INFINITY, |e| -e.dot(&d))
            }
        }
    }
}
