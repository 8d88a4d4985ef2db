//! A mass matrix that couples its blocks: waves in an elastic rod of linear finite elements with
//! consistent mass, held at one end by a row and at the other by a spring, against its modes.
#![allow(missing_docs, clippy::unwrap_used, clippy::print_stdout)]

use delassus_dae::integrator::{METHODS, make};
use delassus_dae::{
    Block, Dims, Manifold, Options, Problem, Quality, RowRank, Scales, Settings, State, Structure,
};
use delassus_linalg::{Csr, MassShape};

/// How M is given.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Mass {
    /// A third of each element in every node, two thirds shared: blocks of one node, coupled.
    Consistent,
    /// The same matrix as one full block.
    Full,
    /// All in the nodes: blocks of one node.
    Lumped,
    /// The same with couplings that are zero.
    Uncoupled,
}

/// Unit length, wave speed and stiffness; nodes 0..=n, node 0 held.
struct Rod {
    n: usize,
    mass: Mass,
    manifold: Manifold,
    structure: Structure,
}

/// Stiffness of the spring at the free end.
const SPRING: f64 = 0.7;

struct Ws {
    q: Vec<f64>,
    v: Vec<f64>,
}

impl Rod {
    fn new(n: usize, mass: Mass) -> Rod {
        let nv = n + 1;
        let neighbours = || (0..n).map(|k| (k, k + 1));
        let three = (0..nv).map(|i| (i, i)).chain(neighbours().flat_map(|(i, j)| [(i, j), (j, i)]));
        let (shape, tangent) = match mass {
            Mass::Full => (MassShape::new(vec![nv]), Csr::dense(nv, nv)),
            Mass::Lumped => (MassShape::new(vec![1; nv]), Csr::from_pairs(nv, nv, three).unwrap()),
            Mass::Consistent | Mass::Uncoupled => (
                MassShape::coupled(vec![1; nv], neighbours()).unwrap(),
                Csr::from_pairs(nv, nv, three).unwrap(),
            ),
        };
        Rod {
            n,
            mass,
            manifold: Manifold::new(&[Block::Vector(nv)]),
            structure: Structure {
                mass: shape,
                jac: Csr::from_pairs(1, nv, [(0, 0)]).unwrap(),
                tangent,
                constant_mass: true,
                mass_floor: vec![0.0; nv],
                independent_rows: None,
                rank: RowRank::default(),
            },
        }
    }

    fn element(&self) -> f64 {
        1.0 / self.n as f64
    }

    fn mass_entry(&self, i: usize, j: usize) -> f64 {
        let ends = if i == 0 || i == self.n { 1.0 } else { 2.0 };
        let consistent = matches!(self.mass, Mass::Consistent | Mass::Full);
        match (i.abs_diff(j), consistent) {
            (0, true) => ends * self.element() / 3.0,
            (0, false) => ends * self.element() / 2.0,
            (1, true) => self.element() / 6.0,
            _ => 0.0,
        }
    }

    fn stiffness(&self, i: usize, j: usize) -> f64 {
        let ends = if i == 0 || i == self.n { 1.0 } else { 2.0 };
        let spring = if i == self.n { SPRING } else { 0.0 };
        match i.abs_diff(j) {
            0 => ends / self.element() + spring,
            1 => -1.0 / self.element(),
            _ => 0.0,
        }
    }

    /// Wave number per element and frequency of a mode, from what the last node asks for.
    fn mode(&self, number: usize) -> (f64, f64) {
        let h = self.element();
        let square = |w: f64| 6.0 / (h * h) * (1.0 - w.cos()) / (2.0 + w.cos());
        let end = |w: f64| {
            let (last, before) = ((w * self.n as f64).sin(), (w * (self.n as f64 - 1.0)).sin());
            (last - before) / h + SPRING * last - square(w) * h / 6.0 * (before + 2.0 * last)
        };
        // one root between two of the rod with both ends held
        let pi = std::f64::consts::PI;
        let (mut low, mut high) =
            ((number as f64 - 0.5) * pi / self.n as f64, number as f64 * pi / self.n as f64);
        let sign = end(low).signum();
        assert_ne!(sign, end(high).signum());
        for _ in 0..80 {
            let middle = 0.5 * (low + high);
            if end(middle).signum() == sign { low = middle } else { high = middle }
        }
        (low, square(low).sqrt())
    }

