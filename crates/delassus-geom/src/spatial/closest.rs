//! The nearest feature of a poly, or of one of its patches, to a point.

use super::bvh::Aabb;
use super::poly::{Part, Poly};
use delassus_math::Vec3;

/// Number of triangles up to which all are examined; the tree pays off only beyond.
const FEW: usize = 32;

/// How deep a corner may be behind a face that is not the nearest one, as a fraction of the body's size: a corner that
/// rests on a face close to its edge is nearer to the side.
const SHALLOW: f64 = 0.1;

/// A feature of a poly seen from a point.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Hit {
    pub id: u32,
    pub patch: u32,
    /// Signed distance, positive outside.
    pub distance: f64,
    /// Outward normal there.
    pub normal: Vec3,
}

/// Which hits may be considered, and what was active before.
pub(crate) struct Query<'a> {
    /// Length within which two descriptions are equally good (m).
    pub tol: f64,
    pub admit: &'a dyn Fn(&Hit) -> bool,
    pub previous: Option<u32>,
}

impl Poly {
    /// The feature of a patch nearest to `x`; `None` if the patch is seen from behind or its nearest edge belongs to
    /// the neighbour.
    pub fn hit(&self, patch: u32, x: &Vec3, q: &Query) -> Option<Hit> {
        let mut best = None;
        let mut visit = |k: u32| {
            if self.faces[self.triangles[k as usize].face as usize].patch == patch {
                self.triangle(k, x, q, &mut |hit| keep_nearest(hit, q, &mut best));
            }
            best.map_or(f64::INFINITY, |b: Hit| b.distance.abs() + q.tol)
        };
        if self.triangles.len() <= FEW {
            (0..self.triangles.len() as u32).for_each(|k| {
                visit(k);
            });
        } else {
            self.tree.nearest(x, visit);
        }
        self.checked(best?, x, q)
    }

    /// The nearest feature of each patch that has a triangle within `reach` of `x`.
    pub fn hits_within(&self, x: &Vec3, reach: f64, q: &Query, out: &mut Vec<Hit>) {
        out.clear();
        if self.n_patches == 1 && self.triangles.len() <= FEW {
            out.extend(self.hit(0, x, q));
            return;
        }
        let zone = Aabb { lo: *x, hi: *x }.grown(reach);
        self.tree.meeting(&zone, |k| {
            self.triangle(k, x, q, &mut |hit| {
                let at = out.iter().position(|h| h.patch == hit.patch);
                match at {
                    Some(at) => {
                        let mut best = Some(out[at]);
                        keep_nearest(hit, q, &mut best);
                        out[at] = best.unwrap_or(hit);
                    }
                    None => out.push(hit),
                }
            });
        });
        out.retain(|h| h.distance.abs() <= reach && self.checked(*h, x, q).is_some());
        // one for each patch
        out.sort_unstable_by_key(|h| h.patch);
    }

    /// Signed distance of the whole surface.
    pub fn nearest(&self, x: &Vec3, q: &Query) -> Option<Hit> {
        let mut best: Option<Hit> = None;
        self.tree.nearest(x, |k| {
            self.signed_triangle(k, x, q, &mut best);
            best.map_or(f64::INFINITY, |b| b.distance.abs() + q.tol)
        });
        best
    }

    /// A point behind the surface must have come through this part of it: it is inside, and no other
    /// part that it could have come through is much nearer.
    fn checked(&self, hit: Hit, x: &Vec3, q: &Query) -> Option<Hit> {
        if hit.distance >= 0.0 {
            return Some(hit);
        }
        let depth = -hit.distance;
        let all = Query { tol: 0.0, admit: &|_| true, previous: None };
        let g = self.nearest(x, &all)?;
        if g.distance > q.tol || depth > (2.0 * -g.distance + q.tol).max(SHALLOW * self.radius) {
            return None;
        }
        let g = self.nearest(x, q)?;
        (depth <= 2.0 * g.distance.abs() + q.tol).then_some(hit)
    }

