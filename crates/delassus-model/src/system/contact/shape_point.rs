//! Points of two shapes: features, position, rows and rates.

use super::moving::Moving;
use super::touch::{Leaving, Piece, Side, Touch, touch};
use crate::system::body::FrameKin;
use crate::system::build::contacts::rough;
use crate::system::contact::shapes::ShapeLayout;
use crate::system::{System, Workspace};
use delassus_dae::{ContactPoint, PointLaw};
use delassus_geom::{Contact, Feature};
use delassus_math::Vec3;

/// The two highest bits of the first feature store the axis from which tangents are made.
const AXIS_SHIFT: u32 = 30;
const PART: u32 = (1 << AXIS_SHIFT) - 1;

/// Those of the second store whether the edges of shape a and b are reversed.
const TURNED: [u32; 2] = [1 << 30, 1 << 31];

/// Feature ids of the geometry.
pub(super) fn parts(features: [u32; 2]) -> [u32; 2] {
    features.map(|f| f & PART)
}

/// A feature as it takes part in a contact: edges may be reversed.
pub(super) fn turned(feature: Feature, round: bool) -> Feature {
    match feature {
        Feature::Line { point, direction, radius } if round => {
            Feature::Line { point, direction: -direction, radius }
        }
        other => other,
    }
}

/// Whether a contact has the edge of a shape reversed.
pub(super) fn is_turned(own: Option<Feature>, used: &Feature) -> bool {
    match (own, used) {
        (Some(Feature::Line { direction: d, .. }), Feature::Line { direction: e, .. }) => {
            d.dot(e) < 0.0
        }
        _ => false,
    }
}

pub(super) fn axis_of(features: [u32; 2]) -> usize {
    (features[0] >> AXIS_SHIFT) as usize % 3
}

/// The part of a shape that touches, by id.
pub(super) fn piece(s: &ShapeLayout, id: u32, feature: Feature) -> Piece {
    match s.shape.rim(id) {
        Some((center, radius)) => Piece::Rim { center, radius },
        None => Piece::Fixed(feature),
    }
}

/// Rate at which the tangents turn about the normal beyond the mean of both bodies, rad/s.
pub(super) fn turning(directions: &[Moving; 3], a: &FrameKin, b: &FrameKin) -> f64 {
    let [n, u, w] = directions;
    u.d.dot(&w.x) - 0.5 * n.x.dot(&(a.w + b.w))
}

impl System {
    /// Whether both bodies move in the plane (the ground goes with either).
    pub(super) fn is_flat(&self, a: usize, b: usize) -> bool {
        let s = &self.contacts.shapes;
        s[a].planar.or(s[b].planar).unwrap_or(false)
    }

    pub(super) fn shape_law(&self, a: usize, b: usize) -> PointLaw {
        let pairs = &self.contacts.pairs;
        let directions = if self.is_flat(a, b) { 1 } else { 2 };
        // every point comes from a pair that has a rule
        let rule = pairs.rule(a, b).unwrap_or(0);
        if pairs.rules[rule].law.is_some() {
            return PointLaw::Compliant;
        }
        rough(&pairs.rules[rule].surface, directions)
    }

    pub(super) fn shape_columns(&self, a: usize, b: usize, out: &mut Vec<usize>) {
        let [x, y] = [a, b].map(|s| self.frames[self.contacts.shapes[s].frame].span());
        let (first, last) = if x.start <= y.start { (x, y) } else { (y, x) };
        // two frames of one body may follow the same velocities
        out.extend(first.clone());
        out.extend(last.start.max(first.end)..last.end);
    }

    /// The features of a point: those it had before, or those that face each other now. The ids are those of a
    /// [`ContactPoint`] except for the axis.
    pub(super) fn features(
        &self,
        (a, b): (&ShapeLayout, &ShapeLayout),
        (pa, pb): (&Side<'_>, &Side<'_>),
        slot: u32,
        keep: bool,
        before: Option<[u32; 2]>,
    ) -> Option<([Piece; 2], [u32; 2])> {
        if let (Some(fa), Some(fb)) = (a.only, b.only) {
            return Some(([Piece::Fixed(fa), Piece::Fixed(fb)], [0, 0]));
        }
        let ids = before.map(parts);
        if let (Some(ids), Some(before), true) = (ids, before, keep)
            && let (Some(fa), Some(fb)) = (a.shape.feature(ids[0]), b.shape.feature(ids[1]))
        {
            let [fa, fb] =
                [(fa, TURNED[0]), (fb, TURNED[1])].map(|(f, bit)| turned(f, before[1] & bit != 0));
            let pieces = [piece(a, ids[0], fa), piece(b, ids[1], fb)];
            return Some((pieces, [ids[0], ids[1] | (before[1] & !PART)]));
        }
        let c = self.contacts.prepared.get(a, b)?.slot(slot, &pa.pose, &pb.pose, ids)?;
        let [ia, mut ib] = c.feature_ids;
        if is_turned(a.shape.feature(ia), &c.features[0]) {
            ib |= TURNED[0];
        }
        if is_turned(b.shape.feature(c.feature_ids[1]), &c.features[1]) {
            ib |= TURNED[1];
        }
        let [fa, fb] = c.features;
        Some(([piece(a, ia, fa), piece(b, c.feature_ids[1], fb)], [ia, ib]))
    }

