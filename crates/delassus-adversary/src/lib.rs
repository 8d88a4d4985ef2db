//! The adversary: random mechanisms checked against relations that must hold, without any reference solution.
//!
//! A generator of a *family* makes a [`mechanism::Mechanism`], which is plain data. A *relation* transforms it (moves
//! it, splits a body, writes joints three times, …), writes both as model files, runs them through the `delassus`
//! library as a user would and compares what is measured. A difference larger than tolerance and sensitivity explain is
//! a finding; it is reduced and written as a model file.
//!
//! Start reading at [`judge`]; families are in `families/`, relations in `relations/`.

// This is a tool beside the product: names say what items are, and only the tool itself uses them.
#![allow(missing_docs)]

pub mod families;
pub mod judge;
pub mod known;
pub mod mechanism;
pub mod random;
pub mod relations;
pub mod run;
pub mod shrink;
pub mod subject;
pub mod verdict;
