//! [`Unilateral`] for [`System`].

use super::touch::{Leaving, Piece, Side, Touch, touch};
use super::{ContactLimits, Owner, owner};
use crate::ContactKind;
use crate::spec::ImpactType;
use crate::system::build::contacts::rough;
use crate::system::contact::scalars::ScalarPoint;
use crate::system::contact::shapes::ShapeLayout;
use crate::system::{System, Workspace};
use delassus_dae::{ContactPoint, Crowded, PointId, PointLaw, Unilateral};
use delassus_geom::{Contact, Feature, Shape, ShapeKind};
use delassus_math::Vec3;

/// The two highest bits of the first feature keep the axis that tangents are made from.
const AXIS_SHIFT: u32 = 30;
const PART: u32 = (1 << AXIS_SHIFT) - 1;

/// Those of the second tell whether the edges of shape a and b are turned round.
const TURNED: [u32; 2] = [1 << 30, 1 << 31];

/// Feature ids of the geometry.
fn parts(features: [u32; 2]) -> [u32; 2] {
    features.map(|f| f & PART)
}

/// A feature as it takes part in a contact: edges may be turned round.
fn turned(feature: Feature, round: bool) -> Feature {
    match feature {
        Feature::Line { point, direction, radius } if round => {
            Feature::Line { point, direction: -direction, radius }
        }
        other => other,
    }
}

/// Whether a contact has the edge of a shape turned round.
fn is_turned(own: Option<Feature>, used: &Feature) -> bool {
    match (own, used) {
        (Some(Feature::Line { direction: d, .. }), Feature::Line { direction: e, .. }) => {
            d.dot(e) < 0.0
        }
        _ => false,
    }
}

fn axis_of(features: [u32; 2]) -> usize {
    (features[0] >> AXIS_SHIFT) as usize % 3
}

/// What a shape touches with, by id.
fn piece(s: &ShapeLayout, id: u32, feature: Feature) -> Piece {
    match s.shape.rim(id) {
        Some((center, radius)) => Piece::Rim { center, radius },
        None => Piece::Fixed(feature),
    }
}

impl Unilateral for System {
    fn near(&self, ws: &Workspace, margin: f64, out: &mut Vec<PointId>) {
        // nothing is too much
        let _ = self.near_bounded(ws, margin, ContactLimits::NONE, out);
    }

    fn most_points(&self) -> usize {
        self.contacts.limits.points
    }

    fn near_at_most(
        &self,
        ws: &Workspace,
        margin: f64,
        most: usize,
        out: &mut Vec<PointId>,
    ) -> Result<(), Crowded> {
        let limits = ContactLimits { points: most, ..self.contacts.limits };
        self.near_bounded(ws, margin, limits, out)
    }

    fn law(&self, point: PointId) -> PointLaw {
        match owner(point) {
            Owner::Scalar(k) => self.scalar_point(k, point.slot).law,
            Owner::Shapes(a, b) => self.shape_law(a, b),
        }
    }

    fn point_name(&self, point: PointId) -> String {
        match owner(point) {
            Owner::Scalar(k) => {
                let c = &self.contacts.scalars[k];
                let name = &self.contact(c.contact).name;
                match c.points.len() {
                    1 => name.clone(),
                    _ => format!("{name}.{}", self.scalar_point(k, point.slot).label),
                }
            }
            Owner::Shapes(a, b) => {
                let Some(rule) = self.contacts.pairs.rule(a, b) else { return String::new() };
                let rule = &self.contacts.pairs.rules[rule];
                let name = &self.contact(rule.contact).name;
                if rule.single {
                    return name.clone();
                }
                let shapes = &self.model.shapes;
                format!("{name}:{}-{}", shapes[a].name, shapes[b].name)
            }
        }
    }

    fn columns(&self, point: PointId, out: &mut Vec<usize>) {
        out.clear();
        match owner(point) {
            Owner::Scalar(k) => out.extend_from_slice(&self.scalar_point(k, point.slot).cols),
            Owner::Shapes(a, b) => self.shape_columns(a, b, out),
        }
    }

