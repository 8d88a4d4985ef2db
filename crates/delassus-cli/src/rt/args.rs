//! Arguments of `delassus rt`.

use crate::args::{ModelArgs, assignment};
use clap::{Args, ValueEnum};
use delassus_rt::{OnOverrun, OnTimeout};
use std::path::PathBuf;

/// `delassus rt`. Numbers may be expressions with units: "1 kHz", "10 min".
#[derive(Debug, Args)]
#[command(
    after_help = "Exit codes: 0 done, 2 bad input or usage, 3 the model could not go on, 5 file or system error, \
6 stopped because a step was late (--overrun stop) or inputs stayed away (--on-timeout stop), 130 interrupted."
)]
pub struct RtArgs {
    /// Model.
    #[command(flatten)]
    pub model: ModelArgs,
    /// Steps per second, as in "1 kHz"; a step of the model is as long as a period.
    #[arg(long, value_name = "RATE", allow_hyphen_values = true)]
    pub rate: String,
    /// How long to run, in time of the model [default: until Ctrl-C].
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    pub duration: Option<String>,
    /// Do not wait for the clock: one step after the other, for soak tests.
    #[arg(long)]
    pub unthrottled: bool,
    /// What a late step means.
    #[arg(long, value_enum, default_value_t = OverrunArg::Stop)]
    pub overrun: OverrunArg,
    /// Real-time priority of the loop, 1 to 98, or `none` to ask for none.
    #[arg(long, value_name = "N", default_value = "50")]
    pub priority: String,
    /// Points of contact that act at a time [default: 16].
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    pub contacts: Option<String>,
    /// Sweeps over them in each step [default: 20].
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    pub sweeps: Option<String>,
    /// An option of the method lin-euler; may be given several times.
    #[arg(long, value_name = "NAME=VALUE", value_parser = assignment, allow_hyphen_values = true)]
    pub method_option: Vec<(String, String)>,
    /// Exchange inputs and outputs over this UDP port; 0 is any free one.
    #[arg(long, value_name = "PORT")]
    pub udp: Option<u16>,
    /// Address to listen to instead of the loopback: whoever reaches it can set the inputs.
    #[arg(long, value_name = "ADDRESS", requires = "udp")]
    pub listen: Option<std::net::IpAddr>,
    /// Exchange them over standard input and output, in lines of JSON. With --unthrottled every line makes one step.
    #[arg(long, conflicts_with = "udp")]
    pub stdio: bool,
    /// Periods without a good message over which the last inputs are held.
    #[arg(long, value_name = "N", default_value = "5", allow_hyphen_values = true)]
    pub timeout: String,
    /// What happens after that.
    #[arg(long, value_enum, default_value_t = TimeoutArg::Stop)]
    pub on_timeout: TimeoutArg,
    /// Print names, units and limits of inputs and outputs as JSON, and end.
    #[arg(long)]
    pub describe: bool,
    /// Interval of the results, a multiple of the period [default: that of the model].
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    pub sample: Option<String>,
    /// Folder for the results [default: out/MODEL-rt, unless --json or --stdio is given].
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Show the run in the browser while it is in progress.
    #[arg(long)]
    pub live: bool,
    /// Print the address of that page instead of opening it.
    #[arg(long)]
    pub no_open: bool,
    /// Print one JSON object at the end instead of text.
    #[arg(long)]
    pub json: bool,
    /// Use an output folder that contains other files.
    #[arg(long)]
    pub force: bool,
    /// Print errors only.
    #[arg(long, short)]
    pub quiet: bool,
}

/// What a late step means.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum OverrunArg {
    /// End the run with exit code 6; late steps among the first 1000 are left out as with skip.
    Stop,
    /// Leave out the periods that have begun meanwhile, and stay in phase with the clock.
    Skip,
    /// Begin the next step at once, and all later ones that much later.
    Log,
}

impl From<OverrunArg> for OnOverrun {
    fn from(a: OverrunArg) -> OnOverrun {
        match a {
            OverrunArg::Stop => OnOverrun::Stop,
            OverrunArg::Skip => OnOverrun::Skip,
            OverrunArg::Log => OnOverrun::Log,
        }
    }
}

/// What happens when inputs stay away.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum TimeoutArg {
    /// The last values act on.
    Hold,
    /// All inputs become zero, or the limit next to it.
    Zero,
    /// End the run with exit code 6.
    Stop,
}

impl From<TimeoutArg> for OnTimeout {
    fn from(a: TimeoutArg) -> OnTimeout {
        match a {
            TimeoutArg::Hold => OnTimeout::Hold,
            TimeoutArg::Zero => OnTimeout::Zero,
            TimeoutArg::Stop => OnTimeout::Stop,
        }
    }
}
