//! Joints with clearance: their fields, and the shapes and contacts that they become.
//!
//! A joint with play has the frames, axes and coordinate of the ideal one, but no rows. It is held by contacts: a
//! journal in its bearing, the corners of a block between two walls. So schemes, laws, events and tangents are those of
//! any other contact, and none of them knows about joints.

use super::bodies::optional;
use super::contacts::{Entry, Parts};
use super::context::{Env, Path};
use super::enlarged;
use super::frames::World;
use super::repeat::{Expanded, Instance};
use crate::fields::{OF_CONTACT, given};
use crate::spec::{ContactSpec, JointSpec, JointType, ModelSpec, Scalar};
use crate::{
    AxisPair, BodyId, Contact, ContactKind, ContactLaw, ContactShape, Diagnostic, Form, Frame,
    JointKind, Play, PlayForm, ShapeId, Surface,
};
use delassus_math::{Mat3, Vec3, frame_from_z};
use std::f64::consts::TAU;

/// Sine of the angle to the plane below which an axis is in it.
const IN_PLANE: f64 = 1e-9;

/// The kind of a joint with clearance; its type has the field.
pub(super) fn kind(
    env: &Env<'_>,
    world: &World<'_>,
    spec: &JointSpec,
    pair: Option<AxisPair>,
    path: &Path<'_>,
) -> Option<JointKind> {
    let entry = Reader { env, spec, path };
    let clearance = env.number(path, spec.kind.entry(), "clearance", spec.clearance.as_ref());
    let flat = pair.as_ref().map(|pair| world.is_planar_pair(&pair.a, &pair.b));
    let form = match spec.kind {
        JointType::Revolute => entry.journal(clearance, flat),
        JointType::Spherical => entry.ball(clearance, flat),
        _ => entry.block(flat),
    };
    let exaggerate = entry.exaggerate();
    let (pair, clearance, form, exaggerate) = (pair?, clearance??, form?, exaggerate?);
    match form {
        PlayForm::Block { .. } => entry.check_block(world, &pair)?,
        PlayForm::Shaft { .. } | PlayForm::Channel { .. } => entry.check_turns(world, &pair)?,
        PlayForm::Journal { .. } | PlayForm::Ball { .. } => {}
    }
    Some(JointKind::Loose(Play { pair, clearance, form, exaggerate }))
}

/// Rejects fields that only a joint with clearance has; the type has the field.
pub(super) fn refuse_without(env: &Env<'_>, spec: &JointSpec, path: &Path<'_>) {
    let entry = spec.kind.entry();
    if entry.field("clearance").is_none() {
        return;
    }
    let of_play = |f: &str| {
        ["radius", "length", "width", "height", "exaggerate"].contains(&f)
            || OF_CONTACT.contains(&f)
    };
    for name in given(spec).into_iter().filter(|f| of_play(f) && entry.field(f).is_some()) {
        let text = format!(
            "`{name}` is given, but has no meaning for {} without `clearance`",
            entry.label
        );
        let help = "remove it, or give `clearance`, such as \"0.5 mm\"";
        let path = path.field(name).to_string();
        env.report(Diagnostic::error("E_FIELD_UNUSED", path, text).help(help));
    }
}

/// The fields of play of one entry.
struct Reader<'e> {
    env: &'e Env<'e>,
    spec: &'e JointSpec,
    path: &'e Path<'e>,
}

