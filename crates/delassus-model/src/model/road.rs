//! Roads: heights over the x-y plane of the ground.

use delassus_expr::{Curve, Expr, Join, Outside};

/// Variables of the height of a road.
pub mod road_var {
    /// Distance along x, m.
    pub const X: usize = 1;
    /// Distance along y, m.
    pub const Y: usize = 2;
}

/// A road that does not move.
#[derive(Debug, Clone)]
pub struct Road {
    /// Its height.
    pub height: Height,
    /// Factor of the friction of tyres.
    pub friction: f64,
}

/// Height over the x-y plane, m.
#[derive(Debug, Clone)]
pub enum Height {
    /// The same everywhere.
    Level(f64),
    /// Expression of [`road_var`].
    Expression(Expr),
    /// Interpolation between points of a grid.
    Grid(HeightGrid),
}

/// Height of a road at a point, with its derivatives: h, ∂x, ∂y, ∂xx, ∂xy, ∂yy.
pub type HeightAt = [f64; 6];

impl Road {
    /// The x-y plane.
    pub fn plane() -> Road {
        Road { height: Height::Level(0.0), friction: 1.0 }
    }

    /// Its height at a point.
    pub fn at(&self, x: f64, y: f64) -> HeightAt {
        match &self.height {
            Height::Level(z) => [*z, 0.0, 0.0, 0.0, 0.0, 0.0],
            Height::Expression(e) => {
                let vars = [0.0, x, y];
                let (h, hx, hxx) = e.eval_d2(&vars, road_var::X);
                let (_, hy, hyy) = e.eval_d2(&vars, road_var::Y);
                let hxy = e.eval_mixed(&vars, &[0.0, 0.0, 1.0], road_var::X);
                [h, hx, hy, hxx, hxy, hyy]
            }
            Height::Grid(grid) => grid.at(x, y),
        }
    }
}

/// Heights on a rectangular grid, joined by the product of natural cubic splines: slope and curvature are continuous.
/// Beyond its edges the height of the edge continues.
#[derive(Debug, Clone, PartialEq)]
pub struct HeightGrid {
    x: Vec<f64>,
    y: Vec<f64>,
    /// Height, ∂x, ∂y and ∂xy of each point, line by line: y is the faster index.
    nodes: Vec<[f64; 4]>,
}

impl HeightGrid {
    /// From rising x and y and the heights, y being the faster index. `None` if these are not two lines each way or
    /// slopes are not finite.
    pub fn new(x: Vec<f64>, y: Vec<f64>, z: &[f64]) -> Option<HeightGrid> {
        let (n, m) = (x.len(), y.len());
        if n < 2 || m < 2 || z.len() != n * m {
            return None;
        }
        let mut nodes: Vec<[f64; 4]> = z.iter().map(|z| [*z, 0.0, 0.0, 0.0]).collect();
        for i in 0..n {
            let line: Vec<f64> = (0..m).map(|j| nodes[i * m + j][0]).collect();
            for (j, s) in slopes(&y, &line)?.into_iter().enumerate() {
                nodes[i * m + j][2] = s;
            }
        }
        // along x the heights, and their slopes along y
        for (from, to) in [(0, 1), (2, 3)] {
            for j in 0..m {
                let line: Vec<f64> = (0..n).map(|i| nodes[i * m + j][from]).collect();
                for (i, s) in slopes(&x, &line)?.into_iter().enumerate() {
                    nodes[i * m + j][to] = s;
                }
            }
        }
        Some(HeightGrid { x, y, nodes })
    }

    /// Lines of the grid along x and along y, m.
    pub fn lines(&self) -> [&[f64]; 2] {
        [&self.x, &self.y]
    }

    fn at(&self, x: f64, y: f64) -> HeightAt {
        let (i, a, da) = cell(&self.x, x);
        let (j, b, db) = cell(&self.y, y);
        let m = self.y.len();
        let mut out = [0.0; 6];
        for (p, q) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
            let [z, zx, zy, zxy] = self.nodes[(i + p) * m + j + q];
            // values and slopes along x, then along y, each with two derivatives
            let ([vx, sx], [vy, sy]) = ([a[p], a[p + 2]], [b[q], b[q + 2]]);
            let mix = |k: usize, l: usize| {
                z * vx[k] * vy[l] + zx * sx[k] * vy[l] + zy * vx[k] * sy[l] + zxy * sx[k] * sy[l]
            };
            let terms = [mix(0, 0), mix(1, 0), mix(0, 1), mix(2, 0), mix(1, 1), mix(0, 2)];
            out.iter_mut().zip(terms).for_each(|(o, t)| *o += t);
        }
        // beyond the edge nothing changes any more
        let inside = [1.0, da, db, da, da * db, db];
        out.iter_mut().zip(inside).for_each(|(o, c)| *o *= c);
        out
    }
}

