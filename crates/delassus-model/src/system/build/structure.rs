//! Typical sizes and sparsity.

use super::Builder;
use super::groups::FINEST;
use crate::Diagnostic;
use crate::model::Control;
use crate::system::body::{BodyLayout, FrameLayout};
use crate::system::force::ForceLaw;
use crate::system::scalar::{PairScalar, ScalarKind};
use crate::system::tangent::BlockSlots;
use crate::system::{Row, RowOffset, System};
use delassus_dae::Structure;
use delassus_linalg::{Csr, KktError, MassShape};
use delassus_math::largest;
use std::collections::HashMap;
use std::ops::Range;

/// Fictitious inertia of massless coordinates, relative to the lightest real one: small enough that refinement against
/// the true equations gains five digits per pass, large enough not to dominate W.
const MASS_FLOOR: f64 = 1e-5;

/// The time that makes the integral of a controller comparable with its coordinate, s: the longest one within which its
/// part of the force alone grows to the effect of the inertia, the derivative part or the proportional part on the same
/// motion.
fn integral_time([inertia, kd, kp]: [f64; 3], ki: f64) -> f64 {
    let part = |gain: f64| (gain / ki).abs();
    part(kp).max(part(kd).sqrt()).max(part(inertia).cbrt())
}

/// Size of a scene of points without extent, m: the diagonal of the box around them and the places on the ground from
/// which joints and forces hold them. The position of the origin does not matter.
fn scene(sys: &System) -> f64 {
    let joints = sys.terms.iter().map(|t| [t.scalar.a, t.scalar.b]);
    let forces = sys.scalar_forces.iter().map(|f| [f.scalar.a, f.scalar.b]);
    let used = joints.chain(forces).flatten().map(|f| &sys.frames[f]);
    let on_ground = used.filter(|f| f.body().is_none()).map(|f| f.r_b);
    let mut places = sys.model.bodies.iter().map(|b| b.position).chain(on_ground);
    let Some(first) = places.next() else { return 0.0 };
    let (low, high) = places.fold((first, first), |(low, high), p| (low.inf(&p), high.sup(&p)));
    (high - low).norm()
}

impl System {
    /// The length stated by a row between positions, m: its constant, and the distance per radian of an angle in it
    /// (the thread of a screw, the radius of a pinion), compared with which the round-off of a constant that is zero is
    /// not a length.
    pub(super) fn stated_length(&self, row: &Row) -> f64 {
        let terms = &self.terms[row.terms.clone()];
        let Some(first) = terms.first().filter(|t| t.scalar.kind.is_length()) else { return 0.0 };
        let levers = terms.iter().filter(|t| !t.scalar.kind.is_length());
        let lever = largest(levers.map(|t| (t.c / first.c).abs()));
        match row.offset {
            RowOffset::Const(x) => lever.max(x.abs()),
            _ => lever,
        }
    }
}

impl Builder {
    /// Typical length of the whole model.
    pub(super) fn find_length(&mut self) {
        let sys = &mut self.sys;
        let mut length: f64 = 0.0;
        for f in &sys.frames {
            if f.body().is_some() {
                length = length.max(f.reach());
            }
        }
        length = length.max(largest(sys.rows.iter().map(|row| sys.stated_length(row))));
        for s in &sys.contacts.shapes {
            length = length.max(s.reach);
        }
        length = length.max(largest(sys.beam_elements.iter().map(|e| e.whole)));
        length = length.max(largest(sys.tyres.iter().map(|t| t.tyre.data.radius)));
        if length == 0.0 {
            length = scene(sys);
        }
        if length == 0.0 {
            length = 1.0;
        }
        sys.length = length.max(FINEST * largest(sys.distances().into_iter().map(|(_, far)| far)));
    }

    /// Weights that follow from the lengths of the groups.
    pub(super) fn make_scales(&mut self) {
        let sys = &mut self.sys;
        let of_body = sys.groups.of_body.iter().map(|g| sys.groups.length[*g]);
        sys.scales.q = sys.bodies.iter().zip(of_body).flat_map(|(b, x)| b.scales(x)).collect();
        let of_row = |row: &Row| {
            let first = &sys.terms[row.terms.start].scalar;
            if first.kind.is_length() { sys.length_between(first) } else { 1.0 }
        };
        let mut of_rows: Vec<f64> = sys.rows.iter().map(of_row).collect();
        of_rows.extend(sys.rolls.iter().map(|r| sys.length_at([r.a, r.b])));
        sys.scales.row = of_rows;
        // turns are counted in radians
        sys.scales.z = vec![1.0; sys.dims.nz];
        // inputs have no error
        let inputs = sys.inputs();
        sys.scales.z[inputs].fill(f64::INFINITY);
        for (_, states, size) in sys.contacts.bristles.patches() {
            sys.scales.z[states].fill(size);
        }
        for t in &sys.tyres {
            for (k, z) in t.z.iter().enumerate() {
                if let Some(z) = z {
                    sys.scales.z[*z] = t.deflection(k);
                }
            }
        }
        for f in &sys.scalar_forces {
            if let ForceLaw::Actuator { control, kp, ki, kd, z: Some(z), .. } = &f.law {
                let angular = !f.scalar.kind.is_length();
                let size = if angular { 1.0 } else { sys.length_between(&f.scalar) };
                sys.scales.z[*z] = match control {
                    Control::Rate => size,
                    Control::Position => {
                        let inertia = sys.attached_inertia(&f.scalar, angular);
                        size * integral_time([inertia, *kd, *kp], *ki)
                    }
                };
            }
        }
    }

