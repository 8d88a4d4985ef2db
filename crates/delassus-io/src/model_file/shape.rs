//! The shape a model file must have, taken once from the JSON schema of `ModelSpec`.
//!
//! Comparing with the schema instead of stopping at serde's first fault finds every unknown
//! key and every wrong type of a file in one go, each at its exact place.

use delassus_model::spec::ModelSpec;
use serde_json::{Map, Value as Json};
use std::sync::OnceLock;

/// What a value may look like.
#[derive(Debug, Clone)]
pub(super) enum Shape {
    Any,
    Bool,
    Number,
    Text,
    /// Whole number from 0 up to a largest value.
    Count(u64),
    Choice(Vec<String>),
    List(Box<Shape>),
    /// Named entries of one kind.
    Map(Box<Shape>),
    Struct(Fields),
    OneOf(Vec<Shape>),
}

/// Keys of a table.
#[derive(Debug, Clone)]
pub(super) struct Fields {
    pub known: Vec<(String, Shape)>,
    pub required: Vec<String>,
    /// Words of `type` for which the keys of the second list are not required after all.
    pub unless: (Vec<String>, Vec<String>),
}

impl Fields {
    /// Whether a key may be left out of an entry of this type.
    pub fn is_optional(&self, key: &str, kind: Option<&str>) -> bool {
        let (types, keys) = &self.unless;
        keys.iter().any(|k| k == key) && types.iter().any(|t| Some(t.as_str()) == kind)
    }

    pub fn get(&self, key: &str) -> Option<&Shape> {
        self.known.iter().find(|(k, _)| k == key).map(|(_, s)| s)
    }
}

/// The shape of a whole model file.
pub(super) fn model() -> &'static Shape {
    static SHAPE: OnceLock<Shape> = OnceLock::new();
    SHAPE.get_or_init(|| {
        let schema = schemars::schema_for!(ModelSpec).to_value();
        let defs = schema.get("$defs").and_then(Json::as_object);
        build(&schema, defs, 0)
    })
}

/// No type of the model contains itself; the bound only prevents a future one from looping.
const MAX_DEPTH: usize = 24;

fn build(schema: &Json, defs: Option<&Map<String, Json>>, depth: usize) -> Shape {
    let Some(object) = schema.as_object().filter(|_| depth < MAX_DEPTH) else {
        return Shape::Any;
    };
    let sub = |s: &Json| build(s, defs, depth + 1);
    if let Some(name) = object.get("$ref").and_then(Json::as_str) {
        let target = name.rsplit('/').next().and_then(|n| defs.and_then(|d| d.get(n)));
        return target.map_or(Shape::Any, sub);
    }
    for key in ["anyOf", "oneOf"] {
        if let Some(list) = object.get(key).and_then(Json::as_array) {
            return one_of(list.iter().filter(|s| !is_null(s)).map(sub));
        }
    }
    if let Some(text) = object.get("const").and_then(Json::as_str) {
        return Shape::Choice(vec![text.to_owned()]);
    }
    if let Some(list) = object.get("enum").and_then(Json::as_array) {
        let words = list.iter().filter_map(Json::as_str).map(str::to_owned);
        return Shape::Choice(words.collect());
    }
    match object.get("type") {
        Some(Json::String(t)) => typed(t, object, &sub),
        Some(Json::Array(types)) => one_of(
            types
                .iter()
                .filter_map(Json::as_str)
                .filter(|t| *t != "null")
                .map(|t| typed(t, object, &sub)),
        ),
        _ => Shape::Any,
    }
}

fn is_null(schema: &Json) -> bool {
    schema.get("type").and_then(Json::as_str) == Some("null")
}

fn typed(name: &str, object: &Map<String, Json>, sub: &dyn Fn(&Json) -> Shape) -> Shape {
    match name {
        "boolean" => Shape::Bool,
        "number" => Shape::Number,
        "string" => Shape::Text,
        "integer" => Shape::Count(match object.get("format").and_then(Json::as_str) {
            Some("uint32") => u64::from(u32::MAX),
            // TOML has no larger whole numbers.
            _ => i64::MAX as u64,
        }),
        "array" => Shape::List(Box::new(object.get("items").map_or(Shape::Any, sub))),
        "object" => {
            if let Some(fields) = object.get("properties").and_then(Json::as_object) {
                let words = |list: Option<&Json>| -> Vec<String> {
                    let list = list.and_then(Json::as_array).into_iter().flatten();
                    list.filter_map(Json::as_str).map(str::to_owned).collect()
                };
                // `if` names types, `else` the keys that all others must have
                let types = object.get("if").and_then(|i| i.pointer("/properties/type/enum"));
                let keys = words(object.get("else").and_then(|e| e.get("required")));
                let mut required = words(object.get("required"));
                required.extend(keys.iter().cloned());
                return Shape::Struct(Fields {
                    known: fields.iter().map(|(k, s)| (k.clone(), sub(s))).collect(),
                    required,
                    unless: (words(types), keys),
                });
            }
            let item = object.get("additionalProperties");
            Shape::Map(Box::new(item.map_or(Shape::Any, sub)))
        }
        _ => Shape::Any,
    }
}

