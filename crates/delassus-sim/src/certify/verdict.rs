//! What the runs of a round reveal about each other.

use super::reason::{Evidence, SAME_EVENT, doubtful, reason};
use super::round::{Round, Solved};
use super::time_stepping::Pair;
use super::{Certificate, Certified, ColumnBand, Plan, band, events, time_stepping};
use crate::column_scale::column_scales;
use crate::results::{BAND, Channel, Results};
use crate::simulation::RunOutcome;
use crate::verdict::Tone;
use delassus_math::largest;
use delassus_model::{Assembled, EnergyKind, Measure};

/// Factor on the distance of the first run from the others in the choice of the middle one.
const FIRST: f64 = 0.7;

/// Errors that all families of a model with contacts share, relative to the largest column of a unit: sliding friction
/// is rounded off at 1e-9 of the characteristic speed, points count as touching at 1e-10 of the length.
const SHARED_BY_CONTACTS: f64 = 4e-9;

/// A column that counts, with its band.
struct Judged {
    /// Index among the results.
    column: usize,
    /// The size to which the accuracy refers.
    scale: f64,
    /// Half-widths at all samples.
    band: Vec<f64>,
    /// Within the accuracy up to this time, s.
    until: f64,
}

/// Bands around the run in the middle.
pub(super) struct Verdict {
    /// Index of the kept run.
    kept: usize,
    columns: Vec<Judged>,
    /// All columns are within the accuracy up to this time, s.
    pub until: f64,
}

/// Columns whose errors count: sensors, or energies if there are none. The energy balance is itself an error and
/// differs between any two runs.
fn counted(model: &Assembled, results: &Results) -> Vec<usize> {
    let sensors = &model.system.model().sensors;
    let balance = |name: &str| {
        let of_name = sensors.iter().find(|s| s.name == name);
        of_name.is_some_and(|s| matches!(s.measure, Measure::Energy(EnergyKind::Balance)))
    };
    let sensor = |c: &Channel| c.sensor && !balance(&c.name);
    let any = results.channels.iter().any(sensor);
    let wanted = |c: &Channel| match any {
        true => sensor(c),
        false => matches!(c.name.as_str(), "energy.kinetic" | "energy.potential"),
    };
    (0..results.channels.len()).filter(|k| wanted(&results.channels[*k])).collect()
}

impl Verdict {
    /// `None` if fewer than two runs got anywhere.
    pub fn new(model: &Assembled, plan: &Plan, round: &Round) -> Option<Verdict> {
        let solved = &round.solved;
        if solved.len() < 2 {
            return None;
        }
        let first = &solved[0].outcome.results;
        let chosen = counted(model, first);
        let pairs = chosen.iter().map(|k| (&first.channels[*k], first.data[*k].as_slice()));
        let columns: Vec<(usize, f64)> = chosen.iter().copied().zip(column_scales(pairs)).collect();
        let kept = middle(solved, &columns)?;
        let outcome = &solved[kept].outcome;
        let results = &outcome.results;
        let others: Vec<&Results> = others(solved, kept).collect();
        let breaks: Vec<f64> = outcome.events.iter().map(|e| e.t).collect();
        // an error in a speed moves everything, however small its column is
        let unit = |k: usize| results.channels[k].unit.as_str();
        let largest = |column: usize, scale: f64| {
            let alike = columns.iter().filter(|(k, _)| unit(*k) == unit(column));
            alike.fold(scale, |m, (_, s)| m.max(*s))
        };
        let floor = if model.system.has_contacts() { SHARED_BY_CONTACTS } else { 0.0 };
        let judged = |(column, scale): (usize, f64)| {
            let mut band = band::band(results, &others, column, scale, &breaks);
            band.iter_mut().for_each(|b| *b += floor * largest(column, scale));
            let until = confirmed_until(&results.t, &band, plan.accuracy * scale, &breaks);
            Judged { column, scale, band, until }
        };
        let columns: Vec<Judged> = columns.iter().copied().map(judged).collect();
        let end = results.t.last().copied()?;
        let until = columns.iter().map(|c| c.until).fold(end, f64::min);
        // a family that cannot continue casts doubt on those that can
        let failed = solved.iter().filter_map(|s| Some(s.outcome.error.as_ref()?.t));
        let until = failed.fold(until, f64::min);
        Some(Verdict { kept, columns, until })
    }

