//! The TOML file of `pno data import arrays`: which arrays are inputs, which are targets, and how cases are cut out of them.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};
use pno::sphere::Latitudes;
use serde::Deserialize;

use crate::data::missing::Missing;

/// The whole file.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// What it is about, for `pno data info` and the model's card.
    pub title: String,
    /// Names of all axes of the arrays, the first included; needed where the files do not name them.
    pub axes: Option<Vec<String>>,
    /// Fields that the network takes.
    pub inputs: Vec<FieldConfig>,
    /// Fields that the network gives.
    pub outputs: Vec<FieldConfig>,
    /// Coordinates of axes, where the files have none.
    #[serde(default)]
    pub coordinates: BTreeMap<String, CoordinateConfig>,
    /// Which frames of a `time` axis are the input and which the truth.
    pub frames: Option<FramesConfig>,
    /// How cases are cut out of one long series.
    pub windows: Option<WindowsConfig>,
    /// Where the latitudes are, if the domain is a sphere.
    pub sphere: Option<String>,
    /// What is done with values that are missing.
    #[serde(default)]
    pub missing: Missing,
    /// How cases are shared out.
    #[serde(default)]
    pub split: SplitConfig,
}

/// One field.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FieldConfig {
    /// Name of the quantity.
    pub name: String,
    /// The file, relative to the TOML file (or an address).
    pub file: String,
    /// The array in the file, if it is not called as the quantity.
    pub variable: Option<String>,
    /// Unit, if not the file's.
    pub unit: Option<String>,
}

/// The first and the last point of an axis.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CoordinateConfig {
    /// Coordinate of the first point.
    pub first: f64,
    /// Coordinate of the last point.
    pub last: f64,
    /// Unit.
    #[serde(default)]
    pub unit: String,
}

/// Frames of a time axis, each as `first..end` with the end not included.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FramesConfig {
    /// The input.
    pub input: String,
    /// The truth.
    pub output: String,
}

/// Windows of one long series.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WindowsConfig {
    /// Steps of the input; the truth has as many.
    pub steps: usize,
    /// Steps between the beginnings of two windows.
    #[serde(default = "one")]
    pub stride: usize,
}

fn one() -> usize {
    1
}

/// Shares of the cases, and the seed of their permutation.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct SplitConfig {
    /// For training.
    pub train: f64,
    /// For validation.
    pub valid: f64,
    /// For the final scores.
    pub test: f64,
    /// Of the permutation.
    pub seed: u64,
}

impl Default for SplitConfig {
    fn default() -> Self {
        Self {
            train: 0.8,
            valid: 0.1,
            test: 0.1,
            seed: 0,
        }
    }
}

impl Config {
    /// Reads a file and checks what can be checked without opening the arrays.
    pub fn read(path: &Path) -> Result<Self> {
        let place = path.display();
        let text = std::fs::read_to_string(path).with_context(|| format!("cannot read {place}"))?;
        Self::parse(&text).with_context(|| place.to_string())
    }

    /// From the text of a file.
    pub fn parse(text: &str) -> Result<Self> {
        let table: toml::Table = text
            .parse()
            .map_err(|e: toml::de::Error| anyhow::anyhow!("not TOML: {}", e.message()))?;
        let config: Self = serde_path_to_error::deserialize(toml::Value::Table(table))
            .map_err(|e| anyhow::anyhow!("{}: {}", e.path(), plain(e.inner())))?;
        config.check()?;
        Ok(config)
    }

    fn check(&self) -> Result<()> {
        for (side, fields) in [("inputs", &self.inputs), ("outputs", &self.outputs)] {
            ensure!(
                !fields.is_empty(),
                "`{side}` is empty, but one field at least is wanted"
            );
            for (i, field) in fields.iter().enumerate() {
                ensure!(
                    is_name(&field.name),
                    "{side}[{i}].name is `{}`, but letters, digits and underscores are wanted, other than case, time, split and window_start",
                    field.name
                );
                let twice = fields[..i].iter().any(|other| other.name == field.name);
                ensure!(
                    !twice,
                    "{side}[{i}].name is `{}`, which is there twice",
                    field.name
                );
            }
        }
        for input in &self.inputs {
            if let Some(output) = self.outputs.iter().find(|o| o.name == input.name) {
                ensure!(
                    (&input.file, &input.variable, &input.unit)
                        == (&output.file, &output.variable, &output.unit),
                    "`{}` is an input and an output, but of different arrays: give one of them another name",
                    input.name
                );
                ensure!(
                    self.frames.is_some() || self.windows.is_some(),
                    "`{}` is an input and an output: [frames] or [windows] must say which part of it is which",
                    input.name
                );
            }
        }
        if self.frames.is_some() && self.windows.is_some() {
            bail!(
                "[frames] cuts cases with a time axis, [windows] cuts one long series: give one of them"
            );
        }
        if let Some(windows) = &self.windows {
            ensure!(
                windows.steps >= 1 && windows.stride >= 1,
                "windows.steps is {} and windows.stride {}, but both must be at least 1",
                windows.steps,
                windows.stride
            );
        }
        let SplitConfig {
            train, valid, test, ..
        } = self.split;
        let sum = train + valid + test;
        ensure!(
            [train, valid, test]
                .iter()
                .all(|share| (0.0..=1.0).contains(share))
                && (sum - 1.0).abs() < 1e-6,
            "split: train {train}, valid {valid} and test {test} must be shares from 0 to 1 with the sum 1"
        );
        self.sphere()?;
        Ok(())
    }

