//! Groups of bodies that are independent of each other, and their sizes.
//!
//! What happens in one group never affects another, so a size, a rate or an error of one says nothing about the others:
//! each is measured as if it were alone.

use super::Builder;
use crate::system::System;
use crate::system::scalar::PairScalar;
use delassus_math::{Vec3, largest};
use std::ops::Range;

/// Smallest size of a group as a fraction of its distance from the origin: below it, gaps and steps that count as zero
/// would be finer than numbers are at that distance.
pub(super) const FINEST: f64 = 1e-9;

/// Groups of bodies, numbered in the order of their first bodies.
#[derive(Debug, Clone, Default)]
pub(crate) struct Groups {
    /// Group of each body.
    pub of_body: Vec<usize>,
    /// Typical length of each group, m.
    pub length: Vec<f64>,
    /// Group of each velocity, then of each auxiliary state.
    pub of_state: Vec<usize>,
}

/// Bodies that are connected step by step.
struct Joined {
    /// For each body, one of its group that comes no later; itself for the first.
    parent: Vec<usize>,
}

impl Joined {
    fn root(&mut self, mut body: usize) -> usize {
        while self.parent[body] != body {
            self.parent[body] = self.parent[self.parent[body]];
            body = self.parent[body];
        }
        body
    }

    fn join(&mut self, bodies: impl IntoIterator<Item = usize>) {
        let mut bodies = bodies.into_iter();
        let Some(first) = bodies.next() else { return };
        for body in bodies {
            let (a, b) = (self.root(first), self.root(body));
            self.parent[a.max(b)] = a.min(b);
        }
    }

    fn numbers(mut self) -> Vec<usize> {
        let mut number = vec![0; self.parent.len()];
        let mut next = 0;
        for body in 0..number.len() {
            let root = self.root(body);
            number[body] = if root == body { next } else { number[root] };
            next += usize::from(root == body);
        }
        number
    }
}

impl Builder {
    /// Bodies are connected by whatever acts between them, or may: joints, forces and what these read, contacts. The
    /// ground, gravity and time connect nothing.
    pub(super) fn make_groups(&mut self) {
        let sys = &self.sys;
        let body = |frame: usize| sys.frames[frame].body();
        let mut joined = Joined { parent: (0..sys.bodies.len()).collect() };
        for row in &sys.rows {
            let frames = sys.frames_of_terms(row.terms.clone());
            joined.join(frames.filter_map(body));
        }
        for r in &sys.rolls {
            joined.join([r.a, r.b].into_iter().filter_map(body));
        }
        let read = |reads: &[usize]| {
            let bodies: Vec<usize> =
                reads.iter().flat_map(|k| sys.leaf_parts(*k)).map(|(body, _)| body).collect();
            bodies.into_iter()
        };
        for f in &sys.scalar_forces {
            let ends = [f.scalar.a, f.scalar.b].into_iter().filter_map(body);
            joined.join(ends.chain(read(&f.reads)));
        }
        for a in &sys.applied {
            let ends = [a.at, a.axes.frame].into_iter().filter_map(body);
            joined.join(ends.chain(read(&a.reads)));
        }
        for b in &sys.bushings {
            joined.join([b.a, b.b].into_iter().filter_map(body));
        }
        for e in &sys.beam_elements {
            joined.join([e.a, e.b].into_iter().filter_map(body));
        }
        for p in sys.contacts.scalars.iter().flat_map(|c| &c.points) {
            let terms = p.terms.iter().chain(&p.slip);
            joined.join(terms.flat_map(|(_, s)| [s.a, s.b]).filter_map(body));
        }
        for sides in sys.contacts.pairs.sides() {
            let [a, b] = sides.map(|side| sys.bodies_of_shapes(&side));
            if !a.is_empty() && !b.is_empty() {
                joined.join(a.into_iter().chain(b));
            }
        }
        let of_body = joined.numbers();
        self.sys.groups = Groups { length: sys.lengths(&of_body), of_state: Vec::new(), of_body };
        self.sys.groups.of_state = self.sys.groups_of_states();
    }
}

impl System {
    fn frames_of_terms(&self, terms: Range<usize>) -> impl Iterator<Item = usize> {
        self.terms[terms].iter().flat_map(|t| [t.scalar.a, t.scalar.b])
    }

    fn bodies_of_shapes(&self, shapes: &[usize]) -> Vec<usize> {
        let bodies = shapes.iter().map(|k| self.contacts.shapes[*k].body);
        bodies.filter(|b| *b < self.bodies.len()).collect()
    }

    /// Group of the first of these frames that is on a body.
    pub(crate) fn group_of_frames(&self, frames: impl IntoIterator<Item = usize>) -> Option<usize> {
        let body = frames.into_iter().find_map(|f| self.frames[f].body());
        body.map(|b| self.groups.of_body[b])
    }

    /// Typical length of what frames belong to, m.
    pub(crate) fn length_at(&self, frames: impl IntoIterator<Item = usize>) -> f64 {
        self.group_of_frames(frames).map_or(self.length, |g| self.groups.length[g])
    }

    /// The same for a scalar.
    pub(crate) fn length_between(&self, s: &PairScalar) -> f64 {
        self.length_at([s.a, s.b])
    }