impl Reader<'_> {
    /// A journal: in the plane if it is `flat`.
    fn journal(&self, clearance: Option<Option<f64>>, flat: Option<bool>) -> Option<PlayForm> {
        let bearing = self.hole(clearance);
        if flat? {
            let owner = "a revolute joint with `clearance` between planar bodies";
            let given = [("length", self.spec.length.is_some())];
            self.env.unused(self.path, owner, &given, &["clearance", "radius"]);
            return Some(PlayForm::Journal { bearing: bearing? });
        }
        let length = self.needed("length", &self.spec.length);
        Some(PlayForm::Shaft { bearing: bearing?, length: length? })
    }

    /// A ball in a socket; in the plane it is a journal.
    fn ball(&self, clearance: Option<Option<f64>>, flat: Option<bool>) -> Option<PlayForm> {
        let socket = self.hole(clearance)?;
        Some(if flat? { PlayForm::Journal { bearing: socket } } else { PlayForm::Ball { socket } })
    }

    /// Radius of the hole, which must exceed the clearance.
    fn hole(&self, clearance: Option<Option<f64>>) -> Option<f64> {
        let bearing = self.needed("radius", &self.spec.radius)?;
        // a faulty clearance was already reported
        let clearance = clearance??;
        if clearance < bearing {
            return Some(bearing);
        }
        let text = format!(
            "the clearance is {clearance} m, but must be less than the radius of the bearing, which is {bearing} m"
        );
        self.fault(
            "clearance",
            text,
            "the journal has the radius of the bearing less the clearance",
        );
        None
    }

    /// A block: between two walls if it is `flat`, else in a channel.
    fn block(&self, flat: Option<bool>) -> Option<PlayForm> {
        let length = self.needed("length", &self.spec.length);
        let width = self.needed("width", &self.spec.width);
        if self.spec.material.is_some() {
            let text = "the corners of a block are not round, so that no stiffness follows from the material";
            let path = self.path.field("material").to_string();
            let fault = Diagnostic::error("E_MATERIAL", path, text);
            self.env.report(fault.help("give `stiffness` instead"));
            return None;
        }
        if flat? {
            let owner = "a prismatic joint with `clearance` between planar bodies";
            let given = [("height", self.spec.height.is_some())];
            self.env.unused(self.path, owner, &given, &["clearance", "length", "width"]);
            return Some(PlayForm::Block { length: length?, width: width? });
        }
        let height = self.needed("height", &self.spec.height);
        Some(PlayForm::Channel { length: length?, width: width?, height: height? })
    }

    /// How many times larger the play is drawn.
    fn exaggerate(&self) -> Option<Option<f64>> {
        let (entry, value) = (self.spec.kind.entry(), self.spec.exaggerate.as_ref());
        let factor = self.env.number(self.path, entry, "exaggerate", value)?;
        let help = entry.field("exaggerate").map_or("", |f| f.help);
        let path = self.path.field("exaggerate");
        optional(factor, |x| enlarged::checked(self.env, &path, x, help))
    }

    /// A length that play requires.
    fn needed(&self, name: &str, value: &Option<Scalar>) -> Option<f64> {
        let entry = self.spec.kind.entry();
        let number = self.env.number(self.path, entry, name, value.as_ref())?;
        if number.is_none() {
            let owner = format!("{} with `clearance`", entry.label);
            let help = entry.field(name).map_or("", |f| f.help);
            self.env.missing(&self.path.field(name), &owner, help);
        }
        number
    }

    fn fault(&self, field: &str, text: String, help: &str) {
        let path = self.path.field(field).to_string();
        self.env.report(Diagnostic::error("E_CLEARANCE", path, text).help(help));
    }

    /// A part that may be tilted must be able to turn.
    fn check_turns(&self, world: &World<'_>, pair: &AxisPair) -> Option<()> {
        let label = self.spec.kind.entry().label;
        let mut sides = [&pair.a, &pair.b].into_iter();
        let Some(on) = sides.find(|f| world.kind(f).is_some_and(|k| !k.turns())) else {
            return Some(());
        };
        let text = format!(
            "{label} with clearance may be askew, but `{}` is on a point, which cannot turn",
            on.name
        );
        self.fault("clearance", text, "use a body of type `planar` or `rigid`");
        None
    }

    /// A block between two walls slides in the plane.
    fn check_block(&self, world: &World<'_>, pair: &AxisPair) -> Option<()> {
        self.check_turns(world, pair)?;
        for (f, axis) in [(&pair.a, pair.axis_a), (&pair.b, pair.axis_b)] {
            if (f.r * axis).z.abs() > IN_PLANE {
                let text = "the axis leaves the x-y plane, in which the bodies move".to_owned();
                self.fault("clearance", text, "give an axis in the plane, such as [1, 0]");
                return None;
            }
        }
        Some(())
    }
}

/// What joints with clearance add to shapes and contacts.
#[derive(Default)]
pub(super) struct Added {
    pub(super) shapes: Vec<ContactShape>,
    pub(super) contacts: Vec<Option<Contact>>,
    /// Index of the joint of each contact.
    pub(super) joints: Vec<usize>,
}