    pub(super) fn shape_position(
        &self,
        ws: &Workspace,
        (a, b): (usize, usize),
        slot: u32,
        keep: bool,
        before: Option<[u32; 2]>,
        out: &mut ContactPoint,
    ) -> bool {
        let (x, y) = (&self.contacts.shapes[a], &self.contacts.shapes[b]);
        let (sa, sb) = (x.side(&ws.kin.frames), y.side(&ws.kin.frames));
        let Some((f, ids)) = self.features((x, y), (&sa, &sb), slot, keep, before) else {
            return false;
        };
        let t = touch(&f[0], &sa, &f[1], &sb);
        let axis = self.axis((a, b), &t, &sa, before, keep);
        out.features = [ids[0] | (axis as u32) << AXIS_SHIFT, ids[1]];
        let directions = self.directions(a, b, &t, &sa, axis);
        self.fill(ws, (a, b), &t, &directions, out);
        true
    }

    /// The features of two shapes that have only one each.
    pub(super) fn only_features(&self, a: usize, b: usize) -> Option<[Piece; 2]> {
        let shapes = &self.contacts.shapes;
        Some([Piece::Fixed(shapes[a].only?), Piece::Fixed(shapes[b].only?)])
    }

    /// The same, placed.
    pub(super) fn placed_only(&self, ws: &Workspace, a: usize, b: usize) -> Option<[Feature; 2]> {
        let place = |k: usize| {
            let shape = &self.contacts.shapes[k];
            shape.placed_only(&ws.kin.frames[shape.frame])
        };
        Some([place(a)?, place(b)?])
    }

    /// Position and rates of two shapes that have one feature each.
    pub(super) fn evaluate_only(
        &self,
        ws: &Workspace,
        (a, b): (usize, usize),
        f: &[Piece; 2],
        before: Option<[u32; 2]>,
        out: &mut ContactPoint,
    ) {
        let (x, y) = (&self.contacts.shapes[a], &self.contacts.shapes[b]);
        let (sa, sb) = (x.side(&ws.kin.frames), y.side(&ws.kin.frames));
        let t = touch(&f[0], &sa, &f[1], &sb);
        let axis = self.axis((a, b), &t, &sa, before, false);
        out.features = [(axis as u32) << AXIS_SHIFT, 0];
        let directions = self.directions(a, b, &t, &sa, axis);
        let n = self.fill(ws, (a, b), &t, &directions, out);
        out.turning = turning(&directions, sa.on, sb.on);
        let leaving = Leaving::new(&t.c, sa.on, sb.on);
        for (k, e) in directions.iter().enumerate().take(n) {
            (out.rate[k], out.bias[k]) = leaving.along(e);
        }
    }

    /// Axis of frame a from which tangents are made.
    pub(super) fn axis(
        &self,
        (a, b): (usize, usize),
        t: &Touch,
        sa: &Side<'_>,
        before: Option<[u32; 2]>,
        keep: bool,
    ) -> usize {
        if self.is_flat(a, b) { 0 } else { t.axis(&sa.on.axes, before.map(axis_of), keep) }
    }

    /// Gap, place and rows of a point; returns the number of rows.
    pub(super) fn fill(
        &self,
        ws: &Workspace,
        (a, b): (usize, usize),
        t: &Touch,
        directions: &[Moving; 3],
        out: &mut ContactPoint,
    ) -> usize {
        let frames = (self.contacts.shapes[a].frame, self.contacts.shapes[b].frame);
        out.gap = t.gap;
        out.at = [t.c.x.x, t.c.x.y, t.c.x.z];
        out.normal = [t.n.x.x, t.n.x.y, t.n.x.z];
        out.cols.clear();
        self.shape_columns(a, b, &mut out.cols);
        let n = self.rows_between(a, b);
        out.tangent = [directions[1].x.x, directions[1].x.y, directions[1].x.z];
        for (k, e) in directions.iter().enumerate().take(n) {
            self.fill_row(ws, frames, &t.c.x, &e.x, k, out);
        }
        n
    }

