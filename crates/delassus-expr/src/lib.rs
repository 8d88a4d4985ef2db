//! Expressions with parameters, units and exact derivatives