    /// Takes into account runs that are set aside: where they differ from the kept one by more than the accuracy,
    /// nothing is confirmed. Returns whether they do so before the others.
    pub fn confine(
        &mut self,
        model: &Assembled,
        plan: &Plan,
        round: &Round,
        aside: &Round,
    ) -> bool {
        let before = self.until;
        let outcome = &round.solved[self.kept].outcome;
        let breaks: Vec<f64> = outcome.events.iter().map(|e| e.t).collect();
        for s in &aside.solved {
            let other = &s.outcome.results;
            let rows = other.t.len().min(outcome.results.t.len());
            for c in &mut self.columns {
                let mut band = band::band(&outcome.results, &[other], c.column, c.scale, &breaks);
                band.truncate(rows);
                let allowed = plan.accuracy * c.scale;
                let word = confirmed_until(&outcome.results.t[..rows], &band, allowed, &breaks);
                let whole = rows.checked_sub(1).map(|last| outcome.results.t[last]);
                // a run that ended early says nothing about later times
                if whole.is_some_and(|end| word < end) {
                    c.until = c.until.min(word.max(model.state.t));
                }
            }
        }
        self.until = self.columns.iter().map(|c| c.until).fold(before, f64::min);
        self.until < before
    }

    /// Largest relative half-width.
    pub fn largest(&self) -> f64 {
        let all = self.columns.iter().flat_map(|c| c.band.iter().map(move |x| x / c.scale));
        largest(all.filter(|x| x.is_finite()))
    }

    /// Until when time-stepping confirms the kept run of a round.
    pub fn confirmed_by(&self, round: &Round, pair: &Pair) -> f64 {
        let columns = self.columns.iter().map(|c| (c.column, c.scale, c.band.as_slice()));
        time_stepping::until(&round.solved[self.kept].outcome.results, pair, columns)
    }

    /// The certificate and the kept run.
    pub fn finish(
        mut self,
        model: &Assembled,
        plan: &Plan,
        mut round: Round,
        remarks: Vec<String>,
        before: Option<f64>,
        pair: Option<&Pair>,
    ) -> Certified {
        let word = pair.map(|pair| (pair, self.confirmed_by(&round, pair)));
        let mut kept = round.solved.swap_remove(self.kept);
        kept.run.kept = true;
        let results = &kept.outcome.results;
        let mut by_stepping = None;
        if let Some((pair, word)) = word.filter(|(_, word)| *word < self.until) {
            // two samples deviate behind it
            let seen = results.t.iter().copied().filter(|t| *t > word).nth(1).unwrap_or(word);
            by_stepping = Some((pair.step, seen));
            self.until = word;
            self.columns.iter_mut().for_each(|c| c.until = c.until.min(word));
        }
        let end = results.t.last().copied().unwrap_or(model.state.t);
        let reached = kept.outcome.summary.t_end >= plan.options.t_end;
        let agreed = reached && self.until >= end;
        let doubt = kept.outcome.summary.verdict.tone == Tone::Bad;
        let certified = agreed && !doubt;
        let outcomes: Vec<&RunOutcome> = std::iter::once(&*kept.outcome)
            .chain(round.solved.iter().map(|s| &*s.outcome))
            .collect();
        let why = (!certified).then(|| {
            if agreed {
                return doubtful(&kept.outcome.summary.verdict, end);
            }
            reason(&Evidence {
                t: self.until,
                span: plan.options.t_end - model.state.t,
                runs: &outcomes,
                growth: &self.growth(results),
                before,
                by_stepping,
                not_unique: &self.not_unique(model, results, end),
            })
        });
        let lists: Vec<&[_]> = outcomes[1..].iter().map(|o| o.events.as_slice()).collect();
        let window = SAME_EVENT * (plan.options.t_end - model.state.t);
        let events = events::event_bands(&kept.outcome.events, &lists, self.until, window);
        let columns = self.columns.iter().map(|c| c.told(results)).collect();
        let mut runs = vec![kept.run];
        runs.extend(round.runs());
        let certificate = Certificate {
            certified,
            accuracy: plan.accuracy,
            until: self.until,
            reason: why,
            runs,
            columns,
            events,
            remarks,
        };
        let mut outcome = *kept.outcome;
        add_bands(&mut outcome.results, self.columns);
        Certified { outcome, certificate }
    }

    /// Time and largest relative half-width at every sample.
    fn growth(&self, results: &Results) -> Vec<(f64, f64)> {
        let at = |row: usize| largest(self.columns.iter().map(|c| c.band[row] / c.scale));
        results.t.iter().enumerate().map(|(row, t)| (*t, at(row))).collect()
    }

