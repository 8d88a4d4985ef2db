//! A small system with every term written out, and the [`Problem`] with dense patterns made from it.

use delassus_dae::{Block, Dims, Manifold, Problem, Quality, Scales, State, Structure};

/// Every term of the equations at (t, q, v); all zero before [`System::terms`] fills them.
#[derive(Debug, Clone, Default)]
pub struct Terms {
    /// M, nv × nv.
    pub mass: Vec<f64>,
    /// f.
    pub force: Vec<f64>,
    /// g.
    pub g: Vec<f64>,
    /// G, row by row.
    pub jac: Vec<f64>,
    /// G v + g_t.
    pub rate: Vec<f64>,
    /// γ.
    pub gamma: Vec<f64>,
}

impl Terms {
    fn clear(&mut self) {
        let Terms { mass, force, g, jac, rate, gamma } = self;
        for x in [mass, force, g, jac, rate, gamma] {
            x.fill(0.0);
        }
    }
}

/// A small system with holonomic constraints.
pub trait System: Send + Sync + 'static {
    /// The factors of the configuration manifold.
    fn blocks(&self) -> Vec<Block>;
    /// Number of constraint rows.
    fn rows(&self) -> usize;
    /// All terms at (t, q, v).
    fn terms(&self, t: f64, q: &[f64], v: &[f64], x: &mut Terms);
    /// k += ck K + cc C, nv × nv row by row.
    fn tangent(&self, at: &Point, a: &[f64], lambda: &[f64], ck: f64, cc: f64, k: &mut [f64]);
    /// Where the standard run starts, consistent.
    fn start(&self) -> State;
}

/// Where a system is evaluated.
#[derive(Debug, Clone, Default)]
pub struct Point {
    /// Time.
    pub t: f64,
    /// Configuration.
    pub q: Vec<f64>,
    /// Velocity.
    pub v: Vec<f64>,
}

/// A [`System`] as a [`Problem`] with dense patterns.
pub struct Dense<S> {
    /// The system.
    pub system: S,
    /// Typical size of all coordinates.
    pub scale: f64,
    manifold: Manifold,
    structure: Structure,
}

impl<S: System> Dense<S> {
    /// Wraps a system.
    pub fn new(system: S) -> Dense<S> {
        let manifold = Manifold::new(&system.blocks());
        let structure = Structure::dense(manifold.nv(), system.rows());
        Dense { system, scale: 1.0, manifold, structure }
    }
}

impl<S: System> Problem for Dense<S> {
    type Ws = (Point, Terms);
    fn dims(&self) -> Dims {
        let n = self.system.rows();
        Dims { nq: self.manifold.nq(), nv: self.manifold.nv(), nz: 0, n_pos: n, n_vel: n }
    }
    fn manifold(&self) -> &Manifold {
        &self.manifold
    }
    fn structure(&self) -> &Structure {
        &self.structure
    }
    fn scales(&self) -> Scales {
        let Dims { nv, n_vel, .. } = self.dims();
        Scales { q: vec![self.scale; nv], row: vec![1.0; n_vel], z: vec![] }
    }
    fn workspace(&self) -> Self::Ws {
        let Dims { nq, nv, n_vel, .. } = self.dims();
        let n = |n| vec![0.0; n];
        let terms = Terms {
            mass: n(nv * nv),
            force: n(nv),
            g: n(n_vel),
            jac: n(n_vel * nv),
            rate: n(n_vel),
            gamma: n(n_vel),
        };
        (Point { t: 0.0, q: n(nq), v: n(nv) }, terms)
    }
    fn realize_position(&self, t: f64, q: &[f64], z: &[f64], ws: &mut Self::Ws) {
        ws.0.t = t;
        ws.0.q.copy_from_slice(q);
        ws.0.v.fill(0.0);
        ws.1.clear();
        self.system.terms(t, q, &ws.0.v, &mut ws.1);
        assert!(z.is_empty());
    }
    fn realize_velocity(&self, v: &[f64], _z: &[f64], ws: &mut Self::Ws) {
        ws.0.v.copy_from_slice(v);
        ws.1.clear();
        self.system.terms(ws.0.t, &ws.0.q, v, &mut ws.1);
    }
    fn mass(&self, ws: &Self::Ws, out: &mut [f64]) {
        out.copy_from_slice(&ws.1.mass);
    }
    fn residual_pos(&self, ws: &Self::Ws, out: &mut [f64]) {
        out.copy_from_slice(&ws.1.g);
    }
    fn jacobian(&self, ws: &Self::Ws, out: &mut [f64]) {
        out.copy_from_slice(&ws.1.jac);
    }
    fn residual_vel(&self, ws: &Self::Ws, out: &mut [f64]) {
        out.copy_from_slice(&ws.1.rate);
    }
    fn bias(&self, ws: &Self::Ws, out: &mut [f64]) {
        out.copy_from_slice(&ws.1.gamma);
    }
    fn force(&self, ws: &Self::Ws, out: &mut [f64]) {
        out.copy_from_slice(&ws.1.force);
    }
    fn tangent(
        &self,
        ws: &Self::Ws,
        a: &[f64],
        lambda: &[f64],
        ck: f64,
        cc: f64,
        values: &mut [f64],
    ) -> Quality {
        self.system.tangent(&ws.0, a, lambda, ck, cc, values);
        Quality::Exact
    }
}