    pub(super) fn make_structure(&mut self) {
        let sys = &mut self.sys;
        let (nv, n_vel) = (sys.dims.nv, sys.dims.n_vel);
        let parts = number_parts(&sys.bodies, &mut sys.frames);
        let turning = turning_parts(&sys.bodies, &parts);
        // which parts of bodies a row involves, and which of them anything couples: some by their rotations alone
        let mut jac = Vec::new();
        let mut groups: Vec<Vec<usize>> = Vec::new();
        let mut turns: Vec<(usize, usize)> = Vec::new();
        let part_of = |f: usize| sys.frames[f].body().map(|_| sys.frames[f].part);
        for (i, row) in sys.rows.iter().enumerate() {
            let mut group = Vec::new();
            for t in &sys.terms[row.terms.clone()] {
                group.extend([part_of(t.scalar.a), part_of(t.scalar.b)].into_iter().flatten());
            }
            for p in &group {
                jac.extend(parts[*p].clone().map(|c| (i, c)));
            }
            for t in &sys.terms[row.terms.clone()] {
                let ends = [part_of(t.scalar.a), part_of(t.scalar.b)];
                let ends: Vec<usize> = ends.into_iter().flatten().collect();
                match &t.scalar.kind {
                    // its gradient never changes, only the Jacobians of its frames do
                    ScalarKind::World(_) => turns.extend(ends.iter().map(|p| (*p, *p))),
                    kind if kind.is_length() => groups.push(ends),
                    _ => turns.extend(ends.iter().flat_map(|a| ends.iter().map(|b| (*a, *b)))),
                }
            }
        }
        for r in &sys.rolls {
            let group: Vec<usize> = [part_of(r.a), part_of(r.b)].into_iter().flatten().collect();
            for p in &group {
                jac.extend(parts[*p].clone().map(|c| (r.row, c)));
            }
            groups.push(group);
        }
        for f in &sys.scalar_forces {
            let ends = [part_of(f.scalar.a), part_of(f.scalar.b)];
            let ends: Vec<usize> = ends.into_iter().flatten().collect();
            match f.scalar.kind.is_length() {
                true => groups.push(ends),
                // as with rows
                false => turns.extend(ends.iter().flat_map(|a| ends.iter().map(|b| (*a, *b)))),
            }
        }
        for b in &sys.bushings {
            groups.push([part_of(b.a), part_of(b.b)].into_iter().flatten().collect());
        }
        for e in &sys.beam_elements {
            groups.push([part_of(e.a), part_of(e.b)].into_iter().flatten().collect());
        }
        for t in &sys.tyres {
            groups.push(part_of(t.at).into_iter().collect());
        }
        for a in &sys.applied {
            groups.push([a.at, a.axes.frame].into_iter().filter_map(part_of).collect());
        }
        let mut tangent: Vec<(usize, usize)> = (0..nv).map(|i| (i, i)).collect();
        for (k, b) in sys.bodies.iter().enumerate() {
            match &b.coupling {
                // forces of contacts have their entries in what is there
                None if sys.contacts.is_empty() => turns.push((k, k)),
                None => groups.push(vec![k]),
                Some(shape) => tangent.extend(shape.entries().map(|(i, j)| (b.iv + i, b.iv + j))),
            }
        }
        let mut pairs = Vec::new();
        for group in &groups {
            for a in group {
                pairs.extend(group.iter().map(|b| (*a, *b)));
            }
        }
        // a force that reads a sensor depends on bodies on which it does not act
        let scalar = sys.scalar_forces.iter().map(|f| ([f.scalar.a, f.scalar.b], &f.reads));
        let applied = sys.applied.iter().map(|a| ([a.at, a.at], &a.reads));
        for (frames, reads) in scalar.chain(applied) {
            for a in frames.into_iter().filter_map(part_of) {
                let of = reads.iter().flat_map(|k| sys.leaf_parts(*k));
                pairs.extend(of.map(|(_, part)| (a, part)));
            }
        }
        pairs.sort_unstable();
        pairs.dedup();
        for (a, b) in &pairs {
            for i in parts[*a].clone() {
                tangent.extend(parts[*b].clone().map(|j| (i, j)));
            }
        }
        turns.sort_unstable();
        turns.dedup();
        turns.retain(|pair| pairs.binary_search(pair).is_err());
        for (a, b) in &turns {
            for i in turning[*a].clone() {
                let cols = turning[*b].clone().map(|j| parts[*b].start + j);
                tangent.extend(cols.map(|j| (parts[*a].start + i, j)));
            }
        }
        let (jac, tangent) =
            match (Csr::from_pairs(n_vel, nv, jac), Csr::from_pairs(nv, nv, tangent)) {
                (Ok(j), Ok(t)) => (j, t),
                (Err(e), _) | (_, Err(e)) => {
                    self.faults.push(Diagnostic::error("E_INTERNAL", "", e.to_string()));
                    return;
                }
            };
        let slot = |row: usize, f: usize| match part_of(f) {
            Some(p) => jac.slot(row, parts[p].start).unwrap_or(0),
            None => 0,
        };
        let slots: Vec<(usize, usize)> = sys
            .rows
            .iter()
            .enumerate()
            .flat_map(|(i, row)| row.terms.clone().map(move |k| (i, k)))
            .map(|(i, k)| (slot(i, sys.terms[k].scalar.a), slot(i, sys.terms[k].scalar.b)))
            .collect();
        let roll_slots: Vec<(usize, usize)> =
            sys.rolls.iter().map(|r| (slot(r.row, r.a), slot(r.row, r.b))).collect();
        for (t, (a, b)) in sys.terms.iter_mut().zip(slots) {
            (t.slot_a, t.slot_b) = (a, b);
        }
        for (r, (a, b)) in sys.rolls.iter_mut().zip(roll_slots) {
            (r.slot_a, r.slot_b) = (a, b);
        }
        sys.sort_rows();
        sys.blocks = BlockSlots::new(&tangent, &parts, &turning, &pairs, &turns);
        sys.prepare_tangent();
        let mass = match mass_shape(&sys.bodies) {
            Ok(mass) => mass,
            Err(e) => {
                self.faults.push(Diagnostic::error("E_INTERNAL", "", e.to_string()));
                return;
            }
        };
        sys.structure = Structure {
            mass,
            jac,
            tangent,
            constant_mass: sys.bodies.iter().all(BodyLayout::has_constant_mass),
            mass_floor: mass_floor(&sys.bodies, sys.length),
            independent_rows: None,
            rank: delassus_dae::RowRank::default(),
        };
    }
}

