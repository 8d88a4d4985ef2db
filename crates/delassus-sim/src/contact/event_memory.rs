//! What an event-driven run stores in a checkpoint.

use super::closed_points::ClosedPoints;
use super::event_driven::{EventDriven, Halt};
use super::resolve::setup;
use delassus_dae::{State, Unilateral};
use delassus_math::memory::{Memory, Remember};

impl<P: Unilateral + 'static> Remember for EventDriven<P> {
    fn remember(&mut self, m: &mut Memory<'_>) {
        self.mode.remember(m);
        self.selector.pressed = self.mode.pressed().to_vec();
        self.is_stiff.remember(m);
        let mut state = self.driver.state().clone();
        state.remember(m);
        if m.reads() && !m.failed() && self.remake(&state).is_err() {
            m.fail("the method cannot start where it was");
        }
        let EventDriven {
            driver,
            closed_points,
            watch,
            sample,
            pending,
            history,
            squeeze,
            courses,
            stuck,
            turns,
            last_event,
            crowd,
            reach,
            log,
            tally,
            lost,
            fed,
            base,
            // rebuilt above
            mode: _,
            is_stiff: _,
            // scratch, and what a run is created with
            few: _,
            make: _,
            stiff: _,
            selector: _,
            ws: _,
            dense: _,
            cone: _,
            scale: _,
            tolerances: _,
        } = self;
        driver.remember(m);
        closed_points.remember(m);
        watch.remember(&**base, m);
        sample.remember(m);
        pending.remember(m);
        history.remember(m);
        squeeze.remember(m);
        courses.remember(m);
        stuck.remember(m);
        turns.remember(m);
        last_event.remember(m);
        crowd.remember(m);
        reach.remember(m);
        log.remember(m);
        tally.remember(m);
        lost.remember(m);
        fed.remember(m);
    }
}

impl<P: Unilateral + 'static> EventDriven<P> {
    /// Rebuilds the method and the closed points for the restored mode.
    fn remake(&mut self, state: &State) -> Result<(), Halt> {
        let make = match &self.stiff {
            Some(stiff) if self.is_stiff => stiff,
            _ => &self.make,
        };
        let method = make(&self.mode).map_err(|e| setup(&e, state.t))?;
        self.closed_points = ClosedPoints::new(&self.mode).map_err(|e| setup(&e, state.t))?;
        let restarted = self.driver.restart(&self.mode, Some(method), state);
        restarted.map_err(|e| setup(&e, state.t))
    }
}