    /// Where the latitudes are, if the domain is a sphere.
    pub fn sphere(&self) -> Result<Option<Latitudes>> {
        let parsed = self.sphere.as_deref().map(str::parse).transpose();
        parsed.context("sphere")
    }

    /// A file of a field, seen from the TOML file.
    pub fn place(path: &Path, file: &str) -> String {
        if file.contains("://") {
            return file.to_owned();
        }
        let folder = path.parent().map(PathBuf::from).unwrap_or_default();
        folder.join(file).to_string_lossy().into_owned()
    }
}

/// `3..7` as its first and its number.
pub fn frames(text: &str) -> Result<(usize, usize)> {
    let parsed = text
        .split_once("..")
        .and_then(|(first, end)| Some((first.trim().parse().ok()?, end.trim().parse().ok()?)));
    match parsed {
        Some((first, end)) if first < end => Ok((first, end - first)),
        _ => bail!("`{text}` is no range of frames such as 0..10 (the end is not included)"),
    }
}

/// Names become arrays, and so folders: nothing that means something else there.
fn is_name(name: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || "_-.".contains(c);
    !name.is_empty()
        && name.len() <= 64
        && name.chars().all(plain)
        && !name.starts_with(['.', '_', '-'])
        && !["case", "time", "split", "window_start"].contains(&name)
}

/// The parser's words on one line.
fn plain(error: &toml::de::Error) -> String {
    error.message().lines().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    const WHOLE: &str = r#"
title = "a flow"
axes = ["case", "x", "y"]
[coordinates]
x = { first = 0.0, last = 1.0, unit = "m" }
[[inputs]]
name = "a"
file = "a.npy"
[[outputs]]
name = "u"
file = "flow.nc"
variable = "pressure"
unit = "Pa"
[split]
train = 0.5
valid = 0.25
test = 0.25
seed = 7
"#;

    #[test]
    fn a_file_is_read_with_its_defaults() {
        let config = Config::parse(WHOLE).expect("read");
        assert_eq!(config.outputs[0].variable.as_deref(), Some("pressure"));
        assert_eq!(config.coordinates["x"].last, 1.0);
        assert_eq!((config.split.seed, config.frames), (7, None));
        assert_eq!(config.missing, Missing::Error);
        let masked = format!("missing = \"mask\"\n{WHOLE}");
        assert_eq!(Config::parse(&masked).expect("read").missing, Missing::Mask);
        let place = Config::place(Path::new("set/a.toml"), "flow.nc");
        assert_eq!(Path::new(&place), Path::new("set/flow.nc"));
        let address = "https://example.org/a.zarr";
        assert_eq!(Config::place(Path::new("a.toml"), address), address);
    }

    #[test]
    fn what_is_wrong_is_named() {
        let refused = |from: &str, to: &str| {
            assert!(WHOLE.contains(from), "{from}");
            let error = Config::parse(&WHOLE.replace(from, to)).expect_err("refused");
            format!("{error:#}")
        };
        for (from, to, words) in [
            ("train = 0.5", "train = 0.9", "sum 1"),
            ("seed = 7", "sead = 7", "sead"),
            ("seed = 7", "seed = -7", "split.seed"),
            ("name = \"u\"", "name = \"../u\"", "outputs[0].name"),
            ("name = \"u\"", "name = \"split\"", "outputs[0].name"),
            ("name = \"u\"", "name = \"a\"", "of different arrays"),
            (
                "title = \"a flow\"",
                "sphere = \"cube\"\ntitle = \"a\"",
                "cube",
            ),
            ("[coordinates]", "[coordinates", "not TOML"),
            ("title = \"a flow\"", "", "title"),
            (
                "title = \"a flow\"",
                "missing = \"fill\"\ntitle = \"a\"",
                "missing",
            ),
            (
                "[[inputs]]\nname = \"a\"\nfile = \"a.npy\"",
                "inputs = []",
                "inputs",
            ),
        ] {
            let message = refused(from, to);
            assert!(message.contains(words), "{to}: {message}");
            assert_eq!(message.lines().count(), 1, "{message}");
        }
    }

    #[test]
    fn the_examples_of_the_documentation_are_read() {
        let page = include_str!("../../../../../docs/data.md");
        let examples: Vec<&str> = page
            .split("```toml\n")
            .skip(1)
            .filter_map(|rest| rest.split("```").next())
            .collect();
        assert_eq!(examples.len(), 2);
        for example in examples {
            Config::parse(example).expect("as documented");
        }
    }

    #[test]
    fn frames_are_a_range() {
        assert_eq!(frames("3..7").expect("read"), (3, 4));
        for wrong in ["3", "7..3", "a..b", "3..3"] {
            let message = frames(wrong).expect_err("refused").to_string();
            assert!(message.contains(wrong), "{message}");
        }
    }
}
