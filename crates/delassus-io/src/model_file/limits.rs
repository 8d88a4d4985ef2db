//! Bounds on the resources that a model file may request.

/// Bounds checked while a model is read. The defaults are generous for models written by
/// people and by generators; a host that trusts its files may raise them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limits {
    /// Largest single file, bytes.
    pub max_file_bytes: u64,
    /// Largest sum of all files of a model, bytes.
    pub max_total_bytes: u64,
    /// Deepest nesting of lists, tables and dotted keys. (The parser limits one key and one list of a TOML file to 80
    /// levels, whatever is set here.) A tree is walked recursively, with about 1 kB of stack per level: do not go far
    /// beyond 500.
    pub max_depth: usize,
    /// Largest number of tokens in one file; keeps memory in proportion to the file.
    pub max_tokens: usize,
    /// Largest number of named entries (parameters, markers, bodies, joints, forces, sensors).
    pub max_entries: usize,
    /// Longest chain of includes.
    pub max_include_depth: usize,
    /// Largest number of include references.
    pub max_includes: usize,
}

/// Advice for a user who exceeds a limit that can be raised.
pub(super) fn raise(name: &str) -> String {
    format!("raise the limit with --limit {name}=N")
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            max_file_bytes: 16 << 20,
            max_total_bytes: 64 << 20,
            max_depth: 128,
            max_tokens: 5_000_000,
            max_entries: 200_000,
            max_include_depth: 16,
            max_includes: 1_000,
        }
    }
}
