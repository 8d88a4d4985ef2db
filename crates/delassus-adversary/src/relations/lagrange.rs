//! Planar trees against equations in minimal coordinates, derived here independently and integrated by the classical
//! Runge–Kutta method: nothing is shared with the program.

use crate::mechanism::{ForceKind, JointKind, Mechanism, Place, Turn, View};
use crate::run::Trace;
use crate::subject::{RTOL, Subject};
use crate::verdict::Violation;
use std::f64::consts::PI;

/// Number of steps of a run.
const STEPS: usize = 8000;

pub fn check(s: &Subject) -> Vec<Violation> {
    let Some(tree) = Tree::of(&s.mechanism) else { return Vec::new() };
    let trace = tree.trace(s);
    s.compare("lagrange", &View::plain(), &trace, s.accuracy(RTOL)).into_iter().collect()
}

type V2 = [f64; 2];

fn turn(angle: f64, [x, y]: V2) -> V2 {
    let (s, c) = angle.sin_cos();
    [c * x - s * y, s * x + c * y]
}

fn plus(a: V2, b: V2) -> V2 {
    [a[0] + b[0], a[1] + b[1]]
}

fn scaled(c: f64, a: V2) -> V2 {
    [c * a[0], c * a[1]]
}

fn dot(a: V2, b: V2) -> f64 {
    a[0] * b[0] + a[1] * b[1]
}

/// A quarter turn to the left.
fn left([x, y]: V2) -> V2 {
    [-y, x]
}

fn flat(p: &Place) -> (V2, f64) {
    let angle = if let Turn::Angle(a) = p.turn { a } else { 0.0 };
    ([p.at[0], p.at[1]], angle)
}

/// A body with the joint that carries it.
struct Link {
    body: usize,
    joint: String,
    parent: Option<usize>,
    on_parent: (V2, f64),
    on_child: (V2, f64),
    /// Direction of a slide in the frame of the parent's marker; none for a hinge.
    slide: Option<V2>,
    /// Constant angle between the two bodies of a slide.
    kept: f64,
    q0: f64,
    v0: f64,
}

/// Position and motion of a body; the accelerations are those for zero second derivatives of the coordinates.
#[derive(Clone, Copy, Default)]
struct Moving {
    at: V2,
    angle: f64,
    velocity: V2,
    rate: f64,
    bias: V2,
}

impl Moving {
    fn arm(&self, local: V2) -> V2 {
        turn(self.angle, local)
    }

    fn point(&self, local: V2) -> V2 {
        plus(self.at, self.arm(local))
    }

    fn point_velocity(&self, local: V2) -> V2 {
        plus(self.velocity, scaled(self.rate, left(self.arm(local))))
    }
}

struct Tree<'a> {
    m: &'a Mechanism,
    links: Vec<Link>,
    /// Index in `links` of every body.
    of_body: Vec<usize>,
}

