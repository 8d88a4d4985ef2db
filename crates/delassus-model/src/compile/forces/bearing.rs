//! Linear bearings: stiffness and damping across an axis, with their cross terms.

use super::Entry;
use crate::ForceKind;
use crate::compile::geometry::direction;
use crate::spec::InertiaSpec;
use delassus_expr::Dim;
use delassus_math::{Mat6, Vec3};

/// How far an axis may be off one of the axes of its frame.
const ALONG: f64 = 1e-12;

impl Entry<'_> {
    /// A bushing that acts across an axis only.
    pub(super) fn bearing(&self) -> Option<ForceKind> {
        let (env, spec, path) = (self.env, self.spec, self.path);
        let between = path.field("between");
        let frames = self.parts.world.pair(env, &spec.between, &between, "a bearing");
        let across = self.across();
        if spec.stiffness.is_none() && spec.damping.is_none() {
            let help = "give one number, two (across the axis), or a 2×2 matrix";
            env.missing(&path.field("stiffness"), "a bearing", help);
            return None;
        }
        let k = self.across_matrix(spec.stiffness.as_ref(), "stiffness", Dim::STIFFNESS);
        let c = self.across_matrix(spec.damping.as_ref(), "damping", Dim::DAMPING);
        let ((a, b), across, k, c) = (frames?, across?, k?, c?);
        let whole = |m: [[f64; 2]; 2]| {
            let mut out = Mat6::zeros();
            for (i, row) in m.iter().enumerate() {
                for (j, x) in row.iter().enumerate() {
                    out[(across[i], across[j])] = *x;
                }
            }
            Box::new(out)
        };
        Some(ForceKind::Bushing { a, b, k: whole(k), c: whole(c) })
    }

    /// The two axes of the first frame across that of the bearing, right-handed.
    fn across(&self) -> Option<[usize; 2]> {
        let Some(list) = &self.spec.axis else { return Some([0, 1]) };
        let path = self.path.field("axis");
        let axis = direction(self.env, list, &path)?;
        for (k, across) in [[1, 2], [2, 0], [0, 1]].into_iter().enumerate() {
            if (axis - Vec3::ith(k, 1.0)).norm() <= ALONG {
                return Some(across);
            }
        }
        self.env.range(
            &path,
            format!(
                "the axis of a bearing is x, y or z of its first frame, not ({}, {}, {})",
                axis.x, axis.y, axis.z
            ),
            "turn the marker of the first frame with `orientation`, and use its z",
        );
        None
    }

    /// One number for all directions, two, or a full 2×2 matrix.
    fn across_matrix(
        &self,
        value: Option<&InertiaSpec>,
        field: &str,
        dim: Dim,
    ) -> Option<[[f64; 2]; 2]> {
        let (env, path) = (self.env, self.path.field(field));
        let mut m = [[0.0; 2]; 2];
        match value {
            None => {}
            Some(InertiaSpec::Planar(value)) => {
                let x = self.check_sign(env.constant(value, &path, dim)?, &path, field)?;
                (m[0][0], m[1][1]) = (x, x);
            }
            Some(InertiaSpec::List(list)) if list.len() == 2 => {
                for (i, value) in list.iter().enumerate() {
                    let path = path.index(i);
                    m[i][i] = self.check_sign(env.constant(value, &path, dim)?, &path, field)?;
                }
            }
            Some(InertiaSpec::List(list)) => {
                env.shape(&path, list.len(), "one number, two or a 2×2 matrix");
                return None;
            }
            Some(InertiaSpec::Matrix(rows)) => {
                if rows.len() != 2 || rows.iter().any(|r| r.len() != 2) {
                    let count = rows.iter().map(Vec::len).sum();
                    env.shape(&path, count, "2 rows of 2 entries");
                    return None;
                }
                for (i, row) in rows.iter().enumerate() {
                    for (j, value) in row.iter().enumerate() {
                        let row = path.index(i);
                        let path = row.index(j);
                        let x = env.constant(value, &path, dim)?;
                        // cross terms have either sign
                        m[i][j] = if i == j { self.check_sign(x, &path, field)? } else { x };
                    }
                }
            }
        }
        Some(m)
    }
}
