//! Vectors, directions and rotations as written.

use super::context::{Env, Path};
use super::scalars::constants;
use crate::Diagnostic;
use crate::spec::{RotationSpec, RotationTable, Scalar};
use delassus_expr::Dim;
use delassus_math::{Mat3, Plain, Quat, Vec3, frame_from_z};

/// Shortest vector that still has a direction.
const MIN_LENGTH: f64 = 1e-12;
/// Sine of the smallest angle between two directions that still span a plane.
const MIN_SINE: f64 = 1e-9;
/// Deviation from unit length that is repaired, and the one that is not worth a note.
const MAX_DEVIATION: f64 = 1e-6;
const MIN_NOTED: f64 = 1e-12;

/// How many components a vector must have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shape {
    /// Two, or three of which the last is zero.
    Plane,
    /// Two or three.
    Either,
    /// Three.
    Space,
}

pub(super) fn vector(
    env: &Env<'_>,
    list: &[Scalar],
    path: &Path<'_>,
    dim: Dim,
    shape: Shape,
) -> Option<Vec3> {
    match (shape, list.len()) {
        (_, 3) | (Shape::Plane | Shape::Either, 2) => {}
        (Shape::Space, n) => {
            env.shape(path, n, "3 components");
            return None;
        }
        (_, n) => {
            env.shape(path, n, "2 or 3 components");
            return None;
        }
    }
    let values = constants(env, list, path, dim)?;
    let z = values.get(2).copied().unwrap_or(0.0);
    if shape == Shape::Plane && z != 0.0 {
        env.report(
            Diagnostic::error(
                "E_SHAPE",
                path.index(2).to_string(),
                format!("z is {z}, but a planar body stays in the plane z = 0"),
            )
            .help("leave out z, or use a body of type `rigid` or `point`"),
        );
        return None;
    }
    Some(Vec3::new(values[0], values[1], z))
}

/// A unit vector; one written as numbers and not of unit length is normalised with a note.
pub(super) fn direction(env: &Env<'_>, list: &[Scalar], path: &Path<'_>) -> Option<Vec3> {
    let v = vector(env, list, path, Dim::NONE, Shape::Either)?;
    // scaled first, so that the squares neither overflow nor vanish
    let scale = v.amax();
    let length = if scale > 0.0 { scale * (v / scale).norm() } else { 0.0 };
    if length < MIN_LENGTH {
        env.report(
            Diagnostic::error(
                "E_DEGENERATE_DIRECTION",
                path.to_string(),
                format!(
                    "{} has length {}, but a direction needs at least {MIN_LENGTH:e}",
                    components(v.as_slice()),
                    Plain(length)
                ),
            )
            .help("give a vector with a direction, such as [0, 0, 1]"),
        );
        return None;
    }
    // a computed vector, perhaps from points, is not meant to have length 1
    if (length - 1.0).abs() > MIN_NOTED && list.iter().all(Scalar::is_plain) {
        env.report(Diagnostic::note(
            "N_NORMALIZED",
            path.to_string(),
            format!("{} has length {length} and was scaled to length 1", components(v.as_slice())),
        ));
    }
    Some((v / scale).normalize())
}

pub(super) fn components(v: &[f64]) -> String {
    let list: Vec<String> = v.iter().map(|x| Plain(*x).to_string()).collect();
    format!("[{}]", list.join(", "))
}

pub(super) fn rotation(env: &Env<'_>, spec: &RotationSpec, path: &Path<'_>) -> Option<Quat> {
    match spec {
        RotationSpec::Quaternion(list) => quaternion(env, list, path),
        RotationSpec::Table(table) => table_rotation(env, table, path),
    }
}

fn quaternion(env: &Env<'_>, list: &[Scalar], path: &Path<'_>) -> Option<Quat> {
    if list.len() != 4 {
        env.shape(path, list.len(), "4 components (w, x, y, z)");
        return None;
    }
    let values = constants(env, list, path, Dim::NONE)?;
    let q = Quat::from_slice(&values);
    let norm = q.norm();
    let deviation = (norm - 1.0).abs();
    if deviation > MAX_DEVIATION {
        env.report(
            Diagnostic::error(
                "E_ROTATION",
                path.to_string(),
                format!(
                    "the quaternion {} has norm {norm}; it may differ from 1 by at most {MAX_DEVIATION:e}",
                    components(&values)
                ),
            )
            .help("divide by its norm, or give `axis` and `angle`; the scalar part comes first"),
        );
        return None;
    }
    if deviation > MIN_NOTED {
        env.report(Diagnostic::note(
            "N_NORMALIZED",
            path.to_string(),
            format!("the quaternion has norm {norm} and was scaled to norm 1"),
        ));
    }
    Some(q.normalized())
}

