//! From a server.

use std::time::{Duration, Instant};

use super::server::{Reaction, Server};
use super::*;

const CHUNK: &str = "2m_temperature/1.0.0";
const ALL: [Range<usize>; 3] = [0..10, 0..9, 0..16];

fn impatient() -> Patience {
    Patience {
        attempts: 3,
        first_wait: Duration::from_millis(5),
        silence: Duration::from_millis(400),
        body: Duration::from_secs(5),
    }
}

fn options(cache: Option<&Path>) -> Options {
    Options {
        cache: cache.map(Path::to_owned),
    }
}

fn connect(server: &Server, cache: Option<&Path>) -> Result<Zarr> {
    open_with(&server.address, &options(cache), &impatient())
}

/// A server that misbehaves with one chunk, the first `times` times.
fn faulty(reaction: Reaction, times: usize) -> Server {
    Server::new(fixture("wb2.zarr"), move |path, before| {
        if path == CHUNK && before < times {
            reaction
        } else {
            Reaction::Serve
        }
    })
}

const FAULTS: [Reaction; 7] = [
    Reaction::Status(503),
    Reaction::Status(429),
    Reaction::Half,
    Reaction::HalfAndItsLength,
    Reaction::LengthTooLong,
    Reaction::Stall,
    Reaction::Close,
];

#[test]
fn only_the_chunks_of_a_block_are_asked_for_and_a_second_run_asks_for_nothing() {
    let server = faulty(Reaction::Serve, 0);
    let cache = tempfile::tempdir().expect("a folder");
    let block = [5..7, 0..9, 3..5];
    let zarr = connect(&server, Some(cache.path())).expect("opens");
    assert_same(&read(&zarr, "2m_temperature", &block), &wave(&block));
    // Again, in other columns: the decoded chunk is still there.
    read(&zarr, "2m_temperature", &[4..8, 0..9, 12..16]);
    let asked: Vec<(String, usize)> = server.asked().into_iter().collect();
    let wanted = [".zmetadata", CHUNK, "zarr.json"].map(|path| (path.to_owned(), 1));
    assert_eq!(asked, wanted);
    let zarr = connect(&server, Some(cache.path())).expect("opens");
    assert_same(&read(&zarr, "2m_temperature", &block), &wave(&block));
    assert!(server.asked().is_empty());
    // Without a cache it is asked for again.
    read(
        &connect(&server, None).expect("opens"),
        "2m_temperature",
        &block,
    );
    assert_eq!(server.asked().len(), 3);
}

#[test]
fn a_fault_that_passes_is_not_noticed() {
    for fault in FAULTS {
        let server = faulty(fault, 2);
        let zarr = connect(&server, None).expect("opens");
        assert_same(&read(&zarr, "2m_temperature", &ALL), &wave(&ALL));
        assert_eq!(server.asked()[CHUNK], 3, "{fault:?}");
    }
}

#[test]
fn a_fault_that_stays_is_one_sentence_and_nothing_is_kept_of_it() {
    for (fault, reason) in FAULTS.into_iter().zip([
        "503",
        "429",
        "connection failed",
        "bytes are damaged",
        "connection failed",
        "too slow",
        "connection failed",
    ]) {
        let server = faulty(fault, usize::MAX);
        let cache = tempfile::tempdir().expect("a folder");
        let zarr = connect(&server, Some(cache.path())).expect("opens");
        let error = zarr
            .read(variable(&zarr, "2m_temperature"), &ALL)
            .expect_err("a fault");
        let message = format!("{error:#}");
        let address = format!("{}/{CHUNK}", server.address);
        let start =
            format!("{address}: chunk 1.0.0 of `2m_temperature` could not be had in 3 attempts: ");
        assert!(message.starts_with(&start), "{message}");
        assert!(message.contains(reason), "{fault:?}: {message}");
        assert!(!message.contains('\n'), "{message}");
        assert_eq!(server.asked()[CHUNK], 3);
        let kept = super::super::cache::Cache::new(cache.path().to_owned());
        assert!(kept.get(&address, 1 << 20).is_none());
    }
}

#[test]
fn a_run_that_broke_off_goes_on_where_it_was() {
    let cache = tempfile::tempdir().expect("a folder");
    let server = faulty(Reaction::Status(500), 3);
    let zarr = connect(&server, Some(cache.path())).expect("opens");
    let temperature = variable(&zarr, "2m_temperature");
    assert!(zarr.read(temperature, &[0..4, 0..9, 0..16]).is_ok());
    assert!(zarr.read(temperature, &ALL).is_err());
    server.asked();
    let zarr = connect(&server, Some(cache.path())).expect("opens");
    assert_same(&read(&zarr, "2m_temperature", &ALL), &wave(&ALL));
    let asked = server.asked();
    assert_eq!(asked[CHUNK], 1, "now it works");
    assert!(!asked.contains_key("2m_temperature/0.0.0"), "it was kept");
}

