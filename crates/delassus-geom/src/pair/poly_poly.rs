//! Boxes, hulls and meshes against each other.
//!
//! Slots, in this order: corners of a against patches of b; corners of b against patches of a; convex
//! edges of a against convex edges of b. Two faces on each other are held by the corners of their
//! common polygon, which are corners of one body on the face of the other, or crossings of edges.

use super::edges::{Bar, Cross, cross, margin};
use super::kernel::{BEYOND, Kernel, Search};
use super::planar::SIGHT;
use crate::spatial::bvh::Aabb;
use crate::spatial::closest::{Hit, Query};
use crate::spatial::poly::{Edge, Poly, Vertex};
use crate::{Contact, Feature, Pose};
use delassus_math::Vec3;
use std::sync::Arc;

/// How deep corners and edges are followed into the other body, as a fraction of the smaller one's size.
pub(crate) const DEPTH: f64 = 0.1;

/// Number of triangles up to which the tree of a poly is not used.
const FEW: usize = 32;

pub(crate) struct PolyPoly {
    a: Arc<Poly>,
    b: Arc<Poly>,
    tol: f64,
    depth: f64,
    /// Position of each edge of b in its list of convex ones.
    ridge_of: Vec<Option<u32>>,
    n_a: usize,
    n_b: usize,
}

pub(crate) fn bar(e: &Edge, pose: &Pose) -> Bar {
    Bar { x: pose.point(&e.x), d: pose.vector(&e.d), len: e.len, radius: 0.0 }
}

pub(crate) fn ridge_positions(p: &Poly) -> Vec<Option<u32>> {
    let mut out = vec![None; p.edges.len()];
    for (k, &e) in p.ridges.iter().enumerate() {
        out[e as usize] = Some(k as u32);
    }
    out
}

/// Convex edges of `p` (positions in `ridges`) that may be near a box of its frame.
pub(crate) fn ridges_near(p: &Poly, of: &[Option<u32>], zone: &Aabb, out: &mut Vec<u32>) {
    out.clear();
    if !p.bounds.meets(zone) {
        return;
    }
    if p.triangles.len() <= FEW {
        out.extend(0..p.ridges.len() as u32);
        return;
    }
    p.tree.meeting(zone, |t| {
        let sides = p.triangles[t as usize].sides.iter().flatten();
        out.extend(sides.filter_map(|&e| of[e as usize]));
    });
    out.sort_unstable();
    out.dedup();
}

impl PolyPoly {
    pub fn new(a: &Arc<Poly>, b: &Arc<Poly>, tol: f64) -> PolyPoly {
        PolyPoly {
            n_a: a.fingers.len() * b.n_patches,
            n_b: b.fingers.len() * a.n_patches,
            a: a.clone(),
            b: b.clone(),
            tol,
            depth: DEPTH * a.radius.min(b.radius),
            ridge_of: ridge_positions(b),
        }
    }

    /// A corner of one poly facing the other: `rel` maps its frame to that of the wall.
    fn query<R>(
        &self,
        v: &Vertex,
        rel: &Pose,
        previous: Option<u32>,
        run: impl FnOnce(&Query) -> R,
    ) -> R {
        let admit = |h: &Hit| v.violation(&rel.inv_vector(&-h.normal)) <= SIGHT;
        run(&Query { tol: self.tol, admit: &admit, previous })
    }

    fn corners(
        &self,
        forward: bool,
        (pa, pb): (&Pose, &Pose),
        margin: f64,
        hits: &mut Vec<Hit>,
        out: &mut Vec<Contact>,
    ) {
        let (finger, wall, first) =
            if forward { (&self.a, &self.b, 0) } else { (&self.b, &self.a, self.n_a) };
        let rel = if forward { pb.relative(pa) } else { pa.relative(pb) };
        let reach = margin.max(0.0) + self.depth;
        let zone = wall.bounds.grown(reach);
        for (k, &id) in finger.fingers.iter().enumerate() {
            let v = &finger.vertices[id as usize];
            let x = rel.point(&v.x);
            if !zone.meets(&Aabb { lo: x, hi: x }) {
                continue;
            }
            self.query(v, &rel, None, |q| wall.hits_within(&x, reach, q, hits));
            for h in hits.iter() {
                let slot = first + k * wall.n_patches + h.patch as usize;
                let c = self.corner_contact(slot, forward, id, h, pa, pb);
                out.extend(Some(c).filter(|c| c.gap < margin));
            }
        }
    }

    fn corner_contact(
        &self,
        slot: usize,
        forward: bool,
        vertex: u32,
        h: &Hit,
        pa: &Pose,
        pb: &Pose,
    ) -> Contact {
        let (finger, wall) = if forward { (&self.a, &self.b) } else { (&self.b, &self.a) };
        let id = finger.vertex_id(vertex);
        let (f, w) = (finger.feature(id), wall.feature(h.id));
        let (features, ids) = if forward { ([f, w], [id, h.id]) } else { ([w, f], [h.id, id]) };
        Contact::of(slot as u32, features, ids, pa, pb)
    }

    /// Ridge i of a and ridge j of b.
    fn edges(&self, i: usize, j: usize) -> (&Edge, &Edge) {
        (&self.a.edges[self.a.ridges[i] as usize], &self.b.edges[self.b.ridges[j] as usize])
    }

    /// The crossing of ridge i of a and ridge j of b, in the frame of b.
    fn crossing(&self, i: usize, j: usize, rel: &Pose, tol: f64) -> Option<Cross> {
        let (ea, eb) = self.edges(i, j);
        cross(
            &bar(ea, rel),
            &bar(eb, &Pose::identity()),
            tol,
            self.depth,
            &|n| ea.violation(&rel.inv_vector(n)),
            &|n| eb.violation(n),
        )
    }

