//! One-sided interactions: contact of shapes, stops, ropes, clutches, dry friction.

use super::bodies::optional;
use super::context::{Env, Path};
use super::coordinates::{self, Joints, Wanted};
use super::frames::World;
use super::materials::Materials;
use super::repeat::Instance;
use super::shapes::Shapes;
use crate::spec::{ContactSpec, ContactType, GapTerm, NamesSpec, RestitutionType, Scalar};
use crate::{Contact, ContactKind, Coordinate, CoordinateKind, Diagnostic, ShapeId, Surface};
use delassus_dae::{Restitution, RestitutionLaw, StartRule};
use delassus_expr::Dim;

/// Largest coefficient of friction: an angle of 0.006° to the surface. Beyond it nothing slides any earlier, and the
/// friction cone is so wide that forces are differences of large numbers.
const MAX_FRICTION: f64 = 1e4;

/// What interactions refer to.
pub(super) struct Parts<'p> {
    pub(super) world: &'p World<'p>,
    pub(super) joints: &'p Joints<'p>,
    pub(super) shapes: &'p Shapes<'p>,
    pub(super) materials: &'p Materials,
}

pub(super) fn compile(
    env: &Env<'_>,
    parts: &Parts<'_>,
    instance: &Instance,
    spec: &ContactSpec,
    path: &Path<'_>,
) -> Option<Contact> {
    if env.is_hopeless() {
        return None;
    }
    env.check_fields(path, spec.kind.entry(), spec);
    let entry = Entry { env, parts, spec, path };
    let kind = match spec.kind {
        ContactType::Shapes => entry.shapes(),
        ContactType::Limit => entry.limit(),
        ContactType::Rope => entry.rope(),
        ContactType::OneWay => entry.one_way(),
        ContactType::DryFriction => entry.dry_friction(),
        ContactType::Coordinates => entry.coordinates(),
    };
    Some(Contact::new(&instance.name, kind?, spec.allow_overlap))
}

/// A note for every shape that no contact names.
pub(super) fn note_unused(
    contacts: &[Option<Contact>],
    shapes: &Shapes<'_>,
    mut report: impl FnMut(usize, Diagnostic),
) {
    let mut used = vec![false; shapes.slots.len()];
    for contact in contacts.iter().flatten() {
        if let ContactKind::Shapes { a, b, .. } = &contact.kind {
            for id in a.iter().chain(b.iter().flatten()) {
                used[id.0] = true;
            }
        }
    }
    for (k, instance) in shapes.names.instances.iter().enumerate() {
        if !used[k] {
            let note = Diagnostic::note(
                "N_SHAPE_UNUSED",
                "",
                format!("no contact names the shape `{}`: nothing will touch it", instance.name),
            );
            report(k, note.help("add a [contact] with it, or remove it"));
        }
    }
}

/// A note, with its field, for every contact that specifies what time-stepping does differently: the law of
/// restitution, and how a compliant contact begins.
pub(super) fn note_laws(contacts: &[Option<Contact>], mut report: impl FnMut(usize, Diagnostic)) {
    for (k, contact) in contacts.iter().enumerate() {
        let Some(contact) = contact else { continue };
        if let ContactKind::Shapes { law: Some(law), .. } = &contact.kind
            && law.compliance.start != StartRule::Locate
        {
            let message = format!(
                "the contact `{}` says how steps meet its start, which time-stepping does not ask: its steps \
                 are of fixed length, and a contact that begins within one has the force of its part of it",
                contact.name
            );
            let note = Diagnostic::note("N_START_UNUSED", "start", message);
            report(k, note.help("for this start use the scheme hybrid or event-driven"));
        }
        let Some(Restitution { e, law }) = contact.restitution() else { continue };
        let law = match law {
            RestitutionLaw::Newton => continue,
            RestitutionLaw::Poisson => "Poisson's law",
            RestitutionLaw::Energetic => "the energetic law",
        };
        // without restitution the laws agree
        if e > 0.0 {
            let message = format!(
                "the contact `{}` names {law} of restitution, which time-stepping does not have: it takes \
                 {e} as Newton's coefficient",
                contact.name
            );
            let note = Diagnostic::note("N_RESTITUTION_LAW", "restitution_law", message);
            report(k, note.help("for this law use the scheme hybrid or event-driven"));
        }
    }
}

