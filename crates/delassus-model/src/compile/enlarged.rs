//! How many times larger something small is drawn: play of joints, deformation of bodies. No result depends on it.

use super::context::{Env, Path};
use crate::spec::Scalar;
use delassus_expr::Dim;

/// Largest factor: single pixels are then nanometres of a machine of a metre.
const MOST: f64 = 1e6;

/// What the factor of a body is for.
const HELP: &str =
    "give how many times larger the deformation is drawn, such as 50; results do not change";

/// A factor that may be used; `None` if it was reported.
pub(super) fn checked(env: &Env<'_>, path: &Path<'_>, x: f64, help: &str) -> Option<f64> {
    if (1.0..=MOST).contains(&x) {
        return Some(x);
    }
    env.range(path, format!("`exaggerate` is {x}, but must be from 1 to {MOST:e}"), help);
    None
}

/// The factor of a body that deforms: `Some(None)` if there is none.
pub(super) fn of_body(
    env: &Env<'_>,
    value: Option<&Scalar>,
    body: &Path<'_>,
) -> Option<Option<f64>> {
    let Some(value) = value else { return Some(None) };
    let path = body.field("exaggerate");
    let x = env.constant(value, &path, Dim::NONE)?;
    checked(env, &path, x, HELP).map(Some)
}