    fn groups_of_states(&self) -> Vec<usize> {
        let bodies = self.bodies.iter().zip(&self.groups.of_body);
        let mut of: Vec<usize> = bodies.flat_map(|(b, g)| std::iter::repeat_n(*g, b.nv)).collect();
        let first = of.len();
        of.resize(first + self.dims.nz, 0);
        for (k, s) in self.counters.iter().enumerate() {
            of[first + k] = self.group_of_frames([s.a, s.b]).unwrap_or(0);
        }
        for f in &self.scalar_forces {
            if let Some(z) = f.law.integral() {
                of[first + z] = self.group_of_frames([f.scalar.a, f.scalar.b]).unwrap_or(0);
            }
        }
        for t in &self.tyres {
            for (z, _) in t.states() {
                of[first + z] = self.group_of_frames([t.at]).unwrap_or(0);
            }
        }
        for ((a, b), states, _) in self.contacts.bristles.patches() {
            let frames = [a, b].map(|k| self.contacts.shapes[k].frame);
            let group = self.group_of_frames(frames).unwrap_or(0);
            of[first + states.start..first + states.end].fill(group);
        }
        of
    }

    /// Typical length of each group, m.
    fn lengths(&self, of_body: &[usize]) -> Vec<f64> {
        let count = of_body.iter().max().map_or(0, |last| last + 1);
        let mut length = vec![0.0_f64; count];
        let group = |frame: usize| self.frames[frame].body().map(|b| of_body[b]);
        let mut grow = |g: Option<usize>, x: f64| {
            if let Some(g) = g {
                length[g] = length[g].max(x);
            }
        };
        for (k, f) in self.frames.iter().enumerate() {
            grow(group(k), f.reach());
        }
        for row in &self.rows {
            grow(self.frames_of_terms(row.terms.clone()).find_map(group), self.stated_length(row));
        }
        for e in &self.beam_elements {
            grow([e.a, e.b].into_iter().find_map(group), e.whole);
        }
        for t in &self.tyres {
            grow(group(t.at), t.tyre.data.radius);
        }
        for s in &self.contacts.shapes {
            grow(of_body.get(s.body).copied(), s.reach);
        }
        // shapes of the ground belong to whatever may touch them
        for sides in self.contacts.pairs.sides() {
            for (one, other) in [(&sides[0], &sides[1]), (&sides[1], &sides[0])] {
                let on_ground = one.iter().map(|k| &self.contacts.shapes[*k]);
                let on_ground = on_ground.filter(|s| s.body >= of_body.len());
                let reach = largest(on_ground.map(|s| s.reach));
                for body in self.bodies_of_shapes(other) {
                    grow(Some(of_body[body]), reach);
                }
            }
        }
        if length.contains(&0.0) {
            let scenes = self.scenes(of_body, count);
            // a group without any size is no larger than the rest
            let rest = if self.length > 0.0 { self.length.min(1.0) } else { 1.0 };
            for (length, scene) in length.iter_mut().zip(scenes).filter(|(x, _)| **x == 0.0) {
                *length = if scene > 0.0 { scene } else { rest };
            }
        }
        for (body, far) in self.distances() {
            let length = &mut length[of_body[body]];
            *length = length.max(FINEST * far);
        }
        length
    }

    /// Distances from the origin, m, of the bodies and of what they may touch on the ground.
    pub(super) fn distances(&self) -> Vec<(usize, f64)> {
        let mut all: Vec<(usize, f64)> =
            self.model.bodies.iter().map(|b| b.position.norm()).enumerate().collect();
        for [a, b] in self.contacts.pairs.sides() {
            for (one, other) in [(&a, &b), (&b, &a)] {
                let on_ground = one.iter().map(|k| &self.contacts.shapes[*k]);
                let on_ground = on_ground.filter(|s| s.body >= self.bodies.len());
                let far = largest(on_ground.map(|s| self.frames[s.frame].r_b.norm()));
                all.extend(self.bodies_of_shapes(other).into_iter().map(|body| (body, far)));
            }
        }
        all
    }

    /// Sizes of groups of points without extent, m: the diagonal of the box around them and the places on the ground
    /// from which joints and forces hold them. The position of the origin does not matter.
    fn scenes(&self, of_body: &[usize], count: usize) -> Vec<f64> {
        let mut boxes = vec![None; count];
        let mut take = |g: usize, p: &Vec3| {
            let (low, high) = boxes[g].unwrap_or((*p, *p));
            boxes[g] = Some((low.inf(p), high.sup(p)));
        };
        for (g, b) in of_body.iter().zip(&self.model.bodies) {
            take(*g, &b.position);
        }
        let joints = self.terms.iter().map(|t| [t.scalar.a, t.scalar.b]);
        let forces = self.scalar_forces.iter().map(|f| [f.scalar.a, f.scalar.b]);
        for pair in joints.chain(forces) {
            let [a, b] = pair.map(|f| (&self.frames[f], self.frames[f].body()));
            match (a, b) {
                ((ground, None), (_, Some(body))) | ((_, Some(body)), (ground, None)) => {
                    take(of_body[body], &ground.r_b);
                }
                _ => {}
            }
        }
        boxes.iter().map(|b| b.map_or(0.0, |(low, high): (Vec3, _)| (high - low).norm())).collect()
    }
}