impl Tree<'_> {
    /// The tree, if the mechanism is one that these equations cover.
    fn of(m: &Mechanism) -> Option<Tree<'_>> {
        let known = |k: &ForceKind| match k {
            ForceKind::Bushing { .. } | ForceKind::Beam { .. } => false,
            ForceKind::Actuator { ki, rate, .. } => *ki == 0.0 && !rate,
            _ => true,
        };
        let free = m.bodies.iter().all(|b| b.velocity.is_none() && b.rate.is_none());
        if m.space || m.has_contacts() || !free || !m.forces.iter().all(|f| known(&f.kind)) {
            return None;
        }
        let mut tree = Tree { m, links: Vec::new(), of_body: vec![usize::MAX; m.bodies.len()] };
        let mut given = 0;
        for joint in &m.joints {
            let JointKind::Pair { word, between, axis, initial_rate, .. } = &joint.kind else {
                return None;
            };
            let index = |p: &Place| {
                p.body.as_ref().and_then(|b| m.bodies.iter().position(|x| x.name == *b))
            };
            let child = index(&between[1])?;
            let parent = match index(&between[0]) {
                None => None,
                Some(p) => Some(*tree.of_body.get(p).filter(|l| **l != usize::MAX)?),
            };
            if tree.of_body[child] != usize::MAX {
                return None;
            }
            let slide = match (*word, axis) {
                ("revolute", None) => None,
                ("prismatic", Some(a)) => Some([a[0], a[1]]),
                _ => return None,
            };
            let (on_parent, on_child) = (flat(&between[0]), flat(&between[1]));
            let angle = |i: usize| if let Turn::Angle(a) = m.bodies[i].turn { a } else { 0.0 };
            let below = index(&between[0]).map_or(0.0, angle);
            let (p, c) = (m.pose(&between[0]).0, m.pose(&between[1]).0);
            let q0 = match slide {
                None => {
                    let raw = angle(child) + on_child.1 - below - on_parent.1;
                    raw - 2.0 * PI * (raw / (2.0 * PI)).round()
                }
                Some(a) => dot(turn(below + on_parent.1, a), [c[0] - p[0], c[1] - p[1]]),
            };
            given += usize::from(initial_rate.is_some());
            tree.of_body[child] = tree.links.len();
            tree.links.push(Link {
                body: child,
                joint: joint.name.clone(),
                parent,
                on_parent,
                on_child,
                slide,
                kept: angle(child) - below,
                q0,
                v0: initial_rate.unwrap_or(0.0),
            });
        }
        // with only some of the rates given, the others follow from a rule that is not repeated here
        let rates = given == 0 || given == tree.links.len();
        (rates && tree.links.len() == m.bodies.len()).then_some(tree)
    }

    fn motion(&self, q: &[f64], v: &[f64]) -> Vec<Moving> {
        let mut all: Vec<Moving> = Vec::with_capacity(q.len());
        for (k, link) in self.links.iter().enumerate() {
            let under = link.parent.map_or_else(Moving::default, |p| all[p]);
            let (place, angle) = link.on_parent;
            let mut now = Moving::default();
            let (mut pivot, mut pivot_velocity, mut pivot_bias) =
                (under.point(place), under.point_velocity(place), [0.0; 2]);
            let mut arm = under.arm(place);
            match link.slide {
                None => {
                    now.angle = under.angle + angle + q[k] - link.on_child.1;
                    now.rate = under.rate + v[k];
                }
                Some(a) => {
                    let along = turn(under.angle + angle, a);
                    now.angle = under.angle + link.kept;
                    now.rate = under.rate;
                    let out = scaled(q[k], along);
                    arm = plus(arm, out);
                    pivot = plus(pivot, out);
                    pivot_velocity = plus(pivot_velocity, scaled(v[k], along));
                    pivot_velocity = plus(pivot_velocity, scaled(under.rate, left(out)));
                    pivot_bias = scaled(2.0 * under.rate * v[k], left(along));
                }
            }
            pivot_bias = plus(pivot_bias, plus(under.bias, scaled(-under.rate * under.rate, arm)));
            let back = scaled(-1.0, turn(now.angle, link.on_child.0));
            now.at = plus(pivot, back);
            now.velocity = plus(pivot_velocity, scaled(now.rate, left(back)));
            now.bias = plus(pivot_bias, scaled(-now.rate * now.rate, back));
            all.push(now);
        }
        all
    }

    /// The velocity of a point carried by link `on`, and its rotation rate, for a unit rate of each coordinate.
    fn columns(&self, moving: &[Moving], on: usize, point: V2) -> Vec<(V2, f64)> {
        let mut columns = vec![([0.0; 2], 0.0); self.links.len()];
        let mut next = Some(on);
        while let Some(k) = next {
            let link = &self.links[k];
            let under = link.parent.map_or_else(Moving::default, |p| moving[p]);
            columns[k] = match link.slide {
                None => {
                    let pivot = under.point(link.on_parent.0);
                    (left([point[0] - pivot[0], point[1] - pivot[1]]), 1.0)
                }
                Some(a) => (turn(under.angle + link.on_parent.1, a), 0.0),
            };
            next = link.parent;
        }
        columns
    }

    fn accelerations(&self, t: f64, q: &[f64], v: &[f64]) -> Vec<f64> {
        let n = q.len();
        let moving = self.motion(q, v);
        let mut mass = vec![vec![0.0; n]; n];
        let mut load = vec![0.0; n];
        for (l, link) in self.links.iter().enumerate() {
            let body = &self.m.bodies[link.body];
            let com = [body.com[0], body.com[1]];
            let now = &moving[l];
            let columns = self.columns(&moving, l, now.point(com));
            let bias = plus(now.bias, scaled(-now.rate * now.rate, now.arm(com)));
            let pull = [self.m.gravity[0] - bias[0], self.m.gravity[1] - bias[1]];
            for (i, (x, w)) in columns.iter().enumerate() {
                load[i] += body.mass * dot(*x, pull);
                for (j, (y, u)) in columns.iter().enumerate() {
                    mass[i][j] += body.mass * dot(*x, *y) + body.inertia[2] * w * u;
                }
            }
        }
        for force in &self.m.forces {
            self.add(&force.kind, t, (q, v), &moving, &mut load);
        }
        solve(mass, load)
    }

    /// Adds a force at a place.
    fn push(&self, place: &Place, moving: &[Moving], force: V2, load: &mut [f64]) {
        let Some(l) = self.carrier(place) else { return };
        let point = moving[l].point(flat(place).0);
        for (i, (x, _)) in self.columns(moving, l, point).iter().enumerate() {
            load[i] += dot(*x, force);
        }
    }

    fn carrier(&self, place: &Place) -> Option<usize> {
        let name = place.body.as_ref()?;
        let body = self.m.bodies.iter().position(|b| b.name == *name)?;
        Some(self.of_body[body])
    }

    fn add(
        &self,
        kind: &ForceKind,
        t: f64,
        (q, v): (&[f64], &[f64]),
        moving: &[Moving],
        load: &mut [f64],
    ) {
        let joint = |name: &str| self.links.iter().position(|l| l.joint == *name);
        match kind {
            ForceKind::Torsion { joint: name, stiffness, damping, rest } => {
                if let Some(k) = joint(name) {
                    load[k] -= stiffness * (q[k] - rest) + damping * v[k];
                }
            }
            ForceKind::Actuator { joint: name, target, offset, kp, kd, .. } => {
                if let Some(k) = joint(name) {
                    load[k] += kp * (offset + target.at(t) - q[k]) + kd * (target.rate(t) - v[k]);
                }
            }
            ForceKind::Push { at, along, law } => {
                self.push(at, moving, scaled(law.at(t), [along[0], along[1]]), load);
            }
            ForceKind::Twist { body, along, law } => {
                if let Some(l) = self.carrier(&Place::on(body, [0.0; 3])) {
                    for (i, (_, w)) in self.columns(moving, l, [0.0; 2]).iter().enumerate() {
                        load[i] += w * along[2] * law.at(t);
                    }
                }
            }
            ForceKind::Spring { between, stiffness, damping, length } => {
                let end = |p: &Place| match self.carrier(p) {
                    None => (flat(p).0, [0.0; 2]),
                    Some(l) => (moving[l].point(flat(p).0), moving[l].point_velocity(flat(p).0)),
                };
                let ((a, va), (b, vb)) = (end(&between[0]), end(&between[1]));
                let d = [b[0] - a[0], b[1] - a[1]];
                let distance = d[0].hypot(d[1]);
                let unit = scaled(1.0 / distance, d);
                let rate = dot(unit, [vb[0] - va[0], vb[1] - va[1]]);
                let tension = stiffness * (distance - length) + damping * rate;
                self.push(&between[0], moving, scaled(tension, unit), load);
                self.push(&between[1], moving, scaled(-tension, unit), load);
            }
            ForceKind::Bushing { .. } | ForceKind::Beam { .. } => {}
        }
    }

    fn trace(&self, s: &Subject) -> Trace {
        let n = self.links.len();
        let mut q: Vec<f64> = self.links.iter().map(|l| l.q0).collect();
        let mut v: Vec<f64> = self.links.iter().map(|l| l.v0).collect();
        let samples = s.mechanism.samples as usize;
        let every = STEPS / samples;
        let h = s.mechanism.end / (samples * every) as f64;
        let mut out = Trace {
            t: s.careful.t.clone(),
            data: vec![Vec::new(); s.names.len()],
            ..Trace::default()
        };
        for step in 0..=samples * every {
            if step % every == 0 {
                self.sample(s, &q, &v, &mut out);
            }
            let t = step as f64 * h;
            let shifted = |x: &[f64], c: f64, y: &[f64]| {
                (0..n).map(|i| x[i] + c * y[i]).collect::<Vec<f64>>()
            };
            let a1 = self.accelerations(t, &q, &v);
            let (q2, v2) = (shifted(&q, h / 2.0, &v), shifted(&v, h / 2.0, &a1));
            let a2 = self.accelerations(t + h / 2.0, &q2, &v2);
            let (q3, v3) = (shifted(&q, h / 2.0, &v2), shifted(&v, h / 2.0, &a2));
            let a3 = self.accelerations(t + h / 2.0, &q3, &v3);
            let (q4, v4) = (shifted(&q, h, &v3), shifted(&v, h, &a3));
            let a4 = self.accelerations(t + h, &q4, &v4);
            for i in 0..n {
                q[i] += h / 6.0 * (v[i] + 2.0 * v2[i] + 2.0 * v3[i] + v4[i]);
                v[i] += h / 6.0 * (a1[i] + 2.0 * a2[i] + 2.0 * a3[i] + a4[i]);
            }
        }
        out
    }

    fn sample(&self, s: &Subject, q: &[f64], v: &[f64], out: &mut Trace) {
        let moving = self.motion(q, v);
        for (c, name) in s.names.iter().enumerate() {
            let value = self.measure(name, q, v, &moving);
            out.data[c].push(value.unwrap_or(f64::NAN));
        }
    }

    fn measure(&self, name: &str, q: &[f64], v: &[f64], moving: &[Moving]) -> Option<f64> {
        let (of, what) = name.rsplit_once('_')?;
        if let Some(k) = self.links.iter().position(|l| l.joint == of) {
            return Some(if what == "c" { q[k] } else { v[k] });
        }
        let l = self.carrier(&Place::on(of, [0.0; 3]))?;
        let reach = self.m.bodies[self.links[l].body].reach;
        let local = if what.starts_with('u') { [reach, 0.0] } else { [0.0; 2] };
        let axis = usize::from(what.ends_with('y'));
        let speed = what.len() == 3;
        Some(if speed {
            moving[l].point_velocity(local)[axis]
        } else {
            moving[l].point(local)[axis]
        })
    }
}

/// Gaussian elimination with pivoting; matrices of three rows at most.
fn solve(mut a: Vec<Vec<f64>>, mut b: Vec<f64>) -> Vec<f64> {
    let n = b.len();
    for k in 0..n {
        let best = (k..n).fold(k, |p, i| if a[i][k].abs() > a[p][k].abs() { i } else { p });
        a.swap(k, best);
        b.swap(k, best);
        for i in k + 1..n {
            let factor = a[i][k] / a[k][k];
            for j in k..n {
                a[i][j] -= factor * a[k][j];
            }
            b[i] -= factor * b[k];
        }
    }
    for k in (0..n).rev() {
        let known: f64 = (k + 1..n).map(|j| a[k][j] * b[j]).sum();
        b[k] = (b[k] - known) / a[k][k];
    }
    b
}
