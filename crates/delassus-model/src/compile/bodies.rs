//! Bodies and their mass properties.

use super::beams;
use super::context::{Env, Path};
use super::enlarged;
use super::frames::{Markers, Pose, marker};
use super::geometry::{Shape, components, rotation, vector};
use super::modal::{self, Undeformed};
use super::modal_matrices;
use super::repeat::{Instance, check_name};
use super::scalars::constants;
use crate::fields::given;
use crate::spec::{BodySpec, InertiaSpec, MarkerSpec, RateSpec, Scalar};
use crate::{Body, BodyKind, Diagnostic, Flexible};
use delassus_expr::Dim;
use delassus_math::{Mat3, Plain, Quat, Vec3};
use std::sync::Arc;

/// Violation of the triangle rule that is attributed to rounding, as a fraction of the trace.
const SLOP: f64 = 1e-9;
/// Asymmetry of an inertia matrix that is not worth a note, as a fraction of its largest entry.
const MIN_NOTED: f64 = 1e-12;

/// Fields of all kinds of bodies in the order of messages, and those that every kind has.
pub(super) const FIELDS: [&str; 11] = [
    "mass",
    "inertia",
    "com",
    "position",
    "angle",
    "orientation",
    "velocity",
    "rate",
    "modes",
    "nodes",
    "exaggerate",
];
const ALL: [&str; 3] = ["mass", "position", "velocity"];

/// A body, or what is known about one whose data are faulty.
#[derive(Debug)]
pub(super) struct BodySlot {
    pub(super) name: String,
    pub(super) kind: BodyKind,
    pub(super) markers: Markers,
    pub(super) body: Option<Body>,
}

pub(super) fn compile(
    env: &Env<'_>,
    instance: &Instance,
    spec: &BodySpec,
    path: &Path<'_>,
) -> BodySlot {
    let kind: BodyKind = spec.kind.into();
    if env.is_hopeless() {
        return BodySlot {
            name: instance.name.clone(),
            kind,
            markers: Markers { incomplete: true, ..Markers::default() },
            body: None,
        };
    }
    if instance.name == "ground" {
        env.report(
            Diagnostic::error("E_NAME", path.to_string(), "`ground` is what does not move")
                .help("give the body another name"),
        );
    }
    let body = body(env, &instance.name, kind, spec, path);
    let nodes = if modal_matrices::is_given(kind, spec) {
        let flexible = body.as_ref().and_then(|b| b.flexible.as_deref());
        modal_matrices::node_markers(env, flexible, path)
    } else if kind.fields().contains(&"nodes") {
        modal::node_markers(env, spec, &path.field("nodes"))
    } else {
        Markers::default()
    };
    let markers = markers(env, kind, spec, path, nodes);
    BodySlot { name: instance.name.clone(), kind, body, markers }
}

