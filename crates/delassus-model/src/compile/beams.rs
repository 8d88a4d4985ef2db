//! Beams: from one entry to nodes, which are bodies, and elements, which are forces between neighbouring ones.
//!
//! So joints, forces, sensors, contacts, motion files and methods meet nothing but bodies and forces.

use super::beam_axis::{self, Axis, Leg, Node, Share};
use super::bodies::{BodySlot, optional, rate};
use super::context::{Env, Path};
use super::elastic::{Given, Properties, Reader, Tables};
use super::frames::{Markers, Pose, marker};
use super::geometry::{Shape, rotation, vector};
use super::modal_beam;
use super::repeat::{Budget, Expanded, Instance, check_name};
use crate::fields::given;
use crate::model::effective_stiffness;
use crate::spec::{BodySpec, BodyType, MarkerSpec, MarkerTable, ModelSpec, RateSpec};
use crate::{
    Beam, BeamElement, Body, BodyId, BodyKind, Diagnostic, Force, ForceKind, Frame, System,
};
use delassus_expr::Dim;
use delassus_math::se3::{self, Motion};
use delassus_math::{Mat3, Quat, Vec3, largest};
use std::collections::BTreeMap;

/// Fields that only beams have, in the order of messages.
pub(super) const OWN: [&str; 14] = [
    "elements",
    "length",
    "curvature",
    "points",
    "section",
    "material",
    "shear",
    "damping",
    "EA",
    "GA",
    "EI",
    "GJ",
    "mass_per_length",
    "inertia_per_length",
];
/// Other fields that they have.
pub(super) const SHARED: [&str; 7] =
    ["position", "angle", "orientation", "velocity", "rate", "hold", "markers"];

/// Distance from the ends, relative to the length, up to which a marker is put there.
const AT_END: f64 = 1e-12;

/// Masses and stiffnesses up to this one, and down to its inverse, whose products are numbers.
const LARGEST: f64 = 1e150;

/// Turn of an element up to which it describes a beam well, rad: what errors recommend.
const GOOD_TURN: f64 = 0.5;

/// Frames on a beam.
#[derive(Debug, Default)]
pub(super) struct BeamFrames {
    /// Its first node among the bodies; `None` of a beam that is faulty.
    first: Option<usize>,
    /// Number of the node of each marker, and where on it.
    markers: BTreeMap<String, (usize, Pose)>,
    /// A marker could not be named, so that a missing name may be its.
    incomplete: bool,
    /// Its place in [`Bodies::beams`].
    pub(super) beam: Option<usize>,
}

impl BeamFrames {
    /// The frame of a marker, or of the first node.
    pub(super) fn frame(
        &self,
        env: &Env<'_>,
        path: &Path<'_>,
        owner: &str,
        marker: Option<&str>,
        name: &str,
    ) -> Option<Frame> {
        let first = self.first?;
        let (node, pose) = match marker {
            None => (0, Pose::IDENTITY),
            Some(marker) => match self.markers.get(marker) {
                Some(found) => *found,
                None => {
                    if !self.incomplete {
                        let known = self.markers.keys().map(String::as_str);
                        env.unknown(path, &format!("marker of `{owner}` called"), marker, known);
                    }
                    return None;
                }
            },
        };
        Some(Frame {
            body: Some(BodyId(first + node)),
            node: None,
            p: pose.p,
            r: pose.r,
            name: name.to_owned(),
        })
    }
}

/// All bodies, with the nodes of beams among them.
#[derive(Default)]
pub(super) struct Bodies {
    pub(super) slots: Vec<BodySlot>,
    pub(super) names: Expanded,
    pub(super) frames: BTreeMap<String, BeamFrames>,
    /// Beams without faults; their elements are numbered from 0.
    pub(super) beams: Vec<Beam>,
    pub(super) elements: Vec<Force>,
}

impl Bodies {
    /// Adds a body, or reports that its name is taken.
    pub(super) fn add(
        &mut self,
        env: &Env<'_>,
        path: &Path<'_>,
        instance: Instance,
        slot: BodySlot,
    ) {
        if self.names.ids.contains_key(&instance.name) || self.frames.contains_key(&instance.name) {
            let text = format!("the name `{}` is that of a node of a beam too", instance.name);
            let fault = Diagnostic::error("E_DUPLICATE", path.to_string(), text);
            env.report(fault.help("rename one of the two"));
        }
        self.names.ids.insert(instance.name.clone(), self.slots.len());
        self.names.instances.push(instance);
        self.slots.push(slot);
    }
}

