//! Tyres on the path of a step: what a road does between two stages, and where a wheel leaves it or lands.
//!
//! The centre of a wheel is followed along x and y from one end of a step to the other, and so is the height at which
//! it would just touch. Along this path the depth is h(x, y) less that height. Where it changes sign the force has a
//! kink, and the step ends there, as at the switches of other laws (`../way.rs`). Where it is positive, a road by
//! expression is compared with a polynomial by ranges of Taylor coefficients; where these say nothing, at the joints of
//! tables and on grids, a height counts that is between two stages and beyond those at both of them: a bump that no
//! stage need have seen.

use super::super::way::{End, joined};
use super::super::{System, Workspace, time};
use crate::{Height, Road, Wheel, road_var};
use delassus_dae::Stretch;
use delassus_expr::{Jet, Range};
use delassus_math::Vec3;
use time::N;

/// Heights of a grid that are looked at between two of its lines.
const PER_CELL: usize = 4;
/// Most of them in a part of a step.
const MOST: usize = 4000;

/// Places at which the road is looked at between two fixed steps, and the part of the depth at nominal load that counts there.
const LOOKS: usize = 16;
const HIDDEN: f64 = 0.1;

/// A wheel from one end of a step to the other.
#[derive(Debug, Clone, Copy, Default)]
pub(in crate::system) struct Track {
    /// x and y of the centre, and the height of a road that would just be touched.
    start: [End; 3],
    end: [End; 3],
    /// Coefficients over the part of the step, 0 to 1.
    path: [[f64; 6]; 3],
}

/// What is known of a height in a part of the path.
struct Heights {
    range: Range,
    /// Distance from a polynomial, if it is known.
    off: Option<f64>,
    /// How far the range goes beyond the heights at both ends.
    hidden: f64,
}

fn at(c: &[f64; 6], s: f64) -> f64 {
    c.iter().rev().fold(0.0, |x, c| x * s + c)
}

impl Track {
    /// The end is the start of the next step.
    pub fn keep_end(&mut self) {
        self.start = self.end;
    }

    /// Height of the road in a part of the path, at two places of it.
    fn heights(&self, road: &Road, a: f64, b: f64, part: &Stretch) -> Heights {
        let here = |s: f64| road.at(at(&self.path[0], s), at(&self.path[1], s))[0];
        let beyond = |r: Range, p: f64, q: f64| (r.hi - p.max(q)).max(p.min(q) - r.lo).max(0.0);
        match &road.height {
            Height::Level(z) => {
                Heights { range: Range { lo: *z, hi: *z }, off: Some(0.0), hidden: 0.0 }
            }
            Height::Expression(e) => {
                let mut vars = [Jet::<N>::constant(0.0); 3];
                vars[road_var::X] = Jet::polynomial(&self.path[0], a, b);
                vars[road_var::Y] = Jet::polynomial(&self.path[1], a, b);
                let jet = e.over(&vars);
                let range = jet.c[0];
                let off =
                    jet.decided.then(|| time::off_polynomial(&jet, b - a, part.degree as usize));
                Heights { range, off, hidden: beyond(range, here(a), here(b)) }
            }
            Height::Grid(grid) => {
                let crossed = |k: usize| {
                    let (p, q) = (at(&self.path[k], a), at(&self.path[k], b));
                    let (p, q) = (p.min(q), p.max(q));
                    grid.lines()[k].iter().filter(|x| p < **x && **x < q).count()
                };
                let cells = 1 + crossed(0) + crossed(1);
                let looks = (PER_CELL * cells).min(MOST);
                let (first, last) = (here(a), here(b));
                let mut range = Range { lo: first.min(last), hi: first.max(last) };
                for k in 1..looks {
                    let h = here(a + (b - a) * k as f64 / looks as f64);
                    range = Range { lo: range.lo.min(h), hi: range.hi.max(h) };
                }
                Heights { range, off: None, hidden: beyond(range, first, last) }
            }
        }
    }
}

impl System {
    /// Whether some tyre has a road in space.
    pub(in crate::system) fn watches_roads(&self) -> bool {
        self.tyres.iter().any(|t| t.tyre.wheel != Wheel::Planar)
    }

    pub(in crate::system) fn road_tracks(&self) -> Vec<Track> {
        vec![Track::default(); if self.watches_roads() { self.tyres.len() } else { 0 }]
    }

