//! What is stopped: trainings of every kind, data, exports.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use crate::compare;

/// A command and what it leaves.
pub struct Case {
    /// Its name.
    pub name: &'static str,
    /// What has to be there before.
    pub before: &'static [&'static str],
    /// A text that has to be there besides: its name and what it says.
    pub text: Option<(&'static str, &'static str)>,
    /// What is stopped.
    pub command: &'static str,
    /// Whether it is begun again with `--resume`; the others are the same command again.
    pub resumes: bool,
    /// What it leaves.
    pub out: &'static str,
}

/// Trajectories of Kuramoto and Sivashinsky, with more of them in validation than in training, so that as many stops come
/// there.
const KS: &str = "data generate ks --shares 6,9,2 --seed 3 --profile paper --out data.zarr";
/// Shallow water on a sphere of few points, with a frame for the second step.
const WATER: &str = "data generate sswe --shares 8,6,2 --grid 8x16 --frames 3 --out data.zarr";

/// Steps of trajectories, of which the training will see none.
const STEPS: &str = "data generate ks-step --shares 12,9,2 --grid 64 --out data.zarr";

/// The same trajectories as arrays of somebody's own.
const ARRAYS: &str = r#"
title = "waves"
[frames]
input = "0..20"
output = "20..40"
[[inputs]]
name = "u"
file = "in.zarr"
[[outputs]]
name = "u"
file = "in.zarr"
"#;

pub const CASES: [Case; 10] = [
    Case {
        name: "plain",
        before: &[KS],
        text: None,
        command: "train ks --data data.zarr --method pno-d --out run --epochs 12 --set train.schedule=cosine --set train.keep_every=5 TINY",
        resumes: true,
        out: "run",
    },
    Case {
        name: "laplace",
        before: &[KS],
        text: None,
        command: "train ks --data data.zarr --method laplace --out run --epochs 6 TINY",
        resumes: true,
        out: "run",
    },
    Case {
        name: "ensemble",
        before: &[KS],
        text: None,
        command: "train ks --data data.zarr --method ensemble --set model.networks=2 --out run --epochs 4 TINY",
        resumes: true,
        out: "run",
    },
    Case {
        name: "two-step",
        before: &[WATER],
        text: None,
        command: "train sswe --data data.zarr --method pno-r --variant two-step --out run --epochs 6 --set train.patience=3 SPHERE",
        resumes: true,
        out: "run",
    },
    Case {
        name: "ensemble-two-step",
        before: &[WATER],
        text: None,
        command: "train sswe --data data.zarr --method ensemble --set model.networks=2 --variant two-step --out run --epochs 3 SPHERE",
        resumes: true,
        out: "run",
    },
    Case {
        name: "laplace-two-step",
        before: &[WATER],
        text: None,
        command: "train sswe --data data.zarr --method laplace --variant two-step --out run --epochs 3 SPHERE",
        resumes: true,
        out: "run",
    },
    Case {
        name: "fresh",
        before: &[STEPS],
        text: None,
        command: "train ks-step --data data.zarr --method pno-f --fresh --out run --epochs 5 LINE \
                  --set train.stages=[{steps=2,epochs=4,batch=3,entries=2,members=3}]",
        resumes: true,
        out: "run",
    },
    Case {
        name: "data",
        before: &[],
        text: None,
        command: "data generate ks --samples 120 --seed 9 --out out.zarr",
        resumes: false,
        out: "out.zarr",
    },
    Case {
        name: "import",
        before: &["data generate ks --samples 120 --seed 9 --out in.zarr"],
        text: Some(("arrays.toml", ARRAYS)),
        command: "data import arrays arrays.toml --out out.zarr",
        resumes: false,
        out: "out.zarr",
    },
    Case {
        name: "export",
        before: &[
            "init ks --set model.width=64 --seed 1 --out new.pno",
            "init ks --set model.width=64 --seed 2 --out out.pno",
        ],
        text: None,
        command: "export new.pno --precision f32 --out out.pno --force",
        resumes: false,
        out: "out.pno",
    },
];

