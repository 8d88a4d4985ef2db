//! What a page needs to enlarge the deformation of bodies: their undeformed shape, where they are held, and what hangs on
//! them.
//!
//! A deformation is the difference to the undeformed shape, which must be put somewhere. It goes where joints that lead to
//! the ground hold the body, so that an enlarged beam stays in its clamp, or between its supports; what these leave free is
//! the best fit. What hangs on the body alone, such as a load at its tip, goes along with it.

use super::{SceneFlexible, SceneHanging, modal};
use delassus_math::Quat;
use delassus_math::se3::{self, Motion};
use delassus_model::{
    Beam, Flexible, ForceKind, Frame, JointKind, Model, Pose, node_pose, pose_of,
};
use std::collections::{BTreeMap, BTreeSet};

/// All bodies that deform: beams first.
pub(super) fn flexible(m: &Model) -> Vec<SceneFlexible> {
    let mut out: Vec<SceneFlexible> = m.beams.iter().map(|b| of_beam(m, b)).collect();
    for (k, body) in m.bodies.iter().enumerate() {
        if let Some(f) = &body.flexible {
            out.push(of_modes(m, k, f));
        }
    }
    let graph = Graph::new(m, &out);
    for (k, group) in out.iter_mut().enumerate() {
        graph.hold(k, group);
    }
    out
}

fn of_beam(m: &Model, beam: &Beam) -> SceneFlexible {
    let mut at = Motion::IDENTITY;
    let mut rest = vec![numbers(&at)];
    for f in &m.forces[beam.elements.clone()] {
        let ForceKind::Beam(e) = &f.kind else { continue };
        let end = |f: &Frame| Motion { p: f.p, r: f.r };
        let tip = at.then(&end(&e.a)).then(&se3::exp(&e.rest));
        at = tip.then(&end(&e.b).to(&Motion::IDENTITY));
        rest.push(numbers(&at));
    }
    SceneFlexible {
        name: beam.name.clone(),
        nodes: beam.nodes.clone().map(|k| k + 1).collect(),
        rest,
        exaggerate: beam.exaggerate,
        ..SceneFlexible::default()
    }
}

/// The floating frame and the nodes of a modal body.
fn of_modes(m: &Model, number: usize, f: &Flexible) -> SceneFlexible {
    let body = &m.bodies[number];
    let mut q = vec![0.0; body.nq()];
    // the identity of bodies in space has a quaternion
    if !body.kind.is_planar() {
        q[3] = 1.0;
    }
    let carriers = m.carriers().enumerate().filter(|(_, c)| c.number == number);
    let pose = |node: Option<usize>| match node {
        Some(k) => node_pose(body.kind, f, &q, k),
        None => pose_of(body.kind, &body.com, &q),
    };
    let (nodes, rest) = carriers.map(|(k, c)| (k + 1, pose(c.node).numbers())).unzip();
    SceneFlexible {
        name: body.name.clone(),
        line: modal::is_line(m, number),
        nodes,
        rest,
        exaggerate: f.exaggerate,
        ..SceneFlexible::default()
    }
}

fn numbers(at: &Motion) -> [f64; 7] {
    Pose { p: at.p, r: Quat::from_matrix(&at.r), angle: 0.0 }.numbers()
}

/// What is connected with what. Bodies have the numbers of the scene; all parts of one that deforms are one thing.
struct Graph {
    /// The thing that a body is a part of.
    thing: Vec<usize>,
    mass: Vec<f64>,
    joints: Vec<Edge>,
    forces: Vec<Edge>,
    /// The ground and bodies, then those that deform.
    groups_from: usize,
}

/// A connection of two bodies, and whether it keeps their orientation.
#[derive(Clone, Copy)]
struct Edge {
    ends: [usize; 2],
    stiff: bool,
}

impl Graph {
    fn new(m: &Model, groups: &[SceneFlexible]) -> Graph {
        let bodies = m.carriers().count() + 1;
        let mut thing: Vec<usize> = (0..bodies).collect();
        for (k, group) in groups.iter().enumerate() {
            for node in &group.nodes {
                thing[*node] = bodies + k;
            }
        }
        let mut mass = vec![0.0; bodies + groups.len()];
        for (k, body) in m.bodies.iter().enumerate() {
            mass[thing[k + 1]] += body.mass;
        }
        let number = |f: &Frame| m.carrier_of(f).map_or(0, |k| k + 1);
        let edge = |a: &Frame, b: &Frame, stiff| Edge { ends: [number(a), number(b)], stiff };
        let joints = m.joints.iter().filter_map(|j| match &j.kind {
            JointKind::Fixed(p) | JointKind::Prismatic(p) => Some(edge(&p.a, &p.b, true)),
            // these hold no point of a body
            JointKind::ParallelAxes(_) | JointKind::Motion(..) | JointKind::Coupling(..) => None,
            JointKind::Loose(play) => Some(edge(&play.pair.a, &play.pair.b, false)),
            kind => kind.pair().map(|p| edge(&p.a, &p.b, false)),
        });
        let forces = m.forces.iter().filter_map(|f| match &f.kind {
            ForceKind::Spring { a, b, .. } | ForceKind::Bushing { a, b, .. } => {
                Some(edge(a, b, false))
            }
            ForceKind::Beam(e) => Some(edge(&e.a, &e.b, true)),
            _ => None,
        });
        Graph {
            joints: joints.collect(),
            forces: forces.collect(),
            thing,
            mass,
            groups_from: bodies,
        }
    }

