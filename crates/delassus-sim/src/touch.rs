//! Which points are closed at a sample, and how the force of a contact is shared among them.
//!
//! The channels of a contact have the sum over its points. Where it has several, the parts follow
//! from the motion itself: what masses, applied forces and joints leave open is what contacts do,
//!
//! ```text
//! Hᵀ r = M a − f − Gᵀλ,   weighted by 1/√m
//! ```
//!
//! solved in the sense of least squares by conjugate gradients from zero, which gives the
//! smallest r where it is not unique (a box on four corners). The parts are then scaled to the sum
//! of the channel: pictures and plots say the same. Pictures are all this is for.

use crate::contact::{CHANNELS, Event, found_after};
use crate::contact_track::{ContactTrack, TouchPoint};
use delassus_dae::problem::mass_mul_add;
use delassus_dae::{ContactPoint, Derived, PointId, PointLaw, Problem, State, Unilateral};
use delassus_math::remember;
use delassus_model::{System, Workspace};

/// Gap of a closed point at most, in lengths of the model.
const CLOSED: f64 = 1e-6;
/// Iterations at most, and what may be left of the residual.
const ITERATIONS: usize = 200;
const SOLVED: f64 = 1e-9;

/// A closed point.
#[derive(Debug, Clone, Copy)]
struct Member {
    id: PointId,
    contact: usize,
    rows: usize,
    /// Has a place; clutches and friction of joints have forces only.
    shown: bool,
}

/// Finds closed points; owns its buffers.
pub(crate) struct Toucher {
    ids: Vec<PointId>,
    members: Vec<Member>,
    /// As many as there ever were members.
    points: Vec<ContactPoint>,
    mass: Vec<f64>,
    jac: Vec<f64>,
    weight: Vec<f64>,
    parts: Vec<f64>,
    solver: Solver,
    /// For states that are no samples.
    ws: Workspace,
    /// Events whose places are known or given up, in the order in which they were found.
    placed: u64,
}
remember!(Toucher { placed } apart from { ids, members, points, mass, jac, weight, parts, solver, ws });

impl Toucher {
    pub fn new(sys: &System) -> Toucher {
        let structure = sys.structure();
        let nv = sys.dims().nv;
        Toucher {
            mass: vec![0.0; structure.mass.value_len()],
            jac: vec![0.0; structure.jac.nnz()],
            ids: Vec::new(),
            members: Vec::new(),
            points: Vec::new(),
            weight: vec![0.0; nv],
            parts: Vec::new(),
            solver: Solver::default(),
            ws: sys.workspace(),
            placed: 0,
        }
    }

    /// Adds the closed points of the realised state to a row of the track. `values` are those of
    /// the contact channels there.
    pub fn touch(
        &mut self,
        sys: &System,
        ws: &Workspace,
        d: &Derived,
        values: &[f64],
        row: usize,
        track: &mut ContactTrack,
    ) {
        if !track.wants(row) || !self.find(sys, ws, values) {
            return;
        }
        // members come by ascending id, and ids of one contact need not follow each other
        let mut counts = vec![0u32; values.len() / CHANNELS.len()];
        for m in self.members.iter().filter(|m| m.shown) {
            counts[m.contact] += 1;
        }
        let shared = counts.iter().any(|n| *n > 1);
        self.parts.clear();
        self.parts.resize(self.members.len(), 1.0);
        if shared {
            self.share(sys, ws, d);
        }
        for (k, channels) in
            values.chunks_exact(CHANNELS.len()).enumerate().filter(|(k, _)| counts[*k] > 0)
        {
            let own = |(i, m): (usize, &Member)| (m.contact == k && m.shown).then_some(i);
            let of_contact = || self.members.iter().enumerate().filter_map(own);
            let sum: f64 = of_contact().map(|i| self.parts[i]).sum();
            let count = of_contact().count() as f64;
            for i in of_contact() {
                // parts that are all zero say nothing
                let part = if sum > 0.0 { self.parts[i] / sum } else { 1.0 / count };
                let point = place(sys, self.members[i].id, k, &self.points[i], channels[1] * part);
                track.push(row, point);
            }
        }
    }

    /// Closed points of contacts that are on; false where there are none.
    fn find(&mut self, sys: &System, ws: &Workspace, values: &[f64]) -> bool {
        self.members.clear();
        let on = |c: &[f64]| c[CHANNELS.len() - 1] > 0.0;
        let gaps = values.chunks_exact(CHANNELS.len()).filter(|c| on(c)).map(|c| c[0].max(0.0));
        let Some(widest) = gaps.reduce(f64::max) else { return false };
        let slack = CLOSED * sys.length_scale();
        sys.near(ws, widest + slack, &mut self.ids);
        for &id in &self.ids {
            let Some(contact) = sys.contact_of(id) else { continue };
            let channels = values.chunks_exact(CHANNELS.len()).nth(contact);
            let Some(channels) = channels.filter(|c| on(c)) else { continue };
            let at = self.members.len();
            if self.points.len() == at {
                self.points.push(ContactPoint::default());
            }
            let (law, point) = (sys.law(id), &mut self.points[at]);
            if !sys.position(ws, id, false, None, point) {
                continue;
            }
            let shown = matches!(law, PointLaw::Contact { .. });
            if shown && point.gap > channels[0].max(0.0) + slack {
                continue;
            }
            let rows = if law.is_rough() || !shown { law.rows() } else { 1 };
            self.members.push(Member { id, contact, rows, shown });
        }
        self.members.iter().any(|m| m.shown)
    }

