//! `modelDescription.xml` in both versions.
//!
//! Nothing in it depends on when or where it was written.

use crate::bundle::Version;
use crate::package::Manifest;
use crate::units;
use crate::variables::{Role, Variable, Variables};
use delassus::model::Model;
use std::collections::BTreeSet;
use std::fmt::Write;

/// Categories of messages, as both standards name them.
const CATEGORIES: [&str; 4] =
    ["logStatusWarning", "logStatusDiscard", "logStatusError", "logStatusFatal"];

/// The text of the file. `slopes`: model exchange has directional derivatives.
pub fn text(
    version: Version,
    identifier: &str,
    manifest: &Manifest,
    model: &Model,
    variables: &Variables,
    slopes: bool,
) -> String {
    let mut out = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    let three = version == Version::Three;
    let name = if model.title.is_empty() { identifier } else { &model.title };
    let (number, token) = match version {
        Version::Two => ("2.0", "guid"),
        Version::Three => ("3.0", "instantiationToken"),
    };
    line(
        &mut out,
        0,
        &format!(
            "<fmiModelDescription fmiVersion=\"{number}\" modelName=\"{}\" {token}=\"{}\" \
             generationTool=\"Delassus {}\" variableNamingConvention=\"flat\"{}>",
            escape(name),
            escape(&manifest.token),
            escape(&manifest.version),
            if three {
                String::new()
            } else {
                format!(" numberOfEventIndicators=\"{}\"", variables.indicators)
            },
        ),
    );
    kinds(&mut out, version, identifier, manifest, (model, slopes));
    unit_definitions(&mut out, variables);
    line(&mut out, 1, "<LogCategories>");
    for category in CATEGORIES {
        line(&mut out, 2, &format!("<Category name=\"{category}\"/>"));
    }
    line(&mut out, 1, "</LogCategories>");
    let a = &model.analysis;
    line(
        &mut out,
        1,
        &format!(
            "<DefaultExperiment startTime=\"{:?}\" stopTime=\"{:?}\" stepSize=\"{:?}\"/>",
            a.start, a.end, a.sample
        ),
    );
    line(&mut out, 1, "<ModelVariables>");
    for (k, v) in variables.list.iter().enumerate() {
        variable(&mut out, version, variables, k, v);
    }
    line(&mut out, 1, "</ModelVariables>");
    structure(&mut out, version, variables);
    out.push_str("</fmiModelDescription>\n");
    out
}

fn kinds(
    out: &mut String,
    version: Version,
    identifier: &str,
    m: &Manifest,
    (model, slopes): (&Model, bool),
) {
    let state = match version {
        Version::Two => "canGetAndSetFMUstate=\"true\" canSerializeFMUstate=\"true\"",
        Version::Three => "canGetAndSetFMUState=\"true\" canSerializeFMUState=\"true\"",
    };
    if m.model_exchange {
        let integrator = match version {
            Version::Two => "completedIntegratorStepNotNeeded=\"false\"",
            Version::Three => "needsCompletedIntegratorStep=\"true\"",
        };
        // in co-simulation outputs follow inputs after the next step only
        let slopes = match (slopes, version) {
            (false, _) => "",
            (true, Version::Two) => " providesDirectionalDerivative=\"true\"",
            (true, Version::Three) => " providesDirectionalDerivatives=\"true\"",
        };
        line(
            out,
            1,
            &format!(
                "<ModelExchange modelIdentifier=\"{identifier}\" {state} {integrator}{slopes}/>"
            ),
        );
    }
    if m.co_simulation {
        // only contacts have events
        let early = match version {
            Version::Three if !model.contacts.is_empty() => " mightReturnEarlyFromDoStep=\"true\"",
            _ => "",
        };
        line(
            out,
            1,
            &format!(
                "<CoSimulation modelIdentifier=\"{identifier}\" {state} \
                 canHandleVariableCommunicationStepSize=\"true\"{early}/>"
            ),
        );
    }
}

fn unit_definitions(out: &mut String, variables: &Variables) {
    let used: BTreeSet<&str> =
        variables.list.iter().map(|v| v.unit.as_str()).filter(|u| !u.is_empty()).collect();
    line(out, 1, "<UnitDefinitions>");
    for unit in used {
        let Some(base) = units::base(unit) else {
            line(out, 2, &format!("<Unit name=\"{}\"/>", escape(unit)));
            continue;
        };
        line(out, 2, &format!("<Unit name=\"{}\">", escape(unit)));
        let mut text = "<BaseUnit".to_owned();
        let powers = [("kg", base.mass), ("m", base.length), ("s", base.time), ("rad", base.angle)];
        for (name, power) in powers.iter().filter(|(_, p)| *p != 0) {
            let _ = write!(text, " {name}=\"{power}\"");
        }
        if base.factor != 1.0 {
            let _ = write!(text, " factor=\"{:?}\"", base.factor);
        }
        line(out, 3, &format!("{text}/>"));
        line(out, 2, "</Unit>");
    }
    line(out, 1, "</UnitDefinitions>");
}

