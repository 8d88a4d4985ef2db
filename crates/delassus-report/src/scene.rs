//! What the mechanism looks like: bodies, joints, forces, where they are attached.
//!
//! [`scene_from`] is the one place that turns a model into things to draw. Shapes of bodies are
//! in `shapes.rs`.

use crate::encode::Array;
use crate::{coarse, shapes};
use delassus_math::{Mat3, Quat, Vec3, frame_from_z};
use delassus_model::{
    AxisPair, Body, BodyKind, Component, Contact, ContactKind, Coordinate, CoordinateKind,
    ForceKind, Frame, JointKind, LoadView, MOST_LOADS, Measure, Model, ReactionComponent, ShapeId,
    System,
};
use serde::{Deserialize, Serialize};

/// A mechanism to draw. Body 0 is the ground.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Scene {
    /// All bodies move in the x-y plane.
    pub planar: bool,
    /// Direction that is up.
    pub up: [f64; 3],
    /// Gravity, m/s².
    pub gravity: [f64; 3],
    /// Largest extent at the start, m.
    pub size: f64,
    /// Typical length that the run used, m.
    pub length: f64,
    /// Middle at the start, m.
    pub center: [f64; 3],
    /// Ground first.
    pub bodies: Vec<SceneBody>,
    /// Joints.
    pub joints: Vec<SceneJoint>,
    /// Forces.
    pub forces: Vec<SceneForce>,
    /// Contacts.
    pub contacts: Vec<SceneContact>,
    /// Reactions and applied forces.
    pub arrows: Vec<SceneArrow>,
}

/// A force or torque that is drawn as an arrow.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct SceneArrow {
    /// Name.
    pub name: String,
    /// `force` or `torque`.
    pub kind: String,
    /// `reaction` or `force`.
    pub group: String,
    /// Body it acts on.
    pub body: usize,
    /// Where on it, m.
    pub p: [f64; 3],
    /// Columns of its components along x, y and z of the ground, where only sensors know them.
    #[serde(skip_serializing_if = "unknown")]
    pub columns: [Option<String>; 3],
    /// Its number in `loads.bin`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub load: Option<usize>,
}

fn unknown(columns: &[Option<String>; 3]) -> bool {
    columns.iter().all(Option::is_none)
}

/// A body. Places are in its own frame.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct SceneBody {
    /// Name.
    pub name: String,
    /// `planar`, `spatial`, `point` or `ground`.
    pub kind: String,
    /// Mass, kg.
    pub mass: f64,
    /// Moments of inertia xx, yy, zz about the mass centre, kg m².
    pub inertia: [f64; 3],
    /// Mass centre, m.
    pub com: [f64; 3],
    /// Colour, if it has one of its own.
    pub color: Option<String>,
    /// What it is drawn as; nothing means sticks between its joints.
    pub shapes: Vec<SceneShape>,
    /// Named points that something is attached to.
    pub markers: Vec<SceneMarker>,
}

/// A shape at a place of its body.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SceneShape {
    /// What it is.
    #[serde(flatten)]
    pub geometry: Geometry,
    /// Place, m.
    #[serde(default)]
    pub p: [f64; 3],
    /// Orientation, quaternion with the scalar first.
    #[serde(default = "no_rotation")]
    pub r: [f64; 4],
}

fn no_rotation() -> [f64; 4] {
    Quat::IDENTITY.0
}

/// Kinds of shape; lengths in m. Axes are z, planar ones lie in the x-y plane.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "lowercase")]
pub enum Geometry {
    /// Ball.
    Sphere {
        /// Radius.
        radius: f64,
    },
    /// Cylinder with round ends.
    Capsule {
        /// Radius.
        radius: f64,
        /// Between the centres of the ends.
        length: f64,
    },
    /// Box.
    Box {
        /// Edges.
        size: [f64; 3],
    },
    /// Cylinder.
    Cylinder {
        /// Radius.
        radius: f64,
        /// Height.
        length: f64,
    },
    /// Plane with the normal +z.
    Plane {
        /// Extent that is drawn.
        size: f64,
    },
    /// Triangles.
    Mesh {
        /// Corners, n × 3.
        vertices: Array,
        /// Indices of corners, m × 3.
        triangles: Array,
        /// Triangles that it has in the model, where fewer are drawn.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        of: Option<usize>,
    },
    /// Circle.
    Circle {
        /// Radius.
        radius: f64,
    },
    /// A point.
    Point {},
    /// A straight piece.
    Segment {
        /// From here.
        a: [f64; 2],
        /// To there.
        b: [f64; 2],
    },
    /// Straight pieces; arcs are made of many.
    Polyline {
        /// Corners.
        points: Vec<[f64; 2]>,
        /// The last point is joined to the first.
        closed: bool,
    },
    /// Half plane below the line through the place of the shape.
    Line {
        /// Out of the half plane.
        normal: [f64; 2],
    },
}

