//! What the runs of a set say about methods: who solves what, at what cost.
//!
//! Three questions, each with a performance profile ρ_s(τ), the part of the mechanisms that method s solves within τ
//! times the cost of the best method (E. D. Dolan, J. J. Moré, Math. Program. 91 (2002) 201–213):
//!
//! * *at equal tolerance*, as in tables of other authors: the CPU time at one tolerance. A run solves its mechanism if
//!   it reached the end and its error is at most a number of tolerances, [`OFF`] if the user gives none.
//! * *at equal error*: the CPU time, or the work, at which a method reaches a measured error, from its runs at all tolerances, by a
//!   straight line between two of them in logarithms. No run is extrapolated: a method whose loosest run is better than
//!   required pays for that run. A method none of whose runs is good enough does not solve the mechanism. Mechanisms
//!   whose reference is not known that well are left out.

use super::record::{Run, Work};
use delassus::sim::compare::{Profile, performance_profile};
use serde::Serialize;
use std::collections::HashMap;

/// A run with an error of more than so many tolerances is not a solution. The error of a run adds up over its steps, so
/// that some tolerances are to be expected; two digits are lost at this number.
pub const OFF: f64 = 100.0;
/// Errors at which methods are compared: ten times the usual tolerances.
pub const ERRORS: [f64; 3] = [1e-3, 1e-5, 1e-7];
/// Places at which profiles are listed.
pub const TAUS: [f64; 4] = [1.0, 1.2, 5.0, 80.0];

/// What a run costs.
type Measure = fn(&Work) -> f64;

/// Uncertainties of references by mechanism.
pub type Known = HashMap<String, f64>;

/// The runs of a set by mechanism, method and tolerance.
pub struct Sheet<'a> {
    /// Mechanisms in alphabetical order.
    pub mechanisms: Vec<String>,
    /// Methods as requested.
    pub methods: Vec<String>,
    /// Tolerances, loose before tight.
    pub rtols: Vec<f64>,
    runs: HashMap<(&'a str, &'a str, u64), &'a Run>,
    known: &'a Known,
    off: f64,
}

/// A question and its answer for every method.
#[derive(Debug, Clone)]
pub struct Ranking {
    /// `tolerance`, `error`, or `work`: CPU time at a tolerance or an error, work at an error.
    pub by: &'static str,
    /// The tolerance or error.
    pub level: f64,
    /// Mechanisms that count.
    pub mechanisms: usize,
    /// One per method.
    pub profiles: Vec<Profile>,
}

/// A profile at some places.
#[derive(Debug, Clone, Serialize)]
pub struct Listed<'a> {
    method: &'a str,
    /// Part of the mechanisms that are solved.
    solved: f64,
    /// τ and ρ(τ).
    rho: Vec<(f64, f64)>,
    /// Where ρ jumps, and to what.
    jumps: &'a [(f64, f64)],
}

impl<'a> Sheet<'a> {
    /// From runs in any order.
    pub fn new(
        mechanisms: Vec<String>,
        methods: Vec<String>,
        rtols: Vec<f64>,
        runs: &[&'a Run],
        known: &'a Known,
        off: f64,
    ) -> Sheet<'a> {
        let key = |r: &'a Run| (r.mechanism.as_str(), r.method.as_str(), r.rtol.to_bits());
        let runs = runs.iter().map(|r| (key(r), *r)).collect();
        Sheet { mechanisms, methods, rtols, runs, known, off }
    }

