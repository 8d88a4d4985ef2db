//! The minimum of HTTP that one page on one machine needs.
//!
//! Other programs and other users of the machine can reach a port of the loopback interface, and a page from elsewhere
//! in the same browser can send requests to it. Therefore the address contains a token that cannot be guessed, `Host`
//! must be the loopback (a foreign name that points here is rejected), `Origin` must be the page itself, and only GET
//! is answered. The amount that is read and the time spent waiting for it are bounded.

use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::time::Duration;

/// Largest header of a request, bytes.
const LARGEST: usize = 8 << 10;
/// Longest time for a client to send or receive something.
const PATIENCE: Duration = Duration::from_secs(5);

/// What is requested.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Target {
    /// The page.
    Page,
    /// The stream of events.
    Stream,
}

/// Why a request is not answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refusal {
    /// 400.
    Bad,
    /// 403.
    Forbidden,
    /// 404.
    NotFound,
    /// 405.
    Method,
    /// 431.
    TooLarge,
    /// 503.
    Busy,
}

impl Refusal {
    fn line(self) -> &'static str {
        match self {
            Refusal::Bad => "400 Bad Request",
            Refusal::Forbidden => "403 Forbidden",
            Refusal::NotFound => "404 Not Found",
            Refusal::Method => "405 Method Not Allowed",
            Refusal::TooLarge => "431 Request Header Fields Too Large",
            Refusal::Busy => "503 Service Unavailable",
        }
    }
}

/// Decides which requests are answered.
#[derive(Debug, Clone)]
pub struct Gate {
    /// Port of the server.
    pub port: u16,
    /// Secret part of the address.
    pub token: String,
}

impl Gate {
    /// Checks the header of a request.
    pub fn judge(&self, head: &str) -> Result<Target, Refusal> {
        let mut lines = head.split("\r\n");
        let mut words = lines.next().unwrap_or_default().split(' ');
        let (Some(method), Some(target), Some(version), None) =
            (words.next(), words.next(), words.next(), words.next())
        else {
            return Err(Refusal::Bad);
        };
        if !version.starts_with("HTTP/1.") {
            return Err(Refusal::Bad);
        }
        let (mut hosts, mut origins) = (Vec::new(), Vec::new());
        for line in lines.filter(|l| !l.is_empty()) {
            let Some((name, value)) = line.split_once(':') else { return Err(Refusal::Bad) };
            match name.to_ascii_lowercase().as_str() {
                "host" => hosts.push(value.trim()),
                "origin" => origins.push(value.trim()),
                _ => {}
            }
        }
        let own = [format!("127.0.0.1:{}", self.port), format!("localhost:{}", self.port)];
        let [host] = hosts[..] else { return Err(Refusal::Forbidden) };
        if !own.iter().any(|o| o.eq_ignore_ascii_case(host)) {
            return Err(Refusal::Forbidden);
        }
        let same = |origin: &&str| origin.strip_prefix("http://") == Some(host);
        if !origins.iter().all(same) {
            return Err(Refusal::Forbidden);
        }
        if method != "GET" {
            return Err(Refusal::Method);
        }
        let (path, query) = target.split_once('?').unwrap_or((target, ""));
        let given = query.split('&').find_map(|part| part.strip_prefix("token="));
        if !given.is_some_and(|t| equal(t, &self.token)) {
            return Err(Refusal::Forbidden);
        }
        match path {
            "/" => Ok(Target::Page),
            "/live" => Ok(Target::Stream),
            _ => Err(Refusal::NotFound),
        }
    }
}

/// Takes the same time wherever the texts differ.
fn equal(a: &str, b: &str) -> bool {
    let differ = a.bytes().zip(b.bytes()).fold(0, |d, (a, b)| d | (a ^ b));
    a.len() == b.len() && differ == 0
}

/// Bounds how long a client can occupy a thread.
pub fn limit(stream: &TcpStream) -> io::Result<()> {
    stream.set_nonblocking(false)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_write_timeout(Some(PATIENCE))
}

/// The header of a request, without the empty line that ends it.
pub fn read_head(stream: &mut TcpStream) -> Result<String, Refusal> {
    let clock = std::time::Instant::now();
    let mut head = Vec::new();
    let mut piece = [0; 1024];
    loop {
        let n = stream.read(&mut piece).map_err(|_| Refusal::Bad)?;
        // do not wait for a client that sends a byte now and then either
        if n == 0 || clock.elapsed() > PATIENCE {
            return Err(Refusal::Bad);
        }
        let from = head.len().saturating_sub(3);
        head.extend_from_slice(&piece[..n]);
        if let Some(end) = head[from..].windows(4).position(|w| w == b"\r\n\r\n") {
            head.truncate(from + end);
            return String::from_utf8(head).map_err(|_| Refusal::Bad);
        }
        if head.len() > LARGEST {
            return Err(Refusal::TooLarge);
        }
    }
}

