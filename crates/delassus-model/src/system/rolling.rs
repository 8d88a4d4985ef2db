//! No-slip rows: the velocity of the contact point along the plane vanishes.

use super::scalar::{Gradient, Hessian, Pair};
use super::{System, Workspace};
use delassus_math::{Mat3, Vec3, so3};

/// One direction of no slip.
#[derive(Debug, Clone)]
pub(crate) struct RollRow {
    /// Frames: plane, wheel.
    pub a: usize,
    pub b: usize,
    /// Normal of the plane and direction of this row on the first frame.
    pub normal: Vec3,
    pub tangent: Vec3,
    pub radius: f64,
    /// Spin axis on the second frame; `None` for a sphere.
    pub axis: Option<Vec3>,
    pub row: usize,
    pub slot_a: usize,
    pub slot_b: usize,
}

impl RollRow {
    /// Unit vector from the centre to the contact point, and its rate.
    fn to_contact(&self, p: &Pair<'_>) -> (Vec3, Vec3) {
        let n = p.fa.axes * self.normal;
        let n_dot = p.fa.w.cross(&n);
        let Some(axis) = self.axis else {
            return (-n, -n_dot);
        };
        let a = p.fb.axes * axis;
        let a_dot = p.fb.w.cross(&a);
        let s = a * n.dot(&a) - n;
        let s_dot = a * (n_dot.dot(&a) + n.dot(&a_dot)) + a_dot * n.dot(&a) - n_dot;
        let len = s.norm().max(1e-150);
        let m = s / len;
        (m, (s_dot - m * m.dot(&s_dot)) / len)
    }

    /// Gradient of the slip velocity with respect to the twists.
    pub fn gradient(&self, p: &Pair<'_>) -> Gradient {
        let (m, _) = self.to_contact(p);
        let t = p.fa.axes * self.tangent;
        let c = m * self.radius;
        let d = p.fb.p - p.fa.p;
        Gradient { a_lin: -t, a_ang: -(d + c).cross(&t), b_lin: t, b_ang: c.cross(&t) }
    }

    /// t += ∂(gradient)/∂(frame variations).
    pub fn add_hessian(&self, p: &Pair<'_>, t: &mut Hessian) {
        let (m, _) = self.to_contact(p);
        let c = m * self.radius;
        let d = p.fb.p - p.fa.p;
        let (by_a, by_b) = self.contact_slopes(p, &m);
        // δt = −t̂ δφ_a
        let ht = so3::hat(&(p.fa.axes * self.tangent));
        t[0][1] += ht;
        t[2][1] -= ht;
        t[3][1] -= ht * by_a + so3::hat(&c) * ht;
        t[3][3] -= ht * by_b;
        t[1][0] -= ht;
        t[1][2] += ht;
        t[1][1] += ht * by_a + so3::hat(&(d + c)) * ht;
        t[1][3] += ht * by_b;
    }

    /// Derivatives of the vector from the centre to the contact point by rotations of the plane and of the wheel.
    fn contact_slopes(&self, p: &Pair<'_>, m: &Vec3) -> (Mat3, Mat3) {
        let n = p.fa.axes * self.normal;
        let hn = so3::hat(&n);
        let Some(axis) = self.axis else {
            return (hn * self.radius, Mat3::zeros());
        };
        // s = a (n·a) − n with δn = −n̂ δφ_a and δa = −â δφ_b, made a unit vector
        let a = p.fb.axes * axis;
        let na = n.dot(&a);
        let len = (a * na - n).norm().max(1e-150);
        let unit = (Mat3::identity() - m * m.transpose()) * (self.radius / len);
        let by_a = hn - a * a.cross(&n).transpose();
        let by_b = -(so3::hat(&a) * na + a * n.cross(&a).transpose());
        (unit * by_a, unit * by_b)
    }

    /// Rate of the slip velocity at zero frame accelerations.
    fn bias(&self, p: &Pair<'_>) -> f64 {
        let (m, m_dot) = self.to_contact(p);
        let t = p.fa.axes * self.tangent;
        let t_dot = p.fa.w.cross(&t);
        let d = p.fb.p - p.fa.p;
        let d_dot = p.fb.v - p.fa.v;
        let (c, c_dot) = (m * self.radius, m_dot * self.radius);
        let slip = p.fb.v + p.fb.w.cross(&c) - p.fa.v - p.fa.w.cross(&(d + c));
        t_dot.dot(&slip) + t.dot(&(p.fb.w.cross(&c_dot) - p.fa.w.cross(&(d_dot + c_dot))))
    }
}

impl System {
    /// The rolling disc that lies flattest on its plane at the realised state: its joint, and the angle between the
    /// two, rad. Where that vanishes every point of the rim touches, and none is the contact point.
    pub fn flattest_disc(&self, ws: &Workspace) -> Option<(String, f64)> {
        let mut flattest: Option<(usize, f64)> = None;
        for roll in &self.rolls {
            let Some(axis) = roll.axis else { continue };
            let p = self.frame_pair(&ws.kin, roll.a, roll.b);
            let angle = (p.fa.axes * roll.normal).cross(&(p.fb.axes * axis)).norm().min(1.0).asin();
            if flattest.is_none_or(|f| angle < f.1) {
                flattest = Some((roll.row, angle));
            }
        }
        let name = |row: usize| self.model.joints[self.origins[row].joint.0].name.clone();
        flattest.map(|(row, angle)| (name(row), angle))
    }
}

impl System {
    pub(super) fn roll_position(&self, ws: &mut Workspace) {
        for roll in &self.rolls {
            let h = roll.gradient(&self.frame_pair(&ws.kin, roll.a, roll.b));
            self.scatter(ws, (roll.a, roll.slot_a), &h.a_lin, &h.a_ang);
            self.scatter(ws, (roll.b, roll.slot_b), &h.b_lin, &h.b_ang);
        }
    }

    pub(super) fn roll_velocity(&self, ws: &mut Workspace) {
        for roll in &self.rolls {
            let p = self.frame_pair(&ws.kin, roll.a, roll.b);
            let h = roll.gradient(&p);
            ws.g_dot[roll.row] = p.rate(&h);
            ws.gamma[roll.row] = p.add_bias(roll.bias(&p), &h);
        }
    }
}