/// A network that takes milliseconds.
const TINY: &str = "--device cpu --test-members 4 --set model.width=4 --set model.lifting=8 --set model.projection=8 \
                    --set model.layers=2 --set model.modes=[4,6] --set train.batch=2";
const SPHERE: &str = "--device cpu --test-members 4 --set model.width=4 --set model.lifting=8 --set model.projection=8 \
                      --set model.layers=1 --set train.batch=2";

const LINE: &str = "--device cpu --test-members 4 --set model.width=4 --set model.lifting=8 --set model.projection=8 \
                    --set model.layers=2 --set model.modes=[16] --set model.mlp=0 --set model.noise=[2.0,4.0] \
                    --set train.batch=4 --set train.entries=3 --set train.spectral=0.2";

impl Case {
    /// Whether a refusal says that there is nothing left to do.
    pub fn is_done(&self, message: &str) -> bool {
        self.makes_data() && message.contains("is there already")
    }

    fn makes_data(&self) -> bool {
        ["data", "import"].contains(&self.name)
    }

    /// What must hold after every stop.
    pub fn holds(&self, room: &Room, reference: &Room, said: &[String]) {
        let (out, wanted) = (room.path(self.out), reference.path(self.out));
        match self.name {
            // Nothing has the name before it is whole.
            name if self.makes_data() && out.exists() => compare::same(&wanted, &out)
                .unwrap_or_else(|difference| panic!("{name}: {difference}\n{said:?}")),
            // The old one or the new one, and all of it.
            "export" => {
                let read = |path: &Path| std::fs::read(path).expect("a model");
                let found = read(&out);
                assert!(
                    found == read(&wanted) || found == room.replaced,
                    "half an export: {said:?}"
                );
            }
            _ => {}
        }
    }
}

/// A folder of its own for each run.
pub struct Room {
    folder: tempfile::TempDir,
    /// How long the case takes without a stop.
    pub duration: Duration,
    /// What an export will replace.
    replaced: Vec<u8>,
}

impl Room {
    /// A folder with what a case needs.
    pub fn prepared(case: &Case) -> Self {
        let room = Self::empty();
        for line in case.before {
            let output = room.command(line, false).output().expect("pno starts");
            let said = String::from_utf8_lossy(&output.stderr);
            assert!(output.status.success(), "{line}: {said}");
        }
        if let Some((name, text)) = case.text {
            std::fs::write(room.path(name), text).expect("written");
        }
        let replaced = std::fs::read(room.path(case.out)).unwrap_or_default();
        Self { replaced, ..room }
    }

    /// Another folder with the same in it.
    pub fn copied(&self) -> Self {
        let room = Self::empty();
        for name in compare::files(self.folder.path()) {
            let path = room.path(&name);
            let folder = path.parent().expect("a folder");
            std::fs::create_dir_all(folder).expect("made");
            std::fs::copy(self.path(&name), path).expect("copied");
        }
        Self {
            replaced: self.replaced.clone(),
            ..room
        }
    }

    fn empty() -> Self {
        Self {
            folder: tempfile::tempdir().expect("a temporary folder"),
            duration: Duration::ZERO,
            replaced: vec![],
        }
    }

    /// A file in it.
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// `pno` with the words of a line, run in this folder on a day that is always the same.
    pub fn command(&self, line: &str, resume: bool) -> Command {
        let line = line
            .replace("TINY", TINY)
            .replace("SPHERE", SPHERE)
            .replace("LINE", LINE);
        let mut command = Command::new(env!("CARGO_BIN_EXE_pno"));
        command
            .args(line.split_whitespace())
            .args(resume.then_some("--resume"))
            .current_dir(self.folder.path())
            .env("SOURCE_DATE_EPOCH", "1700000000");
        command
    }

    /// Whether a file is written under another name at this moment, or was when its writer was killed.
    pub fn half_written(&self) -> bool {
        compare::files(self.folder.path())
            .iter()
            .any(|path| Path::new(path).extension().is_some_and(|end| end == "part"))
    }
}
