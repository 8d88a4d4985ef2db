//! Tyres on wheels.

use super::Entry;
use crate::compile::geometry::direction;
use crate::{ForceKind, Frame, Road, Tyre, Wheel};
use delassus_math::Vec3;
use std::sync::Arc;

/// How far an axle of a body in the plane may be out of it.
const IN_PLANE: f64 = 1e-12;

impl Entry<'_> {
    pub(super) fn tyre(&self) -> Option<ForceKind> {
        let (env, spec, path) = (self.env, self.spec, self.path);
        let place = self.place();
        let axle = match &spec.axis {
            Some(list) => direction(env, list, &path.field("axis")),
            None => Some(Vec3::y()),
        };
        let data = match &spec.tyre {
            Some(name) => self.named(name, "tyre", self.parts.tyres),
            None => {
                env.needed(path, spec.kind.entry(), "tyre");
                None
            }
        };
        let road = match &spec.road {
            Some(name) => self.named(name, "road", self.parts.roads),
            None => Some(Arc::new(Road::plane())),
        };
        let (at, axle) = (place?.0, axle?);
        let wheel = self.wheel(&at, &axle)?;
        Some(ForceKind::Tyre(Box::new(Tyre { at, axle, data: data?, road: road?, wheel })))
    }

    /// How the wheel moves, by the body that it is on.
    fn wheel(&self, at: &Frame, axle: &Vec3) -> Option<Wheel> {
        let (env, spec, path) = (self.env, self.spec, self.path);
        let kind = self.parts.world.kind(at)?;
        if !kind.turns() {
            env.range(
                &path.field("at"),
                format!("`{}` is on a point, which has no axle", at.name),
                "put the tyre on a body of type `rigid` or `planar`",
            );
            return None;
        }
        if !kind.is_planar() {
            return Some(if spec.free == Some(true) { Wheel::Free } else { Wheel::Spins });
        }
        if (at.r * axle).z.abs() > IN_PLANE {
            env.range(
                &path.field("axis"),
                "the axle of a wheel on a planar body must lie in the x-y plane".to_owned(),
                "a planar model is seen from above; for one seen from the side use rigid bodies",
            );
            return None;
        }
        if spec.road.is_some() {
            env.range(
                &path.field("road"),
                "a wheel on a planar body is seen from above, and has no road".to_owned(),
                "leave `road` out, or use rigid bodies",
            );
            return None;
        }
        if spec.free == Some(false) {
            env.range(
                &path.field("free"),
                "a wheel on a planar body is seen from above, and cannot spin".to_owned(),
                "leave `free` out, or use rigid bodies",
            );
            return None;
        }
        Some(Wheel::Planar)
    }

    fn named<T: Clone>(
        &self,
        name: &str,
        what: &str,
        known: &std::collections::BTreeMap<String, Option<T>>,
    ) -> Option<T> {
        let path = self.path.field(what);
        let name = self.env.text(name, &path)?;
        match known.get(&*name) {
            Some(found) => found.clone(),
            None => {
                self.env.unknown(&path, what, &name, known.keys().map(String::as_str));
                None
            }
        }
    }
}
