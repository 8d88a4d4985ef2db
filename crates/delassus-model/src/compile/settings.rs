//! Time span, sampling, method and tolerances.

use super::bodies::optional;
use super::context::{Env, Path};
use super::options;
use crate::spec::{AnalysisSpec, ContactTolerancesSpec, ImpactType, MethodSpec, Scalar};
use crate::{
    Analysis, Choice, ChoiceError, ContactTolerances, DEFAULT_METHOD, Diagnostic, Method,
    nearest_method,
};
use delassus_dae::integrator::{MethodId, MethodInfo, STEPPING, catalogue};
use delassus_expr::Dim;
use delassus_math::Plain;

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
            format!(
                "the end is {} s, but must be after the start at {} s",
                Plain(end),
                Plain(start)
            ),
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

/// `analysis` is `None` if the time span is faulty itself.
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
    let choice = Choice::of(spec.name.as_deref(), spec.scheme);
    let runs = match &choice {
        Ok(choice) => Some(choice.method),
        Err(e) => e.method(),
    };
    let options = options::compile(env, &path, runs.map(MethodId::info), &spec.options);
    let choice = told(env, &path, spec, choice);

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
    let choice = choice?;
    Some(Method {
        // the name as given, which may be an alias of the method
        name: match (&spec.name, choice.unused) {
            (Some(name), None) => name.clone(),
            _ => choice.info().name.to_owned(),
        },
        rtol: rtol?,
        atol: atol?,
        step: step?,
        max_step: max_step?,
        max_steps: spec.max_steps,
        scheme: choice.scheme,
        options: options?,
    })
}

/// Tolerances of contact; each that is given must be more than 0 and below 1.
pub(super) fn contact_tolerances(
    env: &Env<'_>,
    spec: &ContactTolerancesSpec,
) -> Option<ContactTolerances> {
    let path = Path::root("contact_tolerances");
    let mut out = ContactTolerances::default();
    let mut fine = true;
    let mut read = |given: &Option<Scalar>, field: &str, to: &mut f64| {
        let Some(given) = given else { return };
        let path = path.field(field);
        match env.constant(given, &path, Dim::NONE) {
            Some(value) if value > 0.0 && value < 1.0 => *to = value,
            Some(value) => {
                fine = false;
                env.report(
                    Diagnostic::error(
                        "E_TOLERANCE",
                        path.to_string(),
                        format!(
                            "the tolerance is {}, but must be more than 0 and below 1",
                            Plain(value)
                        ),
                    )
                    .help(format!("leave it out for {to:e}", to = *to)),
                );
            }
            None => fine = false,
        }
    };
    read(&spec.touching, "touching", &mut out.touching);
    read(&spec.zero, "zero", &mut out.zero);
    read(&spec.rest, "rest", &mut out.rest);
    read(&spec.slow, "slow", &mut out.slow);
    read(&spec.still, "still", &mut out.still);
    read(&spec.dense, "dense", &mut out.dense);
    read(&spec.crowded, "crowded", &mut out.crowded);
    read(&spec.residual, "residual", &mut out.residual);
    read(&spec.large_residual, "large_residual", &mut out.large_residual);
    read(&spec.penetration, "penetration", &mut out.penetration);
    read(&spec.large_penetration, "large_penetration", &mut out.large_penetration);
    fine.then_some(out)
}

/// Reports a method and a scheme that do not go together, and a method that is not used.
fn told(
    env: &Env<'_>,
    path: &Path<'_>,
    spec: &MethodSpec,
    choice: Result<Choice, ChoiceError>,
) -> Option<Choice> {
    let name = spec.name.as_deref().unwrap_or(DEFAULT_METHOD);
    let choice = match choice {
        Ok(choice) => choice,
        Err(ChoiceError::Unknown) => {
            let help = match nearest_method(name) {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("use one of: {}", names(catalogue())),
            };
            let message = format!("there is no method `{name}`");
            let path = path.field("name").to_string();
            env.report(Diagnostic::error("E_UNKNOWN_METHOD", path, message).help(help));
            return None;
        }
        Err(ChoiceError::Scheme(_, scheme)) => {
            let message = format!(
                "`{name}` is a method of time-stepping, but the scheme is \"{}\"",
                scheme.name()
            );
            let help = format!(
                "leave `scheme` out, or name a method that locates events, such as {DEFAULT_METHOD}"
            );
            let path = path.field("scheme").to_string();
            env.report(Diagnostic::error("E_METHOD_SCHEME", path, message).help(help));
            return None;
        }
    };
    if choice.unused.is_some() {
        let used = choice.info().name;
        let message = format!("`{name}` is not used: time-stepping runs with {used} instead");
        let help = format!(
            "methods of time-stepping: {}; `name` may name one of them",
            names(STEPPING.iter())
        );
        let note = Diagnostic::note("N_METHOD_UNUSED", path.field("name").to_string(), message);
        env.report(note.help(help));
    }
    Some(choice)
}

fn names(methods: impl Iterator<Item = &'static MethodInfo>) -> String {
    methods.map(|m| m.name).collect::<Vec<_>>().join(", ")
}

/// Time-stepping does not support sequential impacts.
pub(super) fn note_sequential(env: &Env<'_>, analysis: &Analysis) {
    if analysis.impacts == ImpactType::Sequential {
        let message = "time-stepping does not resolve impacts one after another: those of one step are \
                       resolved all at once";
        let note = Diagnostic::note("N_IMPACTS_AT_ONCE", "analysis.impacts", message);
        env.report(note.help("for impacts in sequence use the scheme hybrid or event-driven"));
    }
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
            format!("the tolerance is {}, but {rule}", Plain(value)),
        )
        .help("give a tolerance such as 1e-6"),
    );
}

fn step_size(env: &Env<'_>, path: &Path<'_>, step: Option<f64>, span: Option<f64>) {
    let Some(step) = step else { return };
    if step <= 0.0 {
        let message = format!("the step is {} s, but must be more than 0", Plain(step));
        time_fault(env, path, message, "give a positive step");
    } else if let Some(span) = span
        && step > span
    {
        let message = format!(
            "the step is {} s, but the whole time span is only {} s",
            Plain(step),
            Plain(span)
        );
        time_fault(env, path, message, "give a step shorter than the time span");
    }
}
