//! The JSON schema of model files, with the allowed and required fields of each type, for editors.

use super::{EntryType, entry_types, given::COMMON};
use crate::spec::ModelSpec;
use serde_json::{Map, Value as Json, json};

/// The schema of [`ModelSpec`]; in each section the rules of its types are added as conditions.
pub fn schema() -> Json {
    let mut schema = schemars::schema_for!(ModelSpec).to_value();
    for section in ["joint", "force", "section", "tyre", "shape", "contact", "sensor"] {
        let types: Vec<&EntryType> = entry_types().filter(|t| t.section == section).collect();
        let mut name = section[..1].to_uppercase() + &section[1..];
        name.push_str("Spec");
        let Some(entry) = schema.pointer_mut(&format!("/$defs/{name}")) else { continue };
        let Some(known) = entry.get("properties").and_then(Json::as_object).cloned() else {
            continue;
        };
        let rules: Vec<Json> = types.iter().map(|t| rule(t, &known)).collect();
        entry["allOf"] = Json::Array(rules);
    }
    schema
}

/// If the type is this one, its required fields must be present and others must not.
fn rule(entry: &EntryType, known: &Map<String, Json>) -> Json {
    let foreign =
        known.keys().filter(|k| !COMMON.contains(&k.as_str()) && entry.field(k).is_none());
    let refused: Map<String, Json> = foreign.map(|k| (k.clone(), Json::Bool(false))).collect();
    let required: Vec<&str> =
        entry.fields.iter().filter(|f| f.default.is_none()).map(|f| f.name).collect();
    // a contact without a type is one of shapes
    let by_word: &[&str] = if entry.word == "shapes" { &[] } else { &["type"] };
    json!({
        "if": { "properties": { "type": { "const": entry.word } }, "required": by_word },
        "then": { "properties": refused, "required": required },
    })
}

#[cfg(test)]
mod tests {
    use super::schema;

    #[test]
    fn a_spherical_joint_has_frames_and_no_axis() {
        let schema = schema();
        let rules =
            schema.pointer("/$defs/JointSpec/allOf").and_then(|r| r.as_array()).expect("rules");
        let word = |r: &serde_json::Value| r.pointer("/if/properties/type/const").cloned();
        let rule = rules.iter().find(|r| word(r) == Some("spherical".into())).expect("spherical");
        assert_eq!(rule.pointer("/then/properties/axis"), Some(&false.into()));
        assert_eq!(rule.pointer("/then/properties/between"), None);
        assert_eq!(rule.pointer("/then/required/0"), Some(&"between".into()));
    }
}
