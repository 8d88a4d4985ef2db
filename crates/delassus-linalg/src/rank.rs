//! Which constraint rows are dependent, on which others, and what that means
//! for the multipliers. Diagnosis: allocates freely, runs once per model.
//!
//! The cost follows the fill of `G Gᵀ`, in the given row order or, if that fills too much, in a minimum-degree order:
//! linear for chains and trees, cubic only if everything is coupled with everything.

use crate::error::{KktError, check_len, check_room};
use crate::null_echelon;
use crate::pattern::Csr;
use crate::peel::peel;
use crate::row_qr::RowQr;
use crate::vecops::first_non_finite;
use crate::{ordering, rank_tol, sparse_ldl};

/// Entries of the factor up to which the given order is kept (600 rows, all
/// coupled): its distances mean exactly what the report says.
const FILL_MAX: usize = 200_000;

/// Coefficients below this are rounding, not dependency.
const COEFFICIENT_MIN: f64 = 1e-8;

/// A row that is a combination of earlier ones.
#[derive(Debug, Clone, PartialEq)]
pub struct DependentRow {
    /// The dependent row.
    pub row: usize,
    /// `row = Σ coefficient · other`, over earlier kept rows, in the units
    /// of the unscaled rows. Empty for a row that is zero.
    pub others: Vec<(usize, f64)>,
}

/// Result of [`row_rank`].
#[derive(Debug, Clone, PartialEq)]
pub struct RankReport {
    /// Number of independent rows.
    pub rank: usize,
    /// Number of rows.
    pub rows: usize,
    /// Shortest combination of kept unit rows found, with coefficients of unit norm (1 if no rows are kept): an
    /// estimate of their smallest singular value, from above.
    pub smallest_kept: f64,
    /// The row at which it was found.
    pub weakest_row: Option<usize>,
    /// Longest such combination that was treated as a dependency (0 if none): a gap of many decades to `smallest_kept`
    /// means the rank is beyond doubt.
    pub largest_dropped: f64,
    /// The dependent rows, ascending. Earlier rows are kept, unless the later one hardly takes part in the dependency.
    /// Each is also a left null vector, and together they span the left null space.
    pub dependent: Vec<DependentRow>,
}

/// Rank of the rows of `G`, keeping earlier rows over later ones.
///
/// Rows are scaled to unit length; `col_scale`, if given, multiplies the
/// columns first, so that lengths and angles can be made comparable. Rows are
/// dependent when a combination of them, with coefficients of unit norm, is at
/// most `tol` long; see [`crate::rank_tol`].
pub fn row_rank(
    jac: &Csr,
    values: &[f64],
    col_scale: Option<&[f64]>,
    tol: f64,
) -> Result<RankReport, KktError> {
    let unit = UnitRows::new(jac, values, col_scale)?;
    Analysis::new(&unit, tol)?.placed_report()
}

/// The same where columns belong together in blocks of the given sizes. If there are many rows, those that are
/// independent through their effect on one block are set aside first, so that the cost is linear for trees.
pub fn row_rank_of_blocks(
    jac: &Csr,
    values: &[f64],
    col_scale: Option<&[f64]>,
    blocks: &[usize],
    tol: f64,
) -> Result<RankReport, KktError> {
    if is_small(jac.nrows) {
        return row_rank(jac, values, col_scale, tol);
    }
    check_len("columns of the blocks", blocks.iter().sum(), jac.ncols)?;
    let unit = UnitRows::new(jac, values, col_scale)?;
    let peeled = peel(&unit.rows, &unit.values, blocks);
    let mut report = Analysis::new(&unit.some(&peeled.rest), tol)?.placed_report()?;
    let name = |row: &mut usize| *row = peeled.rest[*row];
    for d in &mut report.dependent {
        name(&mut d.row);
        d.others.iter_mut().for_each(|(row, _)| name(row));
    }
    report.weakest_row.as_mut().map(name);
    if peeled.smallest < report.smallest_kept {
        (report.smallest_kept, report.weakest_row) = (peeled.smallest, peeled.weakest);
    }
    report.rank += jac.nrows - peeled.rest.len();
    report.rows = jac.nrows;
    Ok(report)
}

/// Rows that have been scaled to unit length, with their lengths.
pub(crate) struct UnitRows {
    rows: Csr,
    values: Vec<f64>,
    norms: Vec<f64>,
}

