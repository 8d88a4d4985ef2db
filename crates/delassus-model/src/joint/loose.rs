//! Joints with clearance: contacts hold them, where the ideal joint has rows.
//!
//! A journal of finite length in space keeps one row: it does not move along its bearing.

use super::{RowDraft, axes, row};
use crate::system::scalar::ScalarKind;
use crate::{Play, PlayForm};

pub(super) fn rows(play: &Play) -> Vec<RowDraft> {
    match play.form {
        PlayForm::Shaft { .. } => {
            let along = ScalarKind::Along(axes(&play.pair).z_a);
            vec![row("translation along the axis", &play.pair, along, 0.0)]
        }
        PlayForm::Journal { .. }
        | PlayForm::Block { .. }
        | PlayForm::Channel { .. }
        | PlayForm::Ball { .. } => Vec::new(),
    }
}
