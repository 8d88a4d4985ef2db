//! The scene of a model: the only place where a model is turned into things to draw.

use super::{
    Attachment, Scene, SceneArrow, SceneBody, SceneContact, SceneForce, SceneJoint, SceneMarker,
    SceneOrbit, SceneSection,
};
use super::{beams, flexible, modal, roads};
use crate::{coarse, shapes};
use delassus_math::{Mat3, Quat, Vec3, frame_from_z};
use delassus_model::{
    AxisPair, Component, Contact, ContactKind, Coordinate, CoordinateKind, ForceKind, Frame,
    JointKind, LoadView, MOST_LOADS, Measure, Model, Play, PlayForm, ReactionComponent,
    SectionView, Sensor, ShapeId, System,
};
use std::collections::BTreeSet;

/// The scene of a model.
pub fn scene_from(sys: &System) -> Scene {
    let m = sys.model();
    let planar = m.bodies.iter().all(|b| b.kind.is_planar());
    let mut bodies = vec![SceneBody {
        name: "ground".to_owned(),
        kind: "ground".to_owned(),
        markers: markers_of(m, 0),
        ..SceneBody::default()
    }];
    for (i, c) in m.carriers().enumerate() {
        let b = c.body;
        // a node has no mass of its own
        let (mass, inertia, com) = match c.node {
            None => (b.mass, b.inertia.diagonal(), b.com),
            Some(_) => (0.0, Vec3::zeros(), Vec3::zeros()),
        };
        bodies.push(SceneBody {
            name: c.name(),
            kind: b.kind.pose_form().scene_word().to_owned(),
            mass,
            inertia: inertia.into(),
            com: com.into(),
            color: None,
            of_beam: None,
            shapes: Vec::new(),
            markers: markers_of(m, i + 1),
        });
    }
    let joints: Vec<SceneJoint> = m.joints.iter().map(|j| joint(m, j)).collect();
    // elements of beams are drawn as parts of their nodes
    let of_beams = m.beams.first().map_or(m.forces.len(), |b| b.elements.start);
    let forces: Vec<SceneForce> = m.forces[..of_beams].iter().map(|f| force(m, f)).collect();
    let loads = sys.load_views();
    let arrows = if loads.len() <= MOST_LOADS {
        loads.iter().enumerate().map(|(k, l)| load(m, k, l)).collect()
    } else {
        arrows(m, &joints)
    };
    let (center, size) = extent(m, &bodies, &joints, &forces);
    beams::draw(m, size, &mut bodies);
    modal::draw(m, size, &mut bodies);
    roads::draw(m, size, &mut bodies);
    let views = sys.shapes();
    let most = coarse::share(views.iter().filter(|v| v.surface.is_some()).count());
    let of_play = shapes_of_play(m);
    for (_, view) in views.iter().enumerate().filter(|(k, _)| !of_play.contains(k)) {
        let body = view.carrier.map_or(0, |k| k + 1);
        bodies[body].shapes.extend(shapes::shape(view, size, most));
    }
    Scene {
        planar,
        up: up(m, planar),
        gravity: m.gravity.into(),
        size,
        length: sys.length_scale(),
        center,
        bodies,
        joints,
        forces,
        contacts: m.contacts.iter().map(|c| contact(m, c)).collect(),
        arrows,
        orbits: orbits(m),
        flexible: flexible::flexible(m),
        section_width: if sys.section_count() > 0 { sys.section_width() } else { 0 },
        sections: sys.section_views().into_iter().map(section).collect(),
    }
}

fn section(v: SectionView<'_>) -> SceneSection {
    SceneSection { name: v.name.to_owned(), first: v.first, stations: v.stations }
}

/// Shapes that represent the play of joints. They are not drawn: a body that has no others is drawn as sticks, as with
/// ideal joints.
fn shapes_of_play(m: &Model) -> BTreeSet<usize> {
    let of_joints = m.contacts.iter().filter(|c| c.of_joint.is_some());
    let shapes = of_joints.filter_map(|c| match &c.kind {
        ContactKind::Shapes { a, b, .. } => Some(a.iter().chain(b.iter().flatten())),
        _ => None,
    });
    shapes.flatten().map(|s| s.0).collect()
}

/// Opposite to gravity, along the nearest axis; without gravity, y in the plane and z in space.
fn up(m: &Model, planar: bool) -> [f64; 3] {
    let g = m.gravity;
    let k = g.iamax();
    let mut up = [0.0; 3];
    if planar || g.norm() == 0.0 {
        up[if planar { 1 } else { 2 }] = 1.0;
    } else {
        up[k] = -g[k].signum();
    }
    up
}

fn place(m: &Model, f: &Frame) -> Attachment {
    turned(m, f, &Mat3::identity())
}

