//! Modal bodies made of beams: few modes of a chain of finite elements.

use super::beam_axis::{self, Axis};
use super::beams::{Entry, Marked, OWN, SHARED};
use super::bodies::{BodySlot, optional, rate};
use super::context::{Env, Path};
use super::elastic::{Given, Properties, Reader, Tables};
use super::enlarged;
use super::frames::{Markers, Pose};
use super::geometry::vector;
use super::modal;
use super::repeat::Budget;
use crate::fields::given;
use crate::spec::{BodySpec, ModesSpec};
use crate::{Body, BodyKind, Diagnostic, Flexible};
use delassus_expr::Dim;
use delassus_flex::{
    Beam, BeamElement, BeamNode, Boundary, Choice, Damping, Keep, Motion, Section,
};
use delassus_math::{Mat3, Quat, Vec3};
use std::f64::consts::TAU;
use std::sync::Arc;

/// Fields of `modes` for a body that is made of a beam.
const USED: [&str; 6] = ["count", "below", "held", "shortening", "amplitudes", "rates"];

/// Whether a body gets its modes from a beam.
pub(super) fn is_beam(spec: &BodySpec) -> bool {
    let of = |modes: &ModesSpec| {
        modes.folder.is_none() && (modes.count.is_some() || modes.below.is_some())
    };
    BodyKind::from(spec.kind).fields().contains(&"modes") && spec.modes.as_ref().is_some_and(of)
}

pub(super) fn compile(
    env: &Env<'_>,
    name: &str,
    spec: &BodySpec,
    path: &Path<'_>,
    tables: Tables<'_>,
    budget: &mut Budget,
) -> BodySlot {
    let kind: BodyKind = spec.kind.into();
    let label = kind.label();
    let entry = Entry { env, spec, path, planar: kind.is_planar(), label };
    let made = if env.is_hopeless() { None } else { body(&entry, name, kind, tables, budget) };
    let (body, markers) = match made {
        Some((body, markers)) => (Some(body), markers),
        None => (None, Markers { incomplete: true, ..Markers::default() }),
    };
    BodySlot { name: name.to_owned(), kind, markers, body }
}

fn body(
    entry: &Entry<'_>,
    name: &str,
    kind: BodyKind,
    tables: Tables<'_>,
    budget: &mut Budget,
) -> Option<(Body, Markers)> {
    let Entry { env, spec, path, planar, label } = *entry;
    let modes = spec.modes.as_ref()?;
    let (own, other) = if planar { ("angle", "orientation") } else { ("orientation", "angle") };
    let used = OWN.into_iter().chain(SHARED).chain(["modes"]);
    let used: Vec<&str> = used.filter(|f| *f != other).collect();
    let foreign = |given: Vec<&'static str>, used: &[&str]| -> Vec<(&'static str, bool)> {
        given.into_iter().filter(|f| !used.contains(f)).map(|f| (f, true)).collect()
    };
    env.unused(path, label, &foreign(given(spec), &used), &used);
    let at = path.field("modes");
    let owner = format!("{label} made of a beam");
    env.unused(&at, &owner, &foreign(given(modes), &USED), &USED);

    let reader = Reader { env, path, owner: label, planar };
    let properties = reader.properties(&Given::of_body(spec), tables);
    let count = entry.elements();
    let legs = entry.legs(&reader);
    let place = entry.place(own);
    let velocity = optional(spec.velocity.as_ref(), |list| {
        vector(env, list, &path.field("velocity"), Dim::VELOCITY, entry.shape())
    });
    let rate = optional(spec.rate.as_ref(), |r| rate(env, kind, r, &path.field("rate")));
    let keep = keep(env, modes, &at, &owner);
    let (marked, incomplete) = entry.markers(legs.as_ref().map(|legs| beam_axis::length(legs)));
    let (legs, count) = (legs?, count?);
    let stops: Vec<f64> = marked.iter().map(|m| m.at).collect();
    let many = 2 * count as u128 + 1 + stops.len() as u128;
    if !budget.book(many, env, &path.field("elements")) {
        return None;
    }
    let axis = beam_axis::divide(&legs, &beam_axis::counts(&legs, count), &stops);
    let markers = markers(&axis, marked, incomplete);
    let properties = properties?;
    let choice = Choice {
        boundary: boundary(env, modes, &markers, &at)?,
        keep: keep?,
        motion: if planar { Motion::Planar } else { Motion::Spatial },
        shortening: modes.shortening.unwrap_or(true),
        damping: Damping::Rayleigh { mass: 0.0, stiffness: properties.damping },
    };
    let found = match delassus_flex::reduce(&beam(&axis, &properties), &choice) {
        Ok(found) => found,
        Err(e) => {
            let fault = Diagnostic::error("E_MODES", at.to_string(), e.to_string());
            env.report(fault.help(
                "ask for fewer modes, or give more elements or other places to hold the beam at",
            ));
            return None;
        }
    };
    let com = found.com;
    let found = found.about_mass_centre();
    let (amplitudes, rates) = modal::start(env, kind, modes, found.modes(), &at)?;
    let inertia = match planar {
        true => Mat3::from_diagonal(&(Vec3::z() * found.inertia[(2, 2)])),
        false => found.inertia,
    };
    let (place, angle) = place?;
    let exaggerate = enlarged::of_body(env, spec.exaggerate.as_ref(), path)?;
    let body = Body {
        name: name.to_owned(),
        kind,
        mass: found.mass,
        inertia,
        com,
        position: place.p,
        rotation: if planar { Quat::IDENTITY } else { Quat::from_matrix(&place.r) },
        angle,
        hold: spec.hold,
        velocity: velocity?,
        rate: rate?,
        flexible: Some(Arc::new(Flexible { modal: found, amplitudes, rates, exaggerate })),
    };
    Some((body, markers))
}

