//! [`Unilateral`] for [`System`].

use super::{ContactLimits, Owner, owner};
use crate::ContactKind;
use crate::spec::ImpactType;
use crate::system::contact::scalars::ScalarPoint;
use crate::system::{System, Workspace};
use delassus_dae::{
    Compliance, ContactPoint, Crowded, PointId, PointLaw, PressedFriction, Unilateral,
};
use delassus_geom::{Shape, ShapeKind};
use delassus_math::Vec3;

impl Unilateral for System {
    fn near(&self, ws: &Workspace, margin: f64, out: &mut Vec<PointId>) {
        // without limits this cannot fail
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
                // features that never change need only their places
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
                // nothing comes out behind a shape without end
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

    fn compliance(&self, point: PointId) -> Option<&Compliance> {
        self.law_of(point).map(|law| &law.compliance)
    }

    fn stiffness(&self, point: PointId, _features: [u32; 2]) -> f64 {
        self.point_stiffness(point)
    }

    fn pressed_friction(&self, point: PointId) -> Option<PressedFriction<'_>> {
        self.pressed_friction_of(point)
    }

    fn sliding_friction(&self, point: PointId, speed: f64) -> Option<(f64, f64)> {
        let falling = match owner(point) {
            Owner::Scalar(k) => match self.contact(self.contacts.scalars[k].contact).kind {
                ContactKind::DryFriction { falling, .. } => falling,
                _ => None,
            },
            Owner::Shapes(a, b) => {
                let pairs = &self.contacts.pairs;
                pairs.rules[pairs.rule(a, b)?].surface.falling
            }
        };
        falling.map(|f| f.at(speed))
    }

    fn gap_hessian(
        &self,
        ws: &Workspace,
        point: PointId,
        at: &ContactPoint,
        out: &mut [f64],
    ) -> bool {
        self.row_hessian(ws, point, at, 0, out)
    }

    fn row_hessian(
        &self,
        ws: &Workspace,
        point: PointId,
        at: &ContactPoint,
        k: usize,
        out: &mut [f64],
    ) -> bool {
        match owner(point) {
            Owner::Scalar(_) => false,
            Owner::Shapes(a, b) => self.shape_hessian(ws, (a, b), (point.slot, k), at, out),
        }
    }

    fn sequential_impacts(&self) -> bool {
        self.model.analysis.impacts == ImpactType::Sequential
    }
}

impl System {
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

    fn scalar_point(&self, k: usize, slot: u32) -> &ScalarPoint {
        &self.contacts.scalars[k].points[slot as usize]
    }
}