/// Velocities that frames follow: those of each body, then other ranges of them, as frames are met.
fn number_parts(bodies: &[BodyLayout], frames: &mut [FrameLayout]) -> Vec<Range<usize>> {
    let mut parts: Vec<Range<usize>> = bodies.iter().map(BodyLayout::span).collect();
    let mut known = HashMap::new();
    for f in frames {
        let Some(body) = f.body() else { continue };
        let span = f.span();
        f.part = if span == parts[body] {
            body
        } else {
            *known.entry((span.start, span.end)).or_insert_with(|| {
                parts.push(span);
                parts.len() - 1
            })
        };
    }
    parts
}

/// Velocities of each part that may turn its frames, counted from its first.
fn turning_parts(bodies: &[BodyLayout], parts: &[Range<usize>]) -> Vec<Range<usize>> {
    let of = |(k, part): (usize, &Range<usize>)| {
        let own = bodies.get(k).and_then(BodyLayout::turning);
        own.unwrap_or(0..part.len())
    };
    parts.iter().enumerate().map(of).collect()
}

/// One block per body, or the blocks of its own.
fn mass_shape(bodies: &[BodyLayout]) -> Result<MassShape, KktError> {
    let (mut sizes, mut pairs) = (Vec::new(), Vec::new());
    for b in bodies {
        let first = sizes.len();
        match &b.coupling {
            None => sizes.push(b.nv),
            Some(shape) => {
                sizes.extend_from_slice(shape.sizes());
                let own = shape.couplings().iter();
                pairs.extend(own.map(|c| (first + c.row, first + c.col)));
            }
        }
    }
    MassShape::coupled(sizes, pairs)
}

/// Fictitious inertia for coordinates without any.
fn mass_floor(bodies: &[BodyLayout], length: f64) -> Vec<f64> {
    let lightest = bodies.iter().map(|b| b.mass).filter(|m| *m > 0.0).fold(f64::INFINITY, f64::min);
    let m = MASS_FLOOR * if lightest.is_finite() { lightest } else { 1.0 };
    bodies.iter().flat_map(|b| b.mass_floor(m, m * length * length)).collect()
}

impl System {
    /// Inertia of the lighter side of a pair, kg, or about a point at the length of its group, kg m².
    fn attached_inertia(&self, s: &PairScalar, angular: bool) -> f64 {
        let of = |frame: usize| {
            self.frames[frame].body().map(|b| {
                let b = &self.bodies[b];
                if angular {
                    b.mass * self.length_between(s).powi(2) + b.inertia.trace() / 3.0
                } else {
                    b.mass
                }
            })
        };
        let known = [of(s.a), of(s.b)].into_iter().flatten().filter(|m| *m > 0.0);
        known.fold(None, |least: Option<f64>, m| Some(least.map_or(m, |l| l.min(m)))).unwrap_or(0.0)
    }
}