/// A frame whose z axis is along `axis` of the frame.
fn along(m: &Model, f: &Frame, axis: &Vec3) -> Attachment {
    turned(m, f, &frame_from_z(axis))
}

/// Number of what carries a frame in the scene, where the ground is 0.
fn number(m: &Model, f: &Frame) -> usize {
    m.carrier_of(f).map_or(0, |k| k + 1)
}

fn turned(m: &Model, f: &Frame, r: &Mat3) -> Attachment {
    Attachment { body: number(m, f), p: f.p.into(), r: Quat::from_matrix(&(f.r * r)).0 }
}

fn joint(m: &Model, j: &delassus_model::Joint) -> SceneJoint {
    let pair = |kind: &str, p: &AxisPair| SceneJoint {
        name: j.name.clone(),
        kind: kind.to_owned(),
        a: along(m, &p.a, &p.axis_a),
        b: along(m, &p.b, &p.axis_b),
        ..SceneJoint::default()
    };
    match &j.kind {
        JointKind::Revolute(p) => pair("revolute", p),
        JointKind::Prismatic(p) => pair("prismatic", p),
        JointKind::Cylindrical(p) => pair("cylindrical", p),
        JointKind::Spherical(p) => pair("spherical", p),
        JointKind::Universal(p) => pair("universal", p),
        JointKind::Planar(p) => pair("planar", p),
        JointKind::Fixed(p) => pair("fixed", p),
        JointKind::Screw(p, _) => pair("screw", p),
        JointKind::Distance(p, _) => pair("distance", p),
        JointKind::PointOnLine(p) => pair("point-on-line", p),
        JointKind::PointOnPlane(p) => pair("point-on-plane", p),
        JointKind::ParallelAxes(p) => pair("parallel-axes", p),
        JointKind::Motion(c, _) => pair("motion", &c.pair),
        JointKind::Loose(play) => {
            let loose = |kind| SceneJoint {
                clearance: Some(play.clearance),
                exaggerate: play.exaggerate,
                ..pair(kind, &play.pair)
            };
            match play.form {
                PlayForm::Journal { .. } | PlayForm::Shaft { .. } => loose("revolute"),
                PlayForm::Ball { .. } => loose("spherical"),
                PlayForm::Block { length, width } => {
                    block(m, play, [width, 0.0, length], loose("prismatic"))
                }
                PlayForm::Channel { length, width, height } => {
                    block(m, play, [width, height, length], loose("prismatic"))
                }
            }
        }
        JointKind::Rolling { pair: p, radius, disc } => SceneJoint {
            radius: Some(*radius),
            shape: Some(if *disc { "disc" } else { "sphere" }.to_owned()),
            ..pair("rolling", p)
        },
        JointKind::Coupling(terms, _) => {
            let end = |c: Option<&(Coordinate, f64)>| {
                c.map_or_else(Attachment::default, |(c, _)| along(m, &c.pair.b, &c.pair.axis_b))
            };
            let plain = SceneJoint {
                name: j.name.clone(),
                kind: "coupling".to_owned(),
                a: end(terms.first()),
                b: end(terms.last()),
                ..SceneJoint::default()
            };
            gear(m, terms, plain)
        }
    }
}

/// A block with play: its frames have the axes of its section, so that each corner can be drawn where it is.
fn block(m: &Model, play: &Play, size: [f64; 3], mut joint: SceneJoint) -> SceneJoint {
    let start =
        |f: &Frame| f.body.map_or_else(Mat3::identity, |b| m.bodies[b.0].start_rotation_of(f.node));
    let turned = start(&play.pair.b).tr_mul(&start(&play.pair.a));
    [joint.a.r, joint.b.r] = play.axes(&turned).map(|r| Quat::from_matrix(&r).0);
    SceneJoint { block: Some(size), ..joint }
}

/// A coupling of the angles of two joints is a pair of gears.
fn gear(m: &Model, terms: &[(Coordinate, f64)], plain: SceneJoint) -> SceneJoint {
    let [(a, ca), (b, cb)] = terms else { return plain };
    let angles = [a, b].iter().all(|c| c.kind == CoordinateKind::Angle);
    match (own_joint(m, &a.pair), own_joint(m, &b.pair)) {
        (Some(i), Some(k)) if angles && *ca != 0.0 => SceneJoint {
            kind: "gear".to_owned(),
            joints: vec![i, k],
            ratio: Some(-cb / ca),
            ..plain
        },
        _ => plain,
    }
}

