//! A folder that gets its name, and processes that are killed on the way there.

use super::*;

/// A data set, which is its description and one chunk, both with the same words in them.
fn fill(folder: &Path, words: &str) {
    fs::create_dir_all(folder.join("u/c")).expect("made");
    fs::write(folder.join("zarr.json"), words).expect("written");
    fs::write(folder.join("u/c/0"), words).expect("written");
}

/// The words of a data set, which must be whole.
fn words(folder: &Path) -> String {
    let words = fs::read_to_string(folder.join("zarr.json")).expect("a description");
    let chunk = fs::read_to_string(folder.join("u/c/0")).expect("a chunk");
    assert_eq!(words, chunk, "half of one and half of another");
    words
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).expect("listed");
    let mut names: Vec<String> = entries
        .map(|e| e.expect("an entry").file_name().to_string_lossy().into())
        .collect();
    names.sort();
    names
}

#[test]
fn nothing_has_the_final_name_before_it_is_whole() {
    let dir = tempfile::tempdir().expect("a folder");
    let target = dir.path().join("set.zarr");
    let partial = Partial::start(&target, "a", false).expect("started");
    fs::write(partial.folder().join("zarr.json"), "{}").expect("written");
    assert!(!target.exists());
    partial.finish().expect("finished");
    assert_eq!(names(&target), ["zarr.json"], "no note, no mark");
    assert_eq!(names(dir.path()), ["set.zarr"], "nothing is left beside it");
}

#[test]
fn the_same_request_goes_on_and_another_starts_anew() {
    let dir = tempfile::tempdir().expect("a folder");
    let target = dir.path().join("set.zarr");
    let first = Partial::start(&target, "a", false).expect("started");
    let chunk = first.folder().join("chunk");
    fs::write(&chunk, "1").expect("written");
    fs::write(first.folder().join(".pno-x.part"), "of a killed writer").expect("written");
    drop(first);
    let second = Partial::start(&target, "a", false).expect("goes on");
    assert!(chunk.exists());
    assert!(!second.folder().join(".pno-x.part").exists());
    drop(second);
    Partial::start(&target, "b", false).expect("starts anew");
    assert!(!chunk.exists());
}

#[test]
fn a_second_process_is_refused_and_disturbs_nothing() {
    let dir = tempfile::tempdir().expect("a folder");
    let target = dir.path().join("set.zarr");
    let first = Partial::start(&target, "a", false).expect("started");
    fill(first.folder(), "a");
    for request in ["a", "b"] {
        let second = Partial::start(&target, request, true).err();
        let message = second.expect("refused").to_string();
        let holder = format!("is being made by process {}", std::process::id());
        assert!(message.contains(&holder), "{message}");
    }
    first.finish().expect("finished");
    assert_eq!(words(&target), "a");
    assert_eq!(names(dir.path()), ["set.zarr"]);
}

#[test]
fn force_replaces_data_sets_and_nothing_else() {
    let dir = tempfile::tempdir().expect("a folder");
    let target = dir.path().join("set.zarr");
    fs::create_dir(&target).expect("made");
    fs::write(target.join("thesis.tex"), "years").expect("written");
    let message = |force| {
        let refused = Partial::start(&target, "a", force).err();
        refused.expect("refused").to_string()
    };
    assert!(message(false).contains("is there already"));
    assert!(message(true).contains("not a data set"));
    fs::write(target.join("zarr.json"), "{}").expect("written");
    Partial::start(&target, "a", true)
        .expect("started")
        .finish()
        .expect("finished");
    assert!(!target.join("thesis.tex").exists());
}

#[test]
fn what_came_into_being_meanwhile_is_not_replaced_without_force() {
    let dir = tempfile::tempdir().expect("a folder");
    let target = dir.path().join("set.zarr");
    let partial = Partial::start(&target, "a", false).expect("started");
    fill(partial.folder(), "a");
    fill(&target, "somebody's");
    let message = format!("{:#}", partial.finish().expect_err("refused"));
    assert!(message.contains("move one of them away"), "{message}");
    assert!(Partial::start(&target, "b", true).is_err(), "asks again");
    assert_eq!(words(&target), "somebody's");
    assert_eq!(words(&dir.path().join(".set.zarr.partial")), "a");
}

