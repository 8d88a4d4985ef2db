//! Bodies with flat faces: boxes, convex hulls and closed meshes.
//!
//! Coplanar triangles are joined to one face, so that the diagonal of a box side is not an edge. Faces are collected
//! into *patches*, each the surface of something convex: a ball touches a patch at one point. A convex body is one
//! patch. Where a patch ends at a convex edge, that edge belongs to the body as a whole: a contact there must fit
//! between the faces on both sides, so that edges inside a flat or smooth surface give no normals of their own.

use super::bvh::{Aabb, Bvh};
use super::patches;
use crate::cone::violation;
use delassus_math::{Vec3, largest};
use std::collections::BTreeMap;

/// Coplanar triangles.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Face {
    pub n: Vec3,
    pub x: Vec3,
    pub triangles: Vec<u32>,
    /// Edges around it.
    pub edges: Vec<u32>,
    pub patch: u32,
}

/// Where two faces meet.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Edge {
    pub v: [u32; 2],
    pub x: Vec3,
    /// Direction from the first vertex to the second, unit; face 0 is walked along it.
    pub d: Vec3,
    pub len: f64,
    pub faces: [u32; 2],
    /// In the planes of the two faces, perpendicular to the edge, into the face.
    pub into: [Vec3; 2],
    /// Between the normals of the two faces.
    pub out: Vec3,
    pub convex: bool,
}