    fn position(
        &self,
        ws: &Workspace,
        point: PointId,
        keep: bool,
        before: Option<[u32; 2]>,
        out: &mut ContactPoint,
    ) -> bool {
        match owner(point) {
            Owner::Scalar(k) => {
                self.scalar_position(ws, self.scalar_point(k, point.slot), out);
                true
            }
            Owner::Shapes(a, b) => self.shape_position(ws, (a, b), point.slot, keep, before, out),
        }
    }

    fn gap(
        &self,
        ws: &Workspace,
        point: PointId,
        before: Option<[u32; 2]>,
        scratch: &mut ContactPoint,
    ) -> Option<f64> {
        match owner(point) {
            Owner::Scalar(k) => {
                let p = self.scalar_point(k, point.slot);
                p.has_gap().then(|| self.scalar_gap(ws, p))
            }
            Owner::Shapes(a, b) => {
                // features that never change need no more than their places
                if let Some([fa, fb]) = self.placed_only(ws, a, b) {
                    return Some(delassus_geom::placed_gap(&fa, &fb, Vec3::x).0);
                }
                self.position(ws, point, false, before, scratch).then_some(scratch.gap)
            }
        }
    }

    fn evaluate(
        &self,
        ws: &Workspace,
        point: PointId,
        before: Option<[u32; 2]>,
        out: &mut ContactPoint,
    ) -> bool {
        if let Owner::Shapes(a, b) = owner(point)
            && let Some(pieces) = self.only_features(a, b)
        {
            self.evaluate_only(ws, (a, b), &pieces, before, out);
            return true;
        }
        let has_meaning = self.position(ws, point, false, before, out);
        if has_meaning {
            self.rates(ws, point, out);
        }
        has_meaning
    }

    fn normal(
        &self,
        ws: &Workspace,
        point: PointId,
        before: Option<[u32; 2]>,
        out: &mut ContactPoint,
    ) -> bool {
        if let Owner::Shapes(a, b) = owner(point) {
            let [x, y] = [a, b].map(|k| &self.contacts.shapes[k]);
            if let Some([fa, fb]) = self.placed_only(ws, a, b) {
                let side = || x.side(&ws.kin.frames).pose.vector(&Vec3::x());
                let (gap, n, at) = delassus_geom::placed_gap(&fa, &fb, side);
                out.gap = gap;
                out.cols.clear();
                self.shape_columns(a, b, &mut out.cols);
                self.fill_row(ws, (x.frame, y.frame), &((at[0] + at[1]) * 0.5), &n, 0, out);
                return true;
            }
        }
        self.position(ws, point, false, before, out)
    }

    fn rates(&self, ws: &Workspace, point: PointId, out: &mut ContactPoint) {
        match owner(point) {
            Owner::Scalar(k) => self.scalar_rates(ws, self.scalar_point(k, point.slot), out),
            Owner::Shapes(a, b) => self.shape_rates(ws, (a, b), point.slot, out),
        }
    }

    fn feature_margin(&self, ws: &Workspace, point: PointId, at: &ContactPoint) -> f64 {
        match owner(point) {
            Owner::Scalar(_) => f64::INFINITY,
            Owner::Shapes(a, b) => self.shape_margin(ws, (a, b), point.slot, at),
        }
    }

    fn one_sided(&self, point: PointId) -> bool {
        match owner(point) {
            Owner::Scalar(_) => false,
            Owner::Shapes(a, b) => {
                [a, b].iter().any(|k| self.contacts.shapes[*k].shape.is_one_sided())
            }
        }
    }

    fn can_pass(&self, point: PointId) -> bool {
        match owner(point) {
            Owner::Scalar(_) => false,
            Owner::Shapes(a, b) => self.only_features(a, b).is_none(),
        }
    }

