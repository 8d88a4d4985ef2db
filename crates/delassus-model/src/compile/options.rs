//! Options of the integration method.
//!
//! A file may contain options of several methods, because it may be run with any of them. Each is checked against the
//! chosen method if that has it, and otherwise against those that do; then a note says that it has no effect.

use super::context::{Env, Path};
use crate::Diagnostic;
use crate::spec::{Scalar, Table, option_dim, option_names};
use delassus_dae::Options;
use delassus_dae::integrator::{MethodInfo, OptionInfo, OptionKind, OptionValue, catalogue};
use delassus_expr::suggest;
use delassus_math::Plain;

/// `None` after a fault was reported. `method` is the one that runs, `None` if there is none.
pub(super) fn compile(
    env: &Env<'_>,
    path: &Path<'_>,
    method: Option<MethodInfo>,
    given: &Table<Scalar>,
) -> Option<Options> {
    let mut options = Options::default();
    let mut good = true;
    for (name, value) in given.iter() {
        match option(env, &path.field(name), method.as_ref(), name, value) {
            Some(value) => options.set(name, value),
            None => good = false,
        }
    }
    good.then_some(options)
}

fn option(
    env: &Env<'_>,
    path: &Path<'_>,
    method: Option<&MethodInfo>,
    name: &str,
    value: &Scalar,
) -> Option<OptionValue> {
    let own = method.and_then(|m| m.option(name));
    let rules: Vec<&OptionInfo> = match own {
        Some(own) => vec![own],
        None => catalogue().filter_map(|m| m.option(name)).collect(),
    };
    if rules.is_empty() {
        unknown(env, path, name);
        return None;
    }
    let value = read(env, path, &rules, value)?;
    if let (None, Some(method)) = (own, method) {
        let owners: Vec<&str> =
            catalogue().filter(|m| m.option(name).is_some()).map(|m| m.name).collect();
        env.report(
            Diagnostic::note(
                "N_METHOD_OPTION",
                path.to_string(),
                format!("`{name}` has no effect: {} has no such option", method.name),
            )
            .help(format!("methods that have it: {}", owners.join(", "))),
        );
    }
    Some(value)
}

fn unknown(env: &Env<'_>, path: &Path<'_>, name: &str) {
    let known = option_names();
    let help = match suggest(name, known.iter().copied()) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("options of methods: {}", known.join(", ")),
    };
    let message = format!("no method has an option `{name}`");
    env.report(Diagnostic::error("E_UNKNOWN_KEY", path.to_string(), message).help(help));
}

/// The value, if one of the rules allows it.
fn read(
    env: &Env<'_>,
    path: &Path<'_>,
    rules: &[&OptionInfo],
    value: &Scalar,
) -> Option<OptionValue> {
    let words: Vec<&str> = rules
        .iter()
        .filter_map(|o| match o.kind {
            OptionKind::Choice { choices, .. } => Some(choices),
            _ => None,
        })
        .flatten()
        .copied()
        .collect();
    if let Scalar::Text(text) = value
        && words.contains(&text.as_str())
    {
        return Some(OptionValue::Word(text.clone()));
    }
    let numbers: Vec<&OptionKind> =
        rules.iter().map(|o| &o.kind).filter(|k| k.range().is_some()).collect();
    if numbers.is_empty() {
        let message = format!("found `{value}`, must be one of: {}", words.join(", "));
        let help = match suggest(&value.to_string(), words.iter().copied()) {
            Some(near) => format!("did you mean `{near}`?"),
            None => "pick one of the words above".to_owned(),
        };
        env.report(Diagnostic::error("E_UNKNOWN_VALUE", path.to_string(), message).help(help));
        return None;
    }
    let x = env.constant(value, path, option_dim(numbers.iter().copied()))?;
    let number = OptionValue::Number(x);
    if numbers.iter().any(|k| k.allows(&number)) {
        return Some(number);
    }
    let mut allowed: Vec<String> = numbers.iter().map(|k| k.rule()).collect();
    allowed.dedup();
    let about = rules.first().map_or("", |o| o.summary);
    env.range(
        path,
        format!("the value is {}, but must be {}", Plain(x), allowed.join(" or ")),
        about,
    );
    None
}