impl UnitRows {
    pub(crate) fn new(
        jac: &Csr,
        values: &[f64],
        col_scale: Option<&[f64]>,
    ) -> Result<UnitRows, KktError> {
        jac.validate()?;
        check_len("constraint values", values.len(), jac.nnz())?;
        if let Some(scale) = col_scale {
            check_len("col_scale", scale.len(), jac.ncols)?;
        }
        let scaled = jac.col.iter().zip(values).map(|(&j, v)| v * col_scale.map_or(1.0, |s| s[j]));
        let mut values: Vec<f64> = scaled.collect();
        let mut norms = Vec::with_capacity(jac.nrows);
        for i in 0..jac.nrows {
            let row = &mut values[jac.row_ptr[i]..jac.row_ptr[i + 1]];
            let norm = row.iter().fold(0.0, |n: f64, v| n.hypot(*v));
            if !norm.is_finite() {
                return Err(KktError::NonFinite { row: i });
            }
            if norm > 0.0 {
                row.iter_mut().for_each(|v| *v /= norm);
            }
            norms.push(norm);
        }
        Ok(UnitRows { rows: jac.clone(), values, norms })
    }

    /// Columns and values of a row.
    pub(crate) fn entries(&self, i: usize) -> impl Iterator<Item = (usize, f64)> {
        let values = &self.values[self.rows.row_ptr[i]..self.rows.row_ptr[i + 1]];
        self.rows.row(i).iter().copied().zip(values.iter().copied())
    }

    /// These rows, in this order.
    fn some(&self, order: &[usize]) -> UnitRows {
        let mut rows =
            Csr { nrows: order.len(), ncols: self.rows.ncols, row_ptr: vec![0], col: Vec::new() };
        let mut values = Vec::new();
        for &i in order {
            rows.col.extend_from_slice(self.rows.row(i));
            values.extend_from_slice(&self.values[self.rows.row_ptr[i]..self.rows.row_ptr[i + 1]]);
            rows.row_ptr.push(values.len());
        }
        UnitRows { rows, values, norms: order.iter().map(|i| self.norms[*i]).collect() }
    }
}

impl RankReport {
    /// Leaves out another row of the same dependency instead of the one after which it is named. Nothing changes if
    /// that row does not take part in it.
    pub fn leave_out(&mut self, which: usize, row: usize) {
        let d = &self.dependent[which];
        let Some(&(_, c)) = d.others.iter().find(|(i, c)| *i == row && *c != 0.0) else {
            return;
        };
        let rest = d.others.iter().filter(|(i, _)| *i != row).map(|&(i, x)| (i, -x / c));
        let exchanged = DependentRow { row, others: rest.chain([(d.row, 1.0 / c)]).collect() };
        for other in &mut self.dependent {
            let Some(at) = other.others.iter().position(|(i, _)| *i == row) else { continue };
            let (_, c) = other.others.swap_remove(at);
            for &(i, x) in &exchanged.others {
                match other.others.iter_mut().find(|(k, _)| *k == i) {
                    Some((_, y)) => *y += c * x,
                    None => other.others.push((i, c * x)),
                }
            }
        }
        self.dependent[which] = exchanged;
    }
}

/// Rows whose multiplier is not unique: those that take part in any
/// dependency, as the dependent row or as one of the others.
pub fn non_unique_rows(report: &RankReport) -> Vec<bool> {
    let mut out = vec![false; report.rows];
    for d in &report.dependent {
        out[d.row] = true;
        for (other, _) in &d.others {
            out[*other] = true;
        }
    }
    out
}

/// `λ = pinv(Gᵀ) rhs`: the multipliers of least Euclidean norm among those
/// that best balance the generalised force `rhs`.
pub fn min_norm_solve(jac: &Csr, values: &[f64], rhs: &[f64]) -> Result<Vec<f64>, KktError> {
    check_len("rhs", rhs.len(), jac.ncols)?;
    if let Some(dof) = first_non_finite(rhs) {
        return Err(KktError::NonFiniteDof { dof });
    }
    let analysis = Analysis::new(&UnitRows::new(jac, values, None)?, rank_tol::ROWS)?;
    let (rows, norms, qr) = (jac.nrows, &analysis.norms, &analysis.qr);
    let mut lambda = vec![0.0; rows];
    let mut ordered = vec![0.0; rows];
    // Seminormal equations, corrected: each sweep gains all the digits that
    // the squared condition number leaves.
    for _ in 0..4 {
        let mut residual = rhs.to_vec();
        jac.mul_t_add(values, -1.0, &lambda, &mut residual);
        let mut step = vec![0.0; rows];
        jac.mul_add(values, 1.0, &residual, &mut step);
        for (o, &i) in ordered.iter_mut().zip(&analysis.order) {
            *o = step[i as usize];
        }
        scale_down(&mut ordered, norms);
        qr.solve_lower(&mut ordered);
        qr.solve_upper(rows, &mut ordered);
        scale_down(&mut ordered, norms);
        for (o, &i) in ordered.iter().zip(&analysis.order) {
            lambda[i as usize] += o;
        }
    }
    for (o, &i) in ordered.iter_mut().zip(&analysis.order) {
        *o = lambda[i as usize];
    }
    remove_null_part(&analysis.report(), &mut ordered);
    for (o, &i) in ordered.iter().zip(&analysis.order) {
        lambda[i as usize] = *o;
    }
    match first_non_finite(&lambda) {
        Some(row) => Err(KktError::NonFinite { row }),
        None => Ok(lambda),
    }
}