/// The entry being compiled, with all it may need.
pub(super) struct Entry<'e> {
    pub(super) env: &'e Env<'e>,
    pub(super) parts: &'e Parts<'e>,
    pub(super) spec: &'e ContactSpec,
    pub(super) path: &'e Path<'e>,
}

impl Entry<'_> {
    pub(super) fn restitution(&self) -> Option<Restitution> {
        let path = self.path.field("restitution");
        let law = match self.spec.restitution_law.unwrap_or_default() {
            RestitutionType::Newton => RestitutionLaw::Newton,
            RestitutionType::Poisson => RestitutionLaw::Poisson,
            RestitutionType::Energetic => RestitutionLaw::Energetic,
        };
        let e = match &self.spec.restitution {
            None => 0.0,
            Some(value) if self.is_angle(value, "restitution") => return None,
            Some(value) => self.env.constant(value, &path, Dim::NONE)?,
        };
        if (0.0..=1.0).contains(&e) {
            return Some(Restitution { e, law });
        }
        self.env.report(
            Diagnostic::error(
                "E_RESTITUTION",
                path.to_string(),
                format!("the coefficient of restitution is {e}, but must be from 0 to 1"),
            )
            .help("0 stays, 1 comes back as fast as it came"),
        );
        None
    }

    pub(super) fn surface(&self) -> Option<Surface> {
        let restitution = self.restitution();
        let (friction, static_friction) = self.friction_bounds()?;
        let falling = self.rigid_curve((friction, static_friction))?;
        Some(Surface { restitution: restitution?, friction, static_friction, falling })
    }

    /// Coefficients of friction while sliding and at rest.
    pub(super) fn friction_bounds(&self) -> Option<(f64, f64)> {
        let fields =
            [("friction", &self.spec.friction), ("static_friction", &self.spec.static_friction)];
        let angles = fields.map(|(f, x)| x.as_ref().is_some_and(|x| self.is_angle(x, f)));
        if angles.contains(&true) {
            return None;
        }
        let (friction, static_friction) = self.bounds(fields[0], fields[1], Dim::NONE)?;
        for ((field, _), mu) in fields.iter().zip([friction, static_friction]) {
            if mu > MAX_FRICTION {
                let text = format!("`{field}` is {mu:e}, but must not be above {MAX_FRICTION:e}");
                self.env.report(
                    Diagnostic::error("E_FRICTION", self.path.field(field).to_string(), text)
                        .help("1e4 is as good as no slip; with more, forces lose all digits"),
                );
                return None;
            }
        }
        Some((friction, static_friction))
    }

    /// Reports a coefficient that is written as an angle: its value in radians would be taken.
    fn is_angle(&self, value: &Scalar, field: &str) -> bool {
        let Scalar::Text(text) = value else { return false };
        let unit =
            text.trim().trim_start_matches(|c: char| c.is_ascii_digit() || "+-.eE ".contains(c));
        let unit = unit.trim_matches(|c: char| "[] ".contains(c));
        if unit != "deg" && unit != "rad" {
            return false;
        }
        self.env.report(
            Diagnostic::error(
                "E_DIMENSION",
                self.path.field(field).to_string(),
                format!("`{field}` is a plain number, but `{}` is an angle", text.trim()),
            )
            .help(format!("for an angle of friction write its tangent: \"tan({})\"", text.trim())),
        );
        true
    }

    /// Two non-negative numbers, the second at least the first and by default equal to it.
    fn bounds(
        &self,
        (field, first): (&str, &Option<Scalar>),
        (static_field, second): (&str, &Option<Scalar>),
        dim: Dim,
    ) -> Option<(f64, f64)> {
        let read = |value: &Option<Scalar>, field: &str| {
            optional(value.as_ref(), |value| {
                let path = self.path.field(field);
                let x = self.env.constant(value, &path, dim)?;
                if x >= 0.0 {
                    return Some(x);
                }
                self.friction_fault(&path, format!("`{field}` is {x}, but must not be negative"));
                None
            })
        };
        let (first, second) = (read(first, field), read(second, static_field));
        let first = first?.unwrap_or(0.0);
        let second = second?.unwrap_or(first);
        if second >= first {
            return Some((first, second));
        }
        self.friction_fault(
            &self.path.field(static_field),
            format!("`{static_field}` is {second}, less than `{field}`, which is {first}"),
        );
        None
    }

    fn friction_fault(&self, path: &Path<'_>, message: String) {
        self.env.report(
            Diagnostic::error("E_FRICTION", path.to_string(), message)
                .help("friction is zero or more, and starting takes at least as much as sliding"),
        );
    }

    fn coordinate(&self) -> Option<Coordinate> {
        let wanted = Wanted {
            joint: self.spec.joint.as_ref(),
            coordinate: self.spec.coordinate.as_ref(),
            between: &[],
            axis: None,
            axis2: None,
            default: CoordinateKind::Angle,
            axis_needs_kind: false,
        };
        if self.spec.joint.is_none() {
            self.env.needed(self.path, self.spec.kind.entry(), "joint");
            return None;
        }
        let owner = self.spec.kind.entry().label;
        wanted.resolve(self.env, self.parts.world, self.parts.joints, self.path, owner)
    }

    fn limit(&self) -> Option<ContactKind> {
        let (env, spec, path) = (self.env, self.spec, self.path);
        let coordinate = self.coordinate();
        let restitution = self.restitution();
        let dim = coordinate.as_ref().map_or(Dim::Any, |c| coordinates::dim(c.kind));
        let read = |value: &Option<Scalar>, field: &str| {
            env.number_in(path, spec.kind.entry(), field, value.as_ref(), dim)
        };
        let (lower, upper) = (read(&spec.lower, "lower"), read(&spec.upper, "upper"));
        let (lower, upper) = (lower?, upper?);
        match (lower, upper) {
            (None, None) => {
                env.missing(&path.field("upper"), "a limit", "give `lower`, `upper` or both");
                return None;
            }
            (Some(lower), Some(upper)) if !(lower < upper) => {
                env.range(
                    &path.field("upper"),
                    format!("the limits are {lower} and {upper}, but lower must be below upper"),
                    "exchange them, or use a joint that does not move",
                );
                return None;
            }
            _ => {}
        }
        let (coordinate, restitution) = (coordinate?, restitution?);
        Some(ContactKind::Limit { coordinate, lower, upper, restitution })
    }

    fn rope(&self) -> Option<ContactKind> {
        let (env, spec, path) = (self.env, self.spec, self.path);
        let between = path.field("between");
        let mut names = Vec::new();
        let mut plain = true;
        for (k, side) in spec.between.iter().enumerate() {
            match side {
                NamesSpec::One(name) => names.push(name.clone()),
                NamesSpec::Many(_) => {
                    env.wrong_form(&between.index(k), "a list", "one frame");
                    plain = false;
                }
            }
        }
        let ends =
            if plain { self.parts.world.pair(env, &names, &between, "a rope") } else { None };
        let restitution = self.restitution();
        let length = env.number(path, spec.kind.entry(), "length", spec.length.as_ref());
        let (a, b) = ends?;
        Some(ContactKind::Rope { a, b, length: length?, restitution: restitution? })
    }

    fn one_way(&self) -> Option<ContactKind> {
        let coordinate = self.coordinate();
        let path = self.path.field("direction");
        let (entry, direction) = (self.spec.kind.entry(), self.spec.direction.as_ref());
        let sign = self.env.number(self.path, entry, "direction", direction)?.unwrap_or(1.0);
        if sign.abs() != 1.0 {
            let message = format!("the direction is {sign}, but must be 1 or -1");
            self.env.range(&path, message, "1: the coordinate may grow; -1: it may fall");
            return None;
        }
        Some(ContactKind::OneWay { coordinate: coordinate?, sign })
    }

    fn dry_friction(&self) -> Option<ContactKind> {
        let coordinate = self.coordinate();
        let dim = coordinate.as_ref().map_or(Dim::Any, |c| coordinates::force_dim(c.kind));
        if self.spec.bound.is_none() {
            self.env.needed(self.path, self.spec.kind.entry(), "bound");
            return None;
        }
        let (bound, bound_static) = self.bounds(
            ("bound", &self.spec.bound),
            ("static_bound", &self.spec.static_bound),
            dim,
        )?;
        let coordinate = coordinate?;
        let falling = self.dry_curve((bound, bound_static), coordinate.kind)?;
        Some(ContactKind::DryFriction { coordinate, bound, bound_static, falling })
    }

    fn coordinates(&self) -> Option<ContactKind> {
        let (spec, path) = (self.spec, self.path);
        let surface = self.surface();
        if spec.gap.is_empty() {
            self.env.needed(path, spec.kind.entry(), "gap");
            return None;
        }
        let gap = self.terms(&spec.gap, &path.field("gap"));
        let slip = self.terms(&spec.slip, &path.field("slip"));
        let offset = self.env.number(path, spec.kind.entry(), "offset", spec.offset.as_ref());
        let surface = surface?;
        if spec.slip.is_empty() && surface.static_friction > 0.0 {
            self.env.needed(path, spec.kind.entry(), "slip");
            return None;
        }
        Some(ContactKind::Coordinates {
            gap: gap?,
            offset: offset?.unwrap_or(0.0),
            slip: slip?,
            surface,
        })
    }

    fn terms(&self, list: &[GapTerm], path: &Path<'_>) -> Option<Vec<(Coordinate, f64)>> {
        let terms: Vec<Option<(Coordinate, f64)>> = list
            .iter()
            .enumerate()
            .map(|(k, term)| {
                let path = path.index(k);
                let kind = coordinates::kind(
                    self.env,
                    term.coordinate.as_ref(),
                    &path.field("coordinate"),
                );
                let factor = self.env.constant(&term.factor, &path.field("factor"), Dim::Any);
                let joint = self.parts.joints;
                let c = joint.coordinate(self.env, &term.joint, &path.field("joint"), kind?)?;
                Some((c, factor?))
            })
            .collect();
        terms.into_iter().collect()
    }

    /// Shapes that names and patterns refer to, ascending; all faults are reported.
    fn select(&self, names: &[(&str, Path<'_>)]) -> Option<Vec<ShapeId>> {
        let shapes = self.parts.shapes;
        let mut out = Vec::new();
        let mut good = true;
        for (name, path) in names {
            let Some(name) = self.env.text(name, path) else {
                good = false;
                continue;
            };
            if name.contains('*') {
                let before = out.len();
                let known = shapes.names.ids.iter();
                out.extend(known.filter(|(n, _)| matches(&name, n)).map(|(_, k)| ShapeId(*k)));
                if out.len() > before || shapes.names.incomplete {
                    continue;
                }
            } else if let Some(k) = shapes.names.ids.get(&*name) {
                out.push(ShapeId(*k));
                continue;
            }
            good = false;
            if !shapes.names.incomplete {
                let known = shapes.names.ids.keys().map(String::as_str);
                self.env.unknown(path, "shape", &name, known);
            }
        }
        out.sort_unstable();
        out.dedup();
        good.then_some(out)
    }

    fn shapes(&self) -> Option<ContactKind> {
        let (env, spec, path) = (self.env, self.spec, self.path);
        let law = self.compliance();
        // a fault of restitution was reported with the law
        let surface = match &law {
            Some(None) => self.surface(),
            _ => Some(Surface::SMOOTH),
        };
        let between = path.field("between");
        let among = path.field("among");
        if !spec.among.is_empty() {
            let owner = "a contact with `among`";
            env.unused(path, owner, &[("between", !spec.between.is_empty())], &["among"]);
            let names: Vec<_> =
                spec.among.iter().enumerate().map(|(k, n)| (n.as_str(), among.index(k))).collect();
            let a = self.select(&names)?;
            self.check_bodies(&a, &a, &among)?;
            return Some(ContactKind::Shapes { a, b: None, surface: surface?, law: law? });
        }
        let [first, second] = spec.between.as_slice() else {
            match spec.between.len() {
                0 => env.needed(path, spec.kind.entry(), "between"),
                n => env.shape(&between, n, "2 sides (each a name or a list)"),
            }
            return None;
        };
        let side = |names: &NamesSpec, k: usize| {
            let path = between.index(k);
            match names {
                NamesSpec::One(name) => self.select(&[(name, path)]),
                NamesSpec::Many(list) => {
                    let names: Vec<_> = list
                        .iter()
                        .enumerate()
                        .map(|(i, name)| (name.as_str(), path.index(i)))
                        .collect();
                    self.select(&names)
                }
            }
        };
        let (a, b) = (side(first, 0), side(second, 1));
        let (a, b) = (a?, b?);
        self.check_bodies(&a, &b, &between)?;
        Some(ContactKind::Shapes { a, b: Some(b), surface: surface?, law: law? })
    }

    /// Checks that at least one pair is on two bodies.
    fn check_bodies(&self, a: &[ShapeId], b: &[ShapeId], path: &Path<'_>) -> Option<()> {
        let slots = self.parts.shapes.slots;
        let bodies = |list: &[ShapeId]| {
            let frames = list.iter().map(|id| slots[id.0].frame.as_ref());
            frames.map(|f| f.map(|f| f.body)).collect::<Option<Vec<_>>>()
        };
        // a faulty shape was already reported
        let (on_a, on_b) = (bodies(a)?, bodies(b)?);
        let differ = match (on_a.first(), on_b.first()) {
            (Some(x), Some(y)) => on_b.iter().any(|o| o != x) || on_a.iter().any(|o| o != y),
            _ => false,
        };
        if differ {
            return Some(());
        }
        let names = &self.parts.shapes.names.instances;
        let name = |list: &[ShapeId]| list.first().map_or("", |id| names[id.0].name.as_str());
        let message = if a.len() == 1 && a == b {
            format!("the shape `{}` cannot touch itself", name(a))
        } else {
            let on = match on_a.first() {
                Some(Some(body)) => format!("the body `{}`", self.parts.world.bodies[body.0].name),
                _ => "the ground".to_owned(),
            };
            format!("all shapes, `{}` and `{}` among them, are on {on}", name(a), name(b))
        };
        self.env.report(
            Diagnostic::error("E_SAME_BODY", path.to_string(), message)
                .help("name shapes of two bodies; the ground counts as one"),
        );
        None
    }
}

/// Whether a name matches a pattern in which `*` stands for any text.
fn matches(pattern: &str, name: &str) -> bool {
    let mut parts = pattern.split('*');
    let Some(mut rest) = parts.next().and_then(|first| name.strip_prefix(first)) else {
        return false;
    };
    let mut parts: Vec<&str> = parts.collect();
    let last = parts.pop().unwrap_or_default();
    for part in parts {
        match rest.find(part) {
            Some(at) => rest = &rest[at + part.len()..],
            None => return false,
        }
    }
    rest.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::matches;

    #[test]
    fn patterns() {
        assert!(matches("*", "x"));
        assert!(matches("link*", "link12"));
        assert!(matches("a*b*c", "a1b2c"));
        assert!(matches("*_end", "rod_end"));
        assert!(!matches("link*", "lin"));
        assert!(!matches("a*b*c", "a1c2b"));
        assert!(!matches("ab*ba", "aba"));
    }
}
