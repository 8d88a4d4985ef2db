//! The connection to the rest of the world that the arguments ask for.

use super::args::RtArgs;
use crate::exit::Failure;
use crate::fault::Fault;
use crate::signal;
use delassus_rt::packet::{Cycle, LARGEST};
use delassus_rt::{Alone, Gate, Layout, Lines, Link, Udp, largest};
use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};

/// One of the links.
pub enum Connection {
    /// None.
    Alone(Alone),
    /// Datagrams.
    Udp(Box<Udp>),
    /// Standard input and output.
    Lines(Box<Lines>),
}

impl Link for Connection {
    fn receive(&mut self, gate: &mut Gate) -> bool {
        match self {
            Connection::Alone(l) => l.receive(gate),
            Connection::Udp(l) => l.receive(gate),
            Connection::Lines(l) => l.receive(gate),
        }
    }

    fn send(&mut self, cycle: &Cycle<'_>) {
        match self {
            Connection::Alone(l) => l.send(cycle),
            Connection::Udp(l) => l.send(cycle),
            Connection::Lines(l) => l.send(cycle),
        }
    }

    fn is_open(&self) -> bool {
        match self {
            Connection::Alone(l) => l.is_open(),
            Connection::Udp(l) => l.is_open(),
            Connection::Lines(l) => l.is_open(),
        }
    }
}

/// Opens it; a note where others can reach it.
pub fn open(
    a: &RtArgs,
    layout: &Layout,
    rate: f64,
    notes: &mut Vec<Fault>,
) -> Result<Connection, Failure> {
    if let Some(port) = a.udp {
        let room = largest(layout);
        if room > LARGEST {
            let message = format!(
                "{} outputs take {room} bytes, and a datagram has room for {LARGEST}",
                layout.outputs().len()
            );
            let fault = Fault::new("E_LIMIT", "--udp", message);
            return Err(Failure::input(vec![fault.help("use fewer sensors, or --stdio")]));
        }
        let ip = a.listen.unwrap_or(IpAddr::V4(Ipv4Addr::LOCALHOST));
        let address = SocketAddr::new(ip, port);
        if !ip.is_loopback() {
            let message = format!(
                "the loop listens to {address}: whoever reaches this address can set the inputs"
            );
            let help = "leave --listen out to use the loopback alone";
            notes.push(Fault::new("N_RT_OPEN", "--listen", message).help(help));
        }
        let udp = Udp::open(address, layout, rate).map_err(|e| refused(address, &e))?;
        return Ok(Connection::Udp(Box::new(udp)));
    }
    if a.stdio {
        let (input, output) = (io::stdin(), io::stdout());
        let lines = Lines::start(input, output, layout, rate, a.unthrottled, signal::stopped);
        let lines = lines.map_err(|e| {
            let message = format!("no thread could be started for the lines: {e}");
            Failure::file(Fault::new("E_RT_ADDRESS", "--stdio", message).help("use --udp"))
        })?;
        return Ok(Connection::Lines(Box::new(lines)));
    }
    Ok(Connection::Alone(Alone))
}

fn refused(address: SocketAddr, e: &io::Error) -> Failure {
    let (message, help) = match e.kind() {
        io::ErrorKind::AddrInUse => (
            format!("the address {address} is in use by another program"),
            "choose another port, or 0 for any free one",
        ),
        io::ErrorKind::PermissionDenied => (
            format!("the port of {address} may not be used: {e}"),
            "choose a port above 1023, or 0 for any free one",
        ),
        _ => (
            format!("cannot listen to {address}: {e}"),
            "give an address of this machine, or leave --listen out",
        ),
    };
    Failure::file(Fault::new("E_RT_ADDRESS", "--udp", message).help(help))
}
