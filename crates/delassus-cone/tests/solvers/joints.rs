//! Joints as equalities together with contacts: a chain of links that hits the ground.

use delassus_cone as cone;

/// Links of length 2 in a row along x (coordinates x, y, angle), joined at their ends, each with a
/// point below its middle; rows of points first.
struct Chain {
    start: Vec<usize>,
    columns: Vec<usize>,
    values: Vec<f64>,
    b: Vec<f64>,
    laws: Vec<cone::Law>,
    links: usize,
}

impl Chain {
    fn new(links: usize, mu: f64) -> Chain {
        let mut c = Chain {
            start: vec![0],
            columns: Vec::new(),
            values: Vec::new(),
            b: Vec::new(),
            laws: Vec::new(),
            links,
        };
        for i in 0..links {
            c.push(&[(3 * i + 1, 1.0)], -1.0 + 0.3 * ((7 * i) % 3) as f64);
            if mu > 0.0 {
                c.push(&[(3 * i, 1.0), (3 * i + 2, 0.2)], 0.2 * ((5 * i) % 7) as f64 - 0.5);
                c.laws.push(cone::Law::Coulomb { mu, tangential: 1 });
            } else {
                c.laws.push(cone::Law::Unilateral);
            }
        }
        for i in 1..links {
            c.push(&[(3 * i - 3, 1.0), (3 * i, -1.0)], 0.0);
            let (a, b) = (3 * i - 3, 3 * i);
            c.push(&[(a + 1, 1.0), (a + 2, 1.0), (b + 1, -1.0), (b + 2, 1.0)], 0.0);
            c.laws.extend([cone::Law::Equality; 2]);
        }
        c
    }

    fn push(&mut self, row: &[(usize, f64)], b: f64) {
        self.columns.extend(row.iter().map(|x| x.0));
        self.values.extend(row.iter().map(|x| x.1));
        self.start.push(self.columns.len());
        self.b.push(b);
    }

    fn solve(&self, solver: cone::Solver) -> cone::Report {
        let minv: Vec<f64> =
            (0..self.links).flat_map(|_| [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 3.0]).collect();
        let p = cone::SparseProblem {
            h: cone::Rows { start: &self.start, columns: &self.columns, values: &self.values },
            minv: cone::InverseMass::Blocks { sizes: &vec![3; self.links], values: &minv },
            b: &self.b,
            laws: &self.laws,
        };
        let mut r = vec![0.0; self.b.len()];
        let settings = cone::Settings { solver, ..Default::default() };
        cone::solve_sparse(&p, &mut r, &settings, &mut cone::SparseWorkspace::new())
    }
}

/// To 1e-10 in a few steps, however long the chain.
#[test]
fn chains_are_solved() {
    for mu in [0.0, 0.3] {
        for links in [20, 100, 500] {
            let report = Chain::new(links, mu).solve(cone::Solver::InteriorPoint);
            assert_eq!(report.status, cone::Status::Solved, "{links} links, {mu}: {report:?}");
            assert!(report.iterations <= 40, "{links} links, {mu}: {report:?}");
        }
    }
}
