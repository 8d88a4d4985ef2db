//! Messages over UDP, in bytes or as JSON: the answer has the form of the question.
//!
//! The first sender of a good message is the partner: it gets the outputs of every cycle, until nothing has come from
//! it for longer than allowed. Then another one may take over, and nothing is sent until one does, so that the loop
//! does not go on talking to somebody who has left.

use crate::gate::Gate;
use crate::layout::Layout;
use crate::link::Link;
use crate::packet::{self, Cycle, Incoming, Refusal};
use crate::text;
use serde::Serialize;
use std::io;
use std::net::{SocketAddr, UdpSocket};

/// Messages read per cycle at most: the rest waits for the next one.
const PER_CYCLE: usize = 32;

/// What was sent, counted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Sent {
    /// Messages with outputs.
    pub outputs: u64,
    /// Those that the system did not take.
    pub lost: u64,
}

/// A socket that exchanges messages.
#[derive(Debug)]
pub struct Udp {
    socket: UdpSocket,
    layout: Layout,
    partner: Option<SocketAddr>,
    as_text: bool,
    buffer: Vec<u8>,
    values: Vec<f64>,
    out: Vec<u8>,
    answer: Vec<u8>,
    sent: Sent,
}

impl Udp {
    /// Opens a socket; port 0 is any free one.
    pub fn open(address: SocketAddr, layout: &Layout, rate: f64) -> io::Result<Udp> {
        let socket = UdpSocket::bind(address)?;
        socket.set_nonblocking(true)?;
        let room = largest(layout);
        Ok(Udp {
            socket,
            layout: layout.clone(),
            partner: None,
            as_text: false,
            // one byte more than any message has
            buffer: vec![1; packet::LARGEST + 1],
            values: vec![f64::NAN; layout.inputs().len()],
            out: {
                let mut out = vec![1; room];
                out.clear();
                out
            },
            answer: packet::answer(layout, rate),
            sent: Sent::default(),
        })
    }

    /// The address it listens to.
    pub fn address(&self) -> io::Result<SocketAddr> {
        self.socket.local_addr()
    }

    /// What was sent so far.
    pub fn sent(&self) -> Sent {
        self.sent
    }

    fn take(&mut self, n: usize, from: SocketAddr, gate: &mut Gate) {
        let Udp { layout, values, buffer, .. } = self;
        let bytes = &buffer[..n.min(packet::LARGEST)];
        let is_text = bytes.trim_ascii_start().first() == Some(&b'{');
        let read = match is_text {
            true => text::read(bytes, layout, values),
            false => packet::read(bytes, layout, values),
        };
        let taken = self.partner == Some(from) || gate.is_deserted() || self.partner.is_none();
        match read {
            // whoever asks may be told, without becoming the partner
            Ok(Incoming::Question) => {
                let text = &self.answer[if is_text { packet::HEADS[0] } else { 0 }..];
                let _ = self.socket.send_to(text, from);
            }
            Ok(Incoming::Inputs(_)) if !taken => gate.refuse(Refusal::Foreign),
            Ok(Incoming::Inputs(sequence)) => {
                if self.partner != Some(from) {
                    gate.forget_sequence();
                }
                if gate.offer(sequence, &self.values) {
                    (self.partner, self.as_text) = (Some(from), is_text);
                }
            }
            Err(why) => gate.refuse(why),
        }
    }
}

/// The largest message with outputs, bytes.
pub fn largest(layout: &Layout) -> usize {
    text::room(layout).max(packet::HEADS[1] + 8 * layout.outputs().len())
}

impl Link for Udp {
    fn receive(&mut self, gate: &mut Gate) -> bool {
        for _ in 0..PER_CYCLE {
            match self.socket.recv_from(&mut self.buffer) {
                Ok((n, from)) => self.take(n, from, gate),
                // nothing there, or the report of a message that did not arrive
                Err(e) if e.kind() == io::ErrorKind::WouldBlock => break,
                Err(_) => {}
            }
        }
        true
    }

    fn send(&mut self, cycle: &Cycle<'_>) {
        if cycle.status & crate::status::TIMEOUT != 0 && cycle.status & crate::status::ENDED == 0 {
            return;
        }
        let Some(to) = self.partner else { return };
        match self.as_text {
            true => text::write_outputs(&mut self.out, &self.layout, cycle),
            false => packet::write_outputs(&mut self.out, &self.layout, cycle),
        }
        let sent = self.socket.send_to(&self.out, to).is_ok();
        self.sent.outputs += u64::from(sent);
        self.sent.lost += u64::from(!sent);
    }
}
