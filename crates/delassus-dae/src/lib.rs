//! Constrained mechanical systems as problems, and the integrators that solve them
