//! The fields of each type of entry of a model file: name, dimension, sign and default.
//!
//! There is one table for each section. The compiler rejects and reads fields according to it, `delassus fields` prints
//! it, and bindings to other languages can be made from it.

mod clearance;
mod contacts;
mod forces;
mod given;
mod joints;
mod schema;
mod sections;
mod sensors;
mod shapes;
#[cfg(test)]
mod tests;
mod tyres;

pub(crate) use clearance::OF_CONTACT;
pub(crate) use given::given;
pub use schema::schema;
pub(crate) use sensors::TYRE;

use delassus_expr::Dim;

/// The form of a value.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Value {
    /// A number, or a formula of parameters.
    Number(Dim),
    /// The same in a unit that depends on what the entry refers to.
    NumberIn(&'static str),
    /// A formula of time, for forces also of sensors.
    Formula(&'static str),
    /// Components in this unit.
    Vector(&'static str),
    /// Components of a direction, of any length.
    Direction,
    /// Names, numbers or tables as described.
    Text(&'static str),
    /// One of these words.
    Word(&'static [&'static str]),
    /// `true` or `false`.
    Flag,
}

/// Allowed numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sign {
    /// All.
    Any,
    /// More than zero.
    Positive,
    /// Zero or more.
    NotNegative,
    /// All but zero.
    NotZero,
}

/// A field of an entry.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Field {
    /// Key in the file.
    pub name: &'static str,
    /// The form of its value.
    pub value: Value,
    /// Allowed numbers.
    pub sign: Sign,
    /// Its default in words; `None`: it is required.
    pub default: Option<&'static str>,
    /// What to give, for messages.
    pub help: &'static str,
}

/// A type of entry.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct EntryType {
    /// Section of the file: `joint` for `[joint.NAME]`.
    pub section: &'static str,
    /// Value of the key `type`.
    pub word: &'static str,
    /// Its name in messages.
    pub label: &'static str,
    /// Its fields, besides `type` and `repeat`.
    pub fields: &'static [Field],
}

impl EntryType {
    /// The field of this name.
    pub fn field(&self, name: &str) -> Option<&'static Field> {
        self.fields.iter().find(|f| f.name == name)
    }

    pub(crate) fn names(&self) -> Vec<&'static str> {
        self.fields.iter().map(|f| f.name).collect()
    }
}

/// All types of all sections that have types with fields of their own, in the order of the file.
pub fn entry_types() -> impl Iterator<Item = &'static EntryType> {
    let sections: [&'static [EntryType]; 7] = [
        &joints::TYPES,
        &forces::TYPES,
        &sections::TYPES,
        &tyres::TYPES,
        &shapes::TYPES,
        &contacts::TYPES,
        &sensors::TYPES,
    ];
    sections.into_iter().flatten()
}

impl Field {
    const fn new(name: &'static str, value: Value) -> Field {
        Field { name, value, sign: Sign::Any, default: None, help: "" }
    }

    const fn number(name: &'static str, dim: Dim) -> Field {
        Field::new(name, Value::Number(dim))
    }

    const fn text(name: &'static str, what: &'static str) -> Field {
        Field::new(name, Value::Text(what))
    }

    const fn sign(self, sign: Sign) -> Field {
        Field { sign, ..self }
    }

    const fn or(self, default: &'static str) -> Field {
        Field { default: Some(default), ..self }
    }

    const fn help(self, help: &'static str) -> Field {
        Field { help, ..self }
    }
}

/// The coordinate of a joint that has two.
const COORDINATE: Field =
    Field::new("coordinate", Value::Word(&["angle", "position"])).or("the one the joint has");
/// A joint by name.
const JOINT: Field = Field::text("joint", "joint")
    .help("name a joint that has a coordinate, such as a revolute one");
