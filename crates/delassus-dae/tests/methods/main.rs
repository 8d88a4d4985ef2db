//! Every method on small problems: contracts, orders, behaviour.
#![allow(
    missing_docs,
    unused_imports,
    unused_macros,
    clippy::needless_range_loop,
    clippy::panic,
    clippy::print_stdout,
    clippy::unwrap_used
)] // tests

#[path = "../contract/mod.rs"]
mod contract;
#[path = "../problems/mod.rs"]
mod problems;

mod academic;
mod contract_al;
mod contract_bdf;
mod contract_explicit;
mod contract_gen_alpha;
mod contract_half_explicit;
mod contract_lin_euler;
mod contract_radau5;
mod explicit_behaviour;
mod gen_alpha_forms;
mod lin_euler;
mod registry;
mod stiff;
