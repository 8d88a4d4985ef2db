//! Inputs: named numbers that are set while the model runs, or known over time before.

use super::context::{Env, Path};
use super::course;
use super::params::name_fault;
use crate::spec::{InputSpec, ModelSpec, Scalar};
use crate::{Diagnostic, Input, Measure, Sensor};
use delassus_expr::Dim;

/// The inputs of a model.
#[derive(Default)]
pub(super) struct Inputs {
    /// Those that can be set.
    pub(super) list: Vec<Input>,
    /// The columns of all of them, in file order.
    pub(super) columns: Vec<Sensor>,
}

/// All inputs in file order. A faulty one is reported and left out.
pub(super) fn compile(env: Env<'_>, spec: &ModelSpec) -> Inputs {
    let root = Path::root("input");
    let mut out = Inputs::default();
    for (entry, (name, spec)) in spec.input.iter().enumerate() {
        let env = env.at(entry, &[]);
        let path = root.field(name);
        if !check_name(&env, name, &path, out.columns.iter().any(|c| c.name == name)) {
            continue;
        }
        let Some(input) = one(&env, name, spec, &path) else { continue };
        let measure = match &spec.course {
            Some(course) => {
                let law = course::law(&env, &input, course, &path);
                law.map(Measure::Expression)
            }
            None => Some(Measure::Input(out.list.len())),
        };
        let Some(measure) = measure else { continue };
        let (name, unit) = (input.name.clone(), input.unit.clone());
        if spec.course.is_none() {
            out.list.push(input);
        }
        out.columns.push(Sensor { name, unit, frame: String::new(), measure, given: true });
    }
    out
}

/// Names must be distinguishable from everything else in expressions.
fn check_name(env: &Env<'_>, name: &str, path: &Path<'_>, known: bool) -> bool {
    if let Some(reason) = name_fault(name) {
        env.report(
            Diagnostic::error("E_NAME", path.to_string(), reason)
                .help("use letters, digits and `_`, beginning with a letter, as in `torque`"),
        );
        return false;
    }
    let (other, related) = match env.params.get(name) {
        Some(_) => ("a parameter", format!("parameters.{name}")),
        None if known => ("another input", path.to_string()),
        None => return true,
    };
    env.report(
        Diagnostic::error(
            "E_DUPLICATE",
            path.to_string(),
            format!("`{name}` is {other} too, so that expressions could mean either"),
        )
        .help("rename one of the two")
        .related(related),
    );
    false
}

fn one(env: &Env<'_>, name: &str, spec: &InputSpec, path: &Path<'_>) -> Option<Input> {
    let unit = spec.unit.as_deref().unwrap_or("1");
    let dim = dimension(env, unit, &path.field("unit"));
    let number = |value: &Option<Scalar>, field: &str, left_out: f64| match value {
        Some(value) => env.constant(value, &path.field(field), dim?),
        None => Some(left_out),
    };
    let default = number(&spec.default, "default", 0.0);
    let least = number(&spec.min, "min", f64::NEG_INFINITY);
    let most = number(&spec.max, "max", f64::INFINITY);
    let input = Input {
        name: name.to_owned(),
        unit: unit.to_owned(),
        default: default?,
        bounds: [least?, most?],
    };
    let [least, most] = input.bounds;
    if least > most {
        let message = format!("`min` is {least}, more than `max`, which is {most}");
        env.range(&path.field("min"), message, "exchange the two");
        return None;
    }
    if !input.allows(input.default) {
        let message = format!("the value is {}, but must be from {least} to {most}", input.default);
        env.range(&path.field("default"), message, "give a value between `min` and `max`");
        return None;
    }
    Some(input)
}

/// Values are set as bare numbers, which are SI: a unit such as mm would say otherwise.
fn dimension(env: &Env<'_>, unit: &str, path: &Path<'_>) -> Option<Dim> {
    if unit == "1" {
        return Some(Dim::NONE);
    }
    let (size, dim) = env.constant_unit(unit, path)?;
    if size == 1.0 {
        return Some(dim);
    }
    env.range(
        path,
        format!("inputs are set in SI units, and one `{unit}` is {size} {dim}"),
        "give the SI unit of the same kind",
    );
    None
}
