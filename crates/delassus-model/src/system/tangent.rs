//! K and C: derivatives of r = M a − f − Gᵀλ with respect to ξ and v.
//!
//! Elements give second derivatives in frame space; this file does the chain rule once, with
//! three parts for each frame: the change of the wrench (Hessian between the columns of J),
//! the change of J under a fixed wrench (`FrameJac::geometric`), and the change of the twist under
//! fixed v (its drift) for forces that depend on rates. Forces that read sensors depend on further
//! frames (`sensitivity.rs`), which makes K and C unsymmetric.

use super::beam::Element;
use super::body::{FrameJac, FrameKin, Twist};
use super::force::{Applied, Bushing, ForceLaw};
use super::scalar::{Gradient, Hessian, Pair, ScalarKind};
use super::sensitivity::{Spread, rate_by_pose};
use super::{System, Workspace};
use crate::Control;
use delassus_dae::{Quality, StateSlopes};
use delassus_linalg::Csr;
use delassus_math::{Mat3, Vec3, so3};
use std::cell::RefCell;
use std::ops::Range;

/// Slots of the tangent pattern by pairs of parts, each a run of velocities: for part i, a short list of blocks (i, j).
#[derive(Debug, Clone, Default)]
pub(crate) struct BlockSlots(Vec<Vec<BlockSlot>>);

/// Where a block stands.
#[derive(Debug, Clone)]
struct BlockSlot {
    column: usize,
    /// All of its entries exist, not only those between velocities that turn.
    full: bool,
    /// For each row the slot that its first column has, or would have if there were one.
    rows: Vec<usize>,
    /// The rows and columns that exist.
    there: [Range<usize>; 2],
}

impl BlockSlots {
    /// Finds the slots of blocks that are full in the pattern (`pairs`, in ascending order), and of those that exist
    /// between velocities that turn only (`turns`).
    pub fn new(
        pattern: &Csr,
        parts: &[Range<usize>],
        turning: &[Range<usize>],
        pairs: &[(usize, usize)],
        turns: &[(usize, usize)],
    ) -> BlockSlots {
        let mut out = vec![Vec::new(); parts.len()];
        let full = pairs.iter().map(|p| (p, 0, true));
        let some = turns.iter().map(|p| (p, turning[p.1].start, false));
        for (&(i, j), first, full) in full.chain(some) {
            let slot = |r: usize| {
                let at = pattern.slot(r, parts[j].start + first);
                at.map_or(usize::MAX, |at| at.wrapping_sub(first))
            };
            let there = match full {
                true => [0..parts[i].len(), 0..parts[j].len()],
                false => [turning[i].clone(), turning[j].clone()],
            };
            let rows = parts[i].clone().map(slot).collect();
            out[i].push(BlockSlot { column: j, full, rows, there });
        }
        BlockSlots(out)
    }

    /// Slots of a block, if it is full.
    #[inline]
    fn get(&self, i: usize, j: usize) -> Option<&[usize]> {
        self.0[i].iter().find(|b| b.column == j && b.full).map(|b| b.rows.as_slice())
    }

    /// A block, with the rows and columns that exist.
    #[inline]
    fn any(&self, i: usize, j: usize) -> Option<(&[usize], &[Range<usize>; 2])> {
        self.0[i].iter().find(|b| b.column == j).map(|b| (b.rows.as_slice(), &b.there))
    }

    /// Slots of a block for entries between velocities that turn, to which columns are added by `wrapping_add`.
    #[inline]
    fn turning(&self, i: usize, j: usize) -> Option<&[usize]> {
        self.0[i].iter().find(|b| b.column == j).map(|b| b.rows.as_slice())
    }
}

/// Buffers for rows over the velocities of two frames.
#[derive(Debug, Clone, Default)]
pub(crate) struct Scratch {
    h: Spread,
    xi: Spread,
    v: Spread,
    reader: Spread,
    /// One entry per velocity that a frame follows, for the one that follows most.
    pulled: Vec<f64>,
    /// How the two frames of an element turn with each of their velocities, the turning ones alone.
    turns: [Vec<Vec3>; 2],
    /// What acts on each frame, times its factor: ∂(Jᵀw)/∂ξ at fixed w is linear in w, so that it is found once per frame.
    wrenches: Vec<Twist>,
}