/// What beams are compiled with.
pub(super) struct Context<'c, 'e> {
    pub(super) env: &'c Env<'e>,
    pub(super) tables: Tables<'c>,
}

/// Compiles a beam and adds its nodes and elements.
pub(super) fn add(
    c: &Context<'_, '_>,
    instance: &Instance,
    spec: &BodySpec,
    path: &Path<'_>,
    budget: &mut Budget,
    out: &mut Bodies,
) {
    let planar = spec.kind == BodyType::PlanarBeam;
    let label = if planar { "a planar beam" } else { "a beam" };
    let entry = Entry { env: c.env, spec, path, planar, label };
    let made = if c.env.is_hopeless() { None } else { entry.compile(c.tables, budget) };
    let Some(made) = made else {
        out.frames.insert(instance.name.clone(), BeamFrames::default());
        return;
    };
    let first = out.slots.len();
    let kind: BodyKind = spec.kind.into();
    let name = |k: usize| format!("{}[{k}]", instance.name);
    for (k, node) in made.axis.nodes.iter().enumerate() {
        let body = made.body(name(k), kind, node);
        let slot = BodySlot { name: name(k), kind, markers: Markers::default(), body: Some(body) };
        let node =
            Instance { entry: instance.entry, name: name(k), indices: instance.indices.clone() };
        out.add(c.env, path, node, slot);
    }
    let frame = |k: usize, r: Mat3| Frame {
        body: Some(BodyId(first + k)),
        node: None,
        p: Vec3::zeros(),
        r,
        name: name(k),
    };
    let stations: Vec<f64> = made.axis.nodes.iter().map(|n| n.s).collect();
    let whole = stations.last().copied().unwrap_or(0.0);
    let from = out.elements.len();
    for (k, piece) in made.axis.pieces.iter().enumerate() {
        let element = BeamElement {
            a: frame(k, piece.r_a),
            b: frame(k + 1, Mat3::identity()),
            length: piece.length,
            rest: piece.rest,
            stiffness: made.properties.stiffness,
            damping: made.properties.damping,
            whole,
        };
        out.elements.push(Force { name: name(k + 1), kind: ForceKind::Beam(Box::new(element)) });
    }
    out.frames.insert(
        instance.name.clone(),
        BeamFrames {
            first: Some(first),
            markers: made.markers,
            incomplete: made.incomplete,
            beam: Some(out.beams.len()),
        },
    );
    out.beams.push(Beam {
        name: instance.name.clone(),
        nodes: first..first + stations.len(),
        elements: from..out.elements.len(),
        stations,
        reach: made.properties.reach,
    });
}

/// A beam that has no faults.
struct Made {
    axis: Axis,
    properties: Properties,
    markers: BTreeMap<String, (usize, Pose)>,
    incomplete: bool,
    /// Frame of the beam, and its angle where it is planar.
    place: Motion,
    angle: f64,
    /// Velocity of the origin and angular velocity, ground components, where given.
    motion: Option<[Vec3; 2]>,
    hold: bool,
}

impl Made {
    fn body(&self, name: String, kind: BodyKind, node: &Node) -> Body {
        let Properties { mass, inertia: [iy, iz], .. } = self.properties;
        let section = Mat3::from_diagonal(&Vec3::new(iy + iz, iy, iz));
        let length: f64 = node.share.iter().map(|s| s.length).sum();
        let mut inertia = Mat3::zeros();
        let (mut along, mut com) = (Vec3::zeros(), Vec3::zeros());
        for Share { length: own, first, second, r } in &node.share {
            let tangent: Vec3 = r.column(0).into();
            along += tangent * (first.x / length);
            com += r * first / length;
            inertia += r * section * r.transpose() * *own;
            inertia += (Mat3::identity() - tangent * tangent.transpose()) * (mass * second);
        }
        // what the axis turns away moves the mass centre, and the inertia with it
        let from_node = Mat3::identity() * along.norm_squared() - along * along.transpose();
        inertia -= from_node * (mass * length);
        if kind.is_planar() {
            let zz = inertia[(2, 2)];
            inertia = Mat3::zeros();
            inertia[(2, 2)] = zz;
        }
        let at = self.place.then(&node.frame);
        let r = &node.frame.r;
        Body {
            name,
            kind,
            mass: mass * length,
            inertia,
            com,
            position: at.p,
            rotation: if kind.is_planar() { Quat::IDENTITY } else { Quat::from_matrix(&at.r) },
            angle: if kind.is_planar() { self.angle + r[(1, 0)].atan2(r[(0, 0)]) } else { 0.0 },
            hold: self.hold,
            velocity: self.motion.map(|[v, w]| v + w.cross(&(at.p - self.place.p))),
            rate: self.motion.map(|[_, w]| at.r.tr_mul(&w)),
            flexible: None,
        }
    }
}

