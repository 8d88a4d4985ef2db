//! From what the user wrote to checked numbers.