fn table_rotation(env: &Env<'_>, table: &RotationTable, path: &Path<'_>) -> Option<Quat> {
    let RotationTable { axis, angle, x, y, z } = table;
    let axes: Vec<(usize, &Vec<Scalar>)> =
        [x, y, z].into_iter().enumerate().filter_map(|(k, a)| Some((k, a.as_ref()?))).collect();
    if axis.is_some() || angle.is_some() {
        let given = [("x", x.is_some()), ("y", y.is_some()), ("z", z.is_some())];
        env.unused(path, "a rotation by axis and angle", &given, &["axis", "angle"]);
        let axis = match axis {
            Some(list) => direction(env, list, &path.field("axis")),
            None => {
                let help = "give `axis`, such as [0, 0, 1]";
                env.missing(&path.field("axis"), "a rotation by an angle", help);
                None
            }
        };
        let angle = match angle {
            Some(value) => env.constant(value, &path.field("angle"), Dim::NONE),
            None => {
                let help = "give `angle`, such as \"30 deg\"";
                env.missing(&path.field("angle"), "a rotation about an axis", help);
                None
            }
        };
        return Some(Quat::from_axis_angle(&axis?, angle?));
    }
    match axes.as_slice() {
        [] => {
            let help = "give `axis` and `angle`, or one or two of `x`, `y`, `z`";
            env.missing(&path.field("axis"), "a rotation", help);
            None
        }
        [(k, list)] => {
            let d = direction(env, list, &path.field(AXES[*k]))?;
            Some(Quat::from_matrix(&frame_from_axis(*k, &d)))
        }
        [(i, first), (j, second)] => {
            let a = direction(env, first, &path.field(AXES[*i]));
            let b = direction(env, second, &path.field(AXES[*j]));
            two_axes(env, path, (*i, a?), (*j, b?))
        }
        _ => {
            env.unused(path, "a rotation by two of its axes", &[("z", true)], &["x", "y"]);
            None
        }
    }
}

const AXES: [&str; 3] = ["x", "y", "z"];

/// The frame with one axis given; z stays as near to the ground's z as it can.
fn frame_from_axis(k: usize, d: &Vec3) -> Mat3 {
    if k == 2 {
        return frame_from_z(d);
    }
    let up = if d.z.abs() < 0.9 { Vec3::z() } else { Vec3::y() };
    let z = (up - d * d.dot(&up)).normalize();
    match k {
        0 => Mat3::from_columns(&[*d, z.cross(d), z]),
        _ => Mat3::from_columns(&[d.cross(&z), *d, z]),
    }
}

/// The frame with axis i exact and axis j made perpendicular to it.
fn two_axes(
    env: &Env<'_>,
    path: &Path<'_>,
    (i, a): (usize, Vec3),
    (j, b): (usize, Vec3),
) -> Option<Quat> {
    let cosine = a.dot(&b);
    let rest = b - a * cosine;
    let second = path.field(AXES[j]);
    if rest.norm() < MIN_SINE {
        env.report(
            Diagnostic::error(
                "E_DEGENERATE_DIRECTION",
                second.to_string(),
                format!(
                    "{} is parallel to `{}` = {}; the sine of their angle must be at least {MIN_SINE:e}",
                    components(b.as_slice()),
                    AXES[i],
                    components(a.as_slice())
                ),
            )
            .help("give two axes that are not parallel, or only one")
            .related(path.field(AXES[i]).to_string()),
        );
        return None;
    }
    if cosine.abs() > MIN_NOTED {
        env.report(Diagnostic::note(
            "N_NORMALIZED",
            second.to_string(),
            format!(
                "the axes `{}` and `{}` are not perpendicular (cosine {cosine}); \
                 the second was turned until they are",
                AXES[i], AXES[j]
            ),
        ));
    }
    let mut columns = [Vec3::zeros(); 3];
    columns[i] = a;
    columns[j] = rest.normalize();
    let k = 3 - i - j;
    columns[k] = columns[(k + 1) % 3].cross(&columns[(k + 2) % 3]);
    Some(Quat::from_matrix(&Mat3::from_columns(&columns)))
}