    /// The feature of a triangle nearest to `x`, if the surface around it does not come nearer.
    fn triangle(&self, k: u32, x: &Vec3, q: &Query, found: &mut dyn FnMut(Hit)) {
        let t = &self.triangles[k as usize];
        let face = &self.faces[t.face as usize];
        let height = face.n.dot(&(x - face.x));
        let face_hit = Hit { id: t.face, patch: face.patch, distance: height, normal: face.n };
        if self.foot_margin(k, x) >= -q.tol {
            if (q.admit)(&face_hit) {
                found(face_hit);
            }
            return;
        }
        for s in 0..3 {
            let Some(id) = t.sides[s] else { continue };
            let e = &self.edges[id as usize];
            let along = e.d.dot(&(x - e.x));
            let d = x - (e.x + e.d * along.clamp(0.0, e.len));
            let end = if along < -q.tol {
                Some(e.v[0])
            } else if along > e.len + q.tol {
                Some(e.v[1])
            } else {
                None
            };
            let (hit_id, fits) = match end {
                None => {
                    let fits = !e.convex || e.violation(&d) <= q.tol;
                    (self.edge_id(id), fits)
                }
                Some(v) => {
                    let corner = &self.vertices[v as usize];
                    let fits = corner.corner
                        && (!e.convex && height >= 0.0 || corner.violation(&d) <= q.tol);
                    (self.vertex_id(v), fits)
                }
            };
            // Inside the body the face continues behind a concave edge, if that is nearest.
            let behind = !e.convex && height < 0.0;
            let hit = if behind && self.nearest(x, q).is_some_and(|g| g.id == self.edge_id(id)) {
                face_hit
            } else if fits {
                let distance = d.norm();
                let normal = if distance > 0.0 { d / distance } else { face.n };
                Hit { id: hit_id, patch: face.patch, distance, normal }
            } else {
                continue;
            };
            if (q.admit)(&hit) {
                found(hit);
            }
        }
    }

    /// How far the foot of `x` on the plane of a triangle is inside the triangle.
    fn foot_margin(&self, k: u32, x: &Vec3) -> f64 {
        let t = &self.triangles[k as usize];
        let side = |s: usize| t.inward[s].dot(&(x - self.vertices[t.v[s] as usize].x));
        side(0).min(side(1)).min(side(2))
    }

    /// The plain nearest point of a triangle, with the sign of the surface there.
    fn signed_triangle(&self, k: u32, x: &Vec3, q: &Query, best: &mut Option<Hit>) {
        let t = &self.triangles[k as usize];
        let face = &self.faces[t.face as usize];
        if self.foot_margin(k, x) >= -q.tol {
            let distance = face.n.dot(&(x - face.x));
            let hit = Hit { id: t.face, patch: face.patch, distance, normal: face.n };
            if (q.admit)(&hit) {
                keep_nearest(hit, q, best);
            }
            return;
        }
        for s in 0..3 {
            let Some(id) = t.sides[s] else { continue };
            let e = &self.edges[id as usize];
            let along = e.d.dot(&(x - e.x)).clamp(0.0, e.len);
            let d = x - (e.x + e.d * along);
            let n = if along == 0.0 {
                self.vertices[e.v[0] as usize].n
            } else if along == e.len {
                self.vertices[e.v[1] as usize].n
            } else {
                self.faces[e.faces[0] as usize].n + self.faces[e.faces[1] as usize].n
            };
            let sign = if n.dot(&d) < 0.0 { -1.0 } else { 1.0 };
            let length = d.norm();
            let normal = if length > 0.0 { d * (sign / length) } else { face.n };
            let id = self.edge_id(id);
            let hit = Hit { id, patch: face.patch, distance: sign * length, normal };
            if (q.admit)(&hit) {
                keep_nearest(hit, q, best);
            }
        }
    }

    /// How far `x` is from leaving the region of a feature (m).
    pub fn region_margin(&self, id: u32, x: &Vec3) -> f64 {
        match self.part(id) {
            Some(Part::Face(k)) => {
                let face = &self.faces[k];
                let foot = x - face.n * face.n.dot(&(x - face.x));
                // Nearest part of the border; the sign gives the side of it on which the foot lies.
                let mut best = (f64::INFINITY, f64::INFINITY);
                for &e in &face.edges {
                    let e = &self.edges[e as usize];
                    let into = e.into[usize::from(e.faces[0] != k as u32)];
                    let along = e.d.dot(&(foot - e.x)).clamp(0.0, e.len);
                    let d = foot - (e.x + e.d * along);
                    let side = into.dot(&d);
                    let far = d.norm();
                    if far < best.0 - 1e-12 || far < best.0 + 1e-12 && side.abs() > best.1.abs() {
                        best = (far, side);
                    }
                }
                best.0.copysign(best.1)
            }
            Some(Part::Edge(k)) => {
                let e = &self.edges[k];
                let along = e.d.dot(&(x - e.x));
                let d = x - (e.x + e.d * along);
                let ends = along.min(e.len - along);
                if e.convex { ends.min(-e.violation(&d)) } else { ends }
            }
            Some(Part::Vertex(k)) => {
                let v = &self.vertices[k];
                -v.violation(&(x - v.x))
            }
            None => f64::INFINITY,
        }
    }
}

fn keep_nearest(hit: Hit, q: &Query, best: &mut Option<Hit>) {
    let better = match best {
        None => true,
        Some(b) if q.previous == Some(hit.id) && b.id != hit.id => {
            hit.distance.abs() <= b.distance.abs() + q.tol
        }
        Some(b) if q.previous == Some(b.id) && b.id != hit.id => {
            hit.distance.abs() < b.distance.abs() - q.tol
        }
        Some(b) => hit.distance.abs() < b.distance.abs(),
    };
    if better {
        *best = Some(hit);
    }
}
