//! A mechanism as a model file.

use super::{
    Body, ContactKind, Dim, ForceKind, Form, JointKind, Law, Mechanism, Place, Turn, V3, View,
};
use crate::random::Random;
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// The quantity in a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A component of a position.
    Length,
    /// A component of a velocity.
    Speed,
    /// An angle of a joint.
    Angle,
    /// Its rate.
    Rate,
}

impl Kind {
    /// Its dimension.
    pub fn dim(self) -> Dim {
        match self {
            Kind::Length => Dim::LENGTH,
            Kind::Speed => Dim::SPEED,
            Kind::Angle => Dim::NONE,
            Kind::Rate => Dim::RATE,
        }
    }
}

/// A column that all views of a mechanism have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Column {
    pub name: String,
    pub kind: Kind,
    /// Along z, zero in the plane.
    pub out_of_plane: bool,
    entry: String,
}

/// Letters of the measured points of a body, with their positions in units of its reach.
const PROBES: [(&str, V3); 3] = [("p", [0.0; 3]), ("u", [1.0, 0.0, 0.0]), ("w", [0.0, 1.0, 0.0])];

/// Columns of a mechanism: positions and velocities of points of every body, coordinates of joints.
pub fn columns(m: &Mechanism) -> Vec<Column> {
    let mut all = Vec::new();
    let axes: &[&str] = if m.space { &["x", "y", "z"] } else { &["x", "y"] };
    for b in &m.bodies {
        let probes = if m.space { 3 } else { 2 };
        for (letter, _) in &PROBES[..probes] {
            for axis in axes {
                let entry = format!("{}|{letter}|{axis}", b.name);
                let name = format!("{}_{letter}{axis}", b.name);
                let out_of_plane = *axis == "z";
                all.push(Column { name, kind: Kind::Length, out_of_plane, entry: entry.clone() });
                let name = format!("{}_{letter}v{axis}", b.name);
                all.push(Column { name, kind: Kind::Speed, out_of_plane, entry });
            }
        }
    }
    for j in &m.joints {
        let Some(position) = m.is_position(&j.name) else { continue };
        let (value, rate) =
            if position { (Kind::Length, Kind::Speed) } else { (Kind::Angle, Kind::Rate) };
        let entry = j.name.clone();
        let (c, r) = (format!("{}_c", j.name), format!("{}_r", j.name));
        all.push(Column { name: c, kind: value, out_of_plane: false, entry: entry.clone() });
        all.push(Column { name: r, kind: rate, out_of_plane: false, entry });
    }
    all
}

/// The text of the model file.
pub fn toml(m: &Mechanism, view: &View) -> String {
    Writer { m, view, markers: BTreeMap::new() }.text()
}

struct Writer<'a> {
    m: &'a Mechanism,
    view: &'a View,
    /// Markers by body; the empty name is the ground.
    markers: BTreeMap<String, Vec<(String, String)>>,
}

