//! Sensors: one column per scalar.

use super::context::{Env, Path};
use super::coordinates::{self, Joints};
use super::eccentricity;
use super::frames::{World, ground_frame};
use super::repeat::Instance;
use super::scalars::{SensorNames, Vars};
use super::tyre_sensor::Forces;
use crate::fields::{self, Value};
use crate::graph;
use crate::spec::{JointType, ModelSpec, SensorSpec, SensorType};
use crate::{
    Beam, Component, CoordinateKind, Diagnostic, EnergyKind, Frame, JointId, JointKind, Measure,
    ReactionComponent, SectionMeasure, Sensor, var,
};
use delassus_expr::{Dim, Expr};
use std::borrow::Cow;

const VECTOR: [&str; 4] = ["x", "y", "z", "norm"];
const QUATERNION: [&str; 4] = ["w", "x", "y", "z"];
const REACTION: [&str; 8] = ["fx", "fy", "fz", "tx", "ty", "tz", "fnorm", "tnorm"];
const STRAIN: [&str; 6] = ["ex", "ey", "ez", "kx", "ky", "kz"];
const SUFFIXES: [&[&str]; 6] =
    [&VECTOR, &QUATERNION, &REACTION, &STRAIN, &eccentricity::COLUMNS, &fields::TYRE];
const ENERGY: [(&str, EnergyKind); 6] = [
    ("kinetic", EnergyKind::Kinetic),
    ("potential", EnergyKind::Potential),
    ("total", EnergyKind::Total),
    ("dissipated", EnergyKind::Dissipated),
    ("work", EnergyKind::Work),
    ("balance", EnergyKind::Balance),
];

/// All columns, and what expressions need to know about them.
#[derive(Default)]
pub(super) struct Sensors {
    pub(super) list: Vec<Sensor>,
    pub(super) names: SensorNames,
    /// Whether a column can only be computed once the forces are known.
    pub(super) follows_forces: Vec<bool>,
    /// Whether a column depends on velocities, so that its rate depends on the forces.
    pub(super) follows_velocities: Vec<bool>,
    /// Columns of expression sensors with the index of their instance.
    formulas: Vec<(usize, usize)>,
}

impl Sensors {
    /// The columns of inputs, which come first. Whatever reads a faulty one is not to blame.
    pub(super) fn of_inputs(spec: &ModelSpec, inputs: &[Sensor]) -> Sensors {
        let mut out = Sensors::default();
        out.names.extend(spec.input.iter().map(|(name, _)| (name.to_owned(), None)));
        for (k, input) in inputs.iter().enumerate() {
            out.names.insert(input.name.clone(), Some(k));
            out.list.push(input.clone());
        }
        out
    }
}

/// What the sensors of a model refer to.
pub(super) struct Parts<'p> {
    pub(super) world: &'p World<'p>,
    pub(super) joints: &'p Joints<'p>,
    pub(super) beams: &'p [Beam],
    pub(super) forces: Forces<'p>,
}

/// A column before it has a name: the suffix is empty for a sensor of one component.
pub(super) struct Column {
    suffix: Cow<'static, str>,
    unit: &'static str,
    measure: Measure,
}

/// First pass: columns and their names. Expression sensors stay empty, because they may refer
/// to sensors that come later.
pub(super) fn add(
    env: &Env<'_>,
    parts: &Parts<'_>,
    sensors: &mut Sensors,
    (k, instance): (usize, &Instance),
    spec: &SensorSpec,
    path: &Path<'_>,
) {
    let name = &instance.name;
    if !check_name(env, name, path) {
        return;
    }
    let columns = if env.is_hopeless() {
        None
    } else {
        env.check_fields(path, spec.kind.entry(), spec);
        Entry { env, parts, spec, path }.columns()
    };
    let Some((columns, frame)) = columns else {
        // whichever column is meant, an expression that uses it is not to blame
        sensors.names.insert(name.clone(), None);
        for suffix in SUFFIXES.into_iter().flatten() {
            sensors.names.insert(format!("{name}.{suffix}"), None);
        }
        return;
    };
    let first = sensors.list.len();
    for column in columns {
        let id = sensors.list.len();
        let name = match &*column.suffix {
            "" => name.clone(),
            suffix => format!("{name}.{suffix}"),
        };
        if spec.kind == SensorType::Expression {
            sensors.formulas.push((id, k));
        }
        sensors.names.insert(name.clone(), Some(id));
        sensors.list.push(Sensor {
            name,
            unit: match &spec.unit {
                Some(unit) => unit.clone(),
                None => column.unit.to_owned(),
            },
            frame: frame.clone(),
            measure: column.measure,
            given: false,
        });
    }
    if spec.kind == SensorType::Eccentricity {
        eccentricity::point(&mut sensors.list[first..], first);
    }
}