fn body(
    env: &Env<'_>,
    name: &str,
    kind: BodyKind,
    spec: &BodySpec,
    path: &Path<'_>,
) -> Option<Body> {
    let own = kind.fields();
    let by_matrices = modal_matrices::is_given(kind, spec);
    let used: Vec<&str> = FIELDS
        .into_iter()
        .filter(|f| ALL.contains(f) || own.contains(f))
        .filter(|f| !by_matrices || modal_matrices::uses(f))
        .collect();
    let special = |f: &&str| FIELDS.contains(f) || beams::OWN.contains(f);
    let foreign = given(spec).into_iter().filter(|f| special(f) && !used.contains(f));
    let foreign: Vec<(&'static str, bool)> = foreign.map(|f| (f, true)).collect();
    env.unused(path, kind.label(), &foreign, &used);
    let is_used = |field: &str| used.contains(&field);
    let shape = if kind.is_planar() { Shape::Plane } else { Shape::Space };
    let or_origin = |list: &[Scalar], field: &str| match list {
        [] => Some(Vec3::zeros()),
        _ => vector(env, list, &path.field(field), Dim::LENGTH, shape),
    };

    let weight = if by_matrices {
        None
    } else {
        let mass = mass(env, kind, spec.mass.as_ref(), &path.field("mass"));
        let inertia = inertia(env, kind, spec.inertia.as_ref(), &path.field("inertia"));
        let com = if is_used("com") { or_origin(&spec.com, "com") } else { Some(Vec3::zeros()) };
        Some((mass, inertia, com))
    };
    let position = or_origin(&spec.position, "position");
    let angle = match &spec.angle {
        Some(angle) if is_used("angle") => env.constant(angle, &path.field("angle"), Dim::NONE),
        _ => Some(0.0),
    };
    let orientation = match &spec.orientation {
        Some(r) if is_used("orientation") => rotation(env, r, &path.field("orientation")),
        _ => Some(Quat::IDENTITY),
    };
    let velocity = optional(spec.velocity.as_ref(), |list| {
        vector(env, list, &path.field("velocity"), Dim::VELOCITY, shape)
    });
    let rate = optional(spec.rate.as_ref().filter(|_| is_used("rate")), |r| {
        rate(env, kind, r, &path.field("rate"))
    });
    let exaggerate = match is_used("exaggerate") {
        true => enlarged::of_body(env, spec.exaggerate.as_ref(), path),
        false => Some(None),
    };
    let (mass, inertia, com, flexible) = match weight {
        None => {
            let found = modal_matrices::compile(env, kind, spec, path)?;
            (found.mass, found.inertia, found.com, Some(found.flexible))
        }
        Some((mass, inertia, com)) => {
            let (mass, inertia, com) = (mass?, inertia?, com?);
            let body = Undeformed { mass, com, inertia };
            let modes = is_used("modes").then_some(&body);
            let flexible = optional(modes, |body| modal::flexible(env, kind, spec, body, path))?;
            (mass, inertia, com, flexible)
        }
    };
    let exaggerate = exaggerate?;
    let flexible = flexible.map(|f| Arc::new(Flexible { exaggerate, ..f }));
    Some(Body {
        name: name.to_owned(),
        kind,
        mass,
        inertia,
        com,
        position: position?,
        rotation: orientation?,
        angle: angle?,
        hold: spec.hold,
        velocity: velocity?,
        rate: rate?,
        flexible,
    })
}

/// `Some(None)` if nothing is given, `None` if what is given is faulty.
pub(super) fn optional<T, U>(
    given: Option<T>,
    compile: impl FnOnce(T) -> Option<U>,
) -> Option<Option<U>> {
    match given {
        None => Some(None),
        Some(given) => compile(given).map(Some),
    }
}

pub(super) fn rate(
    env: &Env<'_>,
    kind: BodyKind,
    spec: &RateSpec,
    path: &Path<'_>,
) -> Option<Vec3> {
    match (kind.is_planar(), spec) {
        (true, RateSpec::Planar(rate)) => {
            env.constant(rate, path, Dim::RATE).map(|w| Vec3::new(0.0, 0.0, w))
        }
        (true, RateSpec::Spatial(_)) => {
            env.wrong_form(path, "a list", "one number (about z)");
            None
        }
        (false, RateSpec::Spatial(list)) => vector(env, list, path, Dim::RATE, Shape::Space),
        (false, RateSpec::Planar(_)) => {
            env.wrong_form(path, "one number", "a list of 3 components in the body frame");
            None
        }
    }
}

fn mass(env: &Env<'_>, kind: BodyKind, value: Option<&Scalar>, path: &Path<'_>) -> Option<f64> {
    let Some(value) = value else {
        env.missing(path, kind.label(), "give its mass in kg");
        return None;
    };
    let mass = env.constant(value, path, Dim::MASS)?;
    if mass >= 0.0 {
        return Some(mass);
    }
    negative(env, path, "the mass", mass, "kg");
    None
}

fn negative(env: &Env<'_>, path: &Path<'_>, what: &str, value: f64, unit: &str) {
    env.report(
        Diagnostic::error(
            "E_MASS_SIGN",
            path.to_string(),
            format!("{what} is {} {unit}, but must not be negative", Plain(value)),
        )
        .help("give a value of zero or more"),
    );
}

fn inertia(
    env: &Env<'_>,
    kind: BodyKind,
    spec: Option<&InertiaSpec>,
    path: &Path<'_>,
) -> Option<Mat3> {
    if !kind.turns() {
        // a point that has one was already reported
        return Some(Mat3::zeros());
    }
    match (kind.is_planar(), spec) {
        (true, None) => {
            let help = "give the moment of inertia about the mass centre, one number in kg*m^2";
            env.missing(path, kind.label(), help);
            None
        }
        (true, Some(InertiaSpec::Planar(value))) => {
            let zz = env.constant(value, path, Dim::INERTIA)?;
            if zz < 0.0 {
                negative(env, path, "the moment of inertia", zz, "kg*m^2");
                return None;
            }
            let mut inertia = Mat3::zeros();
            inertia[(2, 2)] = zz;
            Some(inertia)
        }
        (true, Some(InertiaSpec::List(_))) => {
            env.wrong_form(path, "a list", "one number (about z)");
            None
        }
        (true, Some(InertiaSpec::Matrix(_))) => {
            env.wrong_form(path, "a matrix", "one number (about z)");
            None
        }
        (false, None) => {
            let help =
                "give 3 principal moments, 6 entries (xx, yy, zz, xy, xz, yz) or a 3×3 matrix";
            env.missing(path, kind.label(), help);
            None
        }
        (false, Some(InertiaSpec::Planar(_))) => {
            env.wrong_form(path, "one number", "a list of 3 or 6 or a 3×3 matrix");
            None
        }
        (false, Some(InertiaSpec::List(list))) => from_list(env, list, path),
        (false, Some(InertiaSpec::Matrix(rows))) => from_rows(env, rows, path),
    }
}

fn from_list(env: &Env<'_>, list: &[Scalar], path: &Path<'_>) -> Option<Mat3> {
    if !matches!(list.len(), 3 | 6) {
        env.shape(path, list.len(), "3 principal moments or 6 entries (xx, yy, zz, xy, xz, yz)");
        return None;
    }
    let m = constants(env, list, path, Dim::INERTIA)?;
    let signs: Vec<bool> = (0..3)
        .map(|k| {
            if m[k] < 0.0 {
                negative(env, &path.index(k), "the moment of inertia", m[k], "kg*m^2");
            }
            m[k] >= 0.0
        })
        .collect();
    if signs.contains(&false) {
        return None;
    }
    let off = |k: usize| m.get(k).copied().unwrap_or(0.0);
    let (xy, xz, yz) = (off(3), off(4), off(5));
    let inertia = Mat3::new(m[0], xy, xz, xy, m[1], yz, xz, yz, m[2]);
    check_moments(env, &inertia, path)
}

fn from_rows(env: &Env<'_>, rows: &[Vec<Scalar>], path: &Path<'_>) -> Option<Mat3> {
    if rows.len() != 3 || rows.iter().any(|r| r.len() != 3) {
        let count = rows.iter().map(Vec::len).sum();
        env.shape(path, count, "3 rows of 3 entries");
        return None;
    }
    let rows: Vec<Option<Vec<f64>>> = rows
        .iter()
        .enumerate()
        .map(|(k, row)| constants(env, row, &path.index(k), Dim::INERTIA))
        .collect();
    let rows: Vec<Vec<f64>> = rows.into_iter().collect::<Option<_>>()?;
    let m = Mat3::from_fn(|i, j| rows[i][j]);
    let asymmetry = (m - m.transpose()).amax();
    let size = m.amax();
    if asymmetry > SLOP * size {
        env.report(
            Diagnostic::error(
                "E_INERTIA_IMPOSSIBLE",
                path.to_string(),
                format!(
                    "the matrix is not symmetric: mirrored entries differ by up to {asymmetry:e} kg*m^2"
                ),
            )
            .help("give the same products of inertia above and below the diagonal"),
        );
        return None;
    }
    if asymmetry > MIN_NOTED * size {
        env.report(Diagnostic::note(
            "N_NORMALIZED",
            path.to_string(),
            format!("mirrored entries differ by {asymmetry:e} kg*m^2; their mean is used"),
        ));
    }
    check_moments(env, &(m * 0.5 + m.transpose() * 0.5), path)
}

/// The matrix, if some distribution of mass can have it.
fn check_moments(env: &Env<'_>, inertia: &Mat3, path: &Path<'_>) -> Option<Mat3> {
    let size = inertia.amax();
    if size == 0.0 {
        return Some(*inertia);
    }
    // scaled, so that nothing overflows
    let mut moments = (inertia / size).symmetric_eigenvalues();
    moments.as_mut_slice().sort_by(f64::total_cmp);
    let slop = SLOP * moments.sum().abs();
    let [low, mid, high] = [moments[0], moments[1], moments[2]];
    let shown = components((moments * size).as_slice());
    if low < -slop {
        env.report(
            Diagnostic::error(
                "E_MASS_SIGN",
                path.to_string(),
                format!(
                    "the smallest of the principal moments {shown} kg*m^2 is {}, \
                     but must not be negative",
                    low * size
                ),
            )
            .help("check the signs and the order xx, yy, zz, xy, xz, yz"),
        );
        return None;
    }
    let excess = high - (low + mid);
    if excess > slop {
        env.report(
            Diagnostic::error(
                "E_INERTIA_IMPOSSIBLE",
                path.to_string(),
                format!(
                    "the principal moments are {shown} kg*m^2; the largest exceeds the sum of the \
                     other two by {:e} kg*m^2, which no distribution of mass can do \
                     (allowed for rounding: {:e})",
                    excess * size,
                    slop * size
                ),
            )
            .help("check the moments: each must be at most the sum of the other two"),
        );
        return None;
    }
    Some(*inertia)
}

fn markers(
    env: &Env<'_>,
    kind: BodyKind,
    spec: &BodySpec,
    path: &Path<'_>,
    mut out: Markers,
) -> Markers {
    let shape = if kind.is_planar() { Shape::Either } else { Shape::Space };
    let on_nodes = kind.fields().contains(&"nodes");
    let path = path.field("markers");
    for (template, marker_spec) in spec.markers.iter() {
        let path = path.field(template);
        let name = env.text(template, &path);
        let Some(name) = name.filter(|n| check_name(env, n, &path)) else {
            out.incomplete = true;
            continue;
        };
        if let MarkerSpec::Frame(table) = marker_spec {
            let owner = "a marker of a body: repeat the body instead";
            let given = [("repeat", table.repeat.is_some())];
            let used: &[&str] = match on_nodes {
                true => &["node", "position", "angle", "orientation"],
                false => &["position", "angle", "orientation"],
            };
            env.unused(&path, owner, &given, used);
            let given = [("at", table.at.is_some()), ("node", table.node.is_some())];
            env.unused(&path, kind.label(), &given, used);
        }
        let mut pose = marker(env, marker_spec, &path, shape);
        if on_nodes {
            let node = match marker_spec {
                MarkerSpec::Frame(table) => table.node.as_deref(),
                MarkerSpec::Point(_) => None,
            };
            let node = modal::node_of(env, kind, node, &out, &path);
            pose = pose.zip(node).map(|(pose, k)| Pose { node: Some(k), ..pose });
        }
        if let Some(pose) = pose {
            refuse_offset_on_point(env, kind, &pose, &path);
        }
        if out.poses.contains_key(&*name) {
            env.report(
                Diagnostic::error(
                    "E_DUPLICATE",
                    path.to_string(),
                    format!("the marker `{name}` is defined twice"),
                )
                .help("rename one of the two")
                .related(path.to_string()),
            );
            continue;
        }
        out.poses.insert(name.into_owned(), pose.unwrap_or(Pose::IDENTITY));
    }
    out
}

/// A point cannot turn, so a force off the point would have a moment that nothing takes up.
fn refuse_offset_on_point(env: &Env<'_>, kind: BodyKind, pose: &Pose, path: &Path<'_>) {
    if kind.turns() || pose.p == Vec3::zeros() {
        return;
    }
    env.range(
        path,
        format!(
            "the marker is at {} m, but {} has no extent",
            components(pose.p.as_slice()),
            kind.label()
        ),
        "put the marker at the origin, or use a body of type `planar` or `rigid`",
    );
}
