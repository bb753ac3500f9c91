//! `pno data generate` for every equation: what is stored is what the solvers give, in the layout that is promised.

use std::collections::BTreeSet;

use pno::pde::{darcy, ks, sswe};
use pno::spec::Profile;
use pno::sphere::Latitudes;

use crate::{CELLS, FRAMES, Room, zarr_values};

/// Largest difference of two fields, in units of the second one's largest value.
fn apart(a: &[f32], b: &[f32]) -> f32 {
    assert_eq!(a.len(), b.len());
    let most = b.iter().fold(0.0_f32, |most, v| most.max(v.abs()));
    let pairs = a.iter().zip(b).map(|(a, b)| (a - b).abs());
    pairs.fold(0.0, f32::max) / most
}

fn generate(room: &Room, words: &str, out: &str) -> String {
    let words: Vec<&str> = words.split_whitespace().collect();
    room.ok(&[&["data", "generate"], &words[..], &["--out", out]].concat())
}

#[test]
fn ks_after_the_burn_in_is_the_later_part_of_the_trajectory() {
    let room = Room::new();
    generate(&room, "ks --samples 3 --seed 4", "ks");
    let values = zarr_values(&room.path("ks"), "u");
    let start = ks::initial_condition(4, 1, CELLS);
    let whole = ks::Solver::default_plan().trajectory(&start, 50 + FRAMES, 2.0);
    let stored = &values[FRAMES * CELLS..2 * FRAMES * CELLS];
    // Chaos: a difference of 1e-16 has grown by a factor of about 3 every 10 time units, up to t = 178.
    let early = 5 * CELLS;
    let found = apart(&stored[..early], &whole[50 * CELLS..50 * CELLS + early]);
    assert!(found < 1e-3, "{found}");
}

#[test]
fn a_trajectory_does_not_depend_on_how_many_there_are() {
    let room = Room::new();
    generate(&room, "ks --samples 3 --seed 4 --profile paper", "three");
    generate(&room, "ks --samples 4 --seed 4 --profile paper", "four");
    let [three, four] = ["three", "four"].map(|name| zarr_values(&room.path(name), "u"));
    assert!(three[..] == four[..three.len()]);
}

#[test]
fn darcy_stores_every_second_cell_of_the_steady_state() {
    let room = Room::new();
    generate(&room, "darcy --samples 4 --seed 7", "darcy");
    let (a, u) = (
        zarr_values(&room.path("darcy"), "a"),
        zarr_values(&room.path("darcy"), "u"),
    );
    let law = darcy::Law::Bumps;
    let sample = darcy::sample(7, 2, Profile::Fixed, law, 128).expect("solved");
    for (stored, whole) in [(&a, &sample.coefficient), (&u, &sample.solution)] {
        for (i, j) in [(0, 0), (5, 9), (31, 63), (63, 2)] {
            let wanted = whole[2 * i * 128 + 2 * j];
            assert_eq!(stored[(2 * 64 + i) * 64 + j], wanted, "({i}, {j})");
        }
    }
    let info = room.ok(&["data", "info", "darcy", "--picture", "darcy.png"]);
    assert!(info.contains("a on x 64"), "{info}");
    assert!(room.path("darcy.png").exists());
}

#[test]
fn published_darcy_trains_on_every_second_point_of_a_128_grid() {
    let room = Room::new();
    generate(&room, "darcy --samples 4 --profile paper", "darcy");
    let u = zarr_values(&room.path("darcy"), "u");
    assert_eq!(u.len(), 4 * 128 * 128);
    let law = darcy::Law::Bumps;
    let sample = darcy::sample(0, 3, Profile::Paper, law, 128).expect("solved");
    assert_eq!(u[3 * 128 * 128..], sample.solution[..]);
    let info = room.ok(&["data", "info", "darcy"]);
    assert!(info.contains("[64, 64], thinned out"), "{info}");
    assert!(info.contains("(value - 0.072) / 0.138"), "{info}");
}

#[test]
fn the_gaussian_law_has_its_two_values() {
    let room = Room::new();
    generate(&room, "darcy --samples 3 --law gaussian --grid 32", "darcy");
    let a = zarr_values(&room.path("darcy"), "a");
    let found: BTreeSet<i32> = a.iter().map(|&v| v as i32).collect();
    assert_eq!(found, BTreeSet::from([3, 12]));
    assert_eq!(a.len(), 3 * 32 * 32);
}

#[test]
fn shallow_water_is_stored_hour_by_hour_one_array_per_quantity() {
    let room = Room::new();
    generate(
        &room,
        "sswe --samples 3 --seed 2 --grid 16x32 --frames 4",
        "sswe",
    );
    let mut solver = sswe::Solver::new(16, 32, Latitudes::Equiangular, Profile::Fixed);
    let frames = solver.trajectory(2, 1, 4);
    for (channel, name) in ["geopotential", "vorticity", "divergence"]
        .iter()
        .enumerate()
    {
        let stored = zarr_values(&room.path("sswe"), name);
        let wanted: Vec<f32> = frames.iter().skip(channel).step_by(3).copied().collect();
        assert_eq!(stored[wanted.len()..2 * wanted.len()], wanted[..], "{name}");
    }
    let info = room.ok(&["data", "info", "sswe", "--picture", "sswe.svg"]);
    assert!(info.contains("a sphere, equiangular latitudes"), "{info}");
    assert!(info.contains("std of frame 0"), "{info}");
}

#[test]
fn shares_are_the_numbers_that_were_asked_for() {
    let room = Room::new();
    let told = generate(&room, "sswe --shares 0,1,4 --grid 8x16 --frames 2", "sswe");
    assert!(told.contains("train 0, valid 1, test 4"), "{told}");
}

/// The largest memory that a run ever had, in kilobytes.
#[cfg(target_os = "linux")]
fn peak_memory(room: &Room, samples: &str, out: &str) -> u64 {
    let words = ["data", "generate", "sswe", "--grid", "32x64", "--out", out];
    let mut child = room
        .command(&[&words[..], &["--samples", samples]].concat())
        .env("RAYON_NUM_THREADS", "2")
        .stderr(std::process::Stdio::null())
        .stdout(std::process::Stdio::null())
        .spawn()
        .expect("pno starts");
    let status = format!("/proc/{}/status", child.id());
    let mut peak = 0;
    while child.try_wait().expect("waited").is_none() {
        let text = std::fs::read_to_string(&status).unwrap_or_default();
        let line = text.lines().find(|line| line.starts_with("VmHWM"));
        let found = line.and_then(|line| line.split_whitespace().nth(1)?.parse().ok());
        peak = found.unwrap_or(0).max(peak);
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
    peak
}

/// Eight times the samples are 155 MB more of values; none of that may stay in memory. What the allocator keeps for later use
/// varies by 20 MB from run to run.
#[cfg(target_os = "linux")]
#[test]
fn memory_does_not_grow_with_the_number_of_samples() {
    let room = Room::new();
    let (few, many) = (
        peak_memory(&room, "300", "few"),
        peak_memory(&room, "2400", "many"),
    );
    assert!(few > 0 && many < few + 50_000, "{few} kB, then {many} kB");
}
