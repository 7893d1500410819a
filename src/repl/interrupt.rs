//! Ctrl-C, for front ends at a terminal: it stops what a session does, and not the process. The only
//! file that names ctrlc.

use crate::base::Control;

/// Makes Ctrl-C a request to stop from now on. A process can do so once.
///
/// # Errors
/// The reason why it will end the process instead.
pub fn on_ctrl_c(control: &Control) -> Result<(), String> {
    let control = control.clone();
    ctrlc::set_handler(move || control.stop()).map_err(|error| error.to_string())
}