    /// One run, if it has been made.
    pub fn run(&self, mechanism: &str, method: &str, rtol: f64) -> Option<&'a Run> {
        self.runs.get(&(mechanism, method, rtol.to_bits())).copied()
    }

    /// How well the reference of a mechanism is known, relative to its columns.
    fn uncertainty(&self, mechanism: &str) -> f64 {
        self.known.get(mechanism).copied().unwrap_or(f64::INFINITY)
    }

    /// The error of a run is larger than its tolerance and the reference explain. Without a reference nothing is known.
    pub fn is_off(&self, run: &Run) -> bool {
        let allowed = self.off * run.rtol + self.uncertainty(&run.mechanism);
        run.done && run.error.as_ref().is_some_and(|e| !(e.relative <= allowed))
    }

    /// CPU time of a run that solves its mechanism.
    fn time(&self, mechanism: &str, method: &str, rtol: f64) -> Option<f64> {
        let run = self.run(mechanism, method, rtol)?;
        let cost = run.cost.as_ref().filter(|_| run.done && !self.is_off(run))?;
        Some(cost.cpu_s)
    }

    /// Cost at which a method reaches an error. What is below the uncertainty of the reference counts as that.
    fn cost_at_error(
        &self,
        mechanism: &str,
        method: &str,
        error: f64,
        cost: impl Fn(&Work) -> f64,
    ) -> Option<f64> {
        let floor = self.uncertainty(mechanism);
        let points = self.rtols.iter().filter_map(|r| {
            let run = self.run(mechanism, method, *r).filter(|r| r.done)?;
            let e = run.error.as_ref()?.relative;
            let cost = cost(run.cost.as_ref()?);
            e.is_finite().then_some((e.max(floor), cost))
        });
        reach(&points.collect::<Vec<_>>(), error)
    }

    fn ranking(
        &self,
        by: &'static str,
        level: f64,
        counts: impl Fn(&str) -> bool,
        time: impl Fn(&str, &str) -> Option<f64>,
    ) -> Ranking {
        let cases: Vec<&str> =
            self.mechanisms.iter().map(String::as_str).filter(|m| counts(m)).collect();
        let row = |s: &String| cases.iter().map(|p| time(p, s)).collect::<Vec<_>>();
        let times: Vec<Vec<Option<f64>>> = self.methods.iter().map(row).collect();
        Ranking { by, level, mechanisms: cases.len(), profiles: performance_profile(&times) }
    }

    /// All questions: each tolerance, then each error, by time and by work.
    pub fn rankings(&self) -> Vec<Ranking> {
        let by_rtol = self
            .rtols
            .iter()
            .map(|r| self.ranking("tolerance", *r, |_| true, |p, s| self.time(p, s, *r)));
        let costs: [(&str, Measure); 2] = [("error", |c| c.cpu_s), ("work", Work::units)];
        let by_error = costs.iter().flat_map(|(by, cost)| {
            ERRORS.iter().map(move |e| {
                let decidable = |p: &str| self.uncertainty(p) <= *e;
                self.ranking(by, *e, decidable, |p, s| self.cost_at_error(p, s, *e, cost))
            })
        });
        by_rtol.chain(by_error).collect()
    }

    /// Profiles of a ranking at the places of the tables.
    pub fn listed<'b>(&'b self, ranking: &'b Ranking) -> Vec<Listed<'b>> {
        let of = |(method, p): (&'b String, &'b Profile)| Listed {
            method,
            solved: p.at(f64::INFINITY),
            rho: TAUS.iter().map(|t| (*t, p.at(*t))).collect(),
            jumps: &p.jumps,
        };
        self.methods.iter().zip(&ranking.profiles).map(of).collect()
    }

    /// The mechanism on which implicit methods take the longest steps beside those of explicit ones, at the same
    /// tolerance, and the ratio of the two.
    pub fn stiffest(&self, implicit: impl Fn(&str) -> bool) -> Option<(&str, f64)> {
        let longest = |p: &str, rtol: f64, stiff: bool| {
            let of_kind = self.methods.iter().filter(|s| implicit(s) == stiff);
            let steps = of_kind.filter_map(|s| {
                self.time(p, s, rtol)?;
                self.run(p, s, rtol)?
                    .cost
                    .as_ref()
                    .filter(|c| c.step.is_none())
                    .map(|c| c.mean_step)
            });
            steps.reduce(f64::max).filter(|h| *h > 0.0)
        };
        let ratio = |p: &str| {
            let at = |r: &f64| Some(longest(p, *r, true)? / longest(p, *r, false)?);
            self.rtols.iter().filter_map(at).reduce(f64::max)
        };
        let all = self.mechanisms.iter().filter_map(|p| Some((p.as_str(), ratio(p)?)));
        all.reduce(|a, b| if b.1 > a.1 { b } else { a })
    }
}

/// The cost at which an error is reached, given errors and costs from loose to tight.
fn reach(points: &[(f64, f64)], error: f64) -> Option<f64> {
    let mut best: Option<f64> = None;
    for (k, (e, cost)) in points.iter().enumerate() {
        if *e > error {
            continue;
        }
        let before = k.checked_sub(1).and_then(|b| points.get(b)).filter(|(e, _)| *e > error);
        let here = match before {
            // between a run that is too loose and one that is good enough
            Some((loose, cheap)) if *e > 0.0 && *cheap < *cost => {
                let part = (loose / error).ln() / (loose / e).ln();
                cheap * (cost / cheap).powf(part)
            }
            _ => *cost,
        };
        best = Some(best.map_or(here, |b| b.min(here)));
    }
    best
}

#[cfg(test)]
mod tests {
    use super::super::record::tests::run;
    use super::*;

    fn sheet<'a>(runs: &'a [Run], known: &'a Known) -> Sheet<'a> {
        let names = |list: &[&str]| list.iter().map(|s| (*s).to_owned()).collect();
        let runs: Vec<&Run> = runs.iter().collect();
        Sheet::new(
            names(&["a", "b", "c"]),
            names(&["fast", "good"]),
            vec![1e-4, 1e-6],
            &runs,
            known,
            OFF,
        )
    }

