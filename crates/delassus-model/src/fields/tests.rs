//! The tables against the types they describe.

use super::entry_types;
use crate::spec::{
    ContactSpec, ForceSpec, JointSpec, SectionSpec, SensorSpec, ShapeSpec, TyreSpec,
};
use schemars::JsonSchema;
use std::collections::BTreeSet;

fn keys<T: JsonSchema>() -> BTreeSet<String> {
    let schema = schemars::schema_for!(T).to_value();
    let fields = schema.get("properties").and_then(|p| p.as_object()).expect("a struct");
    fields.keys().filter(|k| *k != "type" && *k != "repeat").cloned().collect()
}

fn described(section: &str) -> BTreeSet<String> {
    let types = entry_types().filter(|t| t.section == section);
    types.flat_map(|t| t.fields.iter().map(|f| f.name.to_owned())).collect()
}

/// Every key of the file belongs to some type, and no type has a key that the file has not.
#[test]
fn tables_and_structs_have_the_same_fields() {
    assert_eq!(described("joint"), keys::<JointSpec>());
    assert_eq!(described("force"), keys::<ForceSpec>());
    assert_eq!(described("section"), keys::<SectionSpec>());
    assert_eq!(described("tyre"), keys::<TyreSpec>());
    assert_eq!(described("shape"), keys::<ShapeSpec>());
    assert_eq!(described("contact"), keys::<ContactSpec>());
    assert_eq!(described("sensor"), keys::<SensorSpec>());
}

/// Tables are in the order of the types, whose words they have.
#[test]
fn words_are_those_of_the_types() {
    let word = |t: &dyn erased::Word| t.word();
    for entry in entry_types() {
        let found = match entry.section {
            "joint" => word(&erased::parse::<crate::spec::JointType>(entry.word)),
            "force" => word(&erased::parse::<crate::spec::ForceType>(entry.word)),
            "section" => word(&erased::parse::<crate::spec::SectionType>(entry.word)),
            "tyre" => word(&erased::parse::<crate::spec::TyreType>(entry.word)),
            "shape" => word(&erased::parse::<crate::spec::ShapeType>(entry.word)),
            "contact" => word(&erased::parse::<crate::spec::ContactType>(entry.word)),
            _ => word(&erased::parse::<crate::spec::SensorType>(entry.word)),
        };
        assert_eq!(found, entry.word);
    }
}

/// A type by its word, and the word of its table.
mod erased {
    use crate::spec::{
        ContactType, ForceType, JointType, SectionType, SensorType, ShapeType, TyreType,
    };

    pub trait Word {
        fn word(&self) -> &'static str;
    }

    macro_rules! words {
        ($($kind:ty),*) => {
            $(impl Word for $kind {
                fn word(&self) -> &'static str {
                    self.entry().word
                }
            })*
        };
    }
    words!(JointType, ForceType, SectionType, ShapeType, ContactType, SensorType, TyreType);

    pub fn parse<T: serde::de::DeserializeOwned>(word: &str) -> T {
        serde_json::from_value(word.into()).expect("a word of the type")
    }
}