    /// Two standing waves at a time.
    fn exact(&self, t: f64) -> State {
        let mut s = State { t, q: vec![0.0; self.n + 1], v: vec![0.0; self.n + 1], z: vec![] };
        for (number, size) in [(4, 0.3), (6, 0.2)] {
            let (wave, rate) = self.mode(number);
            for i in 0..=self.n {
                let shape = size * (wave * i as f64).sin();
                s.q[i] += shape * (rate * t).cos();
                s.v[i] -= rate * shape * (rate * t).sin();
            }
        }
        s
    }
}

impl Problem for Rod {
    type Ws = Ws;
    fn dims(&self) -> Dims {
        Dims { nq: self.n + 1, nv: self.n + 1, nz: 0, n_pos: 1, n_vel: 1 }
    }
    fn manifold(&self) -> &Manifold {
        &self.manifold
    }
    fn structure(&self) -> &Structure {
        &self.structure
    }
    fn scales(&self) -> Scales {
        Scales { q: vec![1.0; self.n + 1], row: vec![1.0], z: vec![] }
    }
    fn workspace(&self) -> Ws {
        Ws { q: vec![0.0; self.n + 1], v: vec![0.0; self.n + 1] }
    }
    fn realize_position(&self, _t: f64, q: &[f64], _z: &[f64], ws: &mut Ws) {
        ws.q.copy_from_slice(q);
    }
    fn realize_velocity(&self, v: &[f64], _z: &[f64], ws: &mut Ws) {
        ws.v.copy_from_slice(v);
    }
    fn mass(&self, _ws: &Ws, out: &mut [f64]) {
        for (m, (i, j)) in out.iter_mut().zip(self.structure.mass.entries()) {
            *m = self.mass_entry(i, j);
        }
    }
    fn residual_pos(&self, ws: &Ws, out: &mut [f64]) {
        out[0] = ws.q[0];
    }
    fn jacobian(&self, _ws: &Ws, out: &mut [f64]) {
        out[0] = 1.0;
    }
    fn residual_vel(&self, ws: &Ws, out: &mut [f64]) {
        out[0] = ws.v[0];
    }
    fn bias(&self, _ws: &Ws, out: &mut [f64]) {
        out[0] = 0.0;
    }
    fn force(&self, ws: &Ws, out: &mut [f64]) {
        for (i, f) in out.iter_mut().enumerate() {
            let near = i.saturating_sub(1)..(i + 2).min(self.n + 1);
            *f = -near.map(|j| self.stiffness(i, j) * ws.q[j]).sum::<f64>();
        }
    }
    fn tangent(
        &self,
        _ws: &Ws,
        _a: &[f64],
        _lambda: &[f64],
        ck: f64,
        _cc: f64,
        values: &mut [f64],
    ) -> Quality {
        let pattern = &self.structure.tangent;
        for i in 0..=self.n {
            for slot in pattern.row_ptr[i]..pattern.row_ptr[i + 1] {
                values[slot] += ck * self.stiffness(i, pattern.col[slot]);
            }
        }
        Quality::Exact
    }
}

/// State and multiplier after n steps to a time.
fn run(rod: &Rod, method: &str, options: &Options, end: f64, n: usize) -> (State, f64) {
    let settings = Settings { options: options.clone(), ..Settings::default() };
    let mut m = make(method, rod, &settings).unwrap().unwrap();
    let mut ws = rod.workspace();
    let (mut s, mut to) = (rod.exact(0.0), rod.exact(0.0));
    m.restart(rod, &mut ws, &s).unwrap();
    for _ in 0..n {
        m.attempt(rod, &mut ws, &s, end / n as f64, &mut to).unwrap();
        m.commit();
        std::mem::swap(&mut s, &mut to);
    }
    let lambda = m.start().lambda[0];
    (s, lambda)
}

fn difference(a: &(State, f64), b: &(State, f64)) -> [f64; 3] {
    let of = |a: &[f64], b: &[f64]| delassus_math::max_difference(a, b);
    let rate = 30.0;
    [of(&a.0.q, &b.0.q), of(&a.0.v, &b.0.v) / rate, (a.1 - b.1).abs() / 10.0]
}