/// Shapes and contacts of all joints with clearance, after those of the file.
pub(super) fn expand(
    env: Env<'_>,
    spec: &ModelSpec,
    joints: &Expanded,
    contacts: &Expanded,
    parts: &Parts<'_>,
) -> Added {
    let root = Path::root("joint");
    let mut out = Added::default();
    for (k, instance) in joints.instances.iter().enumerate() {
        let (name, joint) = &spec.joint.0[instance.entry];
        let has_play = joint.clearance.is_some() && joint.kind.entry().field("clearance").is_some();
        let env = env.at(instance.entry, &instance.indices);
        if !has_play || env.is_hopeless() {
            continue;
        }
        let path = root.field(name);
        let touch = contact_of(joint);
        let entry = Entry { env: &env, parts, spec: &touch, path: &path };
        let law = entry.compliance();
        // a fault of restitution was reported with the law
        let surface = match &law {
            Some(None) => entry.surface(),
            _ => Some(Surface::SMOOTH),
        };
        if contacts.ids.contains_key(&instance.name) {
            told_twice(&env, instance, &path);
        }
        let play = match &parts.joints.slots[k].joint {
            Some(joint) => match &joint.kind {
                JointKind::Loose(play) => play,
                _ => continue,
            },
            None => continue,
        };
        if let (Some(law), Some(surface)) = (law, surface) {
            let first = parts.shapes.slots.len() + out.shapes.len();
            let before = out.contacts.len();
            let turned = turned(parts.world, &play.pair);
            add(&mut out, &instance.name, play, first, surface, &law, &turned);
            out.joints.extend((before..out.contacts.len()).map(|_| k));
        }
    }
    out
}

/// The contact has the name of the joint, so no other contact may have it.
fn told_twice(env: &Env<'_>, instance: &Instance, path: &Path<'_>) {
    let name = &instance.name;
    env.report(
        Diagnostic::error(
            "E_DUPLICATE",
            path.to_string(),
            format!(
                "the play of the joint `{name}` is a contact of that name, but there is another one"
            ),
        )
        .help("rename the joint or the contact")
        .related(format!("contact.{name}")),
    );
}

/// The fields that a joint with clearance shares with contacts.
fn contact_of(joint: &JointSpec) -> ContactSpec {
    ContactSpec {
        restitution: joint.restitution.clone(),
        restitution_law: joint.restitution_law,
        law: joint.law,
        stiffness: joint.stiffness.clone(),
        exponent: joint.exponent.clone(),
        material: joint.material.clone(),
        damping: joint.damping.clone(),
        end: joint.end,
        least_speed: joint.least_speed.clone(),
        start: joint.start,
        max_start_depth: joint.max_start_depth.clone(),
        friction: joint.friction.clone(),
        static_friction: joint.static_friction.clone(),
        min_start_step: joint.min_start_step.clone(),
        friction_law: joint.friction_law,
        creep_speed: joint.creep_speed.clone(),
        dead_speed: joint.dead_speed.clone(),
        fall_rate: joint.fall_rate.clone(),
        stribeck_speed: joint.stribeck_speed.clone(),
        stribeck_exponent: joint.stribeck_exponent.clone(),
        bristle_stiffness: joint.bristle_stiffness.clone(),
        bristle_damping: joint.bristle_damping.clone(),
        viscous_friction: joint.viscous_friction.clone(),
        ..ContactSpec::default()
    }
}

/// Transforms components of the first body to the second, as both start.
fn turned(world: &World<'_>, pair: &AxisPair) -> Mat3 {
    let start = |f: &Frame| {
        let body = f.body.and_then(|BodyId(k)| world.bodies[k].body.as_ref());
        body.map_or_else(Mat3::identity, |b| b.start_rotation_of(f.node))
    };
    start(&pair.b).tr_mul(&start(&pair.a))
}