/// Terms of rows between the same two frames, other than coincidences, whose gradient does not change: one second
/// derivative serves them all.
#[derive(Debug, Clone)]
pub(crate) struct Bent {
    a: usize,
    b: usize,
    /// Row and term.
    terms: Vec<(usize, usize)>,
    /// None of them depends on places.
    turning: bool,
}

/// Jacobians of the two frames of an element; `None` on the ground.
pub(super) type Ends<'w> = [Option<FrameJac<'w>>; 2];

impl System {
    pub(super) fn tangent_scratch(&self) -> RefCell<Scratch> {
        let n = self.frames.iter().map(|f| f.span().len()).max().unwrap_or(0);
        let row = || Spread::with_capacity(n);
        let wrenches = vec![[Vec3::zeros(); 2]; self.frames.len()];
        let (h, xi, v, reader) = (row(), row(), row(), row());
        let (pulled, turns) = (vec![0.0; n], [0; 2].map(|_| Vec::with_capacity(n)));
        RefCell::new(Scratch { h, xi, v, reader, pulled, turns, wrenches })
    }

    /// Lists what rows and forces contribute to K, once.
    pub(super) fn prepare_tangent(&mut self) {
        self.bent.clear();
        for (i, row) in self.rows.iter().enumerate() {
            for k in row.terms.clone() {
                let s = &self.terms[k].scalar;
                if matches!(s.kind, ScalarKind::World(_)) {
                    continue;
                }
                let turning = !s.kind.is_length();
                match self.bent.iter_mut().rev().take(8).find(|x| (x.a, x.b) == (s.a, s.b)) {
                    Some(x) => {
                        x.terms.push((i, k));
                        x.turning &= turning;
                    }
                    None => {
                        self.bent.push(Bent { a: s.a, b: s.b, terms: vec![(i, k)], turning });
                    }
                }
            }
        }
        let mut loaded = vec![false; self.frames.len()];
        let rows = self.terms.iter().map(|t| [t.scalar.a, t.scalar.b]);
        let rolls = self.rolls.iter().map(|r| [r.a, r.b]);
        let forces = self.scalar_forces.iter().map(|f| [f.scalar.a, f.scalar.b]);
        let applied = self.applied.iter().map(|a| [a.at, a.at]);
        let bushings = self.bushings.iter().map(|b| [b.a, b.b]);
        let beams = self.beam_elements.iter().map(|e| [e.a, e.b]);
        let tyres = self.tyres.iter().map(|t| [t.at, t.at]);
        let elements = bushings.chain(beams).chain(tyres);
        for f in rows.chain(rolls).chain(forces).chain(applied).chain(elements).flatten() {
            loaded[f] = self.frames[f].body().is_some();
        }
        self.loaded = (0..loaded.len()).filter(|f| loaded[*f]).collect();
    }

    /// values += JᵀTJ for a T between rotations only.
    fn add_turning(
        &self,
        values: &mut [f64],
        ends: &Ends<'_>,
        t: &Hessian,
        turns: &mut [Vec<Vec3>; 2],
    ) {
        for (j, turns) in ends.iter().zip(turns.iter_mut()) {
            turns.clear();
            let Some(j) = j else { continue };
            for k in j.turning() {
                turns.push(j.column(k)[1]);
            }
        }
        for (y, jy) in ends.iter().enumerate() {
            let Some(jy) = jy else { continue };
            for (x, jx) in ends.iter().enumerate() {
                let Some(jx) = jx else { continue };
                let Some(base) = self.blocks.turning(jx.part(), jy.part()) else { continue };
                let t = &t[2 * x + 1][2 * y + 1];
                for (k, column) in jy.turning().zip(&turns[y]) {
                    let moment = t * column;
                    for (slot, row) in base[jx.turning()].iter().zip(&turns[x]) {
                        values[slot.wrapping_add(k)] += row.dot(&moment);
                    }
                }
            }
        }
    }