fn variable(out: &mut String, version: Version, all: &Variables, number: usize, v: &Variable) {
    let (causality, variability, initial) = match v.role {
        Role::Time => ("independent", "continuous", ""),
        Role::Parameter(..) => ("parameter", "fixed", "exact"),
        Role::Derived(_) => ("calculatedParameter", "fixed", "calculated"),
        Role::Input(..) => ("input", "continuous", ""),
        Role::Output(_) => ("output", "continuous", "calculated"),
        Role::State(_) | Role::Rate(_) | Role::Indicator(_) => {
            ("local", "continuous", "calculated")
        }
    };
    let mut head = format!(
        "name=\"{}\" valueReference=\"{number}\" causality=\"{causality}\" variability=\"{variability}\"",
        escape(&v.name)
    );
    if !v.description.is_empty() {
        let _ = write!(head, " description=\"{}\"", escape(&v.description));
    }
    if !initial.is_empty() {
        let _ = write!(head, " initial=\"{initial}\"");
    }
    let mut real = String::new();
    if !v.unit.is_empty() {
        let _ = write!(real, " unit=\"{}\"", escape(&v.unit));
    }
    match v.role {
        Role::Parameter(_, start) => {
            let _ = write!(real, " start=\"{start:?}\"");
        }
        Role::Input(_, start, [min, max]) => {
            for (name, bound) in [("min", min), ("max", max)] {
                if bound.is_finite() {
                    let _ = write!(real, " {name}=\"{bound:?}\"");
                }
            }
            let _ = write!(real, " start=\"{start:?}\"");
        }
        Role::Rate(k) => {
            // numbers of variables begin with one in version 2
            let shift = usize::from(version == Version::Two);
            if let Some((state, _)) = all.pick(|r| r == Role::State(k)).next() {
                let _ = write!(real, " derivative=\"{}\"", state + shift);
            }
        }
        _ => {}
    }
    match version {
        Version::Three => line(out, 2, &format!("<Float64 {head}{real}/>")),
        Version::Two => {
            line(out, 2, &format!("<ScalarVariable {head}>"));
            line(out, 3, &format!("<Real{real}/>"));
            line(out, 2, "</ScalarVariable>");
        }
    }
}

fn structure(out: &mut String, version: Version, variables: &Variables) {
    let numbers =
        |is: &dyn Fn(Role) -> bool| -> Vec<usize> { variables.pick(is).map(|(k, _)| k).collect() };
    let outputs = numbers(&|r| matches!(r, Role::Output(_)));
    let rates = numbers(&|r| matches!(r, Role::Rate(_)));
    let unknown = numbers(&|r| {
        matches!(r, Role::Output(_) | Role::Derived(_) | Role::State(_) | Role::Rate(_))
    });
    let indicators = numbers(&|r| matches!(r, Role::Indicator(_)));
    line(out, 1, "<ModelStructure>");
    match version {
        Version::Three => {
            let lists = [
                ("Output", &outputs),
                ("ContinuousStateDerivative", &rates),
                ("InitialUnknown", &unknown),
                ("EventIndicator", &indicators),
            ];
            for (name, list) in lists {
                for k in list {
                    line(out, 2, &format!("<{name} valueReference=\"{k}\"/>"));
                }
            }
        }
        Version::Two => {
            let lists =
                [("Outputs", &outputs), ("Derivatives", &rates), ("InitialUnknowns", &unknown)];
            for (name, list) in lists.iter().filter(|(_, list)| !list.is_empty()) {
                line(out, 2, &format!("<{name}>"));
                for k in *list {
                    line(out, 3, &format!("<Unknown index=\"{}\"/>", k + 1));
                }
                line(out, 2, &format!("</{name}>"));
            }
        }
    }
    line(out, 1, "</ModelStructure>");
}

fn line(out: &mut String, depth: usize, text: &str) {
    out.extend(std::iter::repeat_n("  ", depth));
    out.push_str(text);
    out.push('\n');
}

/// A text as the value of an attribute. Characters that XML cannot hold are replaced.
pub fn escape(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\t' | '\n' | '\r' => {
                let _ = write!(out, "&#{};", c as u32);
            }
            c if (c as u32) < 0x20 || ('\u{FFFE}'..='\u{FFFF}').contains(&c) => {
                out.push('\u{FFFD}')
            }
            c => out.push(c),
        }
    }
    out
}
