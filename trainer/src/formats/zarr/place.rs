//! Where the files of a Zarr folder are: on a disk, or behind an address.

use std::fmt;
use std::io::ErrorKind;
use std::path::PathBuf;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Result, anyhow, bail};
use ureq::Agent;

use super::super::Options;
use super::cache::Cache;
use super::http::{self, Answer, Patience};
use crate::files;
use crate::interrupt::{self, Interrupted};

/// How often a wait looks whether somebody asked to stop.
const LOOK: Duration = Duration::from_millis(100);

/// The root of a Zarr folder.
pub enum Place {
    /// On a disk.
    Folder {
        /// The folder.
        root: PathBuf,
        /// Its name in sentences.
        name: String,
    },
    /// Behind an address.
    Web(Web),
}

/// An `http(s)` address.
pub struct Web {
    /// The address without what follows a question mark, which may be a secret.
    root: String,
    /// The question mark and what follows it.
    query: String,
    agent: Agent,
    cache: Option<Cache>,
    patience: Patience,
}

/// The sentence for a server that does not let us.
#[derive(Debug)]
pub struct Denied(String);

impl fmt::Display for Denied {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Denied {}

impl Place {
    /// Tells folders from addresses.
    pub fn new(source: &str, options: &Options, patience: &Patience) -> Result<Self> {
        let address = match source.strip_prefix("gs://") {
            Some(path) => format!("https://storage.googleapis.com/{path}"),
            None => source.to_owned(),
        };
        if address.starts_with("http://") || address.starts_with("https://") {
            let (root, query) = match address.find('?') {
                Some(at) => address.split_at(at),
                None => (address.as_str(), ""),
            };
            return Ok(Self::Web(Web {
                root: root.trim_end_matches('/').to_owned(),
                query: query.to_owned(),
                agent: http::agent(patience),
                cache: options.cache.clone().map(Cache::new),
                patience: patience.clone(),
            }));
        }
        if let Some((scheme, _)) = source.split_once("://") {
            bail!("{source}: `{scheme}://` cannot be read, but a folder, http(s):// or gs:// can");
        }
        let root = PathBuf::from(source);
        if !root.is_dir() {
            bail!("{source}: there is no such folder");
        }
        let name = source.to_owned();
        Ok(Self::Folder { root, name })
    }

    /// The root, for sentences.
    pub fn name(&self) -> &str {
        match self {
            Self::Folder { name, .. } => name,
            Self::Web(web) => &web.root,
        }
    }

    /// Bytes of the file with this key, where they can be known without reading it.
    pub fn length(&self, key: &str) -> Option<usize> {
        match self {
            Self::Folder { root, .. } => {
                let about = std::fs::metadata(root.join(key)).ok()?;
                usize::try_from(about.len()).ok()
            }
            Self::Web(_) => None,
        }
    }

    /// The file with this key, as `decode` makes it; none where there is no such file.
    ///
    /// `what` says in sentences what it is. From an address, bytes that do not decode are taken for a fault on the way and asked for
    /// again; what decodes is kept in the cache.
    pub fn get<T>(
        &self,
        key: &str,
        what: &str,
        most: usize,
        decode: impl Fn(&[u8]) -> Result<T, String>,
    ) -> Result<Option<T>> {
        let (root, name) = match self {
            Self::Web(web) => return web.get(key, what, most, decode),
            Self::Folder { root, name } => (root, name),
        };
        match files::read_at_most(&root.join(key), most) {
            Ok(bytes) => decode(&bytes)
                .map(Some)
                .map_err(|e| anyhow!("{name}: {what} is damaged ({e})")),
            Err(e) if matches!(e.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
                Ok(None)
            }
            Err(e) if e.kind() == ErrorKind::FileTooLarge => {
                bail!("{name}: {what} has more than the {most} bytes that are wanted")
            }
            Err(e) => bail!("{name}: {what} cannot be read ({e})"),
        }
    }
}

impl Web {
    /// Whether the cache has this file.
    pub fn has_kept(&self, key: &str, most: usize) -> bool {
        let kept = |cache: &Cache| cache.get(&self.address(key), most).is_some();
        self.cache.as_ref().is_some_and(kept)
    }

    fn get<T>(
        &self,
        key: &str,
        what: &str,
        most: usize,
        decode: impl Fn(&[u8]) -> Result<T, String>,
    ) -> Result<Option<T>> {
        let address = self.address(key);
        if let Some(cache) = &self.cache
            && let Some(bytes) = cache.get(&address, most)
            && let Ok(value) = decode(&bytes)
        {
            return Ok(Some(value));
        }
        let place = address.trim_end_matches(self.query.as_str());
        let mut failures = 0;
        loop {
            let reason = match http::ask(&self.agent, &address, most) {
                Answer::Absent => return Ok(None),
                Answer::Denied(reason) => {
                    let sentence = format!("{place}: {what} cannot be had: {reason}");
                    return Err(Denied(sentence).into());
                }
                Answer::Refused(reason) => bail!("{place}: {what} cannot be had: {reason}"),
                Answer::Failed(reason) => reason,
                Answer::Bytes(bytes) => match decode(&bytes) {
                    Ok(value) => {
                        if let Some(cache) = &self.cache {
                            cache.put(&address, &bytes)?;
                        }
                        return Ok(Some(value));
                    }
                    Err(reason) => format!("its {} bytes are damaged ({reason})", bytes.len()),
                },
            };
            failures += 1;
            if failures >= self.patience.attempts {
                bail!("{place}: {what} could not be had in {failures} attempts: {reason}");
            }
            wait(self.patience.wait(failures), place)?;
        }
    }

    /// The address of a file. Names may hold anything, so all but the plainest characters are escaped.
    fn address(&self, key: &str) -> String {
        let mut address = format!("{}/", self.root);
        let hexadecimal = |digit: u8| char::from(b"0123456789ABCDEF"[usize::from(digit)]);
        for byte in key.bytes() {
            match byte {
                b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => {
                    address.push(byte.into());
                }
                _ => address.extend(['%', hexadecimal(byte >> 4), hexadecimal(byte & 15)]),
            }
        }
        address + &self.query
    }
}

/// Waits, unless somebody asks to stop.
fn wait(duration: Duration, place: &str) -> Result<()> {
    let until = Instant::now() + duration;
    loop {
        if interrupt::requested() {
            let kept = format!("{place} was not read; with a cache, what was read before is kept");
            return Err(Interrupted(kept).into());
        }
        let left = until.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Ok(());
        }
        thread::sleep(left.min(LOOK));
    }
}