/// A folder in which `b` has been made and its process was killed after so many operations of giving it its name; `a`
/// was there before, or nothing. `None` if it came to its end.
fn killed(steps: usize, before: bool) -> Option<(tempfile::TempDir, PathBuf)> {
    let dir = tempfile::tempdir().expect("a folder");
    let target = dir.path().join("set.zarr");
    if before {
        fill(&target, "a");
    }
    let partial = Partial::start(&target, "b", before).expect("started");
    fill(partial.folder(), "b");
    let (outcome, cut) = disk::after(steps, || partial.finish());
    if outcome.is_ok() {
        assert!(!cut);
        return None;
    }
    assert!(cut, "an error of its own: {outcome:?}");
    // The lock of a killed process is a file that nobody holds.
    fs::write(dir.path().join(".set.zarr.lock"), "1").expect("written");
    Some((dir, target))
}

/// All ways of being killed in `finish`, and again within the recovery from that.
fn all_ways(check: impl Fn(&Path, &Path, bool, &str)) {
    for before in [false, true] {
        let mut ways = 0;
        for first in 0.. {
            if killed(first, before).is_none() {
                assert!(first > 8, "only {first} operations");
                break;
            }
            for second in 0.. {
                let (dir, target) = killed(first, before).expect("killed");
                let (outcome, cut) =
                    disk::after(second, || Partial::start_or_end(&target, "c", false).err());
                let way = format!(
                    "killed after {first} operations, then after {second}, {}",
                    if before { "replacing" } else { "new" }
                );
                check(dir.path(), &target, before, &way);
                ways += 1;
                drop(outcome);
                if !cut {
                    break;
                }
            }
        }
        assert!(ways > 20, "{ways}");
    }
}

#[test]
fn whoever_comes_after_a_kill_finds_the_old_or_the_new_and_all_of_it() {
    all_ways(|dir, target, before, way| {
        // Another request, without --force: it takes nothing away.
        let third = Partial::start_or_end(target, "d", false);
        if target.exists() {
            let message = third.err().expect(way).to_string();
            assert!(message.contains("is there already"), "{way}: {message}");
            let found = words(target);
            assert!(found == "b" || before && found == "a", "{way}: {found}");
            let beside = names(dir);
            for stale in [".set.zarr.old", ".set.zarr.lock"] {
                assert!(!beside.iter().any(|name| name == stale), "{way}");
            }
            assert!(!target.join(NOTE).exists() && !target.join(WHOLE).exists());
        } else {
            // Nothing had been finished, so there is nothing to keep.
            assert!(!before, "{way}");
            drop(third.expect(way));
        }
    });
}

#[test]
fn the_same_command_after_a_kill_makes_it_whole() {
    for before in [false, true] {
        for steps in 0.. {
            let Some((dir, target)) = killed(steps, before) else {
                break;
            };
            let way = format!("killed after {steps} operations");
            // What was made is there, or in place: nothing is made again.
            if let Some(again) = Partial::start_or_end(&target, "b", before).expect(&way) {
                assert_eq!(words(again.folder()), "b", "{way}: made again");
                again.finish().expect(&way);
            }
            assert_eq!(words(&target), "b", "{way}");
            drop(dir);
        }
    }
}

#[test]
fn a_kill_while_it_starts_keeps_what_was_made() {
    for steps in 0.. {
        let dir = tempfile::tempdir().expect("a folder");
        let target = dir.path().join("set.zarr");
        let first = Partial::start(&target, "a", false).expect("started");
        fill(first.folder(), "a");
        drop(first);
        let (outcome, cut) = disk::after(steps, || Partial::start(&target, "a", false).err());
        drop(outcome);
        let again = Partial::start(&target, "a", false).expect("goes on");
        assert_eq!(
            words(again.folder()),
            "a",
            "killed after {steps} operations"
        );
        if !cut {
            break;
        }
    }
}

#[cfg(unix)]
#[test]
fn a_link_is_replaced_and_what_it_points_to_is_kept() {
    let dir = tempfile::tempdir().expect("a folder");
    let (large, target) = (dir.path().join("large"), dir.path().join("set.zarr"));
    fill(&large, "kept");
    std::os::unix::fs::symlink(&large, &target).expect("linked");
    let partial = Partial::start(&target, "a", true).expect("started");
    fill(partial.folder(), "a");
    partial.finish().expect("finished");
    assert_eq!((words(&large), words(&target)), ("kept".into(), "a".into()));
}
