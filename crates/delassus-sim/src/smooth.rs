//! A model without contacts: a driver alone.

use crate::driver::{Driver, DriverOptions, StepView};
use crate::engine::{Counts, Engine};
use crate::error::SimError;
use crate::recorder::Recorder;
use delassus_dae::integrator::SmoothId;
use delassus_dae::{Hermite, Problem, Settings, State, StepFailure};
use delassus_math::memory::{Memory, Remember};
use delassus_model::System;
use std::sync::Arc;

/// Pivot of G M⁻¹ Gᵀ, relative to its own diagonal, below which another choice of rows is sought: a combination of unit
/// rows of 3 %.
const WEAK: f64 = 1e-3;
/// Fraction of the pivot at the last search below which another one is made.
const LOWER: f64 = 0.25;
/// Factor by which rows must be better conditioned to take over.
const BETTER: f64 = 3.0;

/// Moves a model without contacts.
pub(crate) struct Smooth {
    sys: Arc<System>,
    driver: Driver<System>,
    id: SmoothId,
    settings: Settings,
    /// Pivot at which other rows were last sought.
    looked: f64,
    /// Work of motions whose rate jumped that the recorder already knows, J.
    fed: f64,
}

impl Smooth {
    pub fn new(
        sys: Arc<System>,
        id: SmoothId,
        settings: Settings,
        start: State,
        opts: DriverOptions,
    ) -> Result<Smooth, StepFailure> {
        let method = id.make(&*sys, &settings)?;
        let driver = Driver::new(&*sys, method, start, opts)?;
        Ok(Smooth { sys, driver, id, settings, looked: WEAK, fed: 0.0 })
    }

    fn view(&self) -> StepView<'_> {
        self.driver.view()
    }

    /// If the rows in use become dependent and others do not, continues with those. A position in which no choice is
    /// good is a singular one, which is left to the driver.
    fn choose_rows(&mut self) -> Result<(), StepFailure> {
        let pivot = self.driver.weakest_pivot();
        if !(pivot < WEAK) {
            self.looked = WEAK;
            return Ok(());
        }
        if pivot > LOWER * self.looked || !self.sys.has_choice() {
            return Ok(());
        }
        self.looked = pivot;
        let Some(sys) = self.sys.with_stronger_rows(self.driver.state(), BETTER) else {
            return Ok(());
        };
        self.looked = WEAK;
        self.go_on_with(sys)
    }

    fn go_on_with(&mut self, sys: System) -> Result<(), StepFailure> {
        let method = self.id.make(&sys, &self.settings)?;
        let state = self.driver.state().clone();
        self.driver.restart(&sys, Some(method), &state)?;
        self.sys = Arc::new(sys);
        Ok(())
    }
}

impl Remember for Smooth {
    fn remember(&mut self, m: &mut Memory<'_>) {
        let Smooth { sys, driver: _, id: _, settings: _, looked: _, fed: _ } = &*self;
        let (mut rows, mut grip) = (sys.chosen_rows().to_vec(), sys.structure().rank.grip);
        rows.remember(m);
        grip.remember(m);
        let other = rows != self.sys.chosen_rows();
        if m.reads()
            && !m.failed()
            && other
            && self.go_on_with(self.sys.with_rows(rows, grip)).is_err()
        {
            m.fail("the method cannot start where it was");
        }
        self.driver.remember(m);
        self.looked.remember(m);
        self.fed.remember(m);
    }
}

impl Engine for Smooth {
    fn advance(&mut self) -> Result<(), SimError> {
        if let Err(e) = self.choose_rows() {
            let s = self.driver.state();
            return Err(SimError::from_failure(&*self.sys, &e, s.t, self.driver.next_step()));
        }
        self.driver.advance(&self.sys)
    }

    fn set_stop(&mut self, t: f64) {
        self.driver.set_stop(t);
    }

    fn set_inputs(&mut self, values: &[f64]) -> Result<(), StepFailure> {
        self.driver.set_held(&*self.sys, values);
        Ok(())
    }

    fn state(&self) -> &State {
        self.driver.state()
    }

    fn before(&self) -> &State {
        self.view().from
    }

    fn record(&mut self, recorder: &mut Recorder) -> Result<(), StepFailure> {
        let fed = self.driver.fed;
        recorder.jump(0.0, fed - self.fed);
        self.fed = fed;
        recorder.record(&self.sys, &self.driver.view())
    }

    fn sample(&mut self, recorder: &mut Recorder) -> Result<(), StepFailure> {
        recorder.sample_again(&self.sys, &self.driver.view(), None)
    }

    fn interpolate(&self, dense: &mut Hermite, t: f64, out: &mut State) {
        let StepView { from, d0, to, d1 } = self.view();
        dense.fit(self.sys.manifold(), from, d0, to, d1);
        dense.at(self.sys.manifold(), t, out);
    }

    fn counts(&self) -> Counts {
        let d = &self.driver;
        Counts {
            steps: d.steps,
            rejections: d.rejections,
            hops: d.hops,
            first_hop: d.first_hop,
            branches: d.branches(),
            stiff_since: d.stiff_since(),
            limited_by: d.limited_by(),
            local_errors: d.local_errors(),
            fixed_step: d.fixed_step(),
            work: d.work(),
        }
    }
}
