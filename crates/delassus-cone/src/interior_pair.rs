//! One pair of a primal and a dual point of the interior point method: half line or second-order cone,
//! with its Nesterov–Todd scaling `W y = W⁻¹ x = λ`, `W = β (2 v vᵀ − J)`.

use crate::interior::Small;

/// A cone or half-line pair of one block. An interval has two, others one or none.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Pair {
    /// First row.
    pub row: usize,
    /// Block.
    pub block: usize,
    /// 1 (half line) or 3 (cone, also with one tangential direction).
    pub cone: bool,
    /// Rows of the cone.
    pub rows: usize,
    /// x = sign (r − bound) for half lines.
    pub sign: f64,
    pub mu: f64,
    /// Primal and dual point, in self-dual coordinates.
    pub x: [f64; 3],
    pub y: [f64; 3],
    pub dx: [f64; 3],
    pub dy: [f64; 3],
    /// Scaling: W y = W⁻¹ x = λ.
    pub beta: f64,
    pub v: [f64; 3],
    pub w: [f64; 3],
    pub lambda: [f64; 3],
    /// Right-hand side in scaled coordinates.
    pub ds: [f64; 3],
}

fn det(x: &[f64; 3]) -> f64 {
    let t = x[1].hypot(x[2]);
    (x[0] - t) * (x[0] + t)
}

impl Pair {
    /// Scaling point of the present x and y; false if they are not inside.
    pub fn scale(&mut self) -> bool {
        if !self.cone {
            if !(self.x[0] > 0.0 && self.y[0] > 0.0) {
                return false;
            }
            self.beta = (self.x[0] / self.y[0]).sqrt();
            self.lambda = [(self.x[0] * self.y[0]).sqrt(), 0.0, 0.0];
            return true;
        }
        let (dx, dy) = (det(&self.x), det(&self.y));
        if !(dx > 0.0 && dy > 0.0 && self.x[0] > 0.0 && self.y[0] > 0.0) {
            return false;
        }
        let (rx, ry) = (dx.sqrt(), dy.sqrt());
        let mut w = [0.0; 3];
        let mut inner = 0.0;
        for i in 0..3 {
            inner += self.x[i] / rx * (self.y[i] / ry);
        }
        let gamma = (0.5 * (1.0 + inner)).sqrt();
        for i in 0..3 {
            let mirrored = if i == 0 { self.y[i] } else { -self.y[i] };
            w[i] = (self.x[i] / rx + mirrored / ry) / (2.0 * gamma);
        }
        let f = 1.0 / (2.0 * (w[0] + 1.0)).sqrt();
        self.w = w;
        self.v = [(w[0] + 1.0) * f, w[1] * f, w[2] * f];
        self.beta = (rx / ry).sqrt();
        self.lambda = self.apply(&self.y);
        true
    }

    /// W z = β (2 v vᵀ − J) z.
    pub fn apply(&self, z: &[f64; 3]) -> [f64; 3] {
        if !self.cone {
            return [self.beta * z[0], 0.0, 0.0];
        }
        let f = 2.0 * (self.v[0] * z[0] + self.v[1] * z[1] + self.v[2] * z[2]);
        [
            self.beta * (f * self.v[0] - z[0]),
            self.beta * (f * self.v[1] + z[1]),
            self.beta * (f * self.v[2] + z[2]),
        ]
    }

    /// W⁻¹ z = β⁻¹ (2 Jv (Jv)ᵀ − J) z.
    pub fn apply_inverse(&self, z: &[f64; 3]) -> [f64; 3] {
        if !self.cone {
            return [z[0] / self.beta, 0.0, 0.0];
        }
        let f = 2.0 * (self.v[0] * z[0] - self.v[1] * z[1] - self.v[2] * z[2]);
        [
            (f * self.v[0] - z[0]) / self.beta,
            (-f * self.v[1] + z[1]) / self.beta,
            (-f * self.v[2] + z[2]) / self.beta,
        ]
    }