fn scale_down(x: &mut [f64], norms: &[f64]) {
    for (x, n) in x.iter_mut().zip(norms) {
        *x = if *n > 0.0 { *x / n } else { 0.0 };
    }
}

/// Factor of the row-normalised matrix in elimination order.
struct Analysis {
    /// `order[position] = row`.
    order: Vec<u32>,
    /// Whether `order` is the given one.
    given: bool,
    qr: RowQr,
    /// Row lengths, by position.
    norms: Vec<f64>,
}

impl Analysis {
    fn new(unit: &UnitRows, tol: f64) -> Result<Analysis, KktError> {
        let (order, given) = elimination_order(&unit.rows)?;
        if given {
            let qr = RowQr::new(&unit.rows, &unit.values, tol)?;
            return Ok(Analysis { order, given, qr, norms: unit.norms.clone() });
        }
        let ordered: Vec<usize> = order.iter().map(|i| *i as usize).collect();
        let UnitRows { rows, values, norms } = unit.some(&ordered);
        Ok(Analysis { order, given, qr: RowQr::new(&rows, &values, tol)?, norms })
    }

    /// Report with the given row numbers and well-placed dependencies.
    fn placed_report(&self) -> Result<RankReport, KktError> {
        Ok(self.well_placed(self.in_given_order(self.report())))
    }

    /// Report with rows named by position in the elimination order.
    fn report(&self) -> RankReport {
        let (qr, norms) = (&self.qr, &self.norms);
        let rows = norms.len();
        let (mut smallest_kept, mut largest_dropped) = (1.0f64, 0.0f64);
        let mut weakest_row = None;
        let mut dependent = Vec::new();
        let columns = qr.columns();
        let mut x = vec![0.0; rows];
        for (row, &shortest) in qr.shortest.iter().enumerate() {
            if qr.kept[row] {
                if shortest < smallest_kept {
                    (smallest_kept, weakest_row) = (shortest, Some(self.order[row] as usize));
                }
                continue;
            }
            largest_dropped = largest_dropped.max(shortest);
            x[..row].fill(0.0);
            for &(k, v) in &columns[row] {
                x[k as usize] = v;
            }
            qr.solve_upper(row, &mut x);
            let others = x[..row]
                .iter()
                .enumerate()
                .filter(|(_, c)| c.abs() > COEFFICIENT_MIN)
                .map(|(i, c)| (i, c * norms[row] / norms[i]))
                .collect();
            dependent.push(DependentRow { row, others });
        }
        RankReport {
            rank: rows - dependent.len(),
            rows,
            smallest_kept,
            weakest_row,
            largest_dropped,
            dependent,
        }
    }

    /// The same null space with given row numbers and earlier rows kept.
    fn in_given_order(&self, mut report: RankReport) -> RankReport {
        if self.given {
            return report;
        }
        let name = |position: usize| self.order[position] as usize;
        // Reduced in terms of unit rows, where sizes are comparable.
        let weights = self.weights();
        let weight = |row: usize| weights[row];
        let vectors = report
            .dependent
            .iter()
            .map(|d| {
                let own = (name(d.row), -weight(name(d.row)));
                let others = d.others.iter().map(|&(i, c)| (name(i), c * weight(name(i))));
                others.chain([own]).collect()
            })
            .collect();
        report.dependent = null_echelon::reduce(vectors)
            .into_iter()
            .map(|(row, v)| DependentRow {
                row,
                others: v
                    .into_iter()
                    .filter(|(i, c)| *i != row && c.abs() > COEFFICIENT_MIN)
                    .map(|(i, c)| (i, c * weight(row) / weight(i)))
                    .collect(),
            })
            .collect();
        report
    }
}

/// Fraction of the largest coefficient that a row must have in a dependency to be the one left out for it: otherwise
/// the kept rows would themselves be almost dependent.
const SIZEABLE: f64 = 0.1;

impl Analysis {
    /// Lengths of the rows as given; 1 for empty ones.
    fn weights(&self) -> Vec<f64> {
        let mut out = vec![1.0; self.norms.len()];
        for (&i, n) in self.order.iter().zip(&self.norms) {
            if *n > 0.0 {
                out[i as usize] = *n;
            }
        }
        out
    }