/// A named point with axes.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct SceneMarker {
    /// Name without that of the body.
    pub name: String,
    /// Place on the body, m.
    pub p: [f64; 3],
    /// Orientation on the body.
    pub r: [f64; 4],
}

/// Where something is attached. For joints with an axis, z of the orientation is the axis.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Attachment {
    /// Number of the body; 0 is the ground.
    pub body: usize,
    /// Place on it, m.
    pub p: [f64; 3],
    /// Orientation on it.
    pub r: [f64; 4],
}

/// A joint.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct SceneJoint {
    /// Name.
    pub name: String,
    /// Type as in the model file.
    #[serde(rename = "type")]
    pub kind: String,
    /// First frame.
    pub a: Attachment,
    /// Second frame.
    pub b: Attachment,
    /// Radius of a disc or ball that rolls, m.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub radius: Option<f64>,
    /// `disc` or `sphere` of what rolls.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shape: Option<String>,
    /// Numbers of the two joints that a pair of gears couples.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub joints: Vec<usize>,
    /// Turns of the first gear per turn of the second; negative when they turn against each other.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ratio: Option<f64>,
}

/// A force.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct SceneForce {
    /// Name.
    pub name: String,
    /// Type as in the model file.
    #[serde(rename = "type")]
    pub kind: String,
    /// Where it acts, or its first end.
    pub a: Attachment,
    /// Its second end, if it has one.
    pub b: Option<Attachment>,
}

/// A contact or another one-sided interaction.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct SceneContact {
    /// Name.
    pub name: String,
    /// Type as in the model file.
    #[serde(rename = "type")]
    pub kind: String,
    /// First body, where there is one only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub a: Option<usize>,
    /// Second body, where there is one only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub b: Option<usize>,
    /// Length of a rope, m.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub length: Option<f64>,
    /// Ends of a rope.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub ends: Vec<Attachment>,
}

impl Scene {
    /// Loads that the run records.
    pub(crate) fn loads(&self) -> usize {
        self.arrows.iter().filter(|a| a.load.is_some()).count()
    }
}

/// The scene of a model.
pub fn scene_from(sys: &System) -> Scene {
    let m = sys.model();
    let planar = m.bodies.iter().all(|b| b.kind.is_planar());
    let mut bodies = vec![SceneBody {
        name: "ground".to_owned(),
        kind: "ground".to_owned(),
        markers: markers_of(m, None),
        ..SceneBody::default()
    }];
    for (i, b) in m.bodies.iter().enumerate() {
        bodies.push(SceneBody {
            name: b.name.clone(),
            kind: match b.kind {
                BodyKind::Planar => "planar",
                BodyKind::Rigid => "spatial",
                BodyKind::Point | BodyKind::PlanarPoint => "point",
            }
            .to_owned(),
            mass: b.mass,
            inertia: b.inertia.diagonal().into(),
            com: b.com.into(),
            color: None,
            shapes: Vec::new(),
            markers: markers_of(m, Some(i)),
        });
    }
    let joints: Vec<SceneJoint> = m.joints.iter().map(|j| joint(m, j)).collect();
    let forces: Vec<SceneForce> = m.forces.iter().map(force).collect();
    let loads = sys.load_views();
    let arrows = if loads.len() <= MOST_LOADS {
        loads.iter().enumerate().map(|(k, l)| load(k, l)).collect()
    } else {
        arrows(m, &joints)
    };
    let (center, size) = extent(m, &bodies, &joints, &forces);
    let views = sys.shapes();
    let most = coarse::share(views.iter().filter(|v| v.surface.is_some()).count());
    for view in &views {
        let body = view.body.map_or(0, |b| b.0 + 1);
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
    }
}

/// Against gravity along the nearest axis; without gravity y in the plane and z in space.
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

fn place(f: &Frame) -> Attachment {
    turned(f, &Mat3::identity())
}

/// A frame whose z axis is along `axis` of the frame.
fn along(f: &Frame, axis: &Vec3) -> Attachment {
    turned(f, &frame_from_z(axis))
}

fn turned(f: &Frame, r: &Mat3) -> Attachment {
    Attachment {
        body: f.body.map_or(0, |b| b.0 + 1),
        p: f.p.into(),
        r: Quat::from_matrix(&(f.r * r)).0,
    }
}