/// Joins alternatives: nested ones are flattened, single words become one choice.
fn one_of(shapes: impl Iterator<Item = Shape>) -> Shape {
    let mut words = Vec::new();
    let mut rest = Vec::new();
    for shape in shapes {
        match shape {
            Shape::Choice(mut w) => words.append(&mut w),
            Shape::OneOf(mut inner) => rest.append(&mut inner),
            other => rest.push(other),
        }
    }
    if !words.is_empty() {
        rest.push(Shape::Choice(words));
    }
    match rest.pop() {
        Some(only) if rest.is_empty() => only,
        Some(last) => {
            rest.push(last);
            Shape::OneOf(rest)
        }
        None => Shape::Any,
    }
}

impl Shape {
    /// What is expected, in the user's words.
    pub fn describe(&self) -> String {
        match self {
            Shape::Any => "a value".into(),
            Shape::Bool => "true or false".into(),
            Shape::Number => "a number".into(),
            Shape::Text => "text in quotes".into(),
            Shape::Count(_) => "a whole number".into(),
            Shape::Choice(words) => format!("one of {}", quote_list(words)),
            Shape::List(item) => match **item {
                Shape::List(_) => "a list of lists".into(),
                Shape::Struct(_) => "a list of tables".into(),
                _ => "a list".into(),
            },
            Shape::Map(_) => "a table of named entries".into(),
            Shape::Struct(_) => "a table".into(),
            Shape::OneOf(list) => describe_alternatives(list),
        }
    }
}

fn describe_alternatives(list: &[Shape]) -> String {
    let has = |f: fn(&Shape) -> bool| list.iter().any(f);
    let scalar = has(|s| matches!(s, Shape::Number)) && has(|s| matches!(s, Shape::Text));
    let mut words: Vec<String> = Vec::new();
    if scalar {
        words.push("a number".into());
        words.push("an expression in quotes".into());
    }
    for shape in list {
        if !(scalar && matches!(shape, Shape::Number | Shape::Text)) {
            words.push(shape.describe());
        }
    }
    words.dedup();
    match words.pop() {
        Some(last) if words.is_empty() => last,
        Some(last) => format!("{} or {last}", words.join(", ")),
        None => "a value".into(),
    }
}

/// `a`, `b`, `c`
pub(super) fn quote_list<S: AsRef<str>>(words: &[S]) -> String {
    let quoted: Vec<String> = words.iter().map(|w| format!("`{}`", w.as_ref())).collect();
    quoted.join(", ")
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::panic)]
mod tests {
    use super::*;

    /// The reader depends on this: if the schema of the model changes its style, it must be noticed here and not as an
    /// unknown key that slips through.
    #[test]
    fn the_whole_model_has_a_known_shape() {
        fn no_any(shape: &Shape, path: &str) {
            match shape {
                Shape::Any => panic!("unknown shape at {path}"),
                Shape::List(s) | Shape::Map(s) => no_any(s, &format!("{path}[]")),
                Shape::OneOf(list) => list.iter().for_each(|s| no_any(s, path)),
                Shape::Struct(f) => {
                    f.known.iter().for_each(|(k, s)| no_any(s, &format!("{path}.{k}")))
                }
                _ => {}
            }
        }
        no_any(model(), "");
        let Shape::Struct(root) = model() else { panic!("a model is a table") };
        let Some(Shape::Map(body)) = root.get("body") else { panic!("bodies are named entries") };
        let Shape::Struct(body) = &**body else { panic!("a body is a table") };
        assert!(body.required.contains(&"mass".to_owned()));
        assert!(matches!(body.get("type"), Some(Shape::Choice(c)) if c.len() >= 4));
        assert_eq!(
            body.get("mass").map(Shape::describe).as_deref(),
            Some("a number or an expression in quotes")
        );
    }
}