    /// The same dependencies, each with a sizeable coefficient of the row that is left out.
    fn well_placed(&self, mut report: RankReport) -> RankReport {
        let weights = self.weights();
        let badly = |d: &DependentRow| {
            let own = weights[d.row];
            d.others.iter().any(|(i, c)| (c * weights[*i]).abs() * SIZEABLE > own)
        };
        if !report.dependent.iter().any(badly) {
            return report;
        }
        let vectors = report
            .dependent
            .iter()
            .map(|d| {
                let others = d.others.iter().map(|&(i, c)| (i, c * weights[i]));
                others.chain([(d.row, -weights[d.row])]).collect()
            })
            .collect();
        report.dependent = null_echelon::reduce_sizeable(vectors, SIZEABLE)
            .into_iter()
            .map(|(row, v)| DependentRow {
                row,
                others: v
                    .into_iter()
                    .filter(|(i, c)| *i != row && c.abs() > COEFFICIENT_MIN)
                    .map(|(i, c)| (i, c * weights[row] / weights[i]))
                    .collect(),
            })
            .collect();
        report
    }
}

/// The given order cannot fill too much.
fn is_small(rows: usize) -> bool {
    rows * rows / 2 <= FILL_MAX
}

/// The given order, unless it fills too much.
fn elimination_order(jac: &Csr) -> Result<(Vec<u32>, bool), KktError> {
    let mut rows_of: Vec<Vec<u32>> = vec![Vec::new(); jac.ncols];
    for i in 0..jac.nrows {
        for &j in jac.row(i) {
            rows_of[j].push(i as u32);
        }
    }
    let given: Vec<u32> = (0..jac.nrows as u32).collect();
    if is_small(jac.nrows) {
        return Ok((given, true));
    }
    let (_, fill) = sparse_ldl::clique_fill(jac.nrows, rows_of.iter().cloned())?;
    if fill.len() <= FILL_MAX.max(20 * jac.nrows) {
        return Ok((given, true));
    }
    // no order has less than the rows that meet in one column
    let pairs_of = |rows: &Vec<u32>| rows.len() * rows.len().saturating_sub(1) / 2;
    let least = rows_of.iter().map(pairs_of).max().unwrap_or(0);
    if fill.len() <= 2 * least {
        return Ok((given, true));
    }
    drop(fill);
    let count = rows_of.iter().map(pairs_of).sum::<usize>();
    check_room(jac.nrows, count as f64, size_of::<(u32, u32)>() as f64)?;
    let mut pairs = Vec::with_capacity(count);
    for rows in &rows_of {
        for (k, &i) in rows.iter().enumerate() {
            pairs.extend(rows[..k].iter().map(|&j| (i, j)));
        }
    }
    pairs.sort_unstable();
    pairs.dedup();
    Ok((ordering::minimum_degree(jac.nrows, &pairs)?, false))
}

/// Orthogonal projection on the complement of the left null space, by
/// conjugate gradients on the Gram matrix of the null vectors: it is the
/// identity plus a positive part, so few iterations reach rounding.
fn remove_null_part(report: &RankReport, lambda: &mut [f64]) {
    let null = &report.dependent;
    let apply = |t: &[f64]| {
        let mut out = vec![0.0; report.rows];
        for (d, t) in null.iter().zip(t) {
            out[d.row] -= t;
            for &(i, c) in &d.others {
                out[i] += c * t;
            }
        }
        out
    };
    let apply_t = |x: &[f64]| -> Vec<f64> {
        null.iter()
            .map(|d| d.others.iter().map(|&(i, c)| c * x[i]).sum::<f64>() - x[d.row])
            .collect()
    };
    let dot = |x: &[f64], y: &[f64]| x.iter().zip(y).map(|(a, b)| a * b).sum::<f64>();
    // The outer loop re-evaluates the residual, which CG only recurs.
    for _ in 0..3 {
        let mut residual = apply_t(lambda);
        let mut direction = residual.clone();
        let mut t = vec![0.0; null.len()];
        let mut rr = dot(&residual, &residual);
        let goal = rr * 1e-32;
        for _ in 0..2 * null.len() {
            if rr <= goal {
                break;
            }
            let image = apply_t(&apply(&direction));
            let curvature = dot(&direction, &image);
            if curvature <= 0.0 {
                break;
            }
            let alpha = rr / curvature;
            for k in 0..t.len() {
                t[k] += alpha * direction[k];
                residual[k] -= alpha * image[k];
            }
            let next = dot(&residual, &residual);
            let beta = next / rr;
            rr = next;
            for (d, r) in direction.iter_mut().zip(&residual) {
                *d = r + beta * *d;
            }
        }
        for (l, n) in lambda.iter_mut().zip(apply(&t)) {
            *l -= n;
        }
    }
}
