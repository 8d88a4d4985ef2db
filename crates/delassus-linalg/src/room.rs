//! Checks for memory before it is used: a program that runs out of memory while it works is killed by the system.

/// Whether so many bytes can be allocated at once. Allocates and frees them. Systems that promise more than they have
/// say yes; limits of the process (`ulimit -v`) are respected.
pub fn has_room(bytes: f64) -> bool {
    let mut asked: Vec<u8> = Vec::new();
    let had = bytes < isize::MAX as f64 && asked.try_reserve_exact(bytes as usize).is_ok();
    // an allocation that nobody looks at would be optimised away
    std::hint::black_box(&asked);
    had
}

/// Memory that something holds from step to step and grows into: only growth is asked for, since the rest is held already.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Room {
    held: f64,
}

impl Room {
    /// Whether it may grow to so many bytes. Once granted they are taken to be in use.
    pub fn grows_to(&mut self, bytes: f64) -> bool {
        let granted = bytes <= self.held || has_room(bytes - self.held);
        if granted {
            self.held = self.held.max(bytes);
        }
        granted
    }
}

#[cfg(test)]
mod tests {
    use super::{Room, has_room};

    #[test]
    fn a_megabyte_but_not_everything() {
        assert!(has_room(1e6));
        assert!(!has_room(1e18) && !has_room(1e300));
    }

    #[test]
    fn what_is_held_is_not_asked_for_again() {
        let mut room = Room::default();
        assert!(room.grows_to(1e6) && !room.grows_to(1e300));
        assert_eq!(room, Room { held: 1e6 });
        let mut almost_all = Room { held: 1e300 };
        assert!(almost_all.grows_to(1e300) && almost_all.grows_to(1.0));
    }
}