fn joint(m: &Model, j: &delassus_model::Joint) -> SceneJoint {
    let pair = |kind: &str, p: &AxisPair| SceneJoint {
        name: j.name.clone(),
        kind: kind.to_owned(),
        a: along(&p.a, &p.axis_a),
        b: along(&p.b, &p.axis_b),
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
        JointKind::Rolling { pair: p, radius, disc } => SceneJoint {
            radius: Some(*radius),
            shape: Some(if *disc { "disc" } else { "sphere" }.to_owned()),
            ..pair("rolling", p)
        },
        JointKind::Coupling(terms, _) => {
            let end = |c: Option<&(Coordinate, f64)>| {
                c.map_or_else(Attachment::default, |(c, _)| along(&c.pair.b, &c.pair.axis_b))
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
        _ => false,
    })
}

fn load(k: usize, l: &LoadView<'_>) -> SceneArrow {
    let at = place(l.at);
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

fn force(f: &delassus_model::Force) -> SceneForce {
    let (kind, a, b) = match &f.kind {
        ForceKind::Force { at, .. } => ("force", place(at), None),
        ForceKind::Torque { at, .. } => ("torque", place(at), None),
        ForceKind::Spring { a, b, .. } => ("spring", place(a), Some(place(b))),
        ForceKind::Bushing { a, b, .. } => ("bushing", place(a), Some(place(b))),
        ForceKind::Torsion { coordinate: c, .. } => {
            ("torsion", along(&c.pair.a, &c.pair.axis_a), Some(along(&c.pair.b, &c.pair.axis_b)))
        }
        ForceKind::Actuator { coordinate: c, .. } => {
            ("actuator", along(&c.pair.a, &c.pair.axis_a), Some(along(&c.pair.b, &c.pair.axis_b)))
        }
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
    // the one body that all of these shapes are on
    let side = |shapes: &[ShapeId]| {
        let mut bodies = shapes.iter().map(|s| m.shapes[s.0].frame.body.map_or(0, |b| b.0 + 1));
        let first = bodies.next()?;
        bodies.all(|b| b == first).then_some(first)
    };
    let of = |f: &Frame| Some(place(f).body);
    let along = |kind: &str, c: &Coordinate| named(kind, of(&c.pair.a), of(&c.pair.b));
    match &c.kind {
        ContactKind::Shapes { a, b, .. } => {
            named("shapes", side(a), b.as_ref().and_then(|b| side(b)))
        }
        ContactKind::Limit { coordinate, .. } => along("limit", coordinate),
        ContactKind::Rope { a, b, length, .. } => SceneContact {
            length: *length,
            ends: vec![place(a), place(b)],
            ..named("rope", of(a), of(b))
        },
        ContactKind::OneWay { coordinate, .. } => along("one-way", coordinate),
        ContactKind::DryFriction { coordinate, .. } => along("dry-friction", coordinate),
        ContactKind::Coordinates { .. } => named("coordinates", None, None),
    }
}

/// Frames that joints, forces and sensors name on a body, each once.
fn markers_of(m: &Model, body: Option<usize>) -> Vec<SceneMarker> {
    let mut out: Vec<SceneMarker> = Vec::new();
    for f in frames(m) {
        if f.body.map(|b| b.0) != body {
            continue;
        }
        // "body.marker"; the body's own frame is no marker
        let Some((_, name)) = f.name.split_once('.') else { continue };
        if !out.iter().any(|s| s.name == name) {
            let Attachment { p, r, .. } = place(f);
            out.push(SceneMarker { name: name.to_owned(), p, r });
        }
    }
    out
}

fn frames(m: &Model) -> impl Iterator<Item = &Frame> {
    let joints = m.joints.iter().flat_map(|j| -> Vec<&Frame> {
        match (&j.kind, j.kind.pair()) {
            (_, Some(p)) => vec![&p.a, &p.b],
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

/// Middle and largest extent of what is attached where at the start.
fn extent(
    m: &Model,
    bodies: &[SceneBody],
    joints: &[SceneJoint],
    forces: &[SceneForce],
) -> ([f64; 3], f64) {
    let at = |body: usize, p: [f64; 3]| -> Vec3 {
        let p = Vec3::from(p);
        body.checked_sub(1).and_then(|i| m.bodies.get(i)).map_or(p, |b| b.position + turn(b) * p)
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

fn turn(b: &Body) -> Mat3 {
    match b.kind {
        BodyKind::Planar => Quat::from_axis_angle(&Vec3::z(), b.angle).matrix(),
        BodyKind::Rigid => b.rotation.matrix(),
        BodyKind::Point | BodyKind::PlanarPoint => Mat3::identity(),
    }
}
