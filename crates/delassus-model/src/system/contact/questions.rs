//! Questions about the interactions of a system as a whole.

use super::{ContactLimits, Owner, owner};
use crate::ContactKind;
use crate::system::{System, Workspace};
use delassus_dae::{Crowded, PointId, Unilateral};

impl System {
    /// Whether the model has one-sided interactions.
    pub fn has_contacts(&self) -> bool {
        !self.contacts.is_empty()
    }

    /// Whether the gaps of all pairs of shapes may be evaluated at every sample: they are listed one by one, not found
    /// by the broad phase.
    pub fn has_few_pairs(&self) -> bool {
        !self.contacts.pairs.are_many()
    }

    /// Index in [`crate::Model::contacts`] of the interaction of a point.
    pub fn contact_of(&self, point: PointId) -> Option<usize> {
        match owner(point) {
            Owner::Scalar(k) => self.contacts.scalars.get(k).map(|c| c.contact),
            Owner::Shapes(a, b) => {
                let pairs = &self.contacts.pairs;
                pairs.rule(a, b).map(|rule| pairs.rules[rule].contact)
            }
        }
    }

    /// A point of each pair of shapes that overlaps by more than `tol` (m) at the realised position, and its depth;
    /// without interactions that allow overlap.
    pub(crate) fn overlaps(
        &self,
        ws: &Workspace,
        tol: f64,
    ) -> Result<Vec<(PointId, f64)>, Crowded> {
        let asked = |rule: usize| {
            let contact = self.contacts.pairs.rules[rule].contact;
            !self.contact(contact).allow_overlap
        };
        let found = self.contacts.overlaps(&ws.kin.frames, tol, &asked)?;
        let id = |a, b| PointId { pair: super::shape_pair(a, b), slot: 0 };
        Ok(found.into_iter().map(|(a, b, depth)| (id(a, b), depth)).collect())
    }

    /// Sets limits other than the default on what may be near each other.
    pub fn limit_contacts(&mut self, limits: ContactLimits) {
        self.contacts.limits = limits;
    }

    /// The contacts with the most pairs, as (name, number of pairs of shapes that it names), largest first.
    pub fn largest_contacts(&self) -> Vec<(&str, f64)> {
        let mut sizes: Vec<(&str, f64)> = Vec::new();
        for c in &self.model.contacts {
            if let ContactKind::Shapes { a, b, .. } = &c.kind {
                let n = a.len() as f64;
                let pairs = b.as_ref().map_or(0.5 * n * (n - 1.0), |b| n * b.len() as f64);
                sizes.push((&c.name, pairs));
            }
        }
        sizes.sort_by(|x, y| y.1.total_cmp(&x.1));
        sizes
    }

    /// Points of interactions along scalars.
    pub(crate) fn scalar_points(&self) -> impl Iterator<Item = PointId> + '_ {
        let scalars = self.contacts.scalars.iter().enumerate();
        scalars.flat_map(|(k, c)| {
            (0..c.points.len() as u32).map(move |slot| PointId { pair: k as u64, slot })
        })
    }

    /// Names of the two shapes of a point; of the interaction if there are none.
    pub(crate) fn pair_name(&self, point: PointId) -> String {
        match owner(point) {
            Owner::Scalar(_) => self.point_name(point),
            Owner::Shapes(a, b) => {
                let shapes = &self.model.shapes;
                format!("`{}` and `{}`", shapes[a].name, shapes[b].name)
            }
        }
    }

    pub(crate) fn is_of_shapes(&self, contact: usize) -> bool {
        matches!(self.contact(contact).kind, ContactKind::Shapes { .. })
    }
}