    /// Normal forces of the members, nowhere negative.
    fn share(&mut self, sys: &System, ws: &Workspace, d: &Derived) {
        let s = sys.structure();
        let mut left = vec![0.0; self.weight.len()];
        sys.force(ws, &mut left);
        sys.mass(ws, &mut self.mass);
        sys.jacobian(ws, &mut self.jac);
        s.jac.mul_t_add(&self.jac, 1.0, &d.lambda, &mut left);
        left.iter_mut().for_each(|x| *x = -*x);
        mass_mul_add(&s.mass, &self.mass, &d.a, &mut left);
        for k in 0..s.mass.count() {
            let (n, dof, at) = (s.mass.sizes()[k], s.mass.dof(k), s.mass.value(k));
            for i in 0..n {
                let m = self.mass[at + i * n + i].max(s.mass_floor[dof + i]);
                self.weight[dof + i] = if m > 0.0 { 1.0 / m.sqrt() } else { 1.0 };
            }
        }
        for (x, w) in left.iter_mut().zip(&self.weight) {
            *x *= w;
        }
        let rows = self.members.iter().zip(&self.points);
        let rows = rows.flat_map(|(m, p)| (0..m.rows).map(move |k| (p, k)));
        let rows: Vec<(&ContactPoint, usize)> = rows.collect();
        self.solver.solve(&rows, &self.weight, left);
        let mut at = 0;
        for (part, m) in self.parts.iter_mut().zip(&self.members) {
            *part = self.solver.x[at].max(0.0);
            at += m.rows;
        }
    }

    /// Finds where the new events of a log happened: each at the one of two states that is
    /// nearer to it in time.
    pub fn place_events(
        &mut self,
        sys: &System,
        log: &[Event],
        states: [&State; 2],
        track: &mut ContactTrack,
    ) {
        for e in found_after(log, self.placed) {
            let Some(id) = e.point else { continue };
            let [a, b] = states;
            let s = if (a.t - e.t).abs() < (b.t - e.t).abs() { a } else { b };
            sys.realize_position(s.t, &s.q, &s.z, &mut self.ws);
            let mut point = ContactPoint::default();
            let known = matches!(sys.law(id), PointLaw::Contact { .. })
                && sys.position(&self.ws, id, false, None, &mut point);
            if let (true, Some(contact)) = (known, sys.contact_of(id)) {
                track.push_event(e.id, place(sys, id, contact, &point, e.impulse));
            }
        }
        self.placed = log.len() as u64;
    }
}

/// The point as drawings need it.
fn place(sys: &System, id: PointId, contact: usize, p: &ContactPoint, force: f64) -> TouchPoint {
    // the normal points from the first body to the second; the ground is not pushed about
    let turned = sys.bodies_of(id).is_some_and(|[_, b]| b.is_none());
    let normal = if turned { p.normal.map(|x| -x) } else { p.normal };
    TouchPoint { contact, at: p.at, normal, force: if force.is_finite() { force } else { 0.0 } }
}

/// Conjugate gradients for least squares.
#[derive(Debug, Default)]
struct Solver {
    /// One number per row.
    x: Vec<f64>,
    s: Vec<f64>,
    p: Vec<f64>,
}

impl Solver {
    /// The smallest x for which Hᵀx comes nearest to `left`; both sides are weighted, `left`
    /// already is.
    fn solve(&mut self, rows: &[(&ContactPoint, usize)], weight: &[f64], left: Vec<f64>) {
        let n = rows.len();
        for list in [&mut self.x, &mut self.s, &mut self.p] {
            list.clear();
            list.resize(n, 0.0);
        }
        let transposed = |r: &[f64], out: &mut [f64]| {
            for (o, (p, k)) in out.iter_mut().zip(rows) {
                let terms = p.cols.iter().zip(&p.rows[*k]);
                *o = terms.map(|(c, h)| h * weight[*c] * r[*c]).sum();
            }
        };
        let mut r = left;
        let mut q = vec![0.0; r.len()];
        transposed(&r, &mut self.s);
        self.p.copy_from_slice(&self.s);
        let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
        let mut gamma = dot(&self.s, &self.s);
        let enough = SOLVED * SOLVED * gamma;
        for _ in 0..ITERATIONS {
            q.fill(0.0);
            for (x, (p, k)) in self.p.iter().zip(rows) {
                for (c, h) in p.cols.iter().zip(&p.rows[*k]) {
                    q[*c] += h * weight[*c] * x;
                }
            }
            let size = dot(&q, &q);
            if !(gamma > enough && size > 0.0) {
                break;
            }
            let alpha = gamma / size;
            for (x, p) in self.x.iter_mut().zip(&self.p) {
                *x += alpha * p;
            }
            for (r, q) in r.iter_mut().zip(&q) {
                *r -= alpha * q;
            }
            transposed(&r, &mut self.s);
            let next = dot(&self.s, &self.s);
            for (p, s) in self.p.iter_mut().zip(&self.s) {
                *p = s + next / gamma * *p;
            }
            gamma = next;
        }
    }
}