#[test]
fn a_chunk_that_is_not_there_is_missing_and_is_not_asked_for_again() {
    let server = faulty(Reaction::Status(404), usize::MAX);
    let zarr = connect(&server, None).expect("opens");
    let values = read(&zarr, "2m_temperature", &[3..5, 0..1, 0..1]);
    assert!(values[0] == 253.0 && values[1].is_nan());
    assert_eq!(server.asked()[CHUNK], 1);
}

#[test]
fn a_damaged_file_of_the_cache_is_fetched_again() {
    let server = faulty(Reaction::Serve, 0);
    let cache = tempfile::tempdir().expect("a folder");
    let zarr = connect(&server, Some(cache.path())).expect("opens");
    read(&zarr, "2m_temperature", &ALL);
    server.asked();
    let mut cut = 0;
    for folder in fs::read_dir(cache.path()).expect("a folder") {
        for file in fs::read_dir(folder.expect("an entry").path()).expect("a folder") {
            let path = file.expect("an entry").path();
            let bytes = fs::read(&path).expect("reads");
            fs::write(&path, &bytes[..bytes.len() - 9]).expect("writes");
            cut += 1;
        }
    }
    assert_eq!(cut, 4, "the description and three chunks");
    let zarr = connect(&server, Some(cache.path())).expect("opens");
    assert_same(&read(&zarr, "2m_temperature", &ALL), &wave(&ALL));
    assert_eq!(server.asked().len(), 4);
    let zarr = connect(&server, Some(cache.path())).expect("opens");
    assert_same(&read(&zarr, "2m_temperature", &ALL), &wave(&ALL));
    assert!(server.asked().is_empty(), "whole again");
}

#[test]
fn an_address_without_a_store_is_one_sentence() {
    let said = |reaction: Reaction| {
        let server = Server::new(fixture("wb2.zarr"), move |_, _| reaction);
        let error = connect(&server, None).err().expect("cannot be opened");
        format!("{error:#}").replace(&server.address, "ADDRESS")
    };
    assert!(said(Reaction::Status(404)).starts_with("ADDRESS: there is no Zarr folder here"));
    assert_eq!(
        said(Reaction::Status(403)),
        "ADDRESS/zarr.json: the description zarr.json cannot be had: the server does not allow it (403 Forbidden)"
    );
    assert!(said(Reaction::Status(503)).contains("in 3 attempts: the server answered 503"));
    // A server that says 403 of what is not there.
    let server = Server::new(fixture("wb2.zarr"), |path, _| {
        let there = fixture("wb2.zarr").join(path).exists();
        if there {
            Reaction::Serve
        } else {
            Reaction::Status(403)
        }
    });
    assert!(connect(&server, None).is_ok());
    let server = Server::new(fixture("packed.zarr"), |_, _| Reaction::Serve);
    let error = connect(&server, None).err().expect("no list");
    assert!(format!("{error:#}").contains("does not list its arrays"));
    // Nobody listens there.
    let nobody = open_with("http://127.0.0.1:9/a", &Options::default(), &impatient());
    let message = format!("{:#}", nobody.err().expect("nobody"));
    assert!(
        message
            .contains("http://127.0.0.1:9/a/zarr.json: the description zarr.json could not be had"),
        "{message}"
    );
}

#[test]
fn all_folders_together_have_no_more_connections_than_the_budget_allows() {
    let server = Server::new(fixture("wb2.zarr"), |_, _| {
        thread::sleep(Duration::from_millis(20));
        Reaction::Serve
    });
    thread::scope(|scope| {
        for _ in 0..12 {
            let server = &server;
            scope.spawn(move || {
                let zarr = connect(server, None).expect("opens");
                assert_same(&read(&zarr, "2m_temperature", &ALL), &wave(&ALL));
            });
        }
    });
    let most = server.most_at_once();
    assert!((2..=CONNECTIONS).contains(&most), "{most} connections");
}

#[test]
fn several_threads_read_the_same_store() {
    let server = faulty(Reaction::Status(503), 1);
    let zarr = connect(&server, None).expect("opens");
    thread::scope(|scope| {
        for t in 0..10 {
            let zarr = &zarr;
            scope.spawn(move || {
                let block = [t..t + 1, 0..9, 0..16];
                assert_same(&read(zarr, "2m_temperature", &block), &wave(&block));
            });
        }
    });
}

#[test]
fn waits_grow_and_the_real_ones_end_within_a_minute() {
    let patience = Patience::default();
    let waits: Vec<Duration> = (1..patience.attempts).map(|n| patience.wait(n)).collect();
    assert!(waits.windows(2).all(|pair| pair[1] == 2 * pair[0]));
    assert!(waits.iter().sum::<Duration>() < Duration::from_mins(1));
    let begin = Instant::now();
    let server = faulty(Reaction::Close, usize::MAX);
    let zarr = connect(&server, None).expect("opens");
    assert!(zarr.read(variable(&zarr, "2m_temperature"), &ALL).is_err());
    assert!(begin.elapsed() >= impatient().wait(1) + impatient().wait(2));
}
