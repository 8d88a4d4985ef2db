//! Model files and result files
