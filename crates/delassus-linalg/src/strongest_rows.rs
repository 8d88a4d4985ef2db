//! Which rows to solve with, among rows that depend on each other: the best conditioned ones at the present position.

use crate::error::KktError;
use crate::pattern::Csr;
use crate::rank::UnitRows;

/// Chooses `rank` of the rows `among`, each time the one that depends least on the rows chosen before. Returns them in
/// ascending order, with the smallest remainder, for rows of unit length: how well conditioned they are. `col_scale`
/// multiplies the columns first. The cost is that of full matrices.
pub fn strongest_rows(
    jac: &Csr,
    values: &[f64],
    col_scale: &[f64],
    among: &[usize],
    rank: usize,
) -> Result<(Vec<usize>, f64), KktError> {
    let unit = UnitRows::new(jac, values, Some(col_scale))?;
    let n = jac.ncols;
    // the remainder of each row
    let mut left = vec![0.0; among.len() * n];
    for (row, i) in left.chunks_exact_mut(n.max(1)).zip(among) {
        for (j, x) in unit.entries(*i) {
            row[j] += x;
        }
    }
    let mut order: Vec<usize> = (0..among.len()).collect();
    let (mut chosen, mut least) = (Vec::with_capacity(rank), 1.0_f64);
    let mut direction = vec![0.0; n];
    for k in 0..rank.min(among.len()) {
        let length = |i: usize| left[i * n..(i + 1) * n].iter().map(|x| x * x).sum::<f64>();
        let Some(best) = (k..order.len()).max_by(|a, b| {
            // of equal ones the earlier row
            length(order[*a]).total_cmp(&length(order[*b])).then(order[*b].cmp(&order[*a]))
        }) else {
            break;
        };
        order.swap(k, best);
        let i = order[k];
        let size = length(i).sqrt();
        least = least.min(size);
        chosen.push(among[i]);
        if !(size > 0.0) {
            continue;
        }
        for (d, x) in direction.iter_mut().zip(&left[i * n..(i + 1) * n]) {
            *d = x / size;
        }
        for &j in &order[k + 1..] {
            let row = &mut left[j * n..(j + 1) * n];
            let part: f64 = row.iter().zip(&direction).map(|(x, d)| x * d).sum();
            row.iter_mut().zip(&direction).for_each(|(x, d)| *x -= part * d);
        }
    }
    chosen.sort_unstable();
    Ok((chosen, least))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_that_say_more_are_chosen() {
        // the first two are almost the same; the third is their sum with something of its own
        let jac = Csr::dense(3, 3);
        let values = [1.0, 0.0, 0.0, 1.0, 1e-3, 0.0, 2.0, 1e-3, 1.0];
        let all = |rank| strongest_rows(&jac, &values, &[1.0; 3], &[0, 1, 2], rank);
        let (rows, least) = all(2).unwrap();
        assert!(rows.contains(&2) && least > 0.4, "{rows:?} {least}");
        let (rows, least) = strongest_rows(&jac, &values, &[1.0; 3], &[0, 1], 2).unwrap();
        assert_eq!(rows, [0, 1]);
        assert!((least - 1e-3).abs() < 1e-8, "{least}");
        let (_, least) = all(3).unwrap();
        assert!(least < 2e-3, "{least}");
    }
}
