//! What a run carries from step to step.

use delassus_math::remember;

/// Enough to restart: time, configuration, velocity, auxiliary states.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct State {
    /// Time, s.
    pub t: f64,
    /// Configuration (nq).
    pub q: Vec<f64>,
    /// Velocity in tangent coordinates (nv).
    pub v: Vec<f64>,
    /// States of controllers and the like (nz).
    pub z: Vec<f64>,
}
remember!(State { t, q, v, z });

impl State {
    /// Copies without allocating.
    pub fn copy_from(&mut self, o: &State) {
        self.t = o.t;
        self.q.copy_from_slice(&o.q);
        self.v.copy_from_slice(&o.v);
        self.z.copy_from_slice(&o.z);
    }
}

/// What follows from a state: accelerations and multipliers. Kept for output.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Derived {
    /// Acceleration in tangent coordinates (nv).
    pub a: Vec<f64>,
    /// Multipliers (n_vel), acting along +Gᵀ.
    pub lambda: Vec<f64>,
    /// Rates of the auxiliary states (nz).
    pub zdot: Vec<f64>,
}
remember!(Derived { a, lambda, zdot });

impl Derived {
    /// Zeros of the right sizes.
    pub fn zeros(nv: usize, n_vel: usize, nz: usize) -> Derived {
        Derived { a: vec![0.0; nv], lambda: vec![0.0; n_vel], zdot: vec![0.0; nz] }
    }

    /// Copies without allocating.
    pub fn copy_from(&mut self, o: &Derived) {
        self.a.copy_from_slice(&o.a);
        self.lambda.copy_from_slice(&o.lambda);
        self.zdot.copy_from_slice(&o.zdot);
    }
}
