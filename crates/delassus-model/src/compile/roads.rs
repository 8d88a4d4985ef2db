//! Roads: heights by expression or on a grid.

use super::context::{Env, Path};
use super::scalars::Vars;
use crate::spec::{ModelSpec, RoadPoints, RoadSpec};
use crate::{Diagnostic, Height, HeightGrid, Road, road_var, var};
use delassus_expr::Dim;
use std::collections::BTreeMap;
use std::sync::Arc;

/// All roads; `None` of those that are faulty.
pub(super) type Roads = BTreeMap<String, Option<Arc<Road>>>;

const PLACE: &[(&str, usize)] = &[("x", road_var::X), ("y", road_var::Y)];
/// Distances along an axis that differ by less, relative to the extent, are the same line of a grid.
const SAME_LINE: f64 = 1e-9;

pub(super) fn compile(env: Env<'_>, spec: &ModelSpec) -> Roads {
    let root = Path::root("road");
    let one = |(entry, (name, r)): (usize, (&str, &RoadSpec))| {
        (name.to_owned(), road(&env.at(entry, &[]), r, &root.field(name)).map(Arc::new))
    };
    spec.road.iter().enumerate().map(one).collect()
}

fn road(env: &Env<'_>, spec: &RoadSpec, path: &Path<'_>) -> Option<Road> {
    let friction = match &spec.friction {
        None => Some(1.0),
        Some(value) => {
            let path = path.field("friction");
            let x = env.constant(value, &path, Dim::NONE)?;
            if !(x > 0.0) {
                let message = format!("`friction` is {x}, but must be more than 0");
                env.range(&path, message, "give a factor such as 0.3 for ice");
                return None;
            }
            Some(x)
        }
    };
    let height = match (&spec.height, &spec.file, &spec.points) {
        (Some(_), Some(_), _) | (Some(_), _, Some(_)) => {
            let message = "it has heights in a file and as an expression".to_owned();
            env.range(path, message, "give `height` or `file`");
            None
        }
        (Some(value), ..) => height(env, value, &path.field("height")),
        (None, _, Some(points)) => grid(env, points, &path.field("file")).map(Height::Grid),
        (None, Some(name), None) => {
            env.report(
                Diagnostic::error(
                    "E_TABLE",
                    path.field("file").to_string(),
                    format!("the numbers of \"{name}\" are not loaded"),
                )
                .help("load the model from a file, or fill `points` in the program"),
            );
            None
        }
        (None, None, None) => Some(Height::Level(0.0)),
    };
    if spec.file.is_none() && !spec.columns.is_empty() {
        let message = "columns are those of a file, which is not given".to_owned();
        env.range(&path.field("columns"), message, "give `file`");
        return None;
    }
    Some(Road { height: height?, friction: friction? })
}

fn height(env: &Env<'_>, value: &crate::spec::Scalar, path: &Path<'_>) -> Option<Height> {
    let vars = Vars { locals: PLACE, sensors: None };
    let e = env.expression(value, path, Dim::LENGTH, vars)?;
    if e.variables().contains(&var::T) {
        let message = "the road changes with time, but roads do not move".to_owned();
        env.range(path, message, "use `x` and `y` only");
        return None;
    }
    if e.variables().is_empty() {
        return Some(Height::Level(e.eval(&[])));
    }
    Some(Height::Expression(e))
}

/// Rising values of an axis without repetition.
fn lines(all: &[f64]) -> Vec<f64> {
    let mut list = all.to_vec();
    list.sort_by(f64::total_cmp);
    let extent = list.last().copied().unwrap_or(0.0) - list.first().copied().unwrap_or(0.0);
    list.dedup_by(|b, a| *b - *a <= SAME_LINE * extent);
    list
}

fn grid(env: &Env<'_>, points: &RoadPoints, path: &Path<'_>) -> Option<HeightGrid> {
    let fault = |message: String, help: &str| {
        env.report(Diagnostic::error("E_ROAD", path.to_string(), message).help(help));
    };
    let RoadPoints { x, y, z } = points;
    for (k, place) in x.iter().zip(y).zip(z).enumerate() {
        let ((x, y), z) = place;
        if !(x + y + z).is_finite() {
            fault(
                format!("point {}: ({x}, {y}, {z}) is not finite", k + 1),
                "give a number in every column",
            );
            return None;
        }
    }
    let (xs, ys) = (lines(x), lines(y));
    let (n, m) = (xs.len(), ys.len());
    if n < 2 || m < 2 {
        fault(
            format!("the points are on {n} line(s) along x and {m} along y"),
            "give the heights of a grid with two lines each way at least; a profile along x is a table, \
             `height = \"NAME(x)\"`",
        );
        return None;
    }
    if n.saturating_mul(m) != x.len() && x.len() < n.saturating_mul(m) / 2 {
        fault(
            format!("{} points on {n} by {m} lines: they do not form a grid", x.len()),
            "give a height for every pair of an x and a y",
        );
        return None;
    }
    let near = |list: &[f64], at: f64| {
        let k = list.partition_point(|v| *v < at).min(list.len() - 1);
        if k > 0 && at - list[k - 1] < list[k] - at { k - 1 } else { k }
    };
    let mut heights = vec![f64::NAN; n * m];
    for (k, ((x, y), z)) in x.iter().zip(y).zip(z).enumerate() {
        let at = &mut heights[near(&xs, *x) * m + near(&ys, *y)];
        if !at.is_nan() {
            let message = format!("point {}: there is another height at x = {x}, y = {y}", k + 1);
            fault(message, "give one height for each point of the grid");
            return None;
        }
        *at = *z;
    }
    let holes = heights.iter().filter(|z| z.is_nan()).count();
    if let Some(k) = heights.iter().position(|z| z.is_nan()) {
        let (x, y) = (xs[k / m], ys[k % m]);
        fault(
            format!("the grid has {holes} hole(s), the first at x = {x}, y = {y}"),
            "give a height for every pair of an x and a y",
        );
        return None;
    }
    let grid = HeightGrid::new(xs, ys, &heights);
    if grid.is_none() {
        fault("slopes of the road are not finite".to_owned(), "draw the points apart");
    }
    grid
}