    /// Adds Θ, its inverse (cones only) and g of this pair to those of its block.
    pub fn add(&self, soft: f64, theta: &mut Small, inverse: &mut Small, g: &mut [f64]) {
        if !self.cone {
            theta[0][0] += 1.0 / (self.beta * self.beta) + soft;
            g[self.row] += self.sign * self.ds[0] / self.beta;
            return;
        }
        // Eigenvectors of W⁻²: (1, ∓ŵ)/√2 and across; the sum w₀ + |w₁| loses no digits.
        let t = self.w[1].hypot(self.w[2]);
        let d = if t > 0.0 { [self.w[1] / t, self.w[2] / t] } else { [1.0, 0.0] };
        let half = std::f64::consts::FRAC_1_SQRT_2;
        let vectors = [
            [half, -half * d[0], -half * d[1]],
            [half, half * d[0], half * d[1]],
            [0.0, -d[1], d[0]],
        ];
        let (base, spread) = (1.0 / (self.beta * self.beta), (self.w[0] + t) * (self.w[0] + t));
        let values = [base * spread, base / spread, base].map(|v| v + soft);
        let scale = |i: usize| if i == 0 { self.mu } else { 1.0 };
        for i in 0..self.rows {
            for j in 0..self.rows {
                for (e, value) in vectors.iter().zip(values) {
                    theta[i][j] += scale(i) * scale(j) * value * e[i] * e[j];
                    inverse[i][j] += e[i] * e[j] / (value * scale(i) * scale(j));
                }
            }
        }
        let back = self.apply_inverse(&self.ds);
        for i in 0..self.rows {
            g[self.row + i] += scale(i) * back[i];
        }
    }

    /// Primal direction from dr.
    pub fn primal_step(&mut self, dr: &[f64]) {
        if self.cone {
            self.dx = [0.0; 3];
            for i in 0..self.rows {
                self.dx[i] = if i == 0 { self.mu * dr[self.row] } else { dr[self.row + i] };
            }
        } else {
            self.dx = [self.sign * dr[self.row], 0.0, 0.0];
        }
        // W⁻¹ dx + W dy = ds.
        let scaled = self.apply_inverse(&self.dx);
        let rest = [self.ds[0] - scaled[0], self.ds[1] - scaled[1], self.ds[2] - scaled[2]];
        self.dy = self.apply_inverse(&rest);
    }

    /// Largest step that stays inside.
    pub fn room(&self) -> f64 {
        if self.cone {
            cone_room(&self.x, &self.dx).min(cone_room(&self.y, &self.dy))
        } else {
            let one = |x: f64, d: f64| if d < 0.0 { -x / d } else { f64::INFINITY };
            one(self.x[0], self.dx[0]).min(one(self.y[0], self.dy[0]))
        }
    }

    pub fn inner(&self, step: f64) -> f64 {
        (0..3).map(|i| (self.x[i] + step * self.dx[i]) * (self.y[i] + step * self.dy[i])).sum()
    }

    /// Square of the smaller eigenvalue of λ after a step.
    pub fn least(&self, step: f64) -> f64 {
        let at = |p: &[f64; 3], d: &[f64; 3]| {
            [p[0] + step * d[0], p[1] + step * d[1], p[2] + step * d[2]]
        };
        let (x, y) = (at(&self.x, &self.dx), at(&self.y, &self.dy));
        if !self.cone {
            return x[0] * y[0];
        }
        let s = x[0] * y[0] + x[1] * y[1] + x[2] * y[2];
        let p = (det(&x) * det(&y)).max(0.0).sqrt();
        // p²/λ_max² is the stable form.
        let top = 0.5 * ((2.0 * (s + p)).sqrt() + (2.0 * (s - p)).max(0.0).sqrt());
        (p / top).powi(2)
    }

    /// ds = λ \ (σμ e − λ∘λ − correction).
    pub fn right_side(&mut self, center: f64, corrector: bool) {
        if !corrector {
            self.ds = self.lambda.map(|l| -l);
            return;
        }
        let (a, b) = (self.apply_inverse(&self.dx), self.apply(&self.dy));
        let l = self.lambda;
        if !self.cone {
            self.ds = [(center - l[0] * l[0] - a[0] * b[0]) / l[0], 0.0, 0.0];
            return;
        }
        let dot = a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
        let c = [center - dot, -(a[0] * b[1] + b[0] * a[1]), -(a[0] * b[2] + b[0] * a[2])];
        // λ \ c, then − λ.
        let d = det(&l);
        let along = l[1] * c[1] + l[2] * c[2];
        let head = (l[0] * c[0] - along) / d;
        self.ds =
            [head - l[0], (c[1] - head * l[1]) / l[0] - l[1], (c[2] - head * l[2]) / l[0] - l[2]];
    }
}

/// Largest step along d that keeps x in the cone.
fn cone_room(x: &[f64; 3], d: &[f64; 3]) -> f64 {
    let a = det(d);
    let b = x[0] * d[0] - x[1] * d[1] - x[2] * d[2];
    let c = det(x).max(0.0);
    let head = if d[0] < 0.0 { -x[0] / d[0] } else { f64::INFINITY };
    // Smallest positive root of a t² + 2 b t + c.
    let disc = b * b - a * c;
    if a >= 0.0 && (b >= 0.0 || disc < 0.0) {
        return head;
    }
    let root = disc.max(0.0).sqrt();
    let t = if b > 0.0 { (-b - root) / a } else { c / (root - b) };
    let t = if t > 0.0 { t } else { f64::INFINITY };
    t.min(head)
}
