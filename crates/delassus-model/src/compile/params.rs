//! Parameters, in any order.

use super::context::{Env, Path, Section, Sink};
use super::tables::Tables;
use crate::Diagnostic;
use crate::graph;
use crate::spec::{ModelSpec, Scalar};
use delassus_expr::{Binding, Dim, Expr, Scope};
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

/// Evaluated parameters.
#[derive(Default)]
pub(super) struct Params {
    /// `None` for a parameter whose own definition is faulty.
    values: BTreeMap<String, Option<(f64, Dim)>>,
    /// Names of inputs, which are not constants.
    inputs: BTreeSet<String>,
    /// Functions given by points. Their points may use parameters, so that parameters cannot use them.
    pub(super) tables: Tables,
}

impl Params {
    /// Value and dimension; `Some(None)` for a faulty one.
    pub(super) fn get(&self, name: &str) -> Option<Option<(f64, Dim)>> {
        self.values.get(name).copied()
    }

    /// Whether a name is that of an input.
    pub(super) fn is_input(&self, name: &str) -> bool {
        self.inputs.contains(name)
    }

    /// What else a name means in every expression, and the section that defines it.
    pub(super) fn meaning(&self, name: &str) -> Option<(&'static str, &'static str)> {
        if self.is_input(name) {
            return Some(("an input", "input"));
        }
        self.values.contains_key(name).then_some(("a parameter", "parameters"))
    }

    pub(super) fn names(&self) -> impl Iterator<Item = &str> + Clone {
        self.values.keys().map(String::as_str)
    }

    /// Names and values in file order.
    pub(super) fn in_file_order(&self, spec: &ModelSpec) -> Vec<(String, f64)> {
        let value = |name: &str| self.get(name).flatten().map(|(v, _)| v);
        spec.parameters
            .iter()
            .filter_map(|(name, _)| Some((name.to_owned(), value(name)?)))
            .collect()
    }

    /// Their dimensions, in the same order.
    pub(super) fn dims(&self, spec: &ModelSpec) -> Vec<Dim> {
        let dim = |(name, _)| self.get(name).flatten().map(|(_, dim)| dim);
        spec.parameters.iter().filter_map(dim).collect()
    }
}

/// Whether an expression can refer to this name.
fn is_identifier(name: &str) -> bool {
    let mut chars = name.chars();
    chars.next().is_some_and(|c| c.is_ascii_alphabetic() || c == '_')
        && chars.all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// Why this name cannot be used for a parameter or an index.
pub(super) fn name_fault(name: &str) -> Option<String> {
    if !is_identifier(name) {
        return Some(format!("`{}` is not a name that an expression can use", name.escape_debug()));
    }
    match name {
        "t" => Some("`t` is time".to_owned()),
        _ if ["nan", "inf", "infinity"].iter().any(|w| name.eq_ignore_ascii_case(w)) => {
            Some(format!("`{name}` stands for a number that is not finite"))
        }
        _ => None,
    }
}

pub(super) fn compile(spec: &ModelSpec, overrides: &[(String, String)], sink: &Sink) -> Params {
    let nothing = Params::default();
    let env = Env::new(sink, &nothing, 0.0, Section::Parameters);
    let root = Path::root("parameters");
    let defined = definitions(spec, overrides, env, &root);

    let ids: BTreeMap<&str, usize> = defined.iter().enumerate().map(|(k, d)| (d.name, k)).collect();
    let dependencies: Vec<Vec<usize>> = defined.iter().map(|d| references(d, &ids)).collect();
    let mut is_cyclic = vec![false; defined.len()];
    let order = graph::order(&dependencies, |cycle| {
        for k in cycle {
            is_cyclic[*k] = true;
        }
        let Some(first) = cycle.first().and_then(|k| defined.get(*k)) else {
            return;
        };
        let chain = graph::chain(cycle, |k| defined[k].name);
        env.at(first.entry, &[]).report(
            Diagnostic::error(
                "E_CYCLE",
                root.field(first.name).to_string(),
                format!("the parameter depends on itself: {chain}"),
            )
            .help("give one parameter of the chain as a number"),
        );
    });

    let mut params = Params {
        values: defined.iter().map(|d| (d.name.to_owned(), None)).collect(),
        inputs: spec.input.iter().map(|(name, _)| name.to_owned()).collect(),
        tables: Tables::new(),
    };
    for k in order {
        if is_cyclic[k] || sink.is_full() {
            continue;
        }
        let value = defined[k].evaluate(&params, sink, &root);
        params.values.insert(defined[k].name.to_owned(), value);
    }
    params
}

/// A parameter as written in the file or given instead.
struct Definition<'s> {
    entry: usize,
    name: &'s str,
    value: &'s Scalar,
    replacement: Option<&'s str>,
    usable: bool,
}