/// The joint between the same frames that has a coordinate.
pub(crate) fn own_joint(m: &Model, pair: &AxisPair) -> Option<usize> {
    let same = |p: &AxisPair| p.a.name == pair.a.name && p.b.name == pair.b.name;
    m.joints.iter().position(|j| match &j.kind {
        JointKind::Revolute(p)
        | JointKind::Prismatic(p)
        | JointKind::Cylindrical(p)
        | JointKind::Planar(p)
        | JointKind::Screw(p, _) => same(p),
        JointKind::Loose(play) => same(&play.pair),
        _ => false,
    })
}

fn load(m: &Model, k: usize, l: &LoadView<'_>) -> SceneArrow {
    let at = place(m, l.at);
    SceneArrow {
        name: l.name.to_owned(),
        kind: if l.torque { "torque" } else { "force" }.to_owned(),
        group: if l.reaction { "reaction" } else { "force" }.to_owned(),
        body: at.body,
        p: at.p,
        columns: [None, None, None],
        load: Some(k),
    }
}

/// Orbits measured by sensors of eccentricity: only those have a size and an angle besides the position of one frame in
/// another.
fn orbits(m: &Model) -> Vec<SceneOrbit> {
    let has = |name: String| m.sensors.iter().any(|s| s.name == name);
    let of = |s: &Sensor| {
        let (stem, Measure::Position(journal, bearing, Component::X)) =
            (s.name.strip_suffix(".x")?, &s.measure)
        else {
            return None;
        };
        let own = ["y", "size", "angle"].into_iter().all(|c| has(format!("{stem}.{c}")));
        let clearance = m.joints.iter().find_map(|j| match &j.kind {
            JointKind::Loose(play)
                if play.pair.a.name == bearing.name && play.pair.b.name == journal.name =>
            {
                Some(play.clearance)
            }
            _ => None,
        });
        own.then(|| SceneOrbit {
            name: stem.to_owned(),
            x: s.name.clone(),
            y: format!("{stem}.y"),
            clearance,
        })
    };
    m.sensors.iter().filter_map(of).collect()
}

/// Reactions whose components along the axes of the ground are measured.
fn arrows(m: &Model, joints: &[SceneJoint]) -> Vec<SceneArrow> {
    let mut out: Vec<SceneArrow> = Vec::new();
    for s in &m.sensors {
        let Measure::Reaction(id, axes, component) = &s.measure else { continue };
        let in_ground = axes.as_ref().is_none_or(|f| f.body.is_none() && f.r == Mat3::identity());
        let (kind, component) = match component {
            ReactionComponent::Force(c) => ("force", c),
            ReactionComponent::Torque(c) => ("torque", c),
        };
        let k = match component {
            Component::X => 0,
            Component::Y => 1,
            Component::Z => 2,
            Component::Norm => continue,
        };
        let Some(joint) = joints.get(id.0).filter(|_| in_ground) else { continue };
        let known = out.iter().position(|a| a.name == joint.name && a.kind == kind);
        let at = known.unwrap_or_else(|| {
            out.push(SceneArrow {
                name: joint.name.clone(),
                kind: kind.to_owned(),
                group: "reaction".to_owned(),
                body: joint.b.body,
                p: joint.b.p,
                columns: [None, None, None],
                load: None,
            });
            out.len() - 1
        });
        out[at].columns[k].get_or_insert_with(|| s.name.clone());
    }
    out
}

fn force(m: &Model, f: &delassus_model::Force) -> SceneForce {
    let (kind, a, b) = match &f.kind {
        ForceKind::Force { at, .. } => ("force", place(m, at), None),
        ForceKind::Torque { at, .. } => ("torque", place(m, at), None),
        ForceKind::Spring { a, b, .. } => ("spring", place(m, a), Some(place(m, b))),
        ForceKind::Bushing { a, b, .. } => ("bushing", place(m, a), Some(place(m, b))),
        ForceKind::Beam(e) => ("beam", place(m, &e.a), Some(place(m, &e.b))),
        ForceKind::Tyre(t) => ("tyre", along(m, &t.at, &t.axle), None),
        ForceKind::Torsion { coordinate: c, .. } => (
            "torsion",
            along(m, &c.pair.a, &c.pair.axis_a),
            Some(along(m, &c.pair.b, &c.pair.axis_b)),
        ),
        ForceKind::Actuator { coordinate: c, .. } => (
            "actuator",
            along(m, &c.pair.a, &c.pair.axis_a),
            Some(along(m, &c.pair.b, &c.pair.axis_b)),
        ),
    };
    SceneForce { name: f.name.clone(), kind: kind.to_owned(), a, b }
}

