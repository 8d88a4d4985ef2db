//! Performance profiles: the fraction of a set of cases that a solver solves within a factor of the best. E. D. Dolan,
//! J. J. Moré, "Benchmarking optimization software with performance profiles", Math. Program. 91 (2002) 201–213.

/// Profile of one solver: ρ(τ), the fraction of the cases that it solved within τ times the time of the fastest solver
/// of each case.
#[derive(Debug, Clone, PartialEq)]
pub struct Profile {
    /// Where ρ jumps: τ ≥ 1 in ascending order, and ρ from there on.
    pub jumps: Vec<(f64, f64)>,
}

impl Profile {
    /// ρ(τ).
    pub fn at(&self, tau: f64) -> f64 {
        self.jumps.iter().take_while(|(t, _)| *t <= tau).last().map_or(0.0, |(_, rho)| *rho)
    }
}

/// Times are compared down to this, s: below it clocks are meaningless.
const LEAST: f64 = 1e-9;

/// Profiles of all solvers; `times[s][p]` is the time of solver s for case p, `None` if it failed. A case that no
/// solver solved counts for none. All rows have the same length; missing entries are failures.
pub fn performance_profile(times: &[Vec<Option<f64>>]) -> Vec<Profile> {
    let cases = times.iter().map(Vec::len).max().unwrap_or(0);
    let time = |row: &[Option<f64>], p: usize| {
        row.get(p).copied().flatten().filter(|t| t.is_finite()).map(|t| t.max(LEAST))
    };
    let best: Vec<Option<f64>> = (0..cases)
        .map(|p| times.iter().filter_map(|row| time(row, p)).min_by(f64::total_cmp))
        .collect();
    times
        .iter()
        .map(|row| {
            let mut ratios: Vec<f64> = best
                .iter()
                .enumerate()
                .filter_map(|(p, best)| Some(time(row, p)? / (*best)?))
                .collect();
            ratios.sort_by(f64::total_cmp);
            let mut jumps: Vec<(f64, f64)> = Vec::new();
            for (k, tau) in ratios.iter().enumerate() {
                let rho = (k + 1) as f64 / cases as f64;
                match jumps.last_mut() {
                    Some(last) if last.0 == *tau => last.1 = rho,
                    _ => jumps.push((*tau, rho)),
                }
            }
            Profile { jumps }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Three solvers, four cases, by hand: best times are 1, 2, 4, and nobody does the last.
    #[test]
    fn by_hand() {
        let times = [
            vec![Some(1.0), Some(4.0), Some(4.0), None],
            vec![Some(3.0), Some(2.0), None, None],
            vec![None, None, Some(8.0), None],
        ];
        let p = performance_profile(&times);
        // ratios: 1, 2, 1 | 3, 1 | 2
        assert_eq!(p[0].jumps, [(1.0, 0.5), (2.0, 0.75)]);
        assert_eq!(p[1].jumps, [(1.0, 0.25), (3.0, 0.5)]);
        assert_eq!(p[2].jumps, [(2.0, 0.25)]);
        assert_eq!(
            (p[0].at(0.9), p[0].at(1.0), p[0].at(1.9), p[0].at(99.0)),
            (0.0, 0.5, 0.5, 0.75)
        );
        assert_eq!((p[2].at(1.9), p[2].at(2.0)), (0.0, 0.25));
    }

    #[test]
    fn nothing_and_failures_only() {
        assert!(performance_profile(&[]).is_empty());
        let p = performance_profile(&[vec![None, Some(f64::NAN)], vec![]]);
        assert!(p.iter().all(|p| p.jumps.is_empty() && p.at(1e9) == 0.0));
        // equal times share the first place, even when no clock saw them
        let p = performance_profile(&[vec![Some(0.0)], vec![Some(0.0)]]);
        assert!(p.iter().all(|p| p.at(1.0) == 1.0));
    }
}