/// Every method, with the options that choose other equations.
fn variants() -> Vec<(&'static str, Options)> {
    let mut all: Vec<(&str, Options)> =
        METHODS.iter().map(|m| (m.name, Options::default())).collect();
    let word = |name: &str, value: &str| Options::default().with_word(name, value);
    all.push(("hht", word("form", "index2")));
    all.push(("hht", word("form", "ggl")));
    all.push(("newmark", word("form", "index2")));
    all.push(("dopri5", word("stabilization", "projection")));
    all.push(("dopri5", word("stabilization", "baumgarte")));
    all.push(("hem5", word("project", "always")));
    all.push(("phem56", word("project", "never")));
    all.push(("mal", word("projection", "none")));
    all.push(("lin-euler", word("form", "index1")));
    all.push(("lin-euler", word("stabilization", "ggl")));
    all
}

/// The wave is that of the modes, to the order of each method.
#[test]
fn order_of_every_method() {
    let rod = Rod::new(12, Mass::Consistent);
    for (method, options) in variants() {
        let order = delassus_dae::integrator::info(method).unwrap().order[0];
        let end = 0.5;
        let coarse = match order {
            1 => 4000,
            2 => 400,
            4 | 5 => 50,
            _ => 16,
        };
        let exact = rod.exact(end);
        let error = |n: usize| {
            let (s, _) = run(&rod, method, &options, end, n);
            let exact = (exact.clone(), 0.0);
            let [q, v, _] = difference(&(s, 0.0), &exact);
            q.max(v)
        };
        let (a, b) = (error(coarse), error(2 * coarse));
        let slope = (a / b).log2();
        println!("{method} {options:?} | {a:.1e} {b:.1e} | {slope:.2}");
        let order = f64::from(order);
        assert!(slope > order - 0.3 && slope < order + 1.5, "{method} {options:?}: {slope}");
    }
}

/// Coupled blocks, one full block, and couplings of zero are the same matrix.
#[test]
fn the_shape_does_not_matter() {
    for (method, options) in variants() {
        for (a, b) in [(Mass::Consistent, Mass::Full), (Mass::Lumped, Mass::Uncoupled)] {
            let [a, b] = [a, b].map(|mass| {
                let rod = Rod::new(12, mass);
                run(&rod, method, &options, 0.25, 50)
            });
            let off = difference(&a, &b);
            println!("{method} {options:?} | {off:?}");
            assert!(off.iter().all(|x| *x < 1e-12), "{method} {options:?}: {off:?}");
        }
    }
}

/// Cost of a step against the number of nodes: a measurement, `benches/rod/run.sh`.
#[test]
#[ignore = "a measurement"]
fn cost_of_a_step() {
    println!("{:<18} {:>9} {:>9} {:>9}   exponent", "µs a step", 100, 500, 2000);
    for m in METHODS {
        let cost = |n: usize| {
            let rod = Rod::new(n, Mass::Consistent);
            let mut method = make(m.name, &rod, &Settings::default()).unwrap().unwrap();
            let mut ws = rod.workspace();
            let (mut s, mut to) = (rod.exact(0.0), rod.exact(0.0));
            method.restart(&rod, &mut ws, &s).unwrap();
            // the least of many is what nothing else disturbed
            let mut best = f64::INFINITY;
            for _ in 0..200 {
                let start = std::time::Instant::now();
                // within the stability of explicit methods
                method.attempt(&rod, &mut ws, &s, 0.2 * rod.element(), &mut to).unwrap();
                method.commit();
                best = best.min(1e6 * start.elapsed().as_secs_f64());
                std::mem::swap(&mut s, &mut to);
            }
            best
        };
        if m.name == "mns" {
            // full by nature
            println!("{:<18} {:>9.1}", m.name, cost(100));
            continue;
        }
        let [a, b, c] = [100, 500, 2000].map(cost);
        let exponent = (c / a).log2() / 20f64.log2();
        println!("{:<18} {a:>9.1} {b:>9.1} {c:>9.1}   {exponent:.2}", m.name);
        assert!(exponent < 1.1, "{}: {exponent}", m.name);
    }
}
