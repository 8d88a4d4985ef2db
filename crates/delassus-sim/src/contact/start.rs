//! How a step that ends inside a compliant contact is repeated, by the rule of the contact.
//!
//! `locate` is how all events are reached (`locate.rs`). The other two are the procedures of Flores and Ambrósio
//! (2010): the time is interpolated and the step repeated once, or the step is halved until it ends less deep than
//! allowed. They are in the same place, between a step that passed its error test and its acceptance, so that methods
//! know nothing of them.

use super::event_driven::{EventDriven, Halt, SOONEST};
use super::thresholds::Thresholds;
use super::trigger::Trigger;
use delassus_dae::{StartRule, Unilateral};

impl<P: Unilateral + 'static> EventDriven<P> {
    /// Whether a contact whose start is located has begun unnoticed in the step that was made: a repeated, shorter step
    /// ends elsewhere than the dense output of the first predicted.
    pub(super) fn passes_start(&mut self, th: &Thresholds) -> bool {
        let (base, end) = (&*self.base, self.driver.proposal().to);
        let located = |id| base.compliance(id).is_some_and(|c| c.start == StartRule::Locate);
        self.watch.deepest(base, &mut self.ws, end, located) > th.touching
    }

    /// Reaches the start of a compliant contact that was found after the time h of a step: `None` if it is located like
    /// all other events, else what happens at the end of the repeated step.
    pub(super) fn meet_start(
        &mut self,
        h: f64,
        longest: f64,
        trigger: &Trigger,
    ) -> Result<Option<Option<Trigger>>, Halt> {
        let Trigger::Closes(id, _) = trigger else { return Ok(None) };
        let Some(c) = self.base.compliance(*id) else { return Ok(None) };
        match c.start {
            StartRule::Locate => Ok(None),
            StartRule::Interpolate => {
                let t = self.driver.state().t;
                let made = self.shorten(t, h)?;
                Ok(Some((made >= h).then(|| trigger.clone())))
            }
            StartRule::Shrink => {
                let limits = (c.max_start_depth, c.min_start_step);
                self.shrink(longest, limits, trigger).map(Some)
            }
        }
    }

    /// Halves the step until all points that are new inside are less deep than allowed, or until it is practically
    /// zero, which is counted. If that left it before the contact, the contact is still to come.
    fn shrink(
        &mut self,
        longest: f64,
        (most, shortest): (f64, f64),
        trigger: &Trigger,
    ) -> Result<Option<Trigger>, Halt> {
        let t = self.driver.state().t;
        // events at the start of a step are treated elsewhere
        let least = shortest.max(SOONEST * (t.abs() + 1.0 / self.driver.rate()));
        let mut h = longest;
        loop {
            let end = self.driver.proposal().to;
            let depth = self.watch.deepest(&*self.base, &mut self.ws, end, |_| true);
            if depth <= most {
                return Ok((depth >= 0.0).then(|| trigger.clone()));
            }
            if 0.5 * h < least {
                break;
            }
            h = self.shorten(t, 0.5 * h)?;
        }
        let name = trigger.point().map(|id| self.base.point_name(id));
        self.tally.compliant.began_deep.add(t + h, name);
        Ok(Some(trigger.clone()))
    }
}
