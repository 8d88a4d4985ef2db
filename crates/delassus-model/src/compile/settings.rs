//! Time span, sampling, method and tolerances.

use super::bodies::optional;
use super::context::{Env, Path};
use super::options;
use crate::spec::{AnalysisSpec, MethodSpec, Scalar};
use crate::{Analysis, DEFAULT_METHOD, Diagnostic, Method};
use delassus_expr::Dim;

/// Below this a relative tolerance asks for more than double precision has.
const MIN_RTOL: f64 = 1e-14;

pub(super) fn analysis(env: &Env<'_>, spec: &AnalysisSpec) -> Option<Analysis> {
    let path = Path::root("analysis");
    let value = |given: &Option<Scalar>, field: &str, dim: Dim, default: f64| match given {
        Some(value) => env.constant(value, &path.field(field), dim),
        None => Some(default),
    };
    let start = value(&spec.start, "start", Dim::TIME, 0.0);
    let end = value(&spec.end, "end", Dim::TIME, 1.0);
    let sample =
        spec.sample.as_ref().map(|value| env.constant(value, &path.field("sample"), Dim::TIME));
    let correction =
        value(&spec.max_assembly_correction, "max_assembly_correction", Dim::NONE, 0.01);
    if let Some(fraction) = correction
        && fraction < 0.0
    {
        env.range(
            &path.field("max_assembly_correction"),
            format!("the fraction is {fraction}, but must not be negative"),
            "give a fraction of the model's size, such as 0.01",
        );
    }
    if let Some(Some(sample)) = sample
        && sample <= 0.0
    {
        time_fault(
            env,
            &path.field("sample"),
            format!("the sample interval is {sample} s, but must be more than 0"),
            "give a positive interval, or leave it out for a hundredth of the span",
        );
    }
    let (start, end) = (start?, end?);
    if end <= start {
        time_fault(
            env,
            &path.field("end"),
            format!("the end is {end} s, but must be after the start at {start} s"),
            "give an end after the start",
        );
        return None;
    }
    Some(Analysis {
        start,
        end,
        sample: sample.unwrap_or(Some((end - start) / 100.0))?,
        max_assembly_correction: correction?,
        impacts: spec.impacts.unwrap_or_default(),
    })
}

fn time_fault(env: &Env<'_>, path: &Path<'_>, message: String, help: &str) {
    env.report(Diagnostic::error("E_TIME_SPEC", path.to_string(), message).help(help));
}

/// `analysis` is `None` where the time span is faulty itself.
pub(super) fn method(
    env: &Env<'_>,
    spec: &MethodSpec,
    analysis: Option<&Analysis>,
) -> Option<Method> {
    let path = Path::root("method");
    let value = |given: &Option<Scalar>, field: &str, dim: Dim| {
        optional(given.as_ref(), |value| env.constant(value, &path.field(field), dim))
    };
    let rtol = value(&spec.rtol, "rtol", Dim::NONE);
    let atol = value(&spec.atol, "atol", Dim::Any);
    let step = value(&spec.step, "step", Dim::TIME);
    let max_step = value(&spec.max_step, "max_step", Dim::TIME);
    let name = spec.name.clone().unwrap_or_else(|| DEFAULT_METHOD.to_owned());
    let options = options::compile(env, &path, &name, &spec.options);

    tolerance(env, &path.field("rtol"), rtol.flatten(), MIN_RTOL);
    tolerance(env, &path.field("atol"), atol.flatten(), 0.0);
    let span = analysis.map(|a| a.end - a.start);
    step_size(env, &path.field("step"), step.flatten(), span);
    step_size(env, &path.field("max_step"), max_step.flatten(), None);
    if spec.max_steps == Some(0) {
        env.range(
            &path.field("max_steps"),
            "the largest number of steps is 0, but must be at least 1".to_owned(),
            "leave it out for the method's own limit",
        );
    }
    Some(Method {
        name,
        rtol: rtol?,
        atol: atol?,
        step: step?,
        max_step: max_step?,
        max_steps: spec.max_steps,
        scheme: spec.scheme.unwrap_or_default(),
        options: options?,
    })
}

fn tolerance(env: &Env<'_>, path: &Path<'_>, value: Option<f64>, least: f64) {
    let Some(value) = value.filter(|v| *v <= 0.0 || *v < least) else {
        return;
    };
    let rule = if value <= 0.0 {
        "must be more than 0".to_owned()
    } else {
        format!("must be at least {least:e}, which is about the precision of a number")
    };
    env.report(
        Diagnostic::error(
            "E_TOLERANCE",
            path.to_string(),
            format!("the tolerance is {value:e}, but {rule}"),
        )
        .help("give a tolerance such as 1e-6"),
    );
}

fn step_size(env: &Env<'_>, path: &Path<'_>, step: Option<f64>, span: Option<f64>) {
    let Some(step) = step else { return };
    if step <= 0.0 {
        let message = format!("the step is {step} s, but must be more than 0");
        time_fault(env, path, message, "give a positive step");
    } else if let Some(span) = span
        && step > span
    {
        let message = format!("the step is {step} s, but the whole time span is only {span} s");
        time_fault(env, path, message, "give a step shorter than the time span");
    }
}
