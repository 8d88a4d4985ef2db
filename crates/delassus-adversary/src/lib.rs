//! The adversary: random mechanisms checked against relations that must hold, no reference needed.
//!
//! A generator of a *family* makes a [`mechanism::Mechanism`], plain data. A *relation* transforms it
//! (moves it, splits a body, writes joints three times, …), writes both as model files, runs them
//! through the `delassus` library as a user would and compares what is measured. What differs by more
//! than tolerance and sensitivity explain is a finding; it is made small and written as a model file.
//!
//! Start reading at [`judge`]; families are in `families/`, relations in `relations/`.

// A tool beside the product: names say what items are, and only the tool itself uses them.
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
