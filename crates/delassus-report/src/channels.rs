//! The body or joint to which a column belongs.

use crate::scene::own_joint;
use delassus_model::{AxisPair, Contact, Frame, JointKind, Measure, Model, Sensor};
use serde::{Deserialize, Serialize};

/// A column of the results, without its values.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ChannelInfo {
    /// Name.
    pub name: String,
    /// Unit, SI.
    pub unit: String,
    /// Where it is listed: `body/crank`, `joint/pin`, `energy`.
    pub group: String,
    /// Description in words.
    pub label: String,
}

/// All sensors of a model.
pub fn channels_from(m: &Model) -> Vec<ChannelInfo> {
    let sensors = m.sensors.iter().map(|s| {
        let (group, what) = describe(m, s);
        let frame = match s.frame.as_str() {
            "" => String::new(),
            frame => format!(" in {frame}"),
        };
        ChannelInfo {
            name: s.name.clone(),
            unit: s.unit.clone(),
            group,
            label: format!("{what}{frame}"),
        }
    });
    sensors.collect()
}

/// What a run records for every contact, as the recorder names it.
const OF_CONTACT: [(&str, &str, &str); 4] = [
    ("gap", "m", "smallest gap, where it is known"),
    ("normal", "N", "sum of normal forces"),
    ("tangential", "N", "sum of tangential forces"),
    ("mode", "1", "0 open, 1 closed or sticking, 2 sliding"),
];

/// What a run records for all contacts of a model.
pub fn contact_channels(m: &Model) -> Vec<ChannelInfo> {
    let of = |c: &Contact| {
        OF_CONTACT.map(|(what, unit, label)| ChannelInfo {
            name: format!("{}.{what}", c.name),
            unit: unit.to_owned(),
            group: format!("contact/{}", c.name),
            label: label.to_owned(),
        })
    };
    let play = m.joints.iter().filter(|j| matches!(j.kind, JointKind::Loose(_)));
    let play = play.map(|j| ChannelInfo {
        name: format!("{}.play", j.name),
        unit: "1".to_owned(),
        group: format!("contact/{}", j.name),
        label: "0 free flight, 1 impact, 2 following".to_owned(),
    });
    m.contacts.iter().flat_map(of).chain(play).collect()
}

/// A diagnostic: `energy.kinetic` is listed under `energy`.
pub fn diagnostic(name: &str, unit: &str) -> ChannelInfo {
    let group = name.split('.').next().unwrap_or(name);
    ChannelInfo {
        name: name.to_owned(),
        unit: unit.to_owned(),
        group: group.to_owned(),
        label: name.replace('.', ": "),
    }
}

fn describe(m: &Model, s: &Sensor) -> (String, String) {
    if s.given {
        return ("input".to_owned(), "input".to_owned());
    }
    let of = |what: &str, f: &Frame| (body(m, f), format!("{what} of {}", f.name));
    match &s.measure {
        Measure::Position(f, ..) => of("position", f),
        Measure::Velocity(f, ..) => of("velocity", f),
        Measure::Acceleration(f, ..) => of("acceleration", f),
        Measure::Angle(f) => of("angle", f),
        Measure::Rate(f, ..) => of("angular velocity", f),
        Measure::Orientation(f, _) => of("orientation", f),
        Measure::Coordinate(c) => of_joint(m, "coordinate", &c.pair),
        Measure::CoordinateRate(c) => of_joint(m, "rate", &c.pair),
        Measure::Distance(a, b) => (body(m, b), format!("distance of {} and {}", a.name, b.name)),
        Measure::Reaction(joint, ..) => match m.joints.get(joint.0) {
            Some(j) => (format!("joint/{}", j.name), format!("reaction of {}", j.name)),
            None => ("joint".to_owned(), "reaction".to_owned()),
        },
        Measure::Section(s) => {
            let beam = m.beams.get(s.beam).map_or("", |b| &b.name);
            let what = if s.strain { "strain" } else { "force and moment" };
            (format!("body/{beam}"), format!("{what} in {beam} at {} m", s.at))
        }
        Measure::Tyre(k, _) => {
            let name = m.forces.get(*k).map_or("", |f| &f.name);
            (format!("tyre/{name}"), format!("tyre {name}"))
        }
        Measure::Amplitude { body, mode, rate } => {
            let name = m.bodies.get(body.0).map_or("", |b| &b.name);
            let what = if *rate { "rate of mode" } else { "mode" };
            (format!("body/{name}"), format!("{what} {} of {name}", mode + 1))
        }
        Measure::Energy(_) => ("energy".to_owned(), "energy".to_owned()),
        Measure::Input(_) => ("input".to_owned(), "input".to_owned()),
        Measure::Expression(_) => ("expression".to_owned(), "expression".to_owned()),
    }
}

fn body(m: &Model, f: &Frame) -> String {
    match f.body.and_then(|b| m.bodies.get(b.0)) {
        Some(b) => format!("body/{}", b.name),
        None => "body/ground".to_owned(),
    }
}

/// A coordinate belongs to the joint between the same frames.
fn of_joint(m: &Model, what: &str, pair: &AxisPair) -> (String, String) {
    let own = own_joint(m, pair).and_then(|k| m.joints.get(k));
    match own {
        Some(j) => (format!("joint/{}", j.name), format!("{what} of {}", j.name)),
        None => (body(m, &pair.b), format!("{what} of {} to {}", pair.b.name, pair.a.name)),
    }
}
