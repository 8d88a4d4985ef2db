//! Reads `events.csv`: impacts, releases and the like, if a run had any.

use super::csv_read::fields;

/// The largest number of events that are read.
const MOST: usize = 1 << 20;

/// One event. Numbers that the file does not have are NaN.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct EventRow {
    /// Time, s.
    pub t: f64,
    /// What happened: `impact`, `release`, ….
    pub kind: String,
    /// Name of the contact.
    pub contact: String,
    /// Normal speed before, m/s.
    pub speed_before: f64,
    /// Normal speed after, m/s.
    pub speed_after: f64,
    /// Impulse, N s.
    pub impulse: f64,
    /// Energy lost, J.
    pub energy_lost: f64,
    /// Penetration of a compliant contact, m.
    pub depth: f64,
}

/// Events of a file, its columns identified by the names in its first line (others are ignored), and what was wrong
/// with it.
pub fn read_events(text: &str) -> (Vec<EventRow>, Option<String>) {
    let mut events = Vec::new();
    let mut lines = text.lines().enumerate();
    let head = lines.next().map_or(Ok(Vec::new()), |(_, line)| fields(line));
    let names = match head {
        Ok(names) if names.iter().any(|n| n == "t") => names,
        _ => return (events, Some("line 1: no names of columns with `t` among them".to_owned())),
    };
    let place = |name: &str| names.iter().position(|n| n == name);
    let (t, kind, contact) = (place("t"), place("kind"), place("contact"));
    let numbers = ["speed_before", "speed_after", "impulse", "energy_lost", "depth"].map(place);
    for (i, line) in lines {
        let row = match fields(line) {
            Ok(row) if row.len() == names.len() => row,
            _ => return (events, Some(format!("line {}: not as many values as names", i + 1))),
        };
        let word = |at: Option<usize>| at.and_then(|k| row.get(k)).map_or("", String::as_str);
        let number = |at| word(at).trim().parse::<f64>().unwrap_or(f64::NAN);
        let time = number(t);
        if !time.is_finite() {
            return (events, Some(format!("line {}: the time is not a finite number", i + 1)));
        }
        if events.len() == MOST {
            return (events, Some(format!("more than {MOST} events")));
        }
        events.push(EventRow {
            t: time,
            kind: word(kind).to_owned(),
            contact: word(contact).to_owned(),
            speed_before: number(numbers[0]),
            speed_after: number(numbers[1]),
            impulse: number(numbers[2]),
            energy_lost: number(numbers[3]),
            depth: number(numbers[4]),
        });
    }
    (events, None)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn by_name_up_to_the_first_fault() {
        let text = "t,kind,contact,speed_before,speed_after,impulse,energy_lost,more\n\
                    0.45,impact,\"floor, left\",-4.4,3.5,8,3.5,x\n0.9,release,floor,,,,,\n1.2,im";
        let (events, problem) = read_events(text);
        assert_eq!(events.len(), 2);
        assert_eq!((events[0].t, events[0].contact.as_str()), (0.45, "floor, left"));
        assert_eq!((events[0].speed_before, events[0].energy_lost), (-4.4, 3.5));
        assert!(events[1].impulse.is_nan() && events[1].kind == "release");
        assert_eq!(problem.as_deref(), Some("line 4: not as many values as names"));
        assert!(read_events("").1.is_some() && read_events("a,b\n").1.is_some());
        assert!(read_events("t\nnan\n").1.is_some());
    }
}