    fn finest(&self, point: PointId) -> f64 {
        match owner(point) {
            Owner::Scalar(_) => f64::INFINITY,
            Owner::Shapes(a, b) => {
                let [x, y] = [a, b].map(|k| &self.contacts.shapes[k].shape);
                let endless = |s: &Shape| {
                    matches!(
                        s.kind(),
                        ShapeKind::HalfPlane | ShapeKind::HalfSpace | ShapeKind::Ring
                    )
                };
                // nothing comes out behind what has no end
                if endless(x) || endless(y) { f64::INFINITY } else { x.finest().min(y.finest()) }
            }
        }
    }

    fn approach(&self, ws: &Workspace, point: PointId) -> (f64, f64) {
        match owner(point) {
            Owner::Scalar(_) => (f64::NEG_INFINITY, f64::INFINITY),
            Owner::Shapes(a, b) => self.shape_approach(ws, (a, b)),
        }
    }

    fn clearance(&self, ws: &Workspace, point: PointId) -> f64 {
        let Owner::Shapes(a, b) = owner(point) else { return f64::NEG_INFINITY };
        let (x, y) = (&self.contacts.shapes[a], &self.contacts.shapes[b]);
        let Some(pair) = self.contacts.prepared.get(x, y) else { return f64::NEG_INFINITY };
        let (sa, sb) = (x.side(&ws.kin.frames), y.side(&ws.kin.frames));
        pair.slot_bound(point.slot, &sa.pose, &sb.pose)
    }

    fn length(&self) -> f64 {
        self.length
    }

    fn gap_per_metre(&self, point: PointId) -> f64 {
        match owner(point) {
            Owner::Scalar(k) => self.scalar_point(k, point.slot).per_metre(self.length),
            Owner::Shapes(..) => 1.0,
        }
    }

    fn sequential_impacts(&self) -> bool {
        self.model.analysis.impacts == ImpactType::Sequential
    }
}

impl System {
    /// Whether the model has one-sided interactions.
    pub fn has_contacts(&self) -> bool {
        !self.contacts.is_empty()
    }

    fn near_bounded(
        &self,
        ws: &Workspace,
        margin: f64,
        limits: ContactLimits,
        out: &mut Vec<PointId>,
    ) -> Result<(), Crowded> {
        out.clear();
        for (k, c) in self.contacts.scalars.iter().enumerate() {
            for (slot, p) in c.points.iter().enumerate() {
                let is_near = || self.scalar_gap(ws, p) < margin * p.per_metre(self.length);
                if !p.has_gap() || margin == f64::INFINITY || is_near() {
                    out.push(PointId { pair: k as u64, slot: slot as u32 });
                }
            }
        }
        if out.len() > limits.points {
            return Err(Crowded::points(limits.points, out));
        }
        if self.contacts.pairs.is_empty() || margin == f64::NEG_INFINITY {
            return Ok(());
        }
        let mut scratch = ws.near.borrow_mut();
        self.contacts.near_shapes(&ws.kin.frames, margin, &mut scratch, limits, out)
    }

    /// Whether the gaps of all pairs of shapes may be asked for at every sample: they are listed one by
    /// one, not found by the broad phase.
    pub fn has_few_pairs(&self) -> bool {
        !self.contacts.pairs.are_many()
    }

    /// Place in [`crate::Model::contacts`] of the interaction of a point.
    pub fn contact_of(&self, point: PointId) -> Option<usize> {
        match owner(point) {
            Owner::Scalar(k) => self.contacts.scalars.get(k).map(|c| c.contact),
            Owner::Shapes(a, b) => {
                let pairs = &self.contacts.pairs;
                pairs.rule(a, b).map(|rule| pairs.rules[rule].contact)
            }
        }
    }

