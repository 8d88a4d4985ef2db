//! Values of an input over time: a function of time through given points, kept within the bounds of the input.

use super::context::{Env, Path};
use crate::spec::Course;
use crate::{Diagnostic, Input, var};
use delassus_expr::{Binding, Curve, CurveError, Dim, Expr, Join, Outside, Scope, TableFunction};
use std::sync::Arc;

/// The input as an expression of time.
pub(super) fn law(env: &Env<'_>, input: &Input, course: &Course, path: &Path<'_>) -> Option<Expr> {
    let (x, y) = (&course.points.x, &course.points.y);
    if let [only] = y[..]
        && x.len() == 1
        && only.is_finite()
    {
        let (_, y, clipped) = bounded(&[x[0]], &[only], course.hold, input.bounds);
        note(env, input, path, clipped);
        return Some(Expr::constant(y[0]));
    }
    let refuse = |e: &CurveError| {
        let message = format!("its values over time: {e}");
        env.report(
            Diagnostic::error("E_INPUT_FILE", path.to_string(), message)
                .help("give finite values at times that rise"),
        );
    };
    if let Err(e) = Curve::new(x.clone(), y, Join::Straight, Outside::Clamp) {
        refuse(&e);
        return None;
    }
    let (x, y, clipped) = bounded(x, y, course.hold, input.bounds);
    note(env, input, path, clipped);
    let (x, y) = without_idle(x, y, course.hold);
    let join = if course.hold { Join::Hold } else { Join::Straight };
    match Curve::new(x, &y, join, Outside::Clamp) {
        Ok(curve) => {
            let course =
                TableFunction { curve: Arc::new(curve), argument: Dim::Any, value: Dim::Any };
            // a call of the one function that this scope knows
            Expr::parse("course(t)", &OfTime(course)).ok()
        }
        Err(e) => {
            refuse(&e);
            None
        }
    }
}

/// Values beyond the bounds: how many, and the first with its time.
struct Clipped {
    count: usize,
    first: (f64, f64),
}

fn note(env: &Env<'_>, input: &Input, path: &Path<'_>, clipped: Option<Clipped>) {
    let Some(Clipped { count, first: (t, value) }) = clipped else { return };
    let (name, [least, most]) = (&input.name, input.bounds);
    let values = if count == 1 { "value is" } else { "values are" };
    let message = format!(
        "{count} {values} beyond its bounds, {least} to {most}, and cut there; \
         the first is {value} at t = {t} s"
    );
    env.report(
        Diagnostic::note("N_INPUT_CLIPPED", path.to_string(), message)
            .help(format!("change `min` and `max` of `{name}`, or its values")),
    );
}

/// The function cut at the bounds. Straight lines get a point where they cross one, so that what lies between the
/// bounds stays as it is.
fn bounded(
    x: &[f64],
    y: &[f64],
    hold: bool,
    [least, most]: [f64; 2],
) -> (Vec<f64>, Vec<f64>, Option<Clipped>) {
    let mut clipped: Option<Clipped> = None;
    for (t, value) in x.iter().zip(y).filter(|(_, y)| !(least..=most).contains(*y)) {
        clipped.get_or_insert(Clipped { count: 0, first: (*t, *value) }).count += 1;
    }
    if clipped.is_none() {
        return (x.to_vec(), y.to_vec(), None);
    }
    let (mut times, mut values) = (Vec::new(), Vec::new());
    for k in 0..x.len() {
        if k > 0 && !hold {
            let mut crossings: Vec<(f64, f64)> = [least, most]
                .into_iter()
                .filter(|b| (y[k - 1] < *b) != (y[k] < *b) && y[k - 1] != *b && y[k] != *b)
                .map(|b| (x[k - 1] + (b - y[k - 1]) / (y[k] - y[k - 1]) * (x[k] - x[k - 1]), b))
                .filter(|(t, _)| x[k - 1] < *t && *t < x[k])
                .collect();
            crossings.sort_by(|a, b| a.0.total_cmp(&b.0));
            crossings.dedup_by(|b, a| b.0 <= a.0);
            times.extend(crossings.iter().map(|c| c.0));
            values.extend(crossings.iter().map(|c| c.1));
        }
        times.push(x[k]);
        values.push(y[k].clamp(least, most));
    }
    (times, values, clipped)
}

/// Leaves out points at which nothing changes, so that no step ends there.
fn without_idle(x: Vec<f64>, y: Vec<f64>, hold: bool) -> (Vec<f64>, Vec<f64>) {
    let n = x.len();
    let idle = |k: usize| {
        let same_before = y[k] == y[k - 1];
        same_before && (hold || y[k] == y[k + 1])
    };
    let kept: Vec<usize> = (0..n).filter(|k| *k == 0 || *k == n - 1 || !idle(*k)).collect();
    (kept.iter().map(|k| x[*k]).collect(), kept.iter().map(|k| y[*k]).collect())
}

/// Knows the time and one function of it.
struct OfTime(TableFunction);

impl Scope for OfTime {
    fn lookup(&self, name: &str) -> Option<Binding> {
        (name == "t").then_some(Binding::Var(var::T))
    }

    fn table(&self, name: &str) -> Option<TableFunction> {
        (name == "course").then(|| self.0.clone())
    }

    fn names(&self) -> Vec<String> {
        vec!["t".to_owned()]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_cut_the_function_not_its_points() {
        let (x, y, clipped) = bounded(&[0.0, 1.0, 3.0], &[-4.0, 4.0, 0.0], false, [-2.0, 3.0]);
        assert_eq!(
            (x, y),
            (vec![0.0, 0.25, 0.875, 1.0, 1.5, 3.0], vec![-2.0, -2.0, 3.0, 3.0, 3.0, 0.0])
        );
        let clipped = clipped.unwrap();
        assert_eq!((clipped.count, clipped.first), (2, (0.0, -4.0)));
        let (x, y, _) = bounded(&[0.0, 1.0, 3.0], &[-4.0, 4.0, 0.0], true, [-2.0, 3.0]);
        assert_eq!((x, y), (vec![0.0, 1.0, 3.0], vec![-2.0, 3.0, 0.0]));
        // a line from bound to bound, and one within
        let (x, _, clipped) = bounded(&[0.0, 1.0], &[-2.0, 3.0], false, [-2.0, 3.0]);
        assert!(x.len() == 2 && clipped.is_none());
    }

    #[test]
    fn points_without_change_are_no_kinks() {
        let x: Vec<f64> = (0..6).map(f64::from).collect();
        let y = vec![1.0, 1.0, 1.0, 2.0, 2.0, 1.0];
        assert_eq!(without_idle(x.clone(), y.clone(), false).0, [0.0, 2.0, 3.0, 4.0, 5.0]);
        assert_eq!(without_idle(x, y, true).0, [0.0, 3.0, 5.0]);
    }
}