    fn edge_contact(&self, i: usize, j: usize, c: &Cross, pa: &Pose, pb: &Pose) -> Contact {
        let slot = self.n_a + self.n_b + i * self.b.ridges.len() + j;
        let ids = [self.a.edge_id(self.a.ridges[i]), self.b.edge_id(self.b.ridges[j])];
        let fa = turned(self.a.feature(ids[0]), c.turn);
        Contact::of(slot as u32, [fa, self.b.feature(ids[1])], ids, pa, pb)
    }
}

/// A line, reversed if requested.
pub(crate) fn turned(f: Feature, turn: bool) -> Feature {
    match f {
        Feature::Line { point, direction, radius } if turn => {
            Feature::Line { point, direction: -direction, radius }
        }
        f => f,
    }
}

impl Kernel for PolyPoly {
    fn slots(&self) -> usize {
        self.n_a + self.n_b + self.a.ridges.len() * self.b.ridges.len()
    }

    fn has_twins(&self) -> bool {
        true
    }

    fn slot(&self, slot: u32, pa: &Pose, pb: &Pose, previous: Option<[u32; 2]>) -> Option<Contact> {
        let k = slot as usize;
        if k >= self.n_a + self.n_b {
            let k = k - self.n_a - self.n_b;
            let n = self.b.ridges.len();
            let (i, j) = (k / n, k % n);
            let tol = if previous.is_some() { -self.tol } else { self.tol };
            let c = self.crossing(i, j, &pb.relative(pa), tol)?;
            return Some(self.edge_contact(i, j, &c, pa, pb));
        }
        let forward = k < self.n_a;
        let (finger, wall, k_own, rel) = if forward {
            (&self.a, &self.b, k, pb.relative(pa))
        } else {
            (&self.b, &self.a, k - self.n_a, pa.relative(pb))
        };
        let vertex = *finger.fingers.get(k_own / wall.n_patches)?;
        let patch = (k_own % wall.n_patches) as u32;
        let v = &finger.vertices[vertex as usize];
        let previous = previous.map(|p| if forward { p[1] } else { p[0] });
        let x = rel.point(&v.x);
        let hit = self.query(v, &rel, previous, |q| wall.hit(patch, &x, q))?;
        Some(self.corner_contact(k, forward, vertex, &hit, pa, pb))
    }

    /// Edges by bounding balls, corners by the box around the other body.
    fn bound(&self, slot: u32, pa: &Pose, pb: &Pose) -> f64 {
        let k = slot as usize;
        if let Some(k) = k.checked_sub(self.n_a + self.n_b) {
            let n = self.b.ridges.len();
            let (e, f) = self.edges(k / n, k % n);
            let middle = |e: &Edge| e.x + e.d * (0.5 * e.len);
            let apart = pa.point(&middle(e)) - pb.point(&middle(f));
            return apart.norm() - 0.5 * (e.len + f.len) - BEYOND * self.tol;
        }
        let (finger, wall, k, own, other) = if k < self.n_a {
            (&self.a, &self.b, k, pa, pb)
        } else {
            (&self.b, &self.a, k - self.n_a, pb, pa)
        };
        let Some(&vertex) = finger.fingers.get(k / wall.n_patches) else { return f64::INFINITY };
        let x = other.inv_point(&own.point(&finger.vertices[vertex as usize].x));
        let out = (wall.bounds.lo - x).sup(&(x - wall.bounds.hi));
        let outside = out.sup(&Vec3::zeros()).norm();
        if outside > 0.0 { outside - BEYOND * self.tol } else { f64::NEG_INFINITY }
    }

    fn near(&self, pa: &Pose, pb: &Pose, margin: f64, search: &mut Search, out: &mut Vec<Contact>) {
        let Search { hits, edges } = search;
        self.corners(true, (pa, pb), margin, hits, out);
        self.corners(false, (pa, pb), margin, hits, out);
        let rel = pb.relative(pa);
        let reach = margin.max(0.0) + self.depth;
        for i in 0..self.a.ridges.len() {
            let e = bar(&self.a.edges[self.a.ridges[i] as usize], &rel);
            let zone = Aabb::around([e.x, e.x + e.d * e.len]).grown(reach);
            ridges_near(&self.b, &self.ridge_of, &zone, edges);
            for &j in edges.iter() {
                let Some(c) = self.crossing(i, j as usize, &rel, self.tol) else { continue };
                if c.gap < margin {
                    out.push(self.edge_contact(i, j as usize, &c, pa, pb));
                }
            }
        }
    }

    fn feature_margin(&self, c: &Contact, pa: &Pose, pb: &Pose) -> f64 {
        let k = c.slot as usize;
        match c.features {
            [Feature::Line { .. }, Feature::Line { .. }] if k >= self.n_a + self.n_b => {
                let k = k - self.n_a - self.n_b;
                let n = self.b.ridges.len();
                let (ea, eb) = self.edges(k / n, k % n);
                let rel = pb.relative(pa);
                margin(
                    &bar(ea, &rel),
                    &bar(eb, &Pose::identity()),
                    &pb.inv_vector(&c.normal),
                    &|n| ea.violation(&rel.inv_vector(n)),
                    &|n| eb.violation(n),
                )
            }
            [Feature::Ball { center, .. }, _] if k < self.n_a => {
                self.b.region_margin(c.feature_ids[1], &pb.inv_point(&pa.point(&center)))
            }
            [_, Feature::Ball { center, .. }] => {
                self.a.region_margin(c.feature_ids[0], &pa.inv_point(&pb.point(&center)))
            }
            _ => f64::INFINITY,
        }
    }
}
