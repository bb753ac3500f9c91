//! One file from an `http(s)` address, asked for again where that may help.

use std::time::Duration;

use ureq::Agent;

use crate::formats::budget::{self, CONNECTIONS};

/// Times that an address is asked.
const ATTEMPTS: u32 = 6;
/// Wait after the first failure; each next one is [`GROWTH`] times as long: half a minute in all.
const FIRST_WAIT: Duration = Duration::from_secs(1);
const GROWTH: u32 = 2;
/// How long a connection may take to come about.
const CONNECT: Duration = Duration::from_secs(20);
/// How long a server may say nothing, before or within its answer.
const SILENCE: Duration = Duration::from_secs(30);
/// How long an answer may take as a whole: 100 MB at 350 kB/s.
const BODY: Duration = Duration::from_mins(5);

/// How often and how long to wait.
#[derive(Debug, Clone)]
pub struct Patience {
    /// Times that an address is asked.
    pub attempts: u32,
    /// Wait after the first failure.
    pub first_wait: Duration,
    /// How long a server may say nothing.
    pub silence: Duration,
    /// How long an answer may take as a whole.
    pub body: Duration,
}

impl Default for Patience {
    fn default() -> Self {
        Self {
            attempts: ATTEMPTS,
            first_wait: FIRST_WAIT,
            silence: SILENCE,
            body: BODY,
        }
    }
}

impl Patience {
    /// The wait after failure number `failures`, counted from 1.
    pub fn wait(&self, failures: u32) -> Duration {
        self.first_wait * GROWTH.saturating_pow(failures.saturating_sub(1))
    }
}

/// What asking once came to.
pub enum Answer {
    /// The whole of it.
    Bytes(Vec<u8>),
    /// There is nothing at the address.
    Absent,
    /// It may work the next time.
    Failed(String),
    /// It will not.
    Refused(String),
    /// The server does not let us.
    Denied(String),
}

/// A client with these limits; connections are used again.
pub fn agent(patience: &Patience) -> Agent {
    Agent::config_builder()
        .http_status_as_error(false)
        .timeout_connect(Some(CONNECT))
        .timeout_recv_response(Some(patience.silence))
        .timeout_per_read(Some(patience.silence))
        .timeout_recv_body(Some(patience.body))
        .max_idle_connections_per_host(CONNECTIONS)
        .user_agent(concat!("pno/", env!("CARGO_PKG_VERSION")))
        .build()
        .new_agent()
}

/// Asks once. An answer of more than `most` bytes is refused.
pub fn ask(agent: &Agent, address: &str, most: usize) -> Answer {
    let _held = budget::connection();
    let mut response = match agent.get(address).call() {
        Ok(response) => response,
        Err(error) => return failure(&error),
    };
    let status = response.status();
    match status.as_u16() {
        200 => {}
        404 | 410 => return Answer::Absent,
        408 | 429 | 500..=599 => return Answer::Failed(format!("the server answered {status}")),
        401 | 403 => return Answer::Denied(format!("the server does not allow it ({status})")),
        _ => return Answer::Refused(format!("the server answered {status}")),
    }
    let promised = response.body().content_length();
    if promised.is_some_and(|length| length > most as u64) {
        let length = promised.unwrap_or_default();
        return Answer::Refused(format!(
            "it has {length} bytes, but at most {most} are wanted"
        ));
    }
    let body = response.body_mut().with_config().limit(most as u64);
    match body.read_to_vec() {
        Ok(bytes) => match promised {
            Some(length) if length != bytes.len() as u64 => {
                Answer::Failed(format!("the server sent {} bytes of {length}", bytes.len()))
            }
            _ => Answer::Bytes(bytes),
        },
        Err(error) => failure(&error),
    }
}

fn failure(error: &ureq::Error) -> Answer {
    use ureq::Error;
    match error {
        Error::BadUri(_) | Error::Http(_) | Error::RequireHttpsOnly(_) => {
            Answer::Refused(format!("it is not an address ({error})"))
        }
        Error::BodyExceedsLimit(most) => Answer::Refused(format!(
            "it is longer than the {most} bytes that are wanted"
        )),
        Error::Timeout(_) | Error::BodyStalled => {
            Answer::Failed(format!("the server was too slow ({error})"))
        }
        Error::HostNotFound => Answer::Failed("there is no such server".to_owned()),
        Error::TooManyRedirects | Error::RedirectFailed | Error::Tls(_) | Error::Rustls(_) => {
            Answer::Refused(error.to_string())
        }
        _ => Answer::Failed(format!("the connection failed ({error})")),
    }
}