impl Definition<'_> {
    fn text(&self) -> Option<&str> {
        match (self.replacement, self.value) {
            (Some(text), _) => Some(text),
            (None, Scalar::Text(text)) => Some(text),
            (None, Scalar::Number(_)) => None,
        }
    }

    fn evaluate(&self, params: &Params, sink: &Sink, root: &Path<'_>) -> Option<(f64, Dim)> {
        if !self.usable {
            return None;
        }
        // a replacement value is not text of the file: its faults are collected separately, to be passed on without a
        // place inside the value
        let apart = Sink::default();
        let env = Env::new(
            if self.replacement.is_some() { &apart } else { sink },
            params,
            0.0,
            Section::Parameters,
        )
        .at(self.entry, &[]);
        let path = root.field(self.name);
        let value = match self.text() {
            Some(text) => env.constant_with_dim(text, 0, &path),
            None => env.constant(self.value, &path, Dim::Any).map(|x| (x, Dim::Any)),
        };
        let env = Env::new(sink, params, 0.0, Section::Parameters).at(self.entry, &[]);
        for mut fault in apart.finish().0 {
            fault.within = None;
            fault.message = format!("in the value set from outside: {}", fault.message);
            env.report(fault);
        }
        value
    }
}

fn definitions<'s>(
    spec: &'s ModelSpec,
    overrides: &'s [(String, String)],
    env: Env<'_>,
    root: &Path<'_>,
) -> Vec<Definition<'s>> {
    let mut defined: Vec<Definition<'s>> = Vec::new();
    let mut first: BTreeMap<&str, usize> = BTreeMap::new();
    for (entry, (name, value)) in spec.parameters.iter().enumerate() {
        let env = env.at(entry, &[]);
        let path = root.field(name);
        if first.contains_key(name) {
            env.report(
                Diagnostic::error(
                    "E_DUPLICATE",
                    path.to_string(),
                    format!("the parameter `{name}` is defined twice"),
                )
                .help("rename or remove one of the two")
                .related(path.to_string()),
            );
            continue;
        }
        let fault = name_fault(name);
        if let Some(reason) = &fault {
            env.report(
                Diagnostic::error("E_NAME", path.to_string(), reason.as_str())
                    .help("use letters, digits and `_`, beginning with a letter, as in `L1`"),
            );
        }
        first.insert(name, defined.len());
        defined.push(Definition { entry, name, value, replacement: None, usable: fault.is_none() });
    }
    for (name, text) in overrides {
        match first.get(name.as_str()) {
            Some(k) => defined[*k].replacement = Some(text),
            None => env.at(usize::MAX, &[]).unknown(
                &root.field(name),
                "parameter",
                name,
                spec.parameters.iter().map(|(n, _)| n).collect::<Vec<_>>().into_iter(),
            ),
        }
    }
    defined
}

/// The other parameters that a definition uses.
fn references(definition: &Definition<'_>, ids: &BTreeMap<&str, usize>) -> Vec<usize> {
    struct Recorder<'i> {
        ids: &'i BTreeMap<&'i str, usize>,
        used: RefCell<Vec<usize>>,
    }
    impl Scope for Recorder<'_> {
        fn lookup(&self, name: &str) -> Option<Binding> {
            self.used.borrow_mut().push(*self.ids.get(name)?);
            Some(Binding::Const(1.0, Dim::Any))
        }
        // as a unit it is not a reference
        fn is_defined(&self, _: &str) -> bool {
            false
        }
        fn names(&self) -> Vec<String> {
            Vec::new()
        }
    }
    let Some(text) = definition.text() else {
        return Vec::new();
    };
    let recorder = Recorder { ids, used: RefCell::new(Vec::new()) };
    // faults are reported when the value is computed; here only the names count
    let _ = Expr::parse(text, &recorder);
    recorder.used.into_inner()
}
