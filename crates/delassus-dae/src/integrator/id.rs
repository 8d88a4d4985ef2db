//! Methods as values that can be matched: each list of methods below is exhaustive.

use super::explicit::{dop853, dopri5, rk4, rkf45};
use super::gen_alpha::Member;
use super::{
    Al, Ali3p, Bdf, Explicit, GenAlpha, Hem5, Integrator, LinEuler, MethodInfo, Phem56, Radau5,
    Settings, SteppingId, al, bdf, half_explicit, lin_euler, mns, radau5, watched,
};
use crate::problem::Problem;
use delassus_linalg::KktError;

/// A method of smooth motion.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SmoothId {
    /// Dormand–Prince 5(4) with projection.
    Mdop5,
    /// Dormand–Prince 5(4).
    Dopri5,
    /// Fehlberg 4(5).
    Rkf45,
    /// Classical Runge–Kutta.
    Rk4,
    /// Dormand–Prince 8(5,3).
    Dop853,
    /// Half-explicit, 8 stages.
    Hem5,
    /// Half-explicit, partitioned.
    Phem56,
    /// Generalized-α on index 3.
    GenAlpha,
    /// Generalized-α on index 2.
    GenAlphaIndex2,
    /// Generalized-α on stabilised index 2.
    GenAlphaGgl,
    /// HHT-α.
    Hht,
    /// Newmark.
    Newmark,
    /// Backward differentiation.
    Bdf,
    /// Radau IIA.
    Radau5,
    /// Linear-implicit Euler.
    LinEuler,
    /// Augmented Lagrangian on index 1.
    Al,
    /// Augmented Lagrangian on index 3, fixed step.
    Ali3p,
    /// Augmented Lagrangian on index 3, variable step.
    Ali3pvs,
    /// Augmented Lagrangian driven by an explicit formula.
    Mal,
    /// Independent coordinates.
    Mns,
}

impl SmoothId {
    /// All of them, in the order of lists.
    pub const ALL: [SmoothId; 20] = [
        SmoothId::Mdop5,
        SmoothId::Dopri5,
        SmoothId::Rkf45,
        SmoothId::Rk4,
        SmoothId::Dop853,
        SmoothId::Hem5,
        SmoothId::Phem56,
        SmoothId::GenAlpha,
        SmoothId::GenAlphaIndex2,
        SmoothId::GenAlphaGgl,
        SmoothId::Hht,
        SmoothId::Newmark,
        SmoothId::Bdf,
        SmoothId::Radau5,
        SmoothId::LinEuler,
        SmoothId::Al,
        SmoothId::Ali3p,
        SmoothId::Ali3pvs,
        SmoothId::Mal,
        SmoothId::Mns,
    ];

    /// Its description.
    pub const fn info(self) -> MethodInfo {
        match self {
            SmoothId::Mdop5 => dopri5::MDOP5.info,
            SmoothId::Dopri5 => dopri5::DOPRI5.info,
            SmoothId::Rkf45 => rkf45::RKF45.info,
            SmoothId::Rk4 => rk4::RK4.info,
            SmoothId::Dop853 => dop853::DOP853.info,
            SmoothId::Hem5 => half_explicit::HEM5,
            SmoothId::Phem56 => half_explicit::PHEM56,
            SmoothId::GenAlpha => Member::Index3.info(),
            SmoothId::GenAlphaIndex2 => Member::Index2.info(),
            SmoothId::GenAlphaGgl => Member::Stabilized.info(),
            SmoothId::Hht => Member::Hht.info(),
            SmoothId::Newmark => Member::Newmark.info(),
            SmoothId::Bdf => bdf::INFO,
            SmoothId::Radau5 => radau5::INFO,
            SmoothId::LinEuler => lin_euler::INFO,
            SmoothId::Al => al::AL,
            SmoothId::Ali3p => al::ALI3P,
            SmoothId::Ali3pvs => al::ALI3PVS,
            SmoothId::Mal => al::MAL,
            SmoothId::Mns => mns::INFO,
        }
    }

    /// The method with this name or alias.
    pub fn named(name: &str) -> Option<SmoothId> {
        SmoothId::ALL.into_iter().find(|m| m.info().is_called(name))
    }

    /// Creates it for a problem. Options are not checked here: [`super::Options::check`] must come before. Rows that
    /// the method leaves out are watched.
    pub fn make<P: Problem + 'static>(
        self,
        p: &P,
        settings: &Settings,
    ) -> Result<Box<dyn Integrator<P>>, KktError> {
        self.make_plain(p, settings).map(|method| watched::watched(method, p, settings))
    }

    fn make_plain<P: Problem + 'static>(
        self,
        p: &P,
        settings: &Settings,
    ) -> Result<Box<dyn Integrator<P>>, KktError> {
        fn boxed<P: Problem, I: Integrator<P> + 'static>(
            i: Result<I, KktError>,
        ) -> Result<Box<dyn Integrator<P>>, KktError> {
            i.map(|i| Box::new(i) as Box<dyn Integrator<P>>)
        }
        match self {
            SmoothId::Mdop5 => boxed(Explicit::new(p, settings, &dopri5::MDOP5)),
            SmoothId::Dopri5 => boxed(Explicit::new(p, settings, &dopri5::DOPRI5)),
            SmoothId::Rkf45 => boxed(Explicit::new(p, settings, &rkf45::RKF45)),
            SmoothId::Rk4 => boxed(Explicit::new(p, settings, &rk4::RK4)),
            SmoothId::Dop853 => boxed(Explicit::new(p, settings, &dop853::DOP853)),
            SmoothId::Hem5 => boxed(Hem5::new(p, settings)),
            SmoothId::Phem56 => boxed(Phem56::new(p, settings)),
            SmoothId::GenAlpha => boxed(GenAlpha::new(p, settings, Member::Index3)),
            SmoothId::GenAlphaIndex2 => boxed(GenAlpha::new(p, settings, Member::Index2)),
            SmoothId::GenAlphaGgl => boxed(GenAlpha::new(p, settings, Member::Stabilized)),
            SmoothId::Hht => boxed(GenAlpha::new(p, settings, Member::Hht)),
            SmoothId::Newmark => boxed(GenAlpha::new(p, settings, Member::Newmark)),
            SmoothId::Bdf => boxed(Bdf::new(p, settings)),
            SmoothId::Radau5 => boxed(Radau5::new(p, settings)),
            SmoothId::LinEuler => boxed(LinEuler::new(p, settings)),
            SmoothId::Al => boxed(Al::new(p, settings)),
            SmoothId::Ali3p => boxed(Ali3p::fixed(p, settings)),
            SmoothId::Ali3pvs => boxed(Ali3p::variable(p, settings)),
            SmoothId::Mal => boxed(al::mal(p, settings)),
            SmoothId::Mns => boxed(mns::mns(p, settings)),
        }
    }
}

/// A method: for smooth motion, or of time-stepping.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MethodId {
    /// For smooth motion; contacts are located as events.
    Smooth(SmoothId),
    /// With fixed steps that may contain any number of impacts.
    Stepping(SteppingId),
}

impl MethodId {
    /// Its description.
    pub const fn info(self) -> MethodInfo {
        match self {
            MethodId::Smooth(m) => m.info(),
            MethodId::Stepping(m) => m.info(),
        }
    }

    /// The method with this name or alias.
    pub fn named(name: &str) -> Option<MethodId> {
        let stepping = || SteppingId::named(name).map(MethodId::Stepping);
        SmoothId::named(name).map(MethodId::Smooth).or_else(stepping)
    }
}
