//! The user's run against one with tight tolerance and short steps.

use crate::mechanism::{View, toml};
use crate::subject::{RTOL, Subject, careful_view};
use crate::verdict::Violation;

pub fn check(s: &Subject) -> Vec<Violation> {
    let found = s.difference("careful", &View::plain(), &s.base, &s.careful, s.accuracy(RTOL));
    let twin = || toml(&s.mechanism, &careful_view(&s.mechanism));
    found.into_iter().map(|v| v.with_twin(twin())).collect()
}
