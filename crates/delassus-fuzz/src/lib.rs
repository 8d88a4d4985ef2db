//! Fuzzing of the command: its inputs, its limits, and what counts as an answer.
//!
//! A *case* is a target, a seed and a number, and is the same on every machine. [`seeds`] reads the models from which
//! cases start, [`mutate`] changes their text, [`damage`] their results, [`archives`] their FMUs, [`trial`] runs the command under limits of
//! memory and processor time, and [`case`] puts them together and judges the answer: a documented exit code, an error
//! with its code, no non-finite number.

// A tool beside the product: names say what items are, and only the tool itself uses them.
#![allow(missing_docs)]

pub mod archives;
pub mod case;
pub mod damage;
pub mod mutate;
pub mod scan;
pub mod seeds;
pub mod shrink;
pub mod trial;