    /// Parts of the rest of the model that hang together by these edges when a thing is taken away, by number of the thing.
    fn parts(&self, without: usize, edges: &[&[Edge]]) -> Vec<usize> {
        let mut part: Vec<usize> = (0..self.mass.len()).collect();
        fn root(part: &mut [usize], mut k: usize) -> usize {
            while part[k] != k {
                part[k] = part[part[k]];
                k = part[k];
            }
            k
        }
        for e in edges.iter().copied().flatten() {
            let [a, b] = e.ends.map(|k| self.thing[k]);
            if a != without && b != without {
                let (a, b) = (root(&mut part, a), root(&mut part, b));
                // the ground stays the root of its part
                part[a.max(b)] = a.min(b);
            }
        }
        (0..part.len()).map(|k| root(&mut part, k)).collect()
    }

    /// Edges of a thing: number of its body, the body at the other end, and whether they keep their orientation.
    fn of<'a>(
        &'a self,
        own: usize,
        edges: &'a [Edge],
    ) -> impl Iterator<Item = (usize, usize, bool)> + 'a {
        edges.iter().filter_map(move |e| {
            let [a, b] = e.ends;
            match (self.thing[a] == own, self.thing[b] == own) {
                (true, false) => Some((a, b, e.stiff)),
                (false, true) => Some((b, a, e.stiff)),
                _ => None,
            }
        })
    }

    /// Finds what holds a group, and what hangs on it.
    fn hold(&self, k: usize, group: &mut SceneFlexible) {
        let own = self.groups_from + k;
        let parts = self.parts(own, &[&self.joints]);
        let at = |other: usize| parts[self.thing[other]];
        let index = |body: usize| group.nodes.iter().position(|n| *n == body);
        let found = |edges: &mut dyn Iterator<Item = (usize, usize, bool)>| -> Vec<(usize, bool)> {
            edges.filter_map(|(body, _, stiff)| Some((index(body)?, stiff))).collect()
        };
        // parts that stay where they are
        let mut stay = BTreeSet::from([0]);
        let mut held = found(&mut self.of(own, &self.joints).filter(|(_, o, _)| at(*o) == 0));
        if held.is_empty() {
            // springs and bearings hold what no joint does
            let both = self.parts(own, &[&self.joints, &self.forces]);
            let grounded = |other: &usize| both[self.thing[*other]] == 0;
            let edges = || self.of(own, &self.forces).chain(self.of(own, &self.joints));
            held = found(&mut edges().filter(|(_, o, _)| grounded(o)));
            stay.extend(edges().filter(|(_, o, _)| grounded(o)).map(|(_, o, _)| at(o)));
        }
        if held.is_empty() {
            // nothing leads to the ground: the heaviest part stays
            let mut mass: BTreeMap<usize, f64> = BTreeMap::new();
            for (thing, part) in parts.iter().enumerate() {
                *mass.entry(*part).or_default() += self.mass[thing];
            }
            let weight = |part: &usize| mass.get(part).copied().unwrap_or(0.0);
            let joined = self.of(own, &self.joints).map(|(_, other, _)| at(other));
            let base = joined.max_by(|a, b| weight(a).total_cmp(&weight(b)));
            held = found(&mut self.of(own, &self.joints).filter(|(_, o, _)| Some(at(*o)) == base));
            stay.extend(base);
        }
        // a part that hangs on one node only goes with it
        let mut on: BTreeMap<usize, Option<usize>> = BTreeMap::new();
        for (body, other, _) in self.of(own, &self.joints) {
            let (part, node) = (at(other), index(body));
            if !stay.contains(&part) {
                on.entry(part).and_modify(|n| *n = n.filter(|_| *n == node)).or_insert(node);
            }
        }
        let hanging = on.into_iter().filter_map(|(part, node)| {
            let bodies = (1..self.thing.len()).filter(|b| parts[self.thing[*b]] == part);
            Some(SceneHanging { node: node?, bodies: bodies.collect() })
        });
        group.hanging = hanging.collect();
        held.sort_unstable_by_key(|(i, stiff)| (*i, !*stiff));
        held.dedup_by_key(|(i, _)| *i);
        group.clamped = held.iter().filter(|(_, stiff)| *stiff).map(|(i, _)| *i).collect();
        group.held = held.into_iter().map(|(i, _)| i).collect();
    }
}
