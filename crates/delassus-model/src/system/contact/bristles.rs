//! Friction of compliant contact of shapes, and the indices of its bristles among the auxiliary states.
//!
//! A bristle has one state for each tangent of each point at which two shapes may ever touch: which of them touch is
//! not known before the run, and states do not come and go.

use super::pairs::Pairs;
use super::shapes::{Prepared, ShapeLayout};
use super::{Owner, owner, shape_pair};
use crate::system::System;
use delassus_dae::{FrictionLaw, PointId, PressedFriction};
use std::collections::BTreeMap;
use std::ops::Range;

/// Largest number of auxiliary states for bristles.
pub(crate) const MOST: usize = 20_000;

/// Bristles of the points of one pair of shapes.
#[derive(Debug, Clone, Copy)]
struct Patch {
    first: usize,
    slots: usize,
    directions: usize,
    /// Largest deflection, m.
    size: f64,
}

/// All bristles of a system.
#[derive(Debug, Clone, Default)]
pub(crate) struct Bristles {
    of: BTreeMap<u64, Patch>,
}

impl Bristles {
    /// Numbers the states from `first` on; returns how many there are, or the first pair that is too much.
    pub fn new(
        pairs: &Pairs,
        shapes: &[ShapeLayout],
        prepared: &Prepared,
        first: usize,
    ) -> Result<(Bristles, usize), usize> {
        let mut out = Bristles::default();
        let mut next = first;
        let law = |rule: usize| pairs.rules[rule].law.as_ref()?.friction.as_ref()?.bristle();
        if pairs.are_many() {
            return match (0..pairs.rules.len()).find(|rule| law(*rule).is_some()) {
                Some(rule) => Err(rule),
                None => Ok((out, 0)),
            };
        }
        for p in &pairs.listed {
            let Some(size) = law(p.rule) else { continue };
            let (a, b) = (&shapes[p.a], &shapes[p.b]);
            let only = a.only.is_some() && b.only.is_some();
            let slots = if only { 1 } else { prepared.get(a, b).map_or(1, |pair| pair.slots()) };
            let directions = if a.planar.or(b.planar).unwrap_or(false) { 1 } else { 2 };
            out.of.insert(shape_pair(p.a, p.b), Patch { first: next, slots, directions, size });
            next += slots * directions;
            if next - first > MOST {
                return Err(p.rule);
            }
        }
        Ok((out, next - first))
    }

    /// First state of a point.
    fn of(&self, point: PointId) -> Option<usize> {
        let patch = self.of.get(&point.pair)?;
        Some(patch.first + point.slot as usize * patch.directions)
    }

    /// States of each pair of shapes, and their largest deflection, m.
    pub fn patches(&self) -> impl Iterator<Item = ((usize, usize), Range<usize>, f64)> + '_ {
        self.of.iter().filter_map(|(pair, p)| {
            let Owner::Shapes(a, b) = owner(PointId { pair: *pair, slot: 0 }) else { return None };
            Some(((a, b), p.first..p.first + p.slots * p.directions, p.size))
        })
    }
}

impl System {
    /// Law of friction of a pair of shapes that touch compliantly.
    fn friction_of(&self, a: usize, b: usize) -> Option<&dyn FrictionLaw> {
        let pairs = &self.contacts.pairs;
        pairs.rules[pairs.rule(a, b)?].law.as_ref()?.friction.as_deref()
    }

    /// Friction of a point.
    pub(super) fn pressed_friction_of(&self, point: PointId) -> Option<PressedFriction<'_>> {
        let Owner::Shapes(a, b) = owner(point) else { return None };
        let law = self.friction_of(a, b)?;
        let directions = self.directions_of(a, b);
        Some(PressedFriction { law, directions, bristle: self.contacts.bristles.of(point) })
    }

    /// Rows of the points of two shapes.
    pub(super) fn rows_between(&self, a: usize, b: usize) -> usize {
        let rows = self.shape_law(a, b).rows();
        // a rigid contact counts its tangents itself
        if rows == 1 && self.friction_of(a, b).is_some() {
            1 + self.directions_of(a, b)
        } else {
            rows
        }
    }

    /// Number of tangents of the points of two shapes with friction.
    fn directions_of(&self, a: usize, b: usize) -> usize {
        if self.is_flat(a, b) { 1 } else { 2 }
    }

    /// Whether tangents between two shapes have a meaning.
    pub(super) fn has_friction(&self, a: usize, b: usize) -> bool {
        self.shape_law(a, b).is_rough() || self.friction_of(a, b).is_some()
    }
}