/// Markers on the nodes nearest to them, which are there.
fn markers(axis: &Axis, marked: Vec<Marked>, incomplete: bool) -> Markers {
    let poses = marked.into_iter().map(|m| {
        let distance = |k: &usize| (axis.nodes[*k].s - m.at).abs();
        let nearest = (0..axis.nodes.len()).min_by(|a, b| distance(a).total_cmp(&distance(b)));
        // nodes of modal bodies have the axes of the body, those of beams turn with the axis
        let node = nearest.unwrap_or(0);
        let r = axis.nodes[node].frame.r;
        (m.name, Pose { p: r * m.pose.p, r: r * m.pose.r, node: Some(node) })
    });
    Markers { poses: poses.collect(), incomplete }
}

/// The chain of elements; its nodes are called by their numbers, from 0.
fn beam(axis: &Axis, properties: &Properties) -> Beam {
    let Properties { stiffness, mass, inertia, .. } = *properties;
    let section = Section { stiffness, mass, inertia };
    let node = |(k, n): (usize, &beam_axis::Node)| BeamNode { name: k.to_string(), at: n.frame.p };
    let element = |(k, piece): (usize, &beam_axis::Piece)| {
        let y = axis.nodes[k].frame.r * piece.r_a * Vec3::y();
        BeamElement { section, y }
    };
    Beam {
        nodes: axis.nodes.iter().enumerate().map(node).collect(),
        elements: axis.pieces.iter().enumerate().map(element).collect(),
    }
}

/// How many modes.
pub(super) fn keep(env: &Env<'_>, modes: &ModesSpec, path: &Path<'_>, owner: &str) -> Option<Keep> {
    if let Some(below) = &modes.below {
        let owner = format!("{owner} with a limit `below`");
        env.unused(path, &owner, &[("count", modes.count.is_some())], &["below", "held"]);
        let path = path.field("below");
        let limit = env.constant(below, &path, Dim::RATE)?;
        if limit > 0.0 {
            return Some(Keep::Below(TAU * limit));
        }
        let text = format!("the limit is {limit} Hz, but must be above 0");
        env.range(&path, text, "give the highest frequency that counts, such as \"500 Hz\"");
        return None;
    }
    let path = path.field("count");
    let x = env.constant(modes.count.as_ref()?, &path, Dim::NONE)?;
    if x >= 0.0 && x.fract() == 0.0 && x <= f64::from(u32::MAX) {
        return Some(Keep::Lowest(x as usize));
    }
    let text = format!("`count` is {x}, but must be a whole number of at least 0");
    env.range(&path, text, "give how many modes the body has, such as 6");
    None
}

/// Where the beam is held while it vibrates.
fn boundary(
    env: &Env<'_>,
    modes: &ModesSpec,
    markers: &Markers,
    path: &Path<'_>,
) -> Option<Boundary> {
    let path = path.field("held");
    let node = |(k, name): (usize, &String)| -> Option<String> {
        let path = path.index(k);
        let name = env.text(name, &path)?;
        match markers.poses.get(&*name).and_then(|pose| pose.node) {
            Some(node) => Some(node.to_string()),
            None => {
                if !markers.incomplete {
                    let known = markers.poses.keys().map(String::as_str);
                    env.unknown(&path, "marker of the beam called", &name, known);
                }
                None
            }
        }
    };
    let mut nodes = modes.held.iter().enumerate().map(node).collect::<Option<Vec<String>>>()?;
    Some(match nodes.len() {
        0 => Boundary::Free,
        1 => Boundary::Clamped { at: nodes.remove(0) },
        _ => Boundary::Interface { nodes },
    })
}
