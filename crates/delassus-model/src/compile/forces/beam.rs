//! An element of a beam between two frames of any bodies.

use super::Entry;
use crate::compile::elastic::{Given, Reader};
use crate::spec::InertiaSpec;
use crate::{BeamElement, ForceKind};
use delassus_expr::Dim;
use delassus_math::Vec6;

impl Entry<'_> {
    pub(super) fn beam(&self) -> Option<ForceKind> {
        let (env, spec, path) = (self.env, self.spec, self.path);
        let entry = spec.kind.entry();
        let between = path.field("between");
        let frames = self.parts.world.pair(env, &spec.between, &between, entry.label);
        let length = env.number_in(path, entry, "length", spec.length.as_ref(), Dim::LENGTH);
        if !matches!(spec.damping, None | Some(InertiaSpec::Planar(_))) {
            env.wrong_form(&path.field("damping"), "a list", "one number");
            return None;
        }
        let (a, b) = frames?;
        for (k, frame) in [&a, &b].into_iter().enumerate() {
            if self.parts.world.kind(frame).is_some_and(|kind| !kind.turns()) {
                let name = &frame.name;
                let text = format!(
                    "a beam element turns with what carries its ends, but `{name}` is on a point, which cannot turn"
                );
                env.range(
                    &between.index(k),
                    text,
                    "name a body of type `planar` or `rigid`, with a spherical joint to the point if need be",
                );
                return None;
            }
        }
        let planar = self.parts.world.is_planar_pair(&a, &b);
        let reader = Reader { env, path, owner: entry.label, planar };
        let properties = reader.properties(&Given::of_force(spec), self.parts.tables)?;
        let length = length??;
        let element = BeamElement {
            a,
            b,
            length,
            rest: Vec6::x() * length,
            stiffness: properties.stiffness,
            damping: properties.damping,
            whole: length,
        };
        Some(ForceKind::Beam(Box::new(element)))
    }
}