    /// A point of each pair of shapes that overlaps by more than `tol` (m) at the realised position, and
    /// its depth; without interactions that allow it.
    pub(crate) fn overlaps(
        &self,
        ws: &Workspace,
        tol: f64,
    ) -> Result<Vec<(PointId, f64)>, Crowded> {
        let asked = |rule: usize| {
            let contact = self.contacts.pairs.rules[rule].contact;
            !self.contact(contact).allow_overlap
        };
        let found = self.contacts.overlaps(&ws.kin.frames, tol, &asked)?;
        let id = |a, b| PointId { pair: super::shape_pair(a, b), slot: 0 };
        Ok(found.into_iter().map(|(a, b, depth)| (id(a, b), depth)).collect())
    }

    /// Other limits than the default on what may be near each other.
    pub fn limit_contacts(&mut self, limits: ContactLimits) {
        self.contacts.limits = limits;
    }

    /// The contacts that have most to look at, as (name, number of pairs of shapes that it names), largest
    /// first.
    pub fn largest_contacts(&self) -> Vec<(&str, f64)> {
        let mut sizes: Vec<(&str, f64)> = Vec::new();
        for c in &self.model.contacts {
            if let ContactKind::Shapes { a, b, .. } = &c.kind {
                let n = a.len() as f64;
                let pairs = b.as_ref().map_or(0.5 * n * (n - 1.0), |b| n * b.len() as f64);
                sizes.push((&c.name, pairs));
            }
        }
        sizes.sort_by(|x, y| y.1.total_cmp(&x.1));
        sizes
    }