impl Writer<'_> {
    fn text(mut self) -> String {
        let (m, v) = (self.m, self.view);
        let mut sections: Vec<(&str, Vec<(String, String)>)> = Vec::new();
        let stage = self.stage();
        let joints = self.joints();
        let forces = self.forces(stage.as_deref());
        let shapes = self.shapes();
        let contacts = self.contacts();
        let sensors = self.sensors(stage.as_deref());
        let bodies = m.bodies.iter().map(|b| (self.name(&b.name), self.body(b))).collect();
        sections.push(("body", bodies));
        sections.push(("joint", joints));
        sections.push(("force", forces));
        sections.push(("shape", shapes));
        sections.push(("contact", contacts));
        sections.push(("sensor", sensors));
        if let Some(seed) = v.mixed {
            let mut random = Random::new(seed);
            sections.iter_mut().for_each(|(_, entries)| random.shuffle(entries));
        }
        let mut out = String::from("schema = 1\n");
        let gravity = v.turn.of(m.gravity);
        if m.gravity != [0.0; 3] {
            let _ = writeln!(out, "gravity = {}", self.vector(gravity, Dim::ACCELERATION));
        }
        if let Some(list) = self.markers.get("") {
            let _ = writeln!(out, "ground.markers = {{ {} }}", joined(list));
        }
        for (section, entries) in sections {
            for (name, fields) in entries {
                let _ = writeln!(out, "{section}.{name} = {{ {fields} }}");
            }
        }
        out.push_str(&self.analysis());
        out
    }

    fn analysis(&self) -> String {
        let (m, v) = (self.m, self.view);
        let (end, samples) = v.span.unwrap_or((m.end, m.samples));
        let mut out = String::new();
        let start = v.bare(v.shift + v.begin, Dim::TIME);
        let stop = v.bare(v.shift + v.begin + end, Dim::TIME);
        let sample = v.bare(end / f64::from(samples), Dim::TIME);
        let order = if m.sequential { ", impacts = \"sequential\"" } else { "" };
        let _ = writeln!(
            out,
            "analysis = {{ start = {start}, end = {stop}, sample = {sample}{order} }}"
        );
        let mut method = Vec::new();
        if let Some(name) = v.method.name {
            method.push(format!("name = \"{name}\""));
        }
        if let Some(scheme) = v.method.scheme {
            method.push(format!("scheme = \"{scheme}\""));
        }
        if let Some(rtol) = v.method.rtol {
            method.push(format!("rtol = {rtol:?}"));
        }
        for (key, value) in [("max_step", v.method.max_step), ("step", v.method.step)] {
            if let Some(h) = value {
                method.push(format!("{key} = {}", v.bare(h, Dim::TIME)));
            }
        }
        if !method.is_empty() {
            let _ = writeln!(out, "method = {{ {} }}", method.join(", "));
        }
        out
    }

    fn name(&self, plain: &str) -> String {
        match self.view.mixed {
            None => plain.to_owned(),
            Some(seed) => {
                let mark = Random::of(seed, plain, 0).word() % 0x1000;
                format!("n{mark:03x}_{plain}")
            }
        }
    }

    fn vector(&self, v: V3, dim: Dim) -> String {
        self.view.list(if self.m.space { &v } else { &v[..2] }, dim)
    }

    fn turned(&self, turn: Turn) -> Option<String> {
        match turn {
            Turn::Angle(0.0) => None,
            Turn::Angle(a) if self.m.space => {
                Some(format!("orientation = {{ axis = [0, 0, 1], angle = {a:?} }}"))
            }
            Turn::Angle(a) => Some(format!("angle = {a:?}")),
            Turn::Quat(q) => {
                Some(format!("orientation = [{:?}, {:?}, {:?}, {:?}]", q[0], q[1], q[2], q[3]))
            }
        }
    }

    /// The marker that represents the ground if the whole model is moved.
    fn stage(&mut self) -> Option<String> {
        if self.view.stands_still() {
            return None;
        }
        let text = self.marker(self.view.at, self.view.turn);
        self.markers.entry(String::new()).or_default().push(("stage".to_owned(), text));
        Some("ground.stage".to_owned())
    }

    fn marker(&self, at: V3, turn: Turn) -> String {
        let position = self.vector(at, Dim::LENGTH);
        match self.turned(turn) {
            None => position,
            Some(turned) => format!("{{ position = {position}, {turned} }}"),
        }
    }

    /// A reference to a frame; its marker is created if one is needed.
    fn frame(&mut self, place: &Place) -> String {
        let (key, owner) = match &place.body {
            None => (String::new(), "ground".to_owned()),
            Some(b) => (b.clone(), self.name(b)),
        };
        let (at, turn) = match place.body {
            None => (self.view.place(place.at), self.view.turn.after(place.turn)),
            Some(_) => (place.at, place.turn),
        };
        if at == [0.0; 3] && turn == Turn::NONE {
            return owner;
        }
        let text = self.marker(at, turn);
        let list = self.markers.entry(key).or_default();
        let known = list.iter().find(|(_, t)| *t == text).map(|(n, _)| n.clone());
        let marker = known.unwrap_or_else(|| {
            let name = format!("m{}", list.len());
            list.push((name.clone(), text));
            name
        });
        format!("{owner}.{marker}")
    }

    fn frames(&mut self, between: &[Place; 2]) -> String {
        let (a, b) = (self.frame(&between[0]), self.frame(&between[1]));
        format!("between = [\"{a}\", \"{b}\"]")
    }

    fn body(&self, b: &Body) -> String {
        let (m, v) = (self.m, self.view);
        let kind = if m.space { "rigid" } else { "planar" };
        let mut f =
            vec![format!("type = \"{kind}\""), format!("mass = {}", v.bare(b.mass, Dim::MASS))];
        f.push(if m.space {
            format!("inertia = {}", v.list(&b.inertia, Dim::INERTIA))
        } else {
            format!("inertia = {}", v.bare(b.inertia[2], Dim::INERTIA))
        });
        if b.com != [0.0; 3] {
            f.push(format!("com = {}", self.vector(b.com, Dim::LENGTH)));
        }
        let at = v.place(b.at);
        if at != [0.0; 3] {
            f.push(format!("position = {}", self.vector(at, Dim::LENGTH)));
        }
        f.extend(self.turned(v.turn.after(b.turn)));
        if let Some(velocity) = b.velocity {
            f.push(format!("velocity = {}", self.vector(v.turn.of(velocity), Dim::SPEED)));
        }
        if let Some(rate) = b.rate {
            f.push(if m.space {
                format!("rate = {}", v.list(&rate, Dim::RATE))
            } else {
                format!("rate = {}", v.bare(rate[2], Dim::RATE))
            });
        }
        if let Some(list) = self.markers.get(&b.name) {
            f.push(format!("markers = {{ {} }}", joined(list)));
        }
        f.join(", ")
    }

    fn joints(&mut self) -> Vec<(String, String)> {
        let mut out = Vec::new();
        for joint in &self.m.joints {
            for copy in 0..self.view.copies {
                let name = self.name(&joint.name);
                let name = if copy == 0 { name } else { format!("{name}_again{copy}") };
                let text = self.joint(&joint.kind, copy > 0);
                out.push((name, text));
            }
        }
        out
    }

    fn joint(&mut self, kind: &JointKind, again: bool) -> String {
        let v = self.view;
        let pair = |w: &Self, joints: &[String; 2]| {
            format!("joints = [\"{}\", \"{}\"]", w.name(&joints[0]), w.name(&joints[1]))
        };
        match kind {
            JointKind::Pair { word, between, axis, axis2, initial_rate, number } => {
                let mut f = vec![format!("type = \"{word}\""), self.frames(between)];
                for (key, axis) in [("axis", axis), ("axis2", axis2)] {
                    if let Some(a) = axis {
                        f.push(format!("{key} = {}", self.vector(*a, Dim::NONE)));
                    }
                }
                if let (Some(rate), false) = (initial_rate, again) {
                    let dim = if *word == "prismatic" { Dim::SPEED } else { Dim::RATE };
                    f.push(format!("initial_rate = {}", v.bare(*rate, dim)));
                }
                if let Some(x) = number {
                    let key = match *word {
                        "distance" => "length",
                        "screw" => "pitch",
                        _ => "radius",
                    };
                    f.push(format!("{key} = {}", v.bare(*x, Dim::LENGTH)));
                }
                f.join(", ")
            }
            JointKind::Gear { joints, ratio } => {
                format!("type = \"gear\", {}, ratio = {ratio:?}", pair(self, joints))
            }
            JointKind::Rack { joints, pitch } => {
                let pitch = v.bare(*pitch, Dim::LENGTH);
                format!("type = \"rack\", {}, pitch = {pitch}", pair(self, joints))
            }
            JointKind::Motion { joint, law, offset } => {
                let value = law.formula(v, self.m.coordinate(joint), *offset);
                format!("type = \"motion\", joint = \"{}\", value = \"{value}\"", self.name(joint))
            }
        }
    }

    /// Components of a law along a direction.
    fn along(&self, along: V3, law: &Law, dim: Dim) -> String {
        let n = if self.m.space { 3 } else { 2 };
        let texts: Vec<String> = along[..n]
            .iter()
            .map(|c| match c {
                0.0 => "0".to_owned(),
                1.0 => format!("\"{}\"", law.formula(self.view, dim, 0.0)),
                c => format!(
                    "\"{}*({})\"",
                    self.view.number(*c, Dim::NONE),
                    law.formula(self.view, dim, 0.0)
                ),
            })
            .collect();
        format!("[{}]", texts.join(", "))
    }

    fn forces(&mut self, stage: Option<&str>) -> Vec<(String, String)> {
        let mut out = Vec::new();
        for force in &self.m.forces {
            let text = self.force(&force.kind, stage);
            out.push((self.name(&force.name), text));
        }
        out
    }

    fn force(&mut self, kind: &ForceKind, stage: Option<&str>) -> String {
        let (m, v) = (self.m, self.view);
        let seen = stage.map(|s| format!(", frame = \"{s}\"")).unwrap_or_default();
        let load = |joint: &str| {
            if m.is_position(joint) == Some(true) { Dim::FORCE } else { Dim::TORQUE }
        };
        match kind {
            ForceKind::Push { at, along, law } => {
                let force = self.along(*along, law, Dim::FORCE);
                format!("type = \"force\", at = \"{}\"{seen}, force = {force}", self.frame(at))
            }
            ForceKind::Twist { body, along, law } => {
                let torque = if m.space {
                    self.along(*along, law, Dim::TORQUE)
                } else {
                    let z = v.number(along[2], Dim::NONE);
                    format!("\"{z}*({})\"", law.formula(v, Dim::TORQUE, 0.0))
                };
                format!("type = \"torque\", at = \"{}\"{seen}, torque = {torque}", self.name(body))
            }
            ForceKind::Spring { between, stiffness, damping, length } => format!(
                "type = \"spring\", {}, stiffness = {}, damping = {}, length = {}",
                self.frames(between),
                v.bare(*stiffness, Dim::FORCE.over(Dim::LENGTH)),
                v.bare(*damping, Dim::FORCE.over(Dim::SPEED)),
                v.bare(*length, Dim::LENGTH)
            ),
            ForceKind::Torsion { joint, stiffness, damping, rest } => {
                let per = load(joint).over(m.coordinate(joint));
                format!(
                    "type = \"torsion\", joint = \"{}\", stiffness = {}, damping = {}, angle = {}",
                    self.name(joint),
                    v.bare(*stiffness, per),
                    v.bare(*damping, per.times(Dim::TIME)),
                    v.bare(*rest, m.coordinate(joint))
                )
            }
            ForceKind::Bushing { between, stiffness, damping } => {
                let sides = |values: &[f64; 6], dim: Dim| {
                    let rotation = dim.times(Dim::LENGTH.power(2));
                    let texts: Vec<String> = values
                        .iter()
                        .enumerate()
                        .map(|(i, x)| v.bare(*x, if i < 3 { dim } else { rotation }))
                        .collect();
                    format!("[{}]", texts.join(", "))
                };
                let per = Dim::FORCE.over(Dim::LENGTH);
                let (k, c) = (sides(stiffness, per), sides(damping, per.times(Dim::TIME)));
                format!(
                    "type = \"bushing\", {}, stiffness = {k}, damping = {c}",
                    self.frames(between)
                )
            }
            ForceKind::Beam { between, length, stretch, bend, damping } => {
                let rigidity = v.bare(*bend, Dim::TORQUE.times(Dim::LENGTH));
                let bends = match m.space {
                    true => format!("EI = [{rigidity}, {rigidity}], GJ = {rigidity}"),
                    false => format!("EI = {rigidity}"),
                };
                format!(
                    "type = \"beam\", {}, length = {}, EA = {}, {bends}, damping = {}",
                    self.frames(between),
                    v.bare(*length, Dim::LENGTH),
                    v.bare(*stretch, Dim::FORCE),
                    v.bare(*damping, Dim::TIME)
                )
            }
            ForceKind::Actuator { joint, target, offset, kp, ki, kd, rate } => {
                let coordinate = m.coordinate(joint);
                let aim = if *rate { coordinate.over(Dim::TIME) } else { coordinate };
                let per = load(joint).over(aim);
                let mut f = vec![
                    format!("type = \"actuator\", joint = \"{}\"", self.name(joint)),
                    format!("target = \"{}\"", target.formula(v, aim, *offset)),
                    format!("kp = {}", v.bare(*kp, per)),
                ];
                if *rate {
                    f.push("control = \"rate\"".to_owned());
                }
                if *ki != 0.0 {
                    f.push(format!("ki = {}", v.bare(*ki, per.over(Dim::TIME))));
                }
                if *kd != 0.0 {
                    f.push(format!("kd = {}", v.bare(*kd, per.times(Dim::TIME))));
                }
                f.join(", ")
            }
        }
    }

    fn shapes(&mut self) -> Vec<(String, String)> {
        let mut out = Vec::new();
        for shape in &self.m.shapes {
            let (m, v) = (self.m, self.view);
            let on = self.frame(&shape.on);
            let form = match shape.form {
                Form::Point => "type = \"point\"".to_owned(),
                Form::Ball(r) => {
                    let word = if m.space { "sphere" } else { "circle" };
                    format!("type = \"{word}\", radius = {}", v.bare(r, Dim::LENGTH))
                }
                Form::Floor if m.space => "type = \"half-space\", normal = [0, 1, 0]".to_owned(),
                Form::Floor => "type = \"half-plane\"".to_owned(),
                Form::Block(size) if m.space => {
                    format!("type = \"box\", size = {}", v.list(&size, Dim::LENGTH))
                }
                Form::Block([a, b, _]) => {
                    let corners = [[-a, -b], [a, -b], [a, b], [-a, b]];
                    let corner = |c: [f64; 2]| v.list(&c.map(|x| x / 2.0), Dim::LENGTH);
                    format!("type = \"profile\", points = [{}]", corners.map(corner).join(", "))
                }
            };
            out.push((self.name(&shape.name), format!("{form}, body = \"{on}\"")));
        }
        out
    }

    fn contacts(&mut self) -> Vec<(String, String)> {
        let mut out = Vec::new();
        for contact in &self.m.contacts {
            let (m, v) = (self.m, self.view);
            let text = match &contact.kind {
                ContactKind::Shapes { one, other, restitution, law, friction, static_friction } => {
                    let names = |list: &[String]| {
                        let quoted: Vec<String> =
                            list.iter().map(|s| format!("\"{}\"", self.name(s))).collect();
                        format!("[{}]", quoted.join(", "))
                    };
                    let mut f = vec![format!("between = [{}, {}]", names(one), names(other))];
                    if *restitution != 0.0 {
                        f.push(format!("restitution = {restitution:?}"));
                    }
                    if let Some(c) = &contact.cushion {
                        let per = Dim::FORCE.over(Dim::LENGTH.power(i32::from(c.exponent)));
                        f.push(format!("law = \"{}\"", c.law));
                        f.push(format!("stiffness = {}", v.bare(c.stiffness, per)));
                        f.push(format!("least_speed = {}", v.bare(c.least_speed, Dim::SPEED)));
                        if c.law != "kelvin-voigt" {
                            f.push(format!("exponent = {}", c.exponent));
                        }
                        if *friction != 0.0 {
                            let creep = v.bare(c.creep_speed, Dim::SPEED);
                            f.push(format!("friction_law = \"threlfall\", creep_speed = {creep}"));
                        }
                    } else if *law != "newton" {
                        f.push(format!("restitution_law = \"{law}\""));
                    }
                    if *friction != 0.0 {
                        f.push(format!("friction = {friction:?}"));
                    }
                    if let Some(mu) = static_friction {
                        f.push(format!("static_friction = {mu:?}"));
                    }
                    f.join(", ")
                }
                ContactKind::Limit { joint, lower, upper, restitution } => {
                    let dim = m.coordinate(joint);
                    let mut f = vec![format!("type = \"limit\", joint = \"{}\"", self.name(joint))];
                    for (key, value) in [("lower", lower), ("upper", upper)] {
                        if let Some(x) = value {
                            f.push(format!("{key} = {}", v.bare(*x, dim)));
                        }
                    }
                    f.push(format!("restitution = {restitution:?}"));
                    f.join(", ")
                }
                ContactKind::Rope { between, length, restitution } => format!(
                    "type = \"rope\", {}, length = {}, restitution = {restitution:?}",
                    self.frames(between),
                    v.bare(*length, Dim::LENGTH)
                ),
                ContactKind::OneWay { joint, direction } => format!(
                    "type = \"one-way\", joint = \"{}\", direction = {direction}",
                    self.name(joint)
                ),
                ContactKind::Dry { joint, bound, static_bound } => {
                    let position = m.is_position(joint) == Some(true);
                    let dim = if position { Dim::FORCE } else { Dim::TORQUE };
                    let bounded = static_bound
                        .map(|b| format!(", static_bound = {}", v.bare(b, dim)))
                        .unwrap_or_default();
                    format!(
                        "type = \"dry-friction\", joint = \"{}\", bound = {}{bounded}",
                        self.name(joint),
                        v.bare(*bound, dim)
                    )
                }
            };
            out.push((self.name(&contact.name), text));
        }
        out
    }

    fn sensors(&mut self, stage: Option<&str>) -> Vec<(String, String)> {
        let seen = stage.map(|s| format!(", frame = \"{s}\"")).unwrap_or_default();
        let mut out = Vec::new();
        for column in columns(self.m) {
            let parts: Vec<&str> = column.entry.split('|').collect();
            let text = match (&parts[..], column.kind) {
                ([body, letter, axis], kind) => {
                    let reach = self.m.find(body).map_or(1.0, |b| b.reach);
                    let probe = PROBES.iter().find(|(l, _)| l == letter).map_or([0.0; 3], |p| p.1);
                    let of = self.frame(&Place::on(body, probe.map(|x| reach * x)));
                    let word = if kind == Kind::Length { "position" } else { "velocity" };
                    format!("type = \"{word}\", of = \"{of}\"{seen}, component = \"{axis}\"")
                }
                (_, Kind::Length | Kind::Angle) => {
                    format!("type = \"joint\", joint = \"{}\"", self.name(&column.entry))
                }
                _ => format!("type = \"joint-rate\", joint = \"{}\"", self.name(&column.entry)),
            };
            out.push((column.name, text));
        }
        out
    }
}

fn joined(markers: &[(String, String)]) -> String {
    let texts: Vec<String> = markers.iter().map(|(n, t)| format!("{n} = {t}")).collect();
    texts.join(", ")
}