/// The entry being compiled.
pub(super) struct Entry<'e> {
    pub(super) env: &'e Env<'e>,
    pub(super) spec: &'e BodySpec,
    pub(super) path: &'e Path<'e>,
    pub(super) planar: bool,
    /// What messages call it.
    pub(super) label: &'static str,
}

impl Entry<'_> {
    fn compile(&self, tables: Tables<'_>, budget: &mut Budget) -> Option<Made> {
        let (env, spec, path) = (self.env, self.spec, self.path);
        let (own, other) =
            if self.planar { ("angle", "orientation") } else { ("orientation", "angle") };
        let used: Vec<&str> = OWN.into_iter().chain(SHARED).filter(|f| *f != other).collect();
        let foreign = given(spec).into_iter().filter(|f| !used.contains(f));
        let foreign: Vec<(&'static str, bool)> = foreign.map(|f| (f, true)).collect();
        env.unused(path, self.label, &foreign, &used);

        let reader = Reader { env, path, owner: self.label, planar: self.planar };
        let properties = reader.properties(&Given::of_body(spec), tables);
        let count = self.elements();
        let legs = self.legs(&reader);
        let place = self.place(own);
        let motion = self.motion(place.as_ref().map(|(at, _)| at));
        let whole = legs.as_ref().map(|legs| beam_axis::length(legs));
        let marked = self.markers(whole);
        let (legs, count) = (legs?, count?);
        let (marked, incomplete) = marked;
        let stops: Vec<f64> = marked.iter().map(|m| m.at).collect();
        // each node and each element counts, and a marker may ask for one more
        let many = 2 * count as u128 + 1 + stops.len() as u128;
        if !budget.book(many, env, &path.field("elements")) {
            return None;
        }
        let axis = beam_axis::divide(&legs, &beam_axis::counts(&legs, count), &stops);
        let markers = marked.into_iter().map(|m| {
            let distance = |k: &usize| (axis.nodes[*k].s - m.at).abs();
            let nearest = (0..axis.nodes.len()).min_by(|a, b| distance(a).total_cmp(&distance(b)));
            let node = nearest.unwrap_or(0);
            // what is left of the distance where the marker was too close to a node for one of its own
            let p = m.pose.p + Vec3::x() * (m.at - axis.nodes[node].s);
            (m.name, (node, Pose { p, ..m.pose }))
        });
        let markers = markers.collect();
        let (place, angle) = place?;
        let made = Made {
            markers,
            incomplete,
            axis,
            properties: properties?,
            place,
            angle,
            motion: motion?,
            hold: spec.hold,
        };
        (self.unbent(&made, count) && self.in_range(&made)).then_some(made)
    }

    /// Whether no element of the unloaded beam turns further than can be told from a turn the other way.
    fn unbent(&self, made: &Made, count: usize) -> bool {
        let turns = made.axis.pieces.iter().map(|p| se3::angular(&p.rest).norm());
        let turn = largest(turns);
        let most = System::MOST_BEND;
        if turn <= most {
            return true;
        }
        let path = self.path.field("elements").to_string();
        let text = format!(
            "with {count} elements the unloaded axis turns by {turn:.3} rad along one of them; no more than \
             {most:.1} rad can be told from a turn the other way"
        );
        let enough = (count as f64 * turn / GOOD_TURN).ceil();
        let help = format!("give {enough} elements or more, or less curvature");
        self.env.report(Diagnostic::error("E_BEAM_TURN", path, text).help(help));
        false
    }

    /// Whether masses of nodes and stiffnesses of elements can be computed with: lengths of any size may be written.
    fn in_range(&self, made: &Made) -> bool {
        let positive = |x: f64| x > 1.0 / LARGEST && x < LARGEST;
        let Properties { stiffness, mass, inertia, .. } = made.properties;
        let soft = |p: &beam_axis::Piece| effective_stiffness(&stiffness, p.length);
        let bad = made.axis.pieces.iter().map(soft).find(|k| !k.iter().all(|k| positive(*k)));
        let share = |n: &Node| n.share.iter().map(|s| s.length).sum::<f64>();
        let shares = made.axis.nodes.iter().map(share);
        let light = shares
            .map(|l| [mass * l, inertia[0] * l, inertia[1] * l])
            .find(|m| !m.iter().all(|m| positive(*m)));
        let text = match (bad, light) {
            (None, None) => return true,
            (Some(k), _) => {
                let k: Vec<String> = k.iter().map(|k| format!("{k:e}")).collect();
                format!("the stiffnesses of an element are out of range: {}", k.join(", "))
            }
            (_, Some([m, y, z])) => format!(
                "mass and moments of inertia of the section of a node are out of range: {m:e} kg, {y:e} and {z:e} kg m^2"
            ),
        };
        self.env.range(self.path, text, "check the units of its length, section and material");
        false
    }

    pub(super) fn elements(&self) -> Option<usize> {
        let path = self.path.field("elements");
        let Some(value) = &self.spec.elements else {
            let help = "say how many elements it is made of, such as 10";
            self.env.missing(&path, self.label, help);
            return None;
        };
        let x = self.env.constant(value, &path, Dim::NONE)?;
        if x >= 1.0 && x.fract() == 0.0 && x <= 2f64.powi(53) {
            return Some(x as usize);
        }
        let text = format!("`elements` is {x}, but must be a whole number of at least 1");
        self.env.range(&path, text, "ten elements are a good beginning");
        None
    }

    pub(super) fn shape(&self) -> Shape {
        if self.planar { Shape::Plane } else { Shape::Space }
    }

    pub(super) fn legs(&self, reader: &Reader<'_>) -> Option<Vec<Leg>> {
        let (env, spec) = (self.env, self.spec);
        if spec.points.is_empty() {
            let length = match &spec.length {
                Some(length) => reader.positive(length, "length", Dim::LENGTH),
                None => {
                    let help = "give its length along x, or corners as `points`";
                    env.missing(&self.path.field("length"), self.label, help);
                    None
                }
            };
            let curvature = match &spec.curvature {
                Some(curvature) => self.curvature(curvature),
                None => Some(Vec3::zeros()),
            };
            return Some(beam_axis::arc(length?, curvature?));
        }
        let given = [("length", spec.length.is_some()), ("curvature", spec.curvature.is_some())];
        let owner = format!("{} with `points`", self.label);
        env.unused(self.path, &owner, &given, &["points", "elements"]);
        let path = self.path.field("points");
        if spec.points.len() < 2 {
            env.shape(&path, spec.points.len(), "2 points or more");
            return None;
        }
        let point = |(k, list): (usize, &Vec<_>)| {
            vector(env, list, &path.index(k), Dim::LENGTH, self.shape())
        };
        let points: Vec<Option<Vec3>> = spec.points.iter().enumerate().map(point).collect();
        let points: Vec<Vec3> = points.into_iter().collect::<Option<_>>()?;
        match beam_axis::polygon(&points) {
            Ok(legs) => Some(legs),
            Err((k, why)) => {
                env.range(&path.index(k), why.to_owned(), "give points that lead on");
                None
            }
        }
    }

    fn curvature(&self, value: &RateSpec) -> Option<Vec3> {
        let (env, path) = (self.env, self.path.field("curvature"));
        let dim = Dim::known(-1, 0, 0);
        match (self.planar, value) {
            (true, RateSpec::Planar(x)) => env.constant(x, &path, dim).map(|x| Vec3::z() * x),
            (false, RateSpec::Spatial(list)) => vector(env, list, &path, dim, Shape::Space),
            (true, RateSpec::Spatial(_)) => {
                env.wrong_form(&path, "a list", "one number (about z)");
                None
            }
            (false, RateSpec::Planar(_)) => {
                env.wrong_form(&path, "one number", "a list of twist and curvatures about y and z");
                None
            }
        }
    }

    pub(super) fn place(&self, own: &str) -> Option<(Motion, f64)> {
        let (env, spec) = (self.env, self.spec);
        let position = match spec.position.as_slice() {
            [] => Some(Vec3::zeros()),
            list => vector(env, list, &self.path.field("position"), Dim::LENGTH, self.shape()),
        };
        let path = self.path.field(own);
        let turn = match (&spec.angle, &spec.orientation) {
            (Some(angle), _) if self.planar => {
                let angle = env.constant(angle, &path, Dim::NONE);
                angle.map(|x| (Quat::from_axis_angle(&Vec3::z(), x), x))
            }
            (_, Some(r)) if !self.planar => rotation(env, r, &path).map(|r| (r, 0.0)),
            _ => Some((Quat::IDENTITY, 0.0)),
        };
        let (q, angle) = turn?;
        Some((Motion { p: position?, r: q.matrix() }, angle))
    }

    /// Velocity of the origin and angular velocity, ground components: the beam begins as if it were rigid. Where one of the
    /// two is given, the other is zero.
    fn motion(&self, place: Option<&Motion>) -> Option<Option<[Vec3; 2]>> {
        let (env, spec) = (self.env, self.spec);
        let v = optional(spec.velocity.as_ref(), |list| {
            vector(env, list, &self.path.field("velocity"), Dim::VELOCITY, self.shape())
        });
        let w = optional(spec.rate.as_ref(), |r| {
            rate(env, spec.kind.into(), r, &self.path.field("rate"))
        });
        let (v, w) = (v?, w?);
        if v.is_none() && w.is_none() {
            return Some(None);
        }
        let w = place.map_or(Mat3::identity(), |at| at.r) * w.unwrap_or_default();
        Some(Some([v.unwrap_or_default(), w]))
    }

    /// Markers, and whether one of them could not be named.
    pub(super) fn markers(&self, whole: Option<f64>) -> (Vec<Marked>, bool) {
        let mut out: Vec<Marked> = Vec::new();
        let mut incomplete = whole.is_none();
        if let Some(whole) = whole {
            for (name, at) in [("start", 0.0), ("end", whole)] {
                out.push(Marked { name: name.to_owned(), at, pose: Pose::IDENTITY });
            }
        }
        let path = self.path.field("markers");
        for (template, spec) in self.spec.markers.iter() {
            let path = path.field(template);
            let name = self.env.text(template, &path);
            let Some(name) = name.filter(|n| check_name(self.env, n, &path)) else {
                incomplete = true;
                continue;
            };
            if out.iter().any(|m| m.name == *name) {
                let text =
                    format!("the marker `{name}` is defined twice, or is one that every beam has");
                let fault = Diagnostic::error("E_DUPLICATE", path.to_string(), text);
                self.env.report(fault.help("rename it; `start` and `end` are there anyway"));
                continue;
            }
            match self.marker(spec, &path, whole) {
                Some((at, pose)) => out.push(Marked { name: name.into_owned(), at, pose }),
                None => incomplete = true,
            }
        }
        (out, incomplete)
    }

    fn marker(
        &self,
        spec: &MarkerSpec,
        path: &Path<'_>,
        whole: Option<f64>,
    ) -> Option<(f64, Pose)> {
        let env = self.env;
        let table = match spec {
            MarkerSpec::Frame(table) => Some(&**table),
            MarkerSpec::Point(_) => None,
        };
        let Some(MarkerTable { at: Some(at), node, repeat, .. }) = table else {
            let help = "say how far along the beam it is, as in { at = \"0.5 m\" }";
            env.missing(&path.field("at"), "a marker of a beam", help);
            return None;
        };
        let owner = "a marker of a body: repeat the body instead";
        let used = ["at", "position", "angle", "orientation"];
        env.unused(path, owner, &[("repeat", repeat.is_some())], &used);
        env.unused(path, "a beam", &[("node", node.is_some())], &used);
        let at_path = path.field("at");
        let at = env.constant(at, &at_path, Dim::LENGTH);
        let shape = if self.planar { Shape::Either } else { Shape::Space };
        let pose = marker(env, spec, path, shape);
        let (at, pose, whole) = (at?, pose?, whole?);
        let slop = AT_END * whole;
        if !(at >= -slop && at <= whole + slop) {
            let text = format!("the marker is {at} m along a beam of {whole} m");
            env.range(&at_path, text, "give a distance along the axis, from 0 to the length");
            return None;
        }
        Some((at.clamp(0.0, whole), pose))
    }
}

/// A marker at a distance along the axis.
pub(super) struct Marked {
    pub(super) name: String,
    pub(super) at: f64,
    pub(super) pose: Pose,
}

/// All bodies of a model, in file order.
pub(super) fn compile_bodies(
    env: Env<'_>,
    spec: &ModelSpec,
    names: &Expanded,
    tables: Tables<'_>,
    budget: &mut Budget,
) -> Bodies {
    let root = Path::root("body");
    let mut out = Bodies::default();
    out.names.incomplete = names.incomplete;
    for instance in &names.instances {
        let (name, body) = &spec.body.0[instance.entry];
        let env = env.at(instance.entry, &instance.indices);
        let path = root.field(name);
        if body.kind.is_beam() {
            add(&Context { env: &env, tables }, instance, body, &path, budget, &mut out);
        } else if modal_beam::is_beam(body) {
            let slot = modal_beam::compile(&env, &instance.name, body, &path, tables, budget);
            out.add(&env, &path, instance.clone(), slot);
        } else {
            let slot = super::bodies::compile(&env, instance, body, &path);
            out.add(&env, &path, instance.clone(), slot);
        }
    }
    out
}
