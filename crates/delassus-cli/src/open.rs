//! Shows a page in the user's browser.

use crate::console;
use delassus::io::model_file::escape;
use std::process::{Command, Stdio};

/// Prints the address and, if requested, opens it. A machine without a browser is not an error: the address can be
/// opened elsewhere.
pub fn show(address: &str, wanted: bool) {
    // Standard output may be closed; the page exists all the same.
    let _ = console::print(&format!("{}\n", escape(address)));
    if wanted && !started(address) {
        console::warn("no browser could be started; open the address above by hand\n");
    }
}

fn started(address: &str) -> bool {
    let mut command = if cfg!(target_os = "macos") {
        Command::new("open")
    } else if cfg!(windows) {
        // the empty argument is the window title, which `start` takes first
        let mut c = Command::new("cmd");
        c.args(["/C", "start", ""]);
        c
    } else {
        Command::new("xdg-open")
    };
    command.arg(address).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.spawn().is_ok()
}