/// Column names must be distinguishable from everything else in expressions.
fn check_name(env: &Env<'_>, name: &str, path: &Path<'_>) -> bool {
    if name == "t" {
        env.report(
            Diagnostic::error("E_NAME", path.to_string(), "`t` is time, which has a column anyway")
                .help("give the sensor another name"),
        );
        return false;
    }
    let Some((what, section)) = env.params.meaning(name) else { return true };
    env.report(
        Diagnostic::error(
            "E_DUPLICATE",
            path.to_string(),
            format!("`{name}` is {what} too, so that expressions could mean either"),
        )
        .help("rename one of the two")
        .related(format!("{section}.{name}")),
    );
    false
}

/// Second pass: formulas of expression sensors, in the order of [`add`].
pub(super) fn add_formulas<'s>(
    sensors: &mut Sensors,
    mut entry: impl FnMut(usize, &mut dyn FnMut(&Env<'_>, &'s SensorSpec, &Path<'_>)),
) {
    let mut compiled: Vec<(usize, Expr)> = Vec::new();
    let mut faulty: Vec<usize> = Vec::new();
    for (id, k) in &sensors.formulas {
        entry(*k, &mut |env, spec, path| {
            let vars = Vars { locals: &[], sensors: Some(&sensors.names) };
            let formula = match &spec.value {
                Some(value) => env.expression(value, &path.field("value"), Dim::Any, vars),
                None => {
                    env.needed(path, spec.kind.entry(), "value");
                    None
                }
            };
            match formula {
                Some(formula) => compiled.push((*id, formula)),
                None => faulty.push(*id),
            }
        });
    }
    for (id, formula) in compiled {
        sensors.list[id].measure = Measure::Expression(formula);
    }
    for id in faulty {
        let name = sensors.list[id].name.clone();
        sensors.names.insert(name, None);
    }
}

/// Third pass: expression sensors that depend on themselves, and those that depend on forces. `report` gets the index
/// of an instance and the chain of names.
pub(super) fn check_references(sensors: &mut Sensors, mut report: impl FnMut(usize, &str)) {
    let dependencies: Vec<Vec<usize>> = sensors
        .list
        .iter()
        .map(|s| match &s.measure {
            Measure::Expression(formula) => {
                formula.variables().iter().filter_map(|v| v.checked_sub(var::SENSOR)).collect()
            }
            _ => Vec::new(),
        })
        .collect();
    let mut cyclic: Vec<usize> = Vec::new();
    let order = graph::order(&dependencies, |cycle| {
        let chain = graph::chain(cycle, |k| &sensors.list[k].name);
        let first = cycle.first();
        let place = sensors.formulas.iter().find(|(id, _)| Some(id) == first);
        if let Some((_, instance)) = place {
            report(*instance, &chain);
        }
        cyclic.extend(cycle);
    });
    sensors.follows_forces = vec![false; sensors.list.len()];
    sensors.follows_velocities = vec![false; sensors.list.len()];
    for k in order {
        sensors.follows_forces[k] = match &sensors.list[k].measure {
            Measure::Acceleration(..)
            | Measure::Reaction(..)
            | Measure::Energy(_)
            | Measure::Section(_) => true,
            _ => dependencies[k].iter().any(|d| sensors.follows_forces[*d]),
        };
        sensors.follows_velocities[k] = match &sensors.list[k].measure {
            Measure::Velocity(..)
            | Measure::Rate(..)
            | Measure::CoordinateRate(_)
            | Measure::Tyre(..)
            | Measure::Amplitude { rate: true, .. } => true,
            _ => dependencies[k].iter().any(|d| sensors.follows_velocities[*d]),
        };
    }
    for k in cyclic {
        let name = sensors.list[k].name.clone();
        sensors.names.insert(name, None);
    }
}

/// The entry being compiled.
pub(super) struct Entry<'e> {
    pub(super) env: &'e Env<'e>,
    pub(super) parts: &'e Parts<'e>,
    pub(super) spec: &'e SensorSpec,
    pub(super) path: &'e Path<'e>,
}