    /// Names of the columns that are off, if all of them are reactions of joints whose reactions are not unique.
    fn not_unique(&self, model: &Assembled, results: &Results, end: f64) -> Vec<String> {
        let described = model.system.model();
        let shared = |name: &str| {
            let sensor = described.sensors.iter().find(|s| s.name == name);
            sensor.is_some_and(|s| match &s.measure {
                Measure::Reaction(joint, ..) => {
                    let joint = described.joints.get(joint.0);
                    joint.is_some_and(|j| model.report.non_unique.contains(&j.name))
                }
                _ => false,
            })
        };
        let off = self.columns.iter().filter(|c| c.until < end);
        let off: Vec<String> = off.map(|c| results.channels[c.column].name.clone()).collect();
        if off.iter().all(|n| shared(n)) { off } else { Vec::new() }
    }
}

impl Judged {
    fn told(&self, results: &Results) -> ColumnBand {
        let channel = &results.channels[self.column];
        let within = results.t.iter().zip(&self.band).filter(|(t, _)| **t <= self.until);
        ColumnBand {
            name: channel.name.clone(),
            unit: channel.unit.clone(),
            scale: self.scale,
            worst: largest(within.map(|(_, b)| *b).filter(|b| b.is_finite())),
            until: self.until,
        }
    }
}

/// Results of all runs but one.
fn others(solved: &[Solved], but: usize) -> impl Iterator<Item = &Results> {
    let rest = solved.iter().enumerate().filter(move |(k, _)| *k != but);
    rest.map(|(_, s)| &s.outcome.results)
}

/// Of the runs that got farthest, the one that is nearest to the others.
fn middle(solved: &[Solved], columns: &[(usize, f64)]) -> Option<usize> {
    let reach = |k: usize| solved[k].outcome.results.t.len();
    let farthest = (0..solved.len()).map(reach).max()?;
    let distance = |k: usize| {
        let rest: Vec<&Results> = others(solved, k).collect();
        band::distance(&solved[k].outcome.results, &rest, columns)
    };
    // the first one is the requested method, or the default one: another must be clearly nearer
    let weight = |k: usize| if k == 0 { FIRST } else { 1.0 };
    let able = (0..solved.len()).filter(|k| reach(*k) == farthest);
    let able = able.map(|k| (k, weight(k) * distance(k)));
    able.min_by(|a, b| a.1.total_cmp(&b.1)).map(|(k, _)| k)
}

/// The last sample before the band is wider than allowed. A single sample next to an event may be on either side of it
/// and does not count.
fn confirmed_until(t: &[f64], band: &[f64], allowed: f64, breaks: &[f64]) -> f64 {
    let beside_event = |row: usize| {
        let before = if row == 0 { f64::NEG_INFINITY } else { t[row - 1] };
        let after = t.get(row + 1).copied().unwrap_or(f64::INFINITY);
        breaks.iter().any(|b| (before..=after).contains(b))
    };
    for row in 0..t.len() {
        if !(band[row] <= allowed) {
            let single = band.get(row + 1).is_some_and(|b| *b <= allowed);
            if !(single && beside_event(row)) {
                return t[row.saturating_sub(1)];
            }
        }
    }
    t.last().copied().unwrap_or(f64::NEG_INFINITY)
}

/// Adds the columns of the bands, with no value where nothing confirms one.
fn add_bands(results: &mut Results, columns: Vec<Judged>) {
    for c in columns {
        let of = &results.channels[c.column];
        let name = format!("{}{BAND}", of.name);
        results.channels.push(Channel { name, sensor: false, ..of.clone() });
        let known = |x: f64| if x.is_finite() { x } else { f64::NAN };
        results.data.push(c.band.into_iter().map(known).collect());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_single_sample_beside_an_event_does_not_end_the_agreement() {
        let t = [0.0, 1.0, 2.0, 3.0, 4.0];
        let band = [0.0, 0.0, 1.0, 0.0, 0.0];
        assert_eq!(confirmed_until(&t, &band, 0.1, &[]), 1.0);
        assert_eq!(confirmed_until(&t, &band, 0.1, &[1.9]), 4.0);
        assert_eq!(confirmed_until(&t, &[0.0, 0.0, 1.0, 1.0, 0.0], 0.1, &[1.9]), 1.0);
        let unknown = [0.0, f64::NAN, 0.0, 0.0, 0.0];
        assert_eq!(confirmed_until(&t, &unknown, 0.1, &[]), 0.0);
    }
}