    /// Row k: speed along e at which a point fixed to frame b at c leaves the one fixed to frame a.
    pub(super) fn fill_row(
        &self,
        ws: &Workspace,
        (a, b): (usize, usize),
        c: &Vec3,
        e: &Vec3,
        k: usize,
        out: &mut ContactPoint,
    ) {
        let row = &mut out.rows[k];
        row.clear();
        row.resize(out.cols.len(), 0.0);
        self.add_contact_row(ws, a, c, &-e, &out.cols, row);
        self.add_contact_row(ws, b, c, e, &out.cols, row);
    }

    /// Normal and tangents; in the plane the last one is not used.
    pub(super) fn directions(
        &self,
        a: usize,
        b: usize,
        t: &Touch,
        sa: &Side<'_>,
        axis: usize,
    ) -> [Moving; 3] {
        if self.is_flat(a, b) {
            let u = t.planar_tangent();
            return [t.n, u, u];
        }
        let [u, w] = t.tangents(sa.on, axis);
        [t.n, u, w]
    }

    /// row += velocity along e of a point fixed to a frame at c.
    pub(super) fn add_contact_row(
        &self,
        ws: &Workspace,
        frame: usize,
        c: &Vec3,
        e: &Vec3,
        cols: &[usize],
        row: &mut [f64],
    ) {
        let Some(j) = self.jac(&ws.kin, frame) else { return };
        let Some(at) = cols.iter().position(|c| *c == j.span().start) else { return };
        let moment = (c - ws.kin.frames[frame].p).cross(e);
        j.transpose_mul(e, &moment, &mut row[at..at + j.len()]);
    }

    pub(super) fn shape_rates(
        &self,
        ws: &Workspace,
        (a, b): (usize, usize),
        slot: u32,
        out: &mut ContactPoint,
    ) {
        let (x, y) = (&self.contacts.shapes[a], &self.contacts.shapes[b]);
        let (sa, sb) = (x.side(&ws.kin.frames), y.side(&ws.kin.frames));
        let before = Some(out.features);
        let Some((f, _)) = self.features((x, y), (&sa, &sb), slot, true, before) else {
            return;
        };
        let t = touch(&f[0], &sa, &f[1], &sb);
        let directions = self.directions(a, b, &t, &sa, axis_of(out.features));
        let n = self.rows_between(a, b);
        out.turning = turning(&directions, sa.on, sb.on);
        let leaving = Leaving::new(&t.c, sa.on, sb.on);
        for (k, e) in directions.iter().enumerate().take(n) {
            (out.rate[k], out.bias[k]) = leaving.along(e);
        }
    }

    /// By bounding balls of the shapes.
    pub(super) fn shape_approach(&self, ws: &Workspace, (a, b): (usize, usize)) -> (f64, f64) {
        let [(x, u, r), (y, v, s)] = [a, b].map(|k| {
            let shape = &self.contacts.shapes[k];
            let on = &ws.kin.frames[shape.frame];
            let arm = on.axes * shape.ball.0;
            (on.p + arm, on.v + on.w.cross(&arm), (shape.ball.1, on.w.norm()))
        });
        let turns = |(radius, w): (f64, f64)| if w == 0.0 { 0.0 } else { w * radius };
        ((x - y).norm() - r.0 - s.0, (u - v).norm() + turns(r) + turns(s))
    }

    pub(super) fn shape_margin(
        &self,
        ws: &Workspace,
        (a, b): (usize, usize),
        slot: u32,
        at: &ContactPoint,
    ) -> f64 {
        let (x, y) = (&self.contacts.shapes[a], &self.contacts.shapes[b]);
        let (sa, sb) = (x.side(&ws.kin.frames), y.side(&ws.kin.frames));
        let before = Some(at.features);
        let Some((f, ids)) = self.features((x, y), (&sa, &sb), slot, true, before) else {
            return f64::INFINITY;
        };
        let mut margin = f64::INFINITY;
        if !self.is_flat(a, b) && self.has_friction(a, b) {
            let t = touch(&f[0], &sa, &f[1], &sb);
            margin = self.length * t.axis_margin(&sa.on.axes, axis_of(at.features));
        }
        if x.only.is_some() && y.only.is_some() {
            return margin;
        }
        let Some(pair) = self.contacts.prepared.get(x, y) else { return margin };
        // the geometry uses ids, features and poses; for a rim only ids
        let features = f.map(|piece| match piece {
            Piece::Fixed(feature) => feature,
            Piece::Rim { center, .. } => Feature::vertex(center),
        });
        let (gap, normal, points) =
            delassus_geom::feature_gap(&features[0], &sa.pose, &features[1], &sb.pose);
        let c = Contact { slot, features, feature_ids: parts(ids), gap, normal, points };
        margin.min(pair.feature_margin(&c, &sa.pose, &sb.pose))
    }
}