    /// values += c JᵀTX, where `of` gives the columns of X.
    fn add_product(
        &self,
        values: &mut [f64],
        ends: &Ends<'_>,
        t: &Hessian,
        c: f64,
        pulled: &mut [f64],
        of: impl Fn(&FrameJac<'_>, usize) -> Twist,
    ) {
        for (y, jy) in ends.iter().enumerate() {
            let Some(jy) = jy else { continue };
            for k in 0..jy.len() {
                let [lin, ang] = of(jy, k);
                for (x, jx) in ends.iter().enumerate() {
                    let Some(jx) = jx else { continue };
                    let Some(base) = self.blocks.get(jx.part(), jy.part()) else { continue };
                    let wl = t[2 * x][2 * y] * lin + t[2 * x][2 * y + 1] * ang;
                    let wa = t[2 * x + 1][2 * y] * lin + t[2 * x + 1][2 * y + 1] * ang;
                    let entries = &mut pulled[..jx.len()];
                    entries.fill(0.0);
                    jx.transpose_mul(&wl, &wa, entries);
                    for (slot, p) in base.iter().zip(entries) {
                        values[slot + k] += c * *p;
                    }
                }
            }
        }
    }

    /// values += c row ⊗ col, where the pattern has entries: nothing else is there.
    pub(super) fn add_outer(&self, values: &mut [f64], row: &Spread, col: &Spread, c: f64) {
        if c == 0.0 {
            return;
        }
        for (bx, x) in row.parts() {
            for (by, y) in col.parts() {
                let Some((base, [rows, cols])) = self.blocks.any(bx, by) else { continue };
                let y = &y[cols.clone()];
                if y.is_empty() {
                    continue;
                }
                for (slot, r) in base[rows.clone()].iter().zip(&x[rows.clone()]) {
                    let first = slot.wrapping_add(cols.start);
                    for (to, e) in values[first..first + y.len()].iter_mut().zip(y) {
                        *to += c * r * e;
                    }
                }
            }
        }
    }

    /// values += ∂(Jᵀ wrench)/∂ξ at fixed wrenches of all frames.
    fn add_geometric(&self, values: &mut [f64], ws: &Workspace, wrenches: &[Twist]) {
        for &f in &self.loaded {
            let Some(j) = self.jac(&ws.kin, f) else { continue };
            let Some(base) = self.blocks.turning(j.part(), j.part()) else { continue };
            let [lin, ang] = &wrenches[f];
            j.geometric(lin, ang, |i, k, x| values[base[i].wrapping_add(k)] += x);
        }
    }

    fn ends<'w>(&'w self, ws: &'w Workspace, a: usize, b: usize) -> Ends<'w> {
        [self.jac(&ws.kin, a), self.jac(&ws.kin, b)]
    }

    pub(super) fn add_tangent(
        &self,
        ws: &Workspace,
        a: &[f64],
        lambda: &[f64],
        ck: f64,
        cc: f64,
        values: &mut [f64],
    ) -> Quality {
        let Scratch { h: hj, xi, v, pulled, turns, wrenches, .. } = &mut *ws.tangent.borrow_mut();
        wrenches.fill([Vec3::zeros(); 2]);
        for i in 0..self.bodies.len() {
            let body = ws.kin.here(&self.bodies, i);
            let Some(base) = self.blocks.turning(i, i) else {
                let (pattern, iv) = (&self.structure.tangent, self.bodies[i].iv);
                body.tangent(&self.model.gravity, a, ck, cc, |r, c, x| {
                    let slot = pattern.slot(iv + r, iv + c);
                    debug_assert!(slot.is_some(), "{r} and {c} are not coupled");
                    slot.into_iter().for_each(|slot| values[slot] += x);
                });
                continue;
            };
            body.tangent(&self.model.gravity, a, ck, cc, |r, c, x| {
                values[base[r].wrapping_add(c)] += x;
            });
        }
        if ck != 0.0 {
            // r contains −Gᵀλ
            for (row, lambda) in self.rows.iter().zip(lambda) {
                for k in row.terms.clone() {
                    let s = &self.terms[k].scalar;
                    load(wrenches, s.a, s.b, &ws.gradients[k], -ck * self.terms[k].c * lambda);
                }
            }
            for x in &self.bent {
                let ends = self.ends(ws, x.a, x.b);
                let pair = self.frame_pair(&ws.kin, x.a, x.b);
                let mut t = [[Mat3::zeros(); 4]; 4];
                for &(i, k) in &x.terms {
                    let term = &self.terms[k];
                    term.scalar.kind.add_hessian(&pair, -ck * term.c * lambda[i], &mut t);
                }
                match x.turning {
                    true => self.add_turning(values, &ends, &t, turns),
                    false => self.add_product(values, &ends, &t, 1.0, pulled, |j, k| j.column(k)),
                }
            }
            for roll in &self.rolls {
                let pair = self.frame_pair(&ws.kin, roll.a, roll.b);
                let h = roll.gradient(&pair);
                let c = -ck * lambda[roll.row];
                let ends = self.ends(ws, roll.a, roll.b);
                load(wrenches, roll.a, roll.b, &h, c);
                let mut t = [[Mat3::zeros(); 4]; 4];
                roll.add_hessian(&pair, &mut t);
                self.add_product(values, &ends, &t, c, pulled, |j, k| j.column(k));
            }
        }
        for (force, x) in self.scalar_forces.iter().zip(&ws.forces) {
            let ends = self.ends(ws, force.scalar.a, force.scalar.b);
            let pair = self.pair(ws, &force.scalar);
            // r contains +P H
            hj.set(&ends, &x.h);
            if ck != 0.0 {
                load(wrenches, force.scalar.a, force.scalar.b, &x.h, ck * x.pull);
                if !matches!(force.scalar.kind, ScalarKind::World(_)) {
                    let mut t = [[Mat3::zeros(); 4]; 4];
                    force.scalar.kind.add_hessian(&pair, ck * x.pull, &mut t);
                    match force.scalar.kind.is_length() {
                        true => {
                            self.add_product(values, &ends, &t, 1.0, pulled, |j, k| j.column(k))
                        }
                        false => self.add_turning(values, &ends, &t, turns),
                    }
                }
                if x.c != 0.0 {
                    rate_gradient(&pair, &ends, x, &force.scalar.kind, xi);
                    xi.mix(ck * x.c, hj, ck * x.k);
                    self.add_outer(values, hj, xi, 1.0);
                } else {
                    self.add_outer(values, hj, hj, ck * x.k);
                }
            }
            self.add_outer(values, hj, hj, cc * x.c);
            for (leaf, at) in force.reads.iter().zip(force.readings.clone()) {
                let reading = ws.readings[at];
                self.leaf_slopes(ws, *leaf, xi, v);
                self.add_outer(values, hj, xi, ck * reading.value);
                self.add_outer(values, hj, v, cc * reading.value);
                if reading.rate != 0.0 {
                    self.leaf_rate_slopes(ws, *leaf, xi, v);
                    self.add_outer(values, hj, xi, ck * reading.rate);
                    self.add_outer(values, hj, v, cc * reading.rate);
                }
            }
        }
        for a in &self.applied {
            self.add_applied(ws, a, ck, values, pulled, wrenches);
            for leaf in &a.reads {
                // the dependence of the components on sensors; r contains −f
                hj.set(&[self.jac(&ws.kin, a.at), None], &self.reading_wrench(ws, a, *leaf));
                self.leaf_slopes(ws, *leaf, xi, v);
                self.add_outer(values, hj, xi, -ck);
                self.add_outer(values, hj, v, -cc);
            }
        }
        for b in &self.bushings {
            self.add_bushing(ws, b, (ck, cc), values, pulled, wrenches);
        }
        for e in &self.beam_elements {
            self.add_beam(ws, e, (ck, cc), values, pulled, wrenches);
        }
        self.add_tyres(ws, (ck, cc), values, pulled, wrenches);
        if ck != 0.0 {
            self.add_geometric(values, ws, wrenches);
        }
        Quality::Exact
    }

    /// values −= Σ ∂f/∂z (ck ∂ż/∂ξ + cc ∂ż/∂v), with [ck, cc] of each auxiliary state: integrals of controllers and
    /// deflections of tyres. (Counters of turns do not change a force, bristles do so in a mode.)
    pub(super) fn add_feedback(&self, ws: &Workspace, by: &[[f64; 2]], values: &mut [f64]) {
        let Scratch { h: hj, xi, v, reader, .. } = &mut *ws.tangent.borrow_mut();
        for (force, x) in self.scalar_forces.iter().zip(&ws.forces) {
            let ForceLaw::Actuator { target, control, ki, z: Some(z), .. } = &force.law else {
                continue;
            };
            let [ck, cc] = by[*z];
            let ends = self.ends(ws, force.scalar.a, force.scalar.b);
            hj.set(&ends, &x.h);
            // f = … + ki z H and ż = target − s or target − ṡ
            match control {
                Control::Position => self.add_outer(values, hj, hj, ki * ck),
                Control::Rate => {
                    let pair = self.pair(ws, &force.scalar);
                    rate_gradient(&pair, &ends, x, &force.scalar.kind, xi);
                    self.add_outer(values, hj, xi, ki * ck);
                    self.add_outer(values, hj, hj, ki * cc);
                }
            }
            for leaf in &force.reads {
                let w = self.weight(target, &ws.vars, *leaf);
                self.leaf_slopes(ws, *leaf, xi, v);
                self.add_outer(values, hj, xi, -ki * ck * w);
                self.add_outer(values, hj, v, -ki * cc * w);
            }
        }
        self.add_tyre_feedback(ws, by, [hj, xi, v], reader, values);
    }

    /// The same derivatives apart from each other.
    pub(super) fn add_state_slopes(&self, ws: &Workspace, out: &mut StateSlopes) {
        let Scratch { h: hj, xi, v, reader, .. } = &mut *ws.tangent.borrow_mut();
        for (force, x) in self.scalar_forces.iter().zip(&ws.forces) {
            let ForceLaw::Actuator { target, control, ki, z: Some(z), .. } = &force.law else {
                continue;
            };
            let ends = self.ends(ws, force.scalar.a, force.scalar.b);
            hj.set(&ends, &x.h);
            for (i, h) in hj.entries() {
                out.force_by_z.push((i, *z, ki * h));
                match control {
                    Control::Position => out.rate_by_q.push((*z, i, -h)),
                    Control::Rate => out.rate_by_v.push((*z, i, -h)),
                }
            }
            if *control == Control::Rate {
                let pair = self.pair(ws, &force.scalar);
                rate_gradient(&pair, &ends, x, &force.scalar.kind, xi);
                out.rate_by_q.extend(xi.entries().map(|(i, h)| (*z, i, -h)));
            }
            for leaf in &force.reads {
                let w = self.weight(target, &ws.vars, *leaf);
                self.leaf_slopes(ws, *leaf, xi, v);
                out.rate_by_q.extend(xi.entries().map(|(i, h)| (*z, i, w * h)));
                out.rate_by_v.extend(v.entries().map(|(i, h)| (*z, i, w * h)));
            }
        }
        self.add_tyre_slopes(ws, [hj, xi, v], reader, out);
    }

    fn add_applied(
        &self,
        ws: &Workspace,
        a: &Applied,
        ck: f64,
        values: &mut [f64],
        pulled: &mut [f64],
        wrenches: &mut [Twist],
    ) {
        if ck == 0.0 {
            return;
        }
        let w = self.applied_vector(ws, a);
        let [at, axes] = self.ends(ws, a.at, a.axes.frame);
        let h = a.wrench(&w);
        add_wrench(wrenches, a.at, &h.a_lin, &h.a_ang, -ck);
        // components that turn with a frame: δw = δφ × w
        let (Some(at), Some(axes)) = (at, axes) else { return };
        let Some(base) = self.blocks.get(at.part(), axes.part()) else { return };
        for k in 0..axes.len() {
            let h = a.wrench(&axes.column(k)[1].cross(&w));
            let entries = &mut pulled[..at.len()];
            entries.fill(0.0);
            at.transpose_mul(&h.a_lin, &h.a_ang, entries);
            for (slot, p) in base.iter().zip(entries) {
                values[slot + k] -= ck * *p;
            }
        }
    }

    /// Dependence of the wrench of an applied force on a sensor.
    pub(super) fn reading_wrench(&self, ws: &Workspace, a: &Applied, leaf: usize) -> Gradient {
        let mut local = Vec3::zeros();
        for (x, e) in local.iter_mut().zip(&a.components) {
            *x = self.weight(e, &ws.vars, leaf);
        }
        a.wrench(&self.in_ground(ws, a, &local))
    }

    /// Bushings by central differences of their wrenches in frame space: the rotation vector makes
    /// closed forms long, and a bushing is cheap to evaluate.
    fn add_bushing(
        &self,
        ws: &Workspace,
        b: &Bushing,
        (ck, cc): (f64, f64),
        values: &mut [f64],
        pulled: &mut [f64],
        wrenches: &mut [Twist],
    ) {
        let frames = [ws.kin.frames[b.a], ws.kin.frames[b.b]];
        let ends = self.ends(ws, b.a, b.b);
        let slope = |h: f64, moved: &dyn Fn(f64) -> [FrameKin; 2]| {
            let [x, y] = [h, -h].map(|h| b.wrenches(&moved(h)));
            [0, 1, 2, 3].map(|i| (x[i] - y[i]) / (2.0 * h))
        };
        let mut by_pose = [[Mat3::zeros(); 4]; 4];
        let mut by_twist = [[Mat3::zeros(); 4]; 4];
        for (s, k) in (0..4).flat_map(|s| (0..3).map(move |k| (s, k))) {
            if ends[s / 2].is_none() {
                continue;
            }
            let (e, turning) = (Vec3::ith(k, 1.0), s % 2 == 1);
            let displaced = |h: f64| {
                let mut f = frames;
                if turning {
                    f[s / 2].axes = so3::exp(&(e * h)) * f[s / 2].axes;
                } else {
                    f[s / 2].p += e * h;
                }
                f
            };
            let moving = |h: f64| {
                let mut f = frames;
                if turning {
                    f[s / 2].w += e * h
                } else {
                    f[s / 2].v += e * h
                }
                f
            };
            let step = if turning { 1e-6 } else { 1e-6 * self.length };
            // the force is linear in velocities, so any step size will do there
            let (x, y) = (slope(step, &displaced), slope(1.0, &moving));
            for i in 0..4 {
                by_pose[i][s].set_column(k, &x[i]);
                by_twist[i][s].set_column(k, &y[i]);
            }
        }
        let w = b.wrenches(&frames);
        add_wrench(wrenches, b.a, &w[0], &w[1], -ck);
        add_wrench(wrenches, b.b, &w[2], &w[3], -ck);
        self.add_wrench_slopes(values, &ends, (&by_pose, Some(&by_twist)), (ck, cc), pulled);
    }

    fn add_beam(
        &self,
        ws: &Workspace,
        e: &Element,
        (ck, cc): (f64, f64),
        values: &mut [f64],
        pulled: &mut [f64],
        wrenches: &mut [Twist],
    ) {
        let s = self.strained(ws, e);
        let mut by_pose = [[Mat3::zeros(); 4]; 4];
        let mut by_twist = [[Mat3::zeros(); 4]; 4];
        e.slopes(&s, &mut by_pose, &mut by_twist);
        let (ends, w) = (self.ends(ws, e.a, e.b), e.wrenches(&s));
        add_wrench(wrenches, e.a, &w[0], &w[1], -ck);
        add_wrench(wrenches, e.b, &w[2], &w[3], -ck);
        let by_twist = e.is_damped().then_some(&by_twist);
        self.add_wrench_slopes(values, &ends, (&by_pose, by_twist), (ck, cc), pulled);
    }

    /// values −= Jᵀ (ck ∂w/∂ξ + cc ∂w/∂v) of wrenches at two frames that depend on their places and twists; r contains −f.
    pub(super) fn add_wrench_slopes(
        &self,
        values: &mut [f64],
        ends: &Ends<'_>,
        (by_pose, by_twist): (&Hessian, Option<&Hessian>),
        (ck, cc): (f64, f64),
        pulled: &mut [f64],
    ) {
        if ck != 0.0 {
            self.add_product(values, ends, by_pose, -ck, pulled, |j, k| j.column(k));
        }
        let Some(by_twist) = by_twist else { return };
        if ck != 0.0 {
            self.add_product(values, ends, by_twist, -ck, pulled, |j, k| j.drift(k));
        }
        if cc != 0.0 {
            self.add_product(values, ends, by_twist, -cc, pulled, |j, k| j.column(k));
        }
    }
}

/// Adds c times a wrench to what acts on a frame.
#[inline]
pub(super) fn add_wrench(wrenches: &mut [Twist], frame: usize, lin: &Vec3, ang: &Vec3, c: f64) {
    let w = &mut wrenches[frame];
    w[0] += lin * c;
    w[1] += ang * c;
}

/// Adds c times a gradient to what acts on its two frames.
#[inline]
fn load(wrenches: &mut [Twist], a: usize, b: usize, h: &Gradient, c: f64) {
    add_wrench(wrenches, a, &h.a_lin, &h.a_ang, c);
    add_wrench(wrenches, b, &h.b_lin, &h.b_ang, c);
}

/// ∂ṡ/∂ξ at fixed v.
fn rate_gradient(
    pair: &Pair<'_>,
    ends: &Ends<'_>,
    x: &super::force::Acting,
    kind: &super::scalar::ScalarKind,
    out: &mut Spread,
) {
    out.set(ends, &rate_by_pose(kind, pair));
    out.add_drift(ends, &x.h);
}
