//! The `delassus` command.
fn main() {}
