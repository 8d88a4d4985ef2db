//! Bushings: stiffness and damping as matrices.

use super::Entry;
use crate::ForceKind;
use crate::compile::context::Path;
use crate::compile::geometry::components;
use crate::spec::InertiaSpec;
use delassus_expr::Dim;
use delassus_math::Mat6;

/// Asymmetry and negative eigenvalues that are attributed to rounding, relative to the largest entry of the matrix.
const SLOP: f64 = 1e-9;

impl Entry<'_> {
    pub(super) fn bushing(&self) -> Option<ForceKind> {
        let (env, spec, path) = (self.env, self.spec, self.path);
        let between = path.field("between");
        let frames = self.parts.world.pair(env, &spec.between, &between, "a bushing");
        if spec.stiffness.is_none() && spec.damping.is_none() {
            let help = "give 6 diagonal entries (3 translations, 3 rotations) or a 6×6 matrix";
            env.missing(&path.field("stiffness"), "a bushing", help);
            return None;
        }
        let k = self.matrix(spec.stiffness.as_ref(), "stiffness", Dim::STIFFNESS);
        let c = self.matrix(spec.damping.as_ref(), "damping", Dim::DAMPING);
        let (a, b) = frames?;
        Some(ForceKind::Bushing { a, b, k: Box::new(k?), c: Box::new(c?) })
    }

    /// Six diagonal entries or a 6×6 matrix; `dim` is that of the translational entries.
    fn matrix(&self, value: Option<&InertiaSpec>, field: &str, dim: Dim) -> Option<Mat6> {
        let (env, path) = (self.env, self.path.field(field));
        // a rotation is dimensionless, so each rotational index adds a length
        let entry_dim = |i: usize, j: usize| {
            let lengths = usize::from(i >= 3) + usize::from(j >= 3);
            (0..lengths).fold(dim, |d, _| d.checked_mul(Dim::LENGTH).unwrap_or(Dim::Any))
        };
        let mut m = Mat6::zeros();
        match value {
            None => return Some(m),
            Some(InertiaSpec::Planar(_)) => {
                env.wrong_form(&path, "one number", "a list of 6 or a 6×6 matrix");
                return None;
            }
            Some(InertiaSpec::List(list)) => {
                if list.len() != 6 {
                    env.shape(&path, list.len(), "6 diagonal entries or a 6×6 matrix");
                    return None;
                }
                let entries: Vec<Option<f64>> = list
                    .iter()
                    .enumerate()
                    .map(|(i, value)| {
                        let path = path.index(i);
                        let x = env.constant(value, &path, entry_dim(i, i))?;
                        self.check_sign(x, &path, field)
                    })
                    .collect();
                for (i, x) in entries.into_iter().enumerate() {
                    m[(i, i)] = x?;
                }
                return Some(m);
            }
            Some(InertiaSpec::Matrix(rows)) => {
                if rows.len() != 6 || rows.iter().any(|r| r.len() != 6) {
                    let count = rows.iter().map(Vec::len).sum();
                    env.shape(&path, count, "6 rows of 6 entries");
                    return None;
                }
                let mut complete = true;
                for (i, row) in rows.iter().enumerate() {
                    for (j, value) in row.iter().enumerate() {
                        match env.constant(value, &path.index(i).index(j), entry_dim(i, j)) {
                            Some(x) => m[(i, j)] = x,
                            None => complete = false,
                        }
                    }
                }
                if !complete {
                    return None;
                }
            }
        }
        self.check_matrix(m, &path, field)
    }

    /// The matrix, if it does not generate energy, or is allowed to.
    fn check_matrix(&self, m: Mat6, path: &Path<'_>, what: &str) -> Option<Mat6> {
        let size = m.amax();
        if size == 0.0 || self.spec.allow_negative {
            return Some(m);
        }
        let scaled = m / size;
        let asymmetry = (scaled - scaled.transpose()).amax();
        if asymmetry > SLOP {
            self.env.range(
                path,
                format!(
                    "the {what} matrix is not symmetric: mirrored entries differ by up to {:e}",
                    asymmetry * size
                ),
                "if it is meant to feed energy into the system, set allow_negative = true",
            );
            return None;
        }
        let eigenvalues = scaled.symmetric_eigenvalues();
        if eigenvalues.min() < -SLOP {
            self.env.range(
                path,
                format!(
                    "the {what} matrix has a negative eigenvalue; its eigenvalues are {}",
                    components((eigenvalues * size).as_slice())
                ),
                "if it is meant to feed energy into the system, set allow_negative = true",
            );
            return None;
        }
        Some(m)
    }
}