    /// Points of interactions along scalars.
    pub(crate) fn scalar_points(&self) -> impl Iterator<Item = PointId> + '_ {
        let scalars = self.contacts.scalars.iter().enumerate();
        scalars.flat_map(|(k, c)| {
            (0..c.points.len() as u32).map(move |slot| PointId { pair: k as u64, slot })
        })
    }

    /// Names of the two shapes of a point; of the interaction where there are none.
    pub(crate) fn pair_name(&self, point: PointId) -> String {
        match owner(point) {
            Owner::Scalar(_) => self.point_name(point),
            Owner::Shapes(a, b) => {
                let shapes = &self.model.shapes;
                format!("`{}` and `{}`", shapes[a].name, shapes[b].name)
            }
        }
    }

    pub(crate) fn is_of_shapes(&self, contact: usize) -> bool {
        matches!(self.contact(contact).kind, ContactKind::Shapes { .. })
    }

    fn scalar_point(&self, k: usize, slot: u32) -> &ScalarPoint {
        &self.contacts.scalars[k].points[slot as usize]
    }

    /// Both bodies move in the plane (the ground goes with either).
    fn is_flat(&self, a: usize, b: usize) -> bool {
        let s = &self.contacts.shapes;
        s[a].planar.or(s[b].planar).unwrap_or(false)
    }

    fn shape_law(&self, a: usize, b: usize) -> PointLaw {
        let pairs = &self.contacts.pairs;
        let directions = if self.is_flat(a, b) { 1 } else { 2 };
        // every point comes from a pair that has a rule
        let rule = pairs.rule(a, b).unwrap_or(0);
        rough(&pairs.rules[rule].surface, directions)
    }

    fn shape_columns(&self, a: usize, b: usize, out: &mut Vec<usize>) {
        let [x, y] = [a, b].map(|s| self.frames[self.contacts.shapes[s].frame].span());
        let (first, last) = if x.start <= y.start { (x, y) } else { (y, x) };
        // two frames of one body may follow the same velocities
        out.extend(first.clone());
        out.extend(last.start.max(first.end)..last.end);
    }

    /// The features of a point: those it had before, or those that face each other now. The ids
    /// are those of a [`ContactPoint`] but for the axis.
    fn features(
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

    fn shape_position(
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

    /// The features of two shapes that have no others.
    fn only_features(&self, a: usize, b: usize) -> Option<[Piece; 2]> {
        let shapes = &self.contacts.shapes;
        Some([Piece::Fixed(shapes[a].only?), Piece::Fixed(shapes[b].only?)])
    }

    /// The same, placed.
    fn placed_only(&self, ws: &Workspace, a: usize, b: usize) -> Option<[Feature; 2]> {
        let place = |k: usize| {
            let shape = &self.contacts.shapes[k];
            shape.placed_only(&ws.kin.frames[shape.frame])
        };
        Some([place(a)?, place(b)?])
    }

    /// Position and rates of two shapes that have one feature each.
    fn evaluate_only(
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
        let leaving = Leaving::new(&t.c, sa.on, sb.on);
        for (k, e) in directions.iter().enumerate().take(n) {
            (out.rate[k], out.bias[k]) = leaving.along(e);
        }
    }

    /// Axis of frame a that tangents are made from.
    fn axis(
        &self,
        (a, b): (usize, usize),
        t: &Touch,
        sa: &Side<'_>,
        before: Option<[u32; 2]>,
        keep: bool,
    ) -> usize {
        if self.is_flat(a, b) { 0 } else { t.axis(&sa.on.axes, before.map(axis_of), keep) }
    }

    /// Gap, place and rows of a point; how many rows.
    fn fill(
        &self,
        ws: &Workspace,
        (a, b): (usize, usize),
        t: &Touch,
        directions: &[super::moving::Moving; 3],
        out: &mut ContactPoint,
    ) -> usize {
        let frames = (self.contacts.shapes[a].frame, self.contacts.shapes[b].frame);
        out.gap = t.gap;
        out.at = [t.c.x.x, t.c.x.y, t.c.x.z];
        out.normal = [t.n.x.x, t.n.x.y, t.n.x.z];
        out.cols.clear();
        self.shape_columns(a, b, &mut out.cols);
        let n = self.shape_law(a, b).rows();
        for (k, e) in directions.iter().enumerate().take(n) {
            self.fill_row(ws, frames, &t.c.x, &e.x, k, out);
        }
        n
    }

    /// Row k: how fast what is fixed to frame b at c leaves what is fixed to frame a along e.
    fn fill_row(
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
    fn directions(
        &self,
        a: usize,
        b: usize,
        t: &Touch,
        sa: &Side<'_>,
        axis: usize,
    ) -> [super::moving::Moving; 3] {
        if self.is_flat(a, b) {
            let u = t.planar_tangent();
            return [t.n, u, u];
        }
        let [u, w] = t.tangents(sa.on, axis);
        [t.n, u, w]
    }

    /// row += velocity along e of what is fixed to a frame at c.
    fn add_contact_row(
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

    fn shape_rates(
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
        let n = self.shape_law(a, b).rows();
        let leaving = Leaving::new(&t.c, sa.on, sb.on);
        for (k, e) in directions.iter().enumerate().take(n) {
            (out.rate[k], out.bias[k]) = leaving.along(e);
        }
    }

    /// By balls around the shapes.
    fn shape_approach(&self, ws: &Workspace, (a, b): (usize, usize)) -> (f64, f64) {
        let [(x, u, r), (y, v, s)] = [a, b].map(|k| {
            let shape = &self.contacts.shapes[k];
            let on = &ws.kin.frames[shape.frame];
            let arm = on.axes * shape.ball.0;
            (on.p + arm, on.v + on.w.cross(&arm), (shape.ball.1, on.w.norm()))
        });
        let turns = |(radius, w): (f64, f64)| if w == 0.0 { 0.0 } else { w * radius };
        ((x - y).norm() - r.0 - s.0, (u - v).norm() + turns(r) + turns(s))
    }

    fn shape_margin(
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
        if !self.is_flat(a, b) && self.shape_law(a, b).is_rough() {
            let t = touch(&f[0], &sa, &f[1], &sb);
            margin = self.length * t.axis_margin(&sa.on.axes, axis_of(at.features));
        }
        if x.only.is_some() && y.only.is_some() {
            return margin;
        }
        let Some(pair) = self.contacts.prepared.get(x, y) else { return margin };
        // the geometry goes by ids, features and poses; of a rim by ids alone
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