/// Header of every answer: do not store, do not frame, do not guess the content type.
fn head(status: &str, kind: &str, more: &str) -> String {
    format!(
        "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nCache-Control: no-store\r\n\
         X-Content-Type-Options: nosniff\r\nReferrer-Policy: no-referrer\r\n\
         Cross-Origin-Resource-Policy: same-origin\r\nConnection: close\r\n{more}\r\n"
    )
}

/// Answers with an error status.
pub fn refuse(stream: &mut TcpStream, why: Refusal) -> io::Result<()> {
    let text = why.line();
    let mut more = format!(
        "Content-Length: {}\r\nContent-Security-Policy: default-src 'none'\r\n",
        text.len() + 1
    );
    if why == Refusal::Method {
        more.push_str("Allow: GET\r\n");
    }
    let head = head(text, "text/plain; charset=utf-8", &more);
    stream.write_all(format!("{head}{text}\n").as_bytes())
}

/// Answers with the page, which may run its own scripts and no others.
pub fn page(stream: &mut TcpStream, html: &str, policy: &str) -> io::Result<()> {
    let more = format!("Content-Length: {}\r\nContent-Security-Policy: {policy}\r\n", html.len());
    stream.write_all(head("200 OK", "text/html; charset=utf-8", &more).as_bytes())?;
    stream.write_all(html.as_bytes())
}

/// Begins a stream of events.
pub fn begin_stream(stream: &mut TcpStream) -> io::Result<()> {
    let more = "Content-Security-Policy: default-src 'none'\r\n";
    stream.write_all(head("200 OK", "text/event-stream; charset=utf-8", more).as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judge(head: &str) -> Result<Target, Refusal> {
        Gate { port: 4711, token: "secret".to_owned() }.judge(&head.replace('\n', "\r\n"))
    }

    #[test]
    fn only_the_page_itself_gets_in() {
        use Refusal::*;
        let host = "Host: 127.0.0.1:4711";
        let get = format!("GET /?token=secret HTTP/1.1\n{host}");
        assert_eq!(judge(&get), Ok(Target::Page));
        let stream = format!("GET /live?token=secret HTTP/1.1\n{host}");
        assert_eq!(judge(&stream), Ok(Target::Stream));
        assert_eq!(judge(&format!("{stream}\nOrigin: http://127.0.0.1:4711")), Ok(Target::Stream));
        for (head, why) in [
            (format!("GET / HTTP/1.1\n{host}"), Forbidden),
            (format!("GET /?token= HTTP/1.1\n{host}"), Forbidden),
            (format!("GET /?token=secre HTTP/1.1\n{host}"), Forbidden),
            (format!("GET /?token=secret1 HTTP/1.1\n{host}"), Forbidden),
            ("GET /?token=secret HTTP/1.1".to_owned(), Forbidden),
            ("GET /?token=secret HTTP/1.1\nHost: evil.example:4711".to_owned(), Forbidden),
            ("GET /?token=secret HTTP/1.1\nHost: 127.0.0.1:80".to_owned(), Forbidden),
            (format!("{get}\nHost: evil.example"), Forbidden),
            (format!("{get}\nOrigin: http://evil.example"), Forbidden),
            (format!("{get}\nOrigin: null"), Forbidden),
            (format!("{get}\nOrigin: http://127.0.0.1:80"), Forbidden),
            (format!("{get}\nOrigin: https://127.0.0.1:4711"), Forbidden),
            (format!("{get}\nOrigin: http://localhost:4711"), Forbidden),
            (
                format!("{get}\nOrigin: http://127.0.0.1:4711\nOrigin: http://evil.example"),
                Forbidden,
            ),
            (
                "GET /?token=secret HTTP/1.1\nHost: 127.0.0.1:4711.evil.example".to_owned(),
                Forbidden,
            ),
            (format!("POST /?token=secret HTTP/1.1\n{host}"), Method),
            (format!("GET /x?token=secret HTTP/1.1\n{host}"), NotFound),
            (format!("GET /../etc/passwd?token=secret HTTP/1.1\n{host}"), NotFound),
            ("".to_owned(), Bad),
            (format!("GET /?token=secret SPDY/9\n{host}"), Bad),
            (format!("{get}\nno colon"), Bad),
        ] {
            assert_eq!(judge(&head), Err(why), "{head}");
        }
    }
}