impl Entry<'_> {
    /// Columns, and the frame named in their headers.
    fn columns(&self) -> Option<(Vec<Column>, String)> {
        use SensorType as S;
        match self.spec.kind {
            S::Position => self.vector("m", Measure::Position),
            S::Velocity => self.vector("m/s", Measure::Velocity),
            S::Acceleration => self.vector("m/s^2", Measure::Acceleration),
            S::Rate => self.vector("rad/s", Measure::Rate),
            S::Angle => self.angle(),
            S::Orientation => self.orientation(),
            S::Joint | S::JointRate => self.joint(),
            S::Distance => self.distance(),
            S::Reaction => self.reaction(),
            S::Energy => self.energy(),
            S::Eccentricity => self.eccentricity(),
            S::Section | S::Strain => self.beam(),
            S::Amplitude | S::AmplitudeRate => self.amplitude(),
            S::Tyre => self.tyre(),
            S::Expression => {
                let measure = Measure::Expression(Expr::constant(0.0));
                Some((vec![column("", "1", measure)], String::new()))
            }
        }
    }

    /// What is measured.
    fn of(&self) -> Option<Frame> {
        match &self.spec.of {
            Some(text) => self.parts.world.frame(self.env, text, &self.path.field("of")),
            None => {
                self.env.needed(self.path, self.spec.kind.entry(), "of");
                None
            }
        }
    }

    /// The frame of the components; `own` is the frame that `"body"` means.
    fn frame(&self, own: Option<&Frame>) -> Option<Frame> {
        match self.spec.frame.as_deref() {
            None => Some(ground_frame()),
            Some("body") => {
                let body = own?.body;
                let name = match body {
                    Some(id) => self.parts.world.bodies[id.0].name.clone(),
                    None => "ground".to_owned(),
                };
                Some(Frame { body, name, ..ground_frame() })
            }
            Some(text) => self.parts.world.frame(self.env, text, &self.path.field("frame")),
        }
    }

    /// The requested component; `Some(None)` for all of them.
    pub(super) fn component(&self) -> Option<Option<&'static str>> {
        let Some(text) = &self.spec.component else {
            return Some(None);
        };
        let known = match self.spec.kind.entry().field("component").map(|f| f.value) {
            Some(Value::Word(words)) => words,
            _ => &[],
        };
        let found = known.iter().find(|k| *k == text);
        if found.is_none() {
            let path = self.path.field("component");
            self.env.unknown(&path, "component", text, known.iter().copied());
        }
        found.map(|k| Some(*k))
    }

    /// Rotation has no meaning for a point.
    fn refuse_point(&self, of: &Frame) -> Option<()> {
        if self.parts.world.kind(of).is_none_or(|k| k.turns()) {
            return Some(());
        }
        self.env.range(
            &self.path.field("of"),
            format!("`{}` is on a point, which cannot turn", of.name),
            "measure a body of type `planar` or `rigid`",
        );
        None
    }

    fn vector(
        &self,
        unit: &'static str,
        measure: fn(Frame, Frame, Component) -> Measure,
    ) -> Option<(Vec<Column>, String)> {
        let of = self.of();
        let component = self.component();
        let frame = self.frame(of.as_ref());
        let of = of?;
        let is_rate = self.spec.kind == SensorType::Rate;
        if is_rate {
            self.refuse_point(&of)?;
        }
        let has_origin = matches!(self.spec.kind, SensorType::Position | SensorType::Velocity);
        if has_origin && self.spec.frame.as_deref() == Some("body") && of.node.is_none() {
            self.env.range(
                &self.path.field("frame"),
                format!("`{}` does not move relative to its own body", of.name),
                "name a marker that is not on this body, or use \"ground\"",
            );
            return None;
        }
        let frame = frame?;
        let is_planar = self.parts.world.is_planar_pair(&of, &frame);
        let make =
            |suffix, component| column(suffix, unit, measure(of.clone(), frame.clone(), component));
        let columns = match component? {
            Some("x") => vec![make("", Component::X)],
            Some("y") => vec![make("", Component::Y)],
            Some("z") => vec![make("", Component::Z)],
            Some(_) => vec![make("", Component::Norm)],
            None if is_planar && is_rate => vec![make("", Component::Z)],
            None => {
                let mut columns = vec![make("x", Component::X), make("y", Component::Y)];
                if !is_planar {
                    columns.push(make("z", Component::Z));
                }
                columns
            }
        };
        Some((columns, frame.name.clone()))
    }

    fn angle(&self) -> Option<(Vec<Column>, String)> {
        let of = self.of();
        self.component()?;
        let of = of?;
        self.refuse_point(&of)?;
        let columns = vec![column("", "rad", Measure::Angle(of))];
        Some((columns, "ground".to_owned()))
    }

    fn orientation(&self) -> Option<(Vec<Column>, String)> {
        let of = self.of();
        let component = self.component()?;
        let of = of?;
        self.refuse_point(&of)?;
        let columns = QUATERNION
            .into_iter()
            .enumerate()
            .filter(|(_, name)| component.is_none_or(|c| c == *name))
            .map(|(k, name)| {
                let suffix = if component.is_some() { "" } else { name };
                column(suffix, "1", Measure::Orientation(of.clone(), k))
            })
            .collect();
        Some((columns, "ground".to_owned()))
    }

    /// The text of `joint`, which must be given.
    pub(super) fn joint_text(&self) -> Option<&String> {
        if self.spec.joint.is_none() {
            self.env.needed(self.path, self.spec.kind.entry(), "joint");
        }
        self.spec.joint.as_ref()
    }

    fn joint(&self) -> Option<(Vec<Column>, String)> {
        let path = self.path.field("coordinate");
        let kind = coordinates::kind(self.env, self.spec.coordinate.as_ref(), &path);
        let joint = self.joint_text()?;
        let path = self.path.field("joint");
        let c = self.parts.joints.coordinate(self.env, joint, &path, kind?)?;
        let frame = c.pair.a.name.clone();
        let is_rate = self.spec.kind == SensorType::JointRate;
        let unit = match (c.kind, is_rate) {
            (CoordinateKind::Angle, false) => "rad",
            (CoordinateKind::Angle, true) => "rad/s",
            (CoordinateKind::Position, false) => "m",
            (CoordinateKind::Position, true) => "m/s",
        };
        let measure = if is_rate { Measure::CoordinateRate(c) } else { Measure::Coordinate(c) };
        Some((vec![column("", unit, measure)], frame))
    }

    fn distance(&self) -> Option<(Vec<Column>, String)> {
        let path = self.path.field("between");
        let between = &self.spec.between;
        let owner = self.spec.kind.entry().label;
        let (a, b) = self.parts.world.two_frames(self.env, between, &path, owner)?;
        let columns = vec![column("", "m", Measure::Distance(a, b))];
        Some((columns, String::new()))
    }

    fn reaction(&self) -> Option<(Vec<Column>, String)> {
        let component = self.component();
        let joint = self.joint_text()?;
        let path = self.path.field("joint");
        let k = self.parts.joints.find(self.env, joint, &path)?;
        let slot = &self.parts.joints.slots[k];
        if matches!(slot.kind, JointType::Gear | JointType::Rack | JointType::Coupling) {
            self.env.range(
                &path,
                format!("`{}` couples joints and has no two frames of its own", slot.name),
                "measure the reactions of the joints that it couples",
            );
            return None;
        }
        // a joint that is missing is itself faulty and was already reported
        let pair = match &slot.joint.as_ref()?.kind {
            JointKind::Motion(c, _) => &c.pair,
            JointKind::Loose(_) => {
                let text = format!(
                    "`{0}` has clearance, so that contacts hold it and no reaction does",
                    slot.name
                );
                let help = format!(
                    "remove the sensor: the force is in the column {}.normal of the contact",
                    slot.name
                );
                let fault = Diagnostic::error("E_CLEARANCE", path.to_string(), text);
                self.env.report(fault.help(help));
                return None;
            }
            _ => slot.pair.as_ref()?,
        };
        let frame = match &self.spec.frame {
            None => None,
            Some(_) => Some(self.frame(Some(&pair.b))?),
        };
        let header = frame.as_ref().map_or_else(|| "ground".to_owned(), |f| f.name.clone());
        let is_planar = self.parts.world.is_planar_pair(&pair.a, &pair.b);
        let wanted: Vec<&'static str> = match component? {
            Some(one) => vec![one],
            None if is_planar => vec!["fx", "fy", "tz"],
            None => REACTION[..6].to_vec(),
        };
        let columns = wanted
            .iter()
            .map(|name| {
                let (unit, what) = reaction_component(name);
                let suffix = if self.spec.component.is_some() { "" } else { name };
                let measure = Measure::Reaction(JointId(k), frame.clone(), what);
                column(suffix, unit, measure)
            })
            .collect();
        Some((columns, header))
    }

    /// Resultants or strains of a beam.
    fn beam(&self) -> Option<(Vec<Column>, String)> {
        let (env, entry) = (self.env, self.spec.kind.entry());
        let component = self.component();
        let at = env.number(self.path, entry, "at", self.spec.at.as_ref());
        let path = self.path.field("of");
        let Some(text) = &self.spec.of else {
            env.needed(self.path, entry, "of");
            return None;
        };
        let text = env.text(text, &path)?;
        let world = self.parts.world;
        let Some(found) = world.beams.get(&*text) else {
            if !world.names.incomplete {
                env.unknown(&path, "beam", &text, world.beams.keys().map(String::as_str));
            }
            return None;
        };
        // one that is faulty has been reported itself
        let beam = found.beam?;
        let (at, whole) = (at??, self.parts.beams[beam].length());
        if at > whole * (1.0 + 1e-12) {
            let text = format!("`at` is {at} m, but the beam `{text}` is {whole} m long");
            env.range(&self.path.field("at"), text, "give a distance along its axis");
            return None;
        }
        let nodes = &self.parts.beams[beam].nodes;
        let planar = world.bodies[nodes.start].kind.is_planar();
        let strain = self.spec.kind == SensorType::Strain;
        let words: [&'static str; 6] = match strain {
            true => STRAIN,
            false => [REACTION[0], REACTION[1], REACTION[2], REACTION[3], REACTION[4], REACTION[5]],
        };
        let component = component?;
        let columns = words.into_iter().enumerate().filter(|(k, word)| match component {
            Some(one) => one == *word,
            None => !planar || [0, 1, 5].contains(k),
        });
        let columns = columns
            .map(|(k, word)| {
                let unit = match (strain, k < 3) {
                    (true, true) => "1",
                    (true, false) => "1/m",
                    (false, true) => "N",
                    (false, false) => "N*m",
                };
                let measure = SectionMeasure { beam, at, strain, component: k };
                column(if component.is_some() { "" } else { word }, unit, Measure::Section(measure))
            })
            .collect();
        Some((columns, text.into_owned()))
    }

    /// Amplitudes of a modal body.
    fn amplitude(&self) -> Option<(Vec<Column>, String)> {
        let (env, entry) = (self.env, self.spec.kind.entry());
        let mode = env.number(self.path, entry, "mode", self.spec.mode.as_ref());
        let path = self.path.field("of");
        let of = self.of()?;
        let id = of.body.filter(|_| of.node.is_none() && !of.name.contains('.'));
        let slot = id.map(|id| &self.parts.world.bodies[id.0]);
        let Some((body, slot)) = id.zip(slot).filter(|(_, s)| s.kind.fields().contains(&"modes"))
        else {
            let text = format!("`{}` has no modes", of.name);
            env.range(&path, text, "name a body of type `modal` or `planar-modal`");
            return None;
        };
        // one that is faulty has been reported itself
        let n = slot.body.as_ref()?.flexible.as_ref()?.modal.modes();
        let rate = self.spec.kind == SensorType::AmplitudeRate;
        let unit = if rate { "m/s" } else { "m" };
        let make =
            |suffix: String, mode| column(suffix, unit, Measure::Amplitude { body, mode, rate });
        let columns = match mode? {
            None => (0..n).map(|k| make((k + 1).to_string(), k)).collect(),
            Some(x) if x.fract() == 0.0 && x <= n as f64 => {
                vec![make(String::new(), x as usize - 1)]
            }
            Some(x) => {
                let text = format!("the mode is {x}, but `{}` has modes 1 to {n}", of.name);
                env.range(&self.path.field("mode"), text, "give the number of a mode");
                return None;
            }
        };
        Some((columns, of.name))
    }

    fn energy(&self) -> Option<(Vec<Column>, String)> {
        let wanted = self.component()?;
        let wanted = wanted.unwrap_or("total");
        let (_, kind) = ENERGY.into_iter().find(|(name, _)| *name == wanted)?;
        Some((vec![column("", "J", Measure::Energy(kind))], String::new()))
    }
}

pub(super) fn column(
    suffix: impl Into<Cow<'static, str>>,
    unit: &'static str,
    measure: Measure,
) -> Column {
    Column { suffix: suffix.into(), unit, measure }
}

fn reaction_component(name: &str) -> (&'static str, ReactionComponent) {
    let component = match &name[1..] {
        "x" => Component::X,
        "y" => Component::Y,
        "z" => Component::Z,
        _ => Component::Norm,
    };
    if name.starts_with('f') {
        ("N", ReactionComponent::Force(component))
    } else {
        ("N*m", ReactionComponent::Torque(component))
    }
}
