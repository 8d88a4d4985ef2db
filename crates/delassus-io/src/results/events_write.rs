//! Writes `events.csv`: what happened at contacts, one line per event.

use super::csv_write::{push_name, push_number};
use super::error::WriteError;
use super::events_read::EventRow;
use std::io::Write;

/// Writes events with the columns `t,kind,contact,speed_before,speed_after,impulse,energy_lost,depth`.
pub fn write_events(
    mut w: impl Write,
    events: impl IntoIterator<Item = EventRow>,
) -> Result<(), WriteError> {
    let mut out =
        String::from("t,kind,contact,speed_before,speed_after,impulse,energy_lost,depth\n");
    for e in events {
        push_number(&mut out, e.t);
        for word in [&e.kind, &e.contact] {
            out.push(',');
            push_name(&mut out, word);
        }
        for x in [e.speed_before, e.speed_after, e.impulse, e.energy_lost, e.depth] {
            out.push(',');
            push_number(&mut out, x);
        }
        out.push('\n');
    }
    w.write_all(out.as_bytes())?;
    w.flush()?;
    Ok(())
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::super::read_events;
    use super::*;

    #[test]
    fn what_is_written_reads_back() {
        let events = vec![EventRow {
            t: 0.1 + 0.2,
            kind: "impact".to_owned(),
            contact: "ball, \"red\"".to_owned(),
            speed_before: -4.4,
            speed_after: 1e-17,
            impulse: 8.0,
            energy_lost: 0.0,
            depth: 2e-3,
        }];
        let mut out = Vec::new();
        write_events(&mut out, events.clone()).unwrap();
        let (back, problem) = read_events(std::str::from_utf8(&out).unwrap());
        assert_eq!(problem, None);
        assert_eq!(back, events);
    }
}
