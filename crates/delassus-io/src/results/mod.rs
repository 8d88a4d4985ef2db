//! Result files.
