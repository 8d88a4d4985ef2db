//! Kinds of models, and what ordinary ones need: from rest, driven, almost redundant, extreme.
#![allow(missing_docs, clippy::panic, clippy::print_stdout, clippy::unwrap_used)] // tests

#[macro_use]
#[path = "../support/mod.rs"]
mod support;

mod beam_references;
mod beam_statics_modes;
mod beams;
mod damped_modes;
mod extremes;
mod from_rest;
mod mechanisms;
mod modal;
mod modes;
mod near_redundant;
mod overconstrained;
mod robustness;
mod rotors;
mod side_by_side;
mod start_velocities;
mod state_windows;
mod statics;
mod steady_modes;
mod stiff_explicit;
mod time_functions;
mod toy_bodies;
mod turns;
mod tyres;
mod vehicle_models;
mod vehicles;