    /// Records the wheels at the realised state, at the start of a step or at its end.
    pub(in crate::system) fn take_down_wheels(
        &self,
        ws: &Workspace,
        a: &[f64],
        end: bool,
        tracks: &mut [Track],
    ) {
        for ((tyre, touch), track) in self.tyres.iter().zip(&ws.touches).zip(tracks) {
            let f = &ws.kin.frames[tyre.at];
            let to = self.jac(&ws.kin, tyre.at).map_or(Vec3::zeros(), |j| j.acceleration(a));
            let road = tyre.tyre.road.at(f.p.x, f.p.y);
            // the depth is measured along the normal
            let slope = (1.0 + road[1] * road[1] + road[2] * road[2]).sqrt();
            let free = road[0] - touch.depth * slope;
            let rate = road[1] * f.v.x + road[2] * f.v.y - tyre.depth_rate(f) * slope;
            let now = [[f.p.x, f.v.x, to.x], [f.p.y, f.v.y, to.y], [free, rate, f64::NAN]];
            *(if end { &mut track.end } else { &mut track.start }) = now;
        }
    }

    /// Joins the recorded ends of a step over h.
    pub(in crate::system) fn span_wheels(&self, h: f64, tracks: &mut [Track]) {
        for track in tracks {
            for (path, (x0, x1)) in track.path.iter_mut().zip(track.start.iter().zip(&track.end)) {
                *path = joined(x0, x1, h);
            }
        }
    }

    /// What one tyre does, in a part of the path, that its ends need not show, as an acceleration, and whether it stays
    /// on the road or off it.
    fn unseen_of_tyre(&self, k: usize, track: &Track, part: &Stretch) -> (f64, bool) {
        let tyre = &self.tyres[k];
        if tyre.tyre.wheel == Wheel::Planar {
            return (0.0, true);
        }
        let effect = self.pushed(tyre.at);
        let length = (part.to - part.from) / part.pieces;
        let (mut worst, mut smooth, mut from) = (0.0_f64, true, part.from);
        while from < part.to - 0.5 * length {
            let (a, b) = (from, from + length);
            let heights = track.heights(&tyre.tyre.road, a, b, part);
            let free: Jet<N> = Jet::polynomial(&track.path[2], a, b);
            let deep = heights.range.hi - free.c[0].lo;
            let (shallow, off) = match heights.range.lo - free.c[0].hi {
                d if d > 0.0 => (d, heights.off.unwrap_or(heights.hidden)),
                _ => (0.0, 0.0),
            };
            let (force, slope) = tyre.elastic(deep.max(0.0));
            if shallow == 0.0 && deep > 0.0 {
                smooth = false;
                worst = worst.max(0.5 * force.abs() * effect);
            } else if deep > 0.0 {
                worst = worst.max(slope.abs() * off * effect);
            }
            if !worst.is_finite() {
                return (f64::INFINITY, false);
            }
            from = b;
        }
        (worst, smooth)
    }

    /// The same for all of them, over the paces of their groups.
    pub(in crate::system) fn unseen_of_roads(
        &self,
        tracks: &[Track],
        part: &Stretch,
        paces: &[f64],
    ) -> (f64, bool) {
        let mut all = (0.0_f64, true);
        for (k, track) in tracks.iter().enumerate() {
            let (unseen, smooth) = self.unseen_of_tyre(k, track, part);
            let group = self.group_of_frames([self.tyres[k].at]).unwrap_or(0);
            all = (all.0.max(unseen / paces.get(group).copied().unwrap_or(1.0)), all.1 && smooth);
        }
        all
    }

    /// A tyre below which the road goes up or down and back between both ends of the path, by a part of what its load presses
    /// it in: for fixed steps, of which none sees that.
    pub(in crate::system) fn hidden_road(&self, tracks: &[Track]) -> Option<String> {
        let found = self.tyres.iter().zip(tracks).find(|(tyre, track)| {
            let road = &tyre.tyre.road;
            let height = |k: usize| {
                let s = k as f64 / LOOKS as f64;
                road.at(at(&track.path[0], s), at(&track.path[1], s))[0]
            };
            let ends = [height(0), height(LOOKS)];
            let (low, high) = (ends[0].min(ends[1]), ends[0].max(ends[1]));
            let free = [at(&track.path[2], 0.0), at(&track.path[2], 1.0)];
            let pressed = tyre.pressed_in();
            (1..LOOKS).any(|k| {
                let h = height(k);
                let beyond = (h - high).max(low - h);
                // a wheel far above the road does not feel it
                beyond > HIDDEN * pressed && h.max(high) > free[0].min(free[1])
            })
        });
        found.map(|(tyre, _)| format!("the road below force \"{}\"", tyre.name))
    }

    /// The tyre that does most between both ends of the path, with how much.
    pub(in crate::system) fn most_restless_tyre(&self, tracks: &[Track]) -> Option<(f64, String)> {
        let whole = Stretch { from: 0.0, to: 1.0, pieces: 1.0, degree: 0, enough: 0.0 };
        let of = |(k, track)| {
            (self.unseen_of_tyre(k, track, &whole).0, format!("force \"{}\"", self.tyres[k].name))
        };
        tracks.iter().enumerate().map(of).max_by(|a, b| a.0.total_cmp(&b.0))
    }
}