impl Edge {
    /// Sine by which the direction `n` leaves the arc of normals of the edge.
    pub fn violation(&self, n: &Vec3) -> f64 {
        violation(self.into.iter(), &self.out, n)
    }
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Vertex {
    pub x: Vec3,
    /// Edges that end here, and the unit directions along them away from here.
    pub edges: Vec<u32>,
    pub arms: Vec<Vec3>,
    /// A corner: not in the middle of a face or of a straight edge.
    pub corner: bool,
    /// A corner that sticks out: it can touch other bodies.
    pub finger: bool,
    /// Mean of the normals around it, unit.
    pub n: Vec3,
}

impl Vertex {
    /// Sine by which the direction `n` leaves the cone of normals of the corner.
    pub fn violation(&self, n: &Vec3) -> f64 {
        violation(self.arms.iter(), &self.n, n)
    }
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Triangle {
    pub v: [u32; 3],
    pub face: u32,
    /// Edge of each side (k to k+1), or none inside a face.
    pub sides: [Option<u32>; 3],
    /// In the plane of the face, perpendicular to each side, inwards; unit.
    pub inward: [Vec3; 3],
}

/// A closed surface of triangles, seen as faces, edges, corners and patches.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Poly {
    pub vertices: Vec<Vertex>,
    pub edges: Vec<Edge>,
    pub faces: Vec<Face>,
    pub triangles: Vec<Triangle>,
    pub n_patches: usize,
    pub tree: Bvh,
    pub bounds: Aabb,
    pub center: Vec3,
    pub radius: f64,
    /// Vertices that can touch, edges that can touch.
    pub fingers: Vec<u32>,
    pub ridges: Vec<u32>,
}

impl Poly {
    /// From a closed surface whose triangles are counter-clockwise seen from outside. `flat`: sine of
    /// the angle below which neighbours count as coplanar.
    pub fn new(points: &[Vec3], triangles: &[[u32; 3]], flat: f64) -> Poly {
        let at = |k: u32| points[k as usize];
        let normals: Vec<Vec3> = triangles
            .iter()
            .map(|t| (at(t[1]) - at(t[0])).cross(&(at(t[2]) - at(t[0]))).normalize())
            .collect();
        let bounds = Aabb::around(points.iter().copied());
        let mut sides: BTreeMap<(u32, u32), u32> = BTreeMap::new();
        for (k, t) in triangles.iter().enumerate() {
            for s in 0..3 {
                sides.insert((t[s], t[(s + 1) % 3]), k as u32);
            }
        }
        let size = (bounds.hi - bounds.lo).norm();
        let (face_of, mut faces) = group(points, triangles, &normals, &sides, flat, size);
        let mut tris: Vec<Triangle> = triangles
            .iter()
            .zip(&face_of)
            .map(|(&v, &face)| {
                let n = faces[face as usize].n;
                let inward =
                    [0, 1, 2].map(|s| n.cross(&(at(v[(s + 1) % 3]) - at(v[s]))).normalize());
                Triangle { v, face, sides: [None; 3], inward }
            })
            .collect();
        let mut edges = Vec::new();
        for (k, t) in triangles.iter().enumerate() {
            for s in 0..3 {
                let (u, v) = (t[s], t[(s + 1) % 3]);
                let Some(&other) = sides.get(&(v, u)) else { continue };
                let (f, g) = (face_of[k], face_of[other as usize]);
                if u > v || f == g {
                    continue;
                }
                let (nf, ng) = (faces[f as usize].n, faces[g as usize].n);
                let d = at(v) - at(u);
                let len = d.norm();
                let d = d / len;
                let into = [nf.cross(&d), ng.cross(&-d)];
                let id = edges.len() as u32;
                let convex = into[1].dot(&nf) < 0.0;
                let out = (nf + ng).normalize();
                edges.push(Edge { v: [u, v], x: at(u), d, len, faces: [f, g], into, out, convex });
                for face in [f, g] {
                    faces[face as usize].edges.push(id);
                }
                tris[k].sides[s] = Some(id);
                let o = &triangles[other as usize];
                let side = (0..3).find(|&q| o[q] == v).unwrap_or(0);
                tris[other as usize].sides[side] = Some(id);
            }
        }
        let vertices = corners(points, &edges, triangles, &normals);
        let boxes: Vec<Aabb> =
            triangles.iter().map(|t| Aabb::around(t.iter().map(|&k| at(k)))).collect();
        let center = (bounds.lo + bounds.hi) / 2.0;
        let radius = largest(points.iter().map(|x| (x - center).norm()));
        let n_patches = patches::assign(points, &tris, &edges, &mut faces, 1e-9 * size);
        let fingers = (0..vertices.len() as u32).filter(|&k| vertices[k as usize].finger).collect();
        let ridges = (0..edges.len() as u32).filter(|&k| edges[k as usize].convex).collect();
        Poly {
            vertices,
            edges,
            faces,
            triangles: tris,
            n_patches,
            tree: Bvh::new(&boxes),
            bounds,
            center,
            radius,
            fingers,
            ridges,
        }
    }

    pub fn edge_id(&self, k: u32) -> u32 {
        self.faces.len() as u32 + k
    }

    pub fn vertex_id(&self, k: u32) -> u32 {
        (self.faces.len() + self.edges.len()) as u32 + k
    }

    /// The part with this feature id.
    pub fn part(&self, id: u32) -> Option<Part> {
        let (id, f, e) = (id as usize, self.faces.len(), self.edges.len());
        match id {
            _ if id < f => Some(Part::Face(id)),
            _ if id < f + e => Some(Part::Edge(id - f)),
            _ if id < f + e + self.vertices.len() => Some(Part::Vertex(id - f - e)),
            _ => None,
        }
    }

    pub fn feature(&self, id: u32) -> crate::Feature {
        use crate::Feature;
        match self.part(id) {
            Some(Part::Face(k)) => {
                Feature::Plane { point: self.faces[k].x, normal: self.faces[k].n }
            }
            Some(Part::Edge(k)) => {
                let e = &self.edges[k];
                Feature::Line { point: e.x, direction: e.d, radius: 0.0 }
            }
            Some(Part::Vertex(k)) => Feature::vertex(self.vertices[k].x),
            None => Feature::vertex(Vec3::zeros()),
        }
    }
}

/// A feature of a poly by index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    Face(usize),
    Edge(usize),
    Vertex(usize),
}