fn contact(m: &Model, c: &Contact) -> SceneContact {
    let named = |kind: &str, a: Option<usize>, b: Option<usize>| SceneContact {
        name: c.name.clone(),
        kind: kind.to_owned(),
        a,
        b,
        ..SceneContact::default()
    };
    // the only body that carries all of these shapes
    let side = |shapes: &[ShapeId]| {
        let mut bodies = shapes.iter().map(|s| number(m, &m.shapes[s.0].frame));
        let first = bodies.next()?;
        bodies.all(|b| b == first).then_some(first)
    };
    let of = |f: &Frame| Some(place(m, f).body);
    let along = |kind: &str, c: &Coordinate| named(kind, of(&c.pair.a), of(&c.pair.b));
    match &c.kind {
        ContactKind::Shapes { a, b, .. } => {
            named("shapes", side(a), b.as_ref().and_then(|b| side(b)))
        }
        ContactKind::Limit { coordinate, .. } => along("limit", coordinate),
        ContactKind::Rope { a, b, length, .. } => SceneContact {
            length: *length,
            ends: vec![place(m, a), place(m, b)],
            ..named("rope", of(a), of(b))
        },
        ContactKind::OneWay { coordinate, .. } => along("one-way", coordinate),
        ContactKind::DryFriction { coordinate, .. } => along("dry-friction", coordinate),
        ContactKind::Coordinates { .. } => named("coordinates", None, None),
    }
}

/// Frames on a body that joints, forces and sensors refer to, each once.
fn markers_of(m: &Model, carrier: usize) -> Vec<SceneMarker> {
    let mut out: Vec<SceneMarker> = Vec::new();
    for f in frames(m) {
        if number(m, f) != carrier {
            continue;
        }
        // "body.marker"; the body's own frame is not a marker
        let Some((_, name)) = f.name.split_once('.') else { continue };
        if !out.iter().any(|s| s.name == name) {
            let Attachment { p, r, .. } = place(m, f);
            out.push(SceneMarker { name: name.to_owned(), p, r });
        }
    }
    out
}

fn frames(m: &Model) -> impl Iterator<Item = &Frame> {
    let joints = m.joints.iter().flat_map(|j| -> Vec<&Frame> {
        match (&j.kind, j.kind.pair()) {
            (_, Some(p)) => vec![&p.a, &p.b],
            (JointKind::Loose(play), None) => vec![&play.pair.a, &play.pair.b],
            (JointKind::Coupling(terms, _), None) => {
                terms.iter().flat_map(|(c, _)| [&c.pair.a, &c.pair.b]).collect()
            }
            _ => Vec::new(),
        }
    });
    let forces = m.forces.iter().flat_map(|f| -> Vec<&Frame> {
        match &f.kind {
            ForceKind::Force { at, .. } | ForceKind::Torque { at, .. } => vec![at],
            ForceKind::Spring { a, b, .. } | ForceKind::Bushing { a, b, .. } => vec![a, b],
            ForceKind::Beam(e) => vec![&e.a, &e.b],
            ForceKind::Tyre(t) => vec![&t.at],
            ForceKind::Torsion { coordinate: c, .. }
            | ForceKind::Actuator { coordinate: c, .. } => vec![&c.pair.a, &c.pair.b],
        }
    });
    let sensors = m.sensors.iter().flat_map(|s| -> Vec<&Frame> {
        match &s.measure {
            Measure::Position(of, ..)
            | Measure::Velocity(of, ..)
            | Measure::Acceleration(of, ..)
            | Measure::Angle(of)
            | Measure::Rate(of, ..)
            | Measure::Orientation(of, _) => vec![of],
            Measure::Distance(a, b) => vec![a, b],
            _ => Vec::new(),
        }
    });
    joints.chain(forces).chain(sensors)
}

/// Centre and largest extent of the attachment points at the start.
fn extent(
    m: &Model,
    bodies: &[SceneBody],
    joints: &[SceneJoint],
    forces: &[SceneForce],
) -> ([f64; 3], f64) {
    let carriers: Vec<_> = m.carriers().collect();
    let at = |body: usize, p: [f64; 3]| -> Vec3 {
        let p = Vec3::from(p);
        body.checked_sub(1)
            .and_then(|i| carriers.get(i))
            .map_or(p, |c| c.body.position + c.body.start_rotation() * (c.rest() + p))
    };
    let ends = joints.iter().flat_map(|j| [j.a, j.b]);
    let ends = ends.chain(forces.iter().flat_map(|f| std::iter::once(f.a).chain(f.b)));
    let centres = bodies.iter().enumerate().skip(1).map(|(i, b)| at(i, b.com));
    let (mut low, mut high) = (Vec3::repeat(f64::INFINITY), Vec3::repeat(f64::NEG_INFINITY));
    for p in ends.map(|a| at(a.body, a.p)).chain(centres) {
        low = low.inf(&p);
        high = high.sup(&p);
    }
    if !(low.x <= high.x) {
        return ([0.0; 3], 1.0);
    }
    let size = (high - low).norm();
    (((low + high) / 2.0).into(), if size > 0.0 { size } else { 1.0 })
}