    /// Three mechanisms, two methods, two tolerances, all by hand.
    #[test]
    fn profiles_by_hand() {
        let known: Known =
            [("a", 1e-9), ("b", 1e-9), ("c", 1e-4)].map(|(n, u)| (n.to_owned(), u)).into();
        let mut failed = run("b", "fast", 1e-6, 9.0, None);
        failed.done = false;
        let runs = [
            run("a", "fast", 1e-4, 1.0, Some(1e-2)),
            run("a", "fast", 1e-6, 4.0, Some(1e-6)),
            run("a", "good", 1e-4, 2.0, Some(1e-4)),
            run("a", "good", 1e-6, 3.0, Some(1e-7)),
            // reaches its end and is far off
            run("b", "fast", 1e-4, 1.0, Some(0.5)),
            failed,
            run("b", "good", 1e-4, 10.0, Some(1e-4)),
            run("b", "good", 1e-6, 20.0, Some(1e-6)),
            run("c", "fast", 1e-4, 1.0, Some(1e-3)),
            run("c", "fast", 1e-6, 6.0, Some(1e-5)),
            run("c", "good", 1e-4, 1.0, Some(2e-4)),
            run("c", "good", 1e-6, 1.1, Some(1e-6)),
        ];
        let s = sheet(&runs, &known);
        let all = s.rankings();
        let told: Vec<(&str, f64, usize)> =
            all.iter().map(|r| (r.by, r.level, r.mechanisms)).collect();
        assert_eq!(
            told,
            [
                ("tolerance", 1e-4, 3),
                ("tolerance", 1e-6, 3),
                ("error", 1e-3, 3),
                ("error", 1e-5, 2),
                ("error", 1e-7, 2),
                ("work", 1e-3, 3),
                ("work", 1e-5, 2),
                ("work", 1e-7, 2)
            ]
        );
        let jumps = |k: usize, s: usize| all[k].profiles[s].jumps.as_slice();
        let third = 1.0 / 3.0;
        // at 1e-4: a 1 and 2 s, b only `good`, c equal
        assert_eq!(jumps(0, 0), [(1.0, 2.0 * third)]);
        assert_eq!(jumps(0, 1), [(1.0, 2.0 * third), (2.0, 1.0)]);
        // at 1e-6: a 4 and 3 s, b only `good`; the reference of c is too rough to call its run off
        assert_eq!(jumps(1, 0), [(4.0 / 3.0, third), (6.0 / 1.1, 2.0 * third)]);
        assert_eq!(jumps(1, 1), [(1.0, 1.0)]);
        // error 1e-3: `fast` on a lies a quarter of the way from 1e-2 to 1e-6, so 4^(1/4) s; `good` 2 s
        let q = 4.0_f64.powf(0.25);
        let close = |a: f64, b: f64| (a - b).abs() < 1e-12;
        assert!(close(jumps(2, 1)[1].0, 2.0 / q), "{:?}", jumps(2, 1));
        assert_eq!(jumps(2, 0).last().unwrap().1, 2.0 * third);
        // error 1e-7: only `good` on a reaches it, and c is left out
        assert_eq!((jumps(4, 0).len(), jumps(4, 1)), (0, &[(1.0, 0.5)][..]));
        // all runs have the same work, whatever their time
        assert_eq!(jumps(5, 0), [(1.0, 2.0 * third)]);
        assert_eq!(jumps(5, 1), [(1.0, 1.0)]);
        assert_eq!(
            s.listed(&all[1])[0].rho,
            [(1.0, 0.0), (1.2, 0.0), (5.0, third), (80.0, 2.0 * third)]
        );
    }

    #[test]
    fn costs_at_an_error() {
        assert_eq!(reach(&[(1e-2, 1.0), (1e-4, 4.0)], 1e-2), Some(1.0));
        assert_eq!(reach(&[(1e-2, 1.0), (1e-4, 4.0)], 1e-3), Some(2.0));
        assert_eq!(reach(&[(1e-2, 1.0), (1e-4, 4.0)], 1e-5), None);
        // nothing is known about what is looser than the loosest
        assert_eq!(reach(&[(1e-5, 3.0)], 1e-2), Some(3.0));
        // the tighter run was cheaper
        assert_eq!(reach(&[(1e-2, 5.0), (1e-4, 4.0)], 1e-3), Some(4.0));
        // errors that do not fall with the tolerance
        assert_eq!(reach(&[(1e-4, 1.0), (1e-2, 4.0)], 1e-3), Some(1.0));
        assert_eq!(reach(&[(1e-2, 1.0), (0.0, 4.0)], 1e-3), Some(4.0));
    }

    #[test]
    fn the_stiffest_is_where_implicit_steps_are_longest() {
        let known = Known::new();
        let with_step = |p: &str, s: &str, h: f64| {
            let mut r = run(p, s, 1e-4, 1.0, None);
            r.cost.as_mut().unwrap().mean_step = h;
            r
        };
        let runs = [
            with_step("a", "fast", 0.1),
            with_step("a", "good", 0.2),
            with_step("b", "fast", 0.01),
            with_step("b", "good", 0.05),
            with_step("c", "good", 9.0),
        ];
        assert_eq!(sheet(&runs, &known).stiffest(|s| s == "good"), Some(("b", 5.0)));
        assert_eq!(sheet(&[], &known).stiffest(|s| s == "good"), None);
    }
}