/// Adds shapes and contacts of one joint; `first` is the index of its first shape, `turned` that of [`turned`].
fn add(
    out: &mut Added,
    joint: &str,
    play: &Play,
    first: usize,
    surface: Surface,
    law: &Option<ContactLaw>,
    turned: &Mat3,
) {
    let mut put = |on: &Frame, p: Vec3, r: Mat3, what: &str, form: Form| {
        let name = format!("{joint}.{what}");
        let frame = Frame { body: on.body, node: on.node, p, r, name: name.clone() };
        out.shapes.push(ContactShape { name, frame, form });
    };
    // bodies move in the plane whatever z a marker of the ground has
    let flat = |on: &Frame, at: Vec3| Vec3::new(on.p.x + at.x, on.p.y + at.y, 0.0);
    let same = Mat3::identity();
    let contact = |name: String, a: Vec<usize>, b: usize| {
        let kind = ContactKind::Shapes {
            a: a.into_iter().map(|k| ShapeId(first + k)).collect(),
            b: Some(vec![ShapeId(first + b)]),
            surface,
            law: law.clone(),
        };
        Some(Contact { of_joint: Some(joint.to_owned()), ..Contact::new(&name, kind, false) })
    };
    let Play { pair, clearance, form, .. } = play;
    let axes = || play.axes(turned).map(|m| [0, 1, 2].map(|k| m.column(k).into_owned()));
    match *form {
        PlayForm::Journal { bearing } => {
            let hole = Form::Arc { radius: bearing, from: 0.0, to: TAU, hollow: true };
            let pin = Form::Circle { radius: bearing - clearance };
            put(&pair.b, flat(&pair.b, Vec3::zeros()), same, "journal", pin);
            put(&pair.a, flat(&pair.a, Vec3::zeros()), same, "bearing", hole);
            out.contacts.push(contact(joint.to_owned(), vec![0], 1));
        }
        PlayForm::Shaft { bearing, length } => {
            // both ends of the journal are round, so a tilted journal touches with its ends
            let end = |sign: f64| pair.b.p + pair.b.r * pair.axis_b * (sign * 0.5 * length);
            for (sign, what) in [(-1.0, "rear"), (1.0, "front")] {
                put(&pair.b, end(sign), same, what, Form::Sphere { radius: bearing - clearance });
            }
            let along = pair.a.r * frame_from_z(&pair.axis_a);
            put(&pair.a, pair.a.p, along, "bearing", Form::Bore { radius: bearing, length });
            out.contacts.push(contact(joint.to_owned(), vec![0, 1], 2));
        }
        PlayForm::Ball { socket } => {
            put(&pair.b, pair.b.p, same, "ball", Form::Sphere { radius: socket - clearance });
            put(&pair.a, pair.a.p, same, "socket", Form::Socket { radius: socket });
            out.contacts.push(contact(joint.to_owned(), vec![0], 1));
        }
        PlayForm::Block { length, width } => {
            let [[out_of_wall, ..], [left, _, along]]: [[Vec3; 3]; 2] = axes();
            for (side, sign) in [("upper", 1.0), ("lower", -1.0)] {
                for (end, part) in [("rear", -0.5), ("front", 0.5)] {
                    let at = along * (part * length) + left * (sign * 0.5 * width);
                    put(&pair.b, flat(&pair.b, at), same, &format!("{side}_{end}"), Form::Point);
                }
                let wall = out_of_wall * (sign * (0.5 * width + clearance));
                let normal = out_of_wall * -sign;
                let wall = flat(&pair.a, wall);
                put(&pair.a, wall, same, &format!("{side}_wall"), Form::HalfPlane { normal });
            }
            out.contacts.push(contact(format!("{joint}.upper"), vec![0, 1], 2));
            out.contacts.push(contact(format!("{joint}.lower"), vec![3, 4], 5));
        }
        PlayForm::Channel { length, width, height } => {
            let [[up, right, _], [up_b, right_b, along]]: [[Vec3; 3]; 2] = axes();
            let signs = [-1.0, 1.0];
            let corners: Vec<[f64; 3]> = signs
                .iter()
                .flat_map(|x| signs.iter().flat_map(move |y| signs.map(|z| [*x, *y, z])))
                .collect();
            for (k, [x, y, z]) in corners.iter().enumerate() {
                let at = along * (x * length) + up_b * (y * width) + right_b * (z * height);
                put(&pair.b, pair.b.p + at * 0.5, same, &format!("corner{}", k + 1), Form::Point);
            }
            let walls = [("upper", up, width, 1), ("right", right, height, 2)];
            let opposite = [("lower", -up, width, 1), ("left", -right, height, 2)];
            for (k, (side, outward, size, i)) in walls.into_iter().chain(opposite).enumerate() {
                let at = pair.a.p + outward * (0.5 * size + clearance);
                let normal = -outward;
                put(&pair.a, at, same, &format!("{side}_wall"), Form::HalfSpace { normal });
                let sign = if k < walls.len() { 1.0 } else { -1.0 };
                let touching = (0..corners.len()).filter(|c| corners[*c][i] == sign).collect();
                let wall = corners.len() + k;
                out.contacts.push(contact(format!("{joint}.{side}"), touching, wall));
            }
        }
    }
}