/// Slopes of the natural spline through points.
fn slopes(x: &[f64], y: &[f64]) -> Option<Vec<f64>> {
    let curve = Curve::new(x.to_vec(), y, Join::Spline, Outside::Extend).ok()?;
    Some(x.iter().map(|x| curve.at(*x)[1]).collect())
}

/// Hermite's four functions on the cell of an argument, for values at both ends and then slopes, each with two
/// derivatives; the number of the cell; and 0 if the argument is beyond the ends, else 1.
fn cell(x: &[f64], at: f64) -> (usize, [[f64; 3]; 4], f64) {
    let (first, last) = (x[0], x[x.len() - 1]);
    let inside = if at >= first && at <= last { 1.0 } else { 0.0 };
    let at = at.clamp(first, last);
    let i = (x.partition_point(|p| *p <= at)).clamp(1, x.len() - 1) - 1;
    let h = x[i + 1] - x[i];
    let u = (at - x[i]) / h;
    let value =
        [u * u * (2.0 * u - 3.0) + 1.0, 6.0 * u * (u - 1.0) / h, (12.0 * u - 6.0) / (h * h)];
    let other = [1.0 - value[0], -value[1], -value[2]];
    let slope = [h * u * (u - 1.0) * (u - 1.0), (3.0 * u - 1.0) * (u - 1.0), (6.0 * u - 4.0) / h];
    let next = [h * u * u * (u - 1.0), u * (3.0 * u - 2.0), (6.0 * u - 2.0) / h];
    (i, [value, other, slope, next], inside)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn hilly(x: f64, y: f64) -> f64 {
        (0.9 * x).sin() * (0.7 * y).cos() + 0.1 * x * y
    }

    fn grid(n: usize) -> HeightGrid {
        let line = |from: f64, to: f64| -> Vec<f64> {
            (0..n).map(|k| from + (to - from) * k as f64 / (n - 1) as f64).collect()
        };
        let (x, y) = (line(-3.0, 5.0), line(0.0, 6.0));
        let z: Vec<f64> = x.iter().flat_map(|x| y.iter().map(|y| hilly(*x, *y))).collect();
        HeightGrid::new(x, y, &z).unwrap()
    }

    /// Derivatives against differences, at points inside cells and on lines; and continuity across lines.
    #[test]
    fn slopes_and_curvatures_are_those_of_the_height() {
        let road = Road { height: Height::Grid(grid(9)), friction: 1.0 };
        for (x, y) in [(0.3, 2.2), (-2.9, 5.9), (1.0, 3.0), (4.999, 0.1)] {
            let h = 1e-4;
            let at = |dx: f64, dy: f64| road.at(x + dx * h, y + dy * h);
            let [_, hx, hy, hxx, hxy, hyy] = road.at(x, y);
            let difference =
                |k: usize, dx: f64, dy: f64| (at(dx, dy)[k] - at(-dx, -dy)[k]) / (2.0 * h);
            for (found, expected) in [
                (hx, difference(0, 1.0, 0.0)),
                (hy, difference(0, 0.0, 1.0)),
                (hxx, difference(1, 1.0, 0.0)),
                (hxy, difference(1, 0.0, 1.0)),
                (hyy, difference(2, 0.0, 1.0)),
            ] {
                assert!((found - expected).abs() < 1e-3, "{found} {expected} at {x} {y}");
            }
        }
        let (before, behind) = (road.at(1.0 - 1e-12, 3.0 - 1e-12), road.at(1.0, 3.0));
        for (a, b) in before.iter().zip(behind) {
            assert!((a - b).abs() < 1e-9, "{a} {b}");
        }
    }

    /// Inside, away from the edges, halving the spacing divides the error by about 16; all points are met.
    #[test]
    fn a_grid_meets_its_points_and_converges() {
        let error = |n: usize| {
            let g = grid(n);
            let places = [(0.123, 2.9), (1.77, 3.3), (0.9, 2.2)];
            let of = places.map(|(x, y)| (g.at(x, y)[0] - hilly(x, y)).abs());
            delassus_math::largest(of)
        };
        let (coarse, fine) = (error(17), error(33));
        assert!(fine < coarse / 8.0 && fine < 1e-4, "{coarse} {fine}");
        let g = grid(7);
        for x in g.lines()[0] {
            for y in g.lines()[1] {
                assert!((g.at(*x, *y)[0] - hilly(*x, *y)).abs() < 1e-14);
            }
        }
    }

    #[test]
    fn beyond_the_edge_the_height_stays() {
        let g = grid(5);
        let edge = g.at(5.0, 2.0);
        let beyond = g.at(7.0, 2.0);
        assert_eq!((beyond[0], beyond[1], beyond[3]), (edge[0], 0.0, 0.0));
        assert_eq!(beyond[2], edge[2]);
    }
}