/// Joins coplanar neighbours. They are compared with the first triangle of the face, not with each
/// other, so that a finely meshed curved surface does not become one face step by step.
fn group(
    points: &[Vec3],
    triangles: &[[u32; 3]],
    normals: &[Vec3],
    sides: &BTreeMap<(u32, u32), u32>,
    flat: f64,
    size: f64,
) -> (Vec<u32>, Vec<Face>) {
    const NONE: u32 = u32::MAX;
    let mut face_of = vec![NONE; triangles.len()];
    let mut faces: Vec<Face> = Vec::new();
    for seed in 0..triangles.len() {
        if face_of[seed] != NONE {
            continue;
        }
        let id = faces.len() as u32;
        let (n, x) = (normals[seed], points[triangles[seed][0] as usize]);
        face_of[seed] = id;
        let mut members = vec![seed as u32];
        let mut next = 0;
        while let Some(&k) = members.get(next) {
            next += 1;
            let t = &triangles[k as usize];
            for s in 0..3 {
                let Some(&o) = sides.get(&(t[(s + 1) % 3], t[s])) else { continue };
                let same = face_of[o as usize] == NONE
                    && normals[o as usize].cross(&n).norm() < flat
                    && normals[o as usize].dot(&n) > 0.0
                    && triangles[o as usize]
                        .iter()
                        .all(|&v| n.dot(&(points[v as usize] - x)).abs() < flat * size);
                if same {
                    face_of[o as usize] = id;
                    members.push(o);
                }
            }
        }
        faces.push(Face { n, x, triangles: members, edges: Vec::new(), patch: 0 });
    }
    (face_of, faces)
}

fn corners(
    points: &[Vec3],
    edges: &[Edge],
    triangles: &[[u32; 3]],
    normals: &[Vec3],
) -> Vec<Vertex> {
    let mut out: Vec<Vertex> = points
        .iter()
        .map(|&x| Vertex {
            x,
            edges: Vec::new(),
            arms: Vec::new(),
            corner: false,
            finger: false,
            n: Vec3::zeros(),
        })
        .collect();
    for (k, e) in edges.iter().enumerate() {
        for (end, sign) in e.v.iter().zip([1.0, -1.0]) {
            let v = &mut out[*end as usize];
            v.edges.push(k as u32);
            v.arms.push(e.d * sign);
        }
    }
    for (t, n) in triangles.iter().zip(normals) {
        for s in 0..3 {
            let [x, y, z] = [0, 1, 2].map(|k| points[t[(s + k) % 3] as usize]);
            // Weighted by the angle at the corner, which makes the sign independent of the mesh.
            out[t[s] as usize].n += n * (y - x).angle(&(z - x));
        }
    }
    for v in &mut out {
        v.n = v.n.try_normalize(0.0).unwrap_or_else(Vec3::x);
        let straight = v.arms.len() == 2 && v.arms[0].dot(&v.arms[1]) < -1.0 + 1e-12;
        v.corner = v.arms.len() > 1 && !straight;
        let convex = v.edges.iter().all(|&e| edges[e as usize].convex);
        v.finger = v.corner && (convex || sticks_out(&v.arms, v.n));
    }
    out
}

/// Whether all arms of a corner point away from some direction, so that the corner can touch a plane although some of
/// its edges are concave (the tip of a star). Turns the guess away from the arm it violates most; a cone too thin to be
/// found this way touches only needles.
fn sticks_out(arms: &[Vec3], guess: Vec3) -> bool {
    let mut n = guess;
    for _ in 0..64 {
        let worst = arms.iter().max_by(|a, b| a.dot(&n).total_cmp(&b.dot(&n)));
        let Some(arm) = worst else { return false };
        let v = arm.dot(&n);
        if v < -1e-6 {
            return true;
        }
        let Some(next) = (n - arm * (v + 0.1)).try_normalize(1e-9) else { return false };
        n = next;
    }
    false
}
