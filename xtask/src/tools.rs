//! Pinned tools: the wasm target, Trunk and wasm-bindgen for the page, mdBook for the book, typos and cargo-deny for the
//! checks.

use anyhow::{Context, Result, bail};

use crate::workspace::{Workspace, output, run};

const WASM_TARGET: &str = "wasm32-unknown-unknown";

/// A program that `cargo install` builds.
struct Tool {
    package: &'static str,
    program: &'static str,
    version: &'static str,
    options: &'static [&'static str],
    /// Other programs of the package that are used here.
    others: &'static [&'static str],
    /// How cargo builds it.
    profile: &'static [(&'static str, &'static str)],
}

/// Without the whole-program optimisation that some of these packages ask for: it costs minutes, and they run for seconds.
const QUICK: [(&str, &str); 3] = [
    ("CARGO_PROFILE_RELEASE_LTO", "off"),
    ("CARGO_PROFILE_RELEASE_CODEGEN_UNITS", "16"),
    ("CARGO_PROFILE_RELEASE_OPT_LEVEL", "1"),
];

// 0.21.14 is the newest that builds with our compiler, and only with its own lock file.
// Without its default features it has no TLS: half the time to build, and it cannot download anything.
const TRUNK: Tool = Tool {
    package: "trunk",
    program: "trunk",
    version: "0.21.14",
    options: &["--locked", "--no-default-features"],
    others: &[],
    profile: &QUICK,
};

// Must equal the library's version in Cargo.lock. Not --locked: a crate pinned there is not on every registry.
const WASM_BINDGEN: Tool = Tool {
    package: "wasm-bindgen-cli",
    program: "wasm-bindgen",
    version: "0.2.130",
    options: &[],
    others: &[WASM_RUNNER],
    // It rewrites megabytes in every build of the page.
    profile: &[],
};

/// Runs the tests that are built for wasm32, in node. Comes with wasm-bindgen.
pub const WASM_RUNNER: &str = "wasm-bindgen-test-runner";

/// Without its default features it neither serves nor watches: half the time to build.
const MDBOOK: Tool = Tool {
    package: "mdbook",
    program: "mdbook",
    version: "0.5.4",
    options: &["--locked", "--no-default-features", "--features", "search"],
    others: &[],
    profile: &QUICK,
};

/// Spelling. Another version has another dictionary, and finds other words.
const TYPOS: Tool = Tool {
    package: "typos-cli",
    program: "typos",
    version: "1.52.0",
    options: &["--locked"],
    others: &[],
    profile: &QUICK,
};

/// Licences, sources and advisories of the dependencies.
const DENY: Tool = Tool {
    package: "cargo-deny",
    program: "cargo-deny",
    version: "0.20.2",
    options: &["--locked"],
    others: &[],
    profile: &QUICK,
};

/// Builds fuzz targets with what libFuzzer needs.
const CARGO_FUZZ: Tool = Tool {
    package: "cargo-fuzz",
    program: "cargo-fuzz",
    version: "0.13.1",
    options: &["--locked"],
    others: &[],
    profile: &QUICK,
};

/// Installs what the page needs and is missing; does nothing the second time.
pub fn set_up(workspace: &Workspace) -> Result<()> {
    add_wasm_target(workspace)?;
    TRUNK.install(workspace)?;
    WASM_BINDGEN.install(workspace)
}

/// The same for tests that run in WebAssembly.
pub fn set_up_wasm(workspace: &Workspace) -> Result<()> {
    add_wasm_target(workspace)?;
    WASM_BINDGEN.install(workspace)
}

/// The same for the book.
pub fn set_up_book(workspace: &Workspace) -> Result<()> {
    MDBOOK.install(workspace)
}

/// The same for spelling.
pub fn set_up_typos(workspace: &Workspace) -> Result<()> {
    TYPOS.install(workspace)
}

/// The same for licences, sources and advisories.
pub fn set_up_deny(workspace: &Workspace) -> Result<()> {
    DENY.install(workspace)
}

/// The same for `cargo xtask fuzz`.
pub fn set_up_fuzz(workspace: &Workspace) -> Result<()> {
    CARGO_FUZZ.install(workspace)
}

impl Tool {
    fn install(&self, workspace: &Workspace) -> Result<()> {
        if self.is_installed(workspace) {
            println!("{} {} is there", self.program, self.version);
            return Ok(());
        }
        println!("{} {} is built now, once", self.program, self.version);
        let mut cargo = workspace.cargo();
        cargo
            .args(["install", self.package, "--version", self.version])
            .args(self.options)
            .arg("--root")
            .arg(&workspace.tools)
            // Its artefacts are of no use to the workspace: a temporary folder will do.
            .env_remove("CARGO_TARGET_DIR")
            .envs(self.profile.iter().copied());
        run(&mut cargo)
            .with_context(|| format!("{} {} could not be installed", self.program, self.version))?;
        if !self.is_installed(workspace) {
            bail!(
                "{} was installed into {}, but `{} --version` does not say {}",
                self.program,
                workspace.tools.display(),
                self.program,
                self.version
            );
        }
        Ok(())
    }

    fn is_installed(&self, workspace: &Workspace) -> bool {
        let Some(path) = workspace.which(self.program) else {
            return false;
        };
        if (self.others.iter()).any(|other| workspace.which(other).is_none()) {
            return false;
        }
        let told = output(workspace.command(&path.to_string_lossy()).arg("--version"));
        told.is_ok_and(|text| says_version(&text, self.version))
    }
}

/// Whether `--version` printed exactly this version: `trunk 0.21.14`, `typos-cli 1.52.0`, `mdbook v0.5.4`.
fn says_version(text: &str, version: &str) -> bool {
    let told = text.split_whitespace().nth(1);
    told.is_some_and(|told| told.strip_prefix('v').unwrap_or(told) == version)
}

/// Adds the target of the page where it is missing.
pub fn add_wasm_target(workspace: &Workspace) -> Result<()> {
    let sysroot = output(workspace.command("rustc").args(["--print", "sysroot"]))?;
    let libraries = std::path::Path::new(sysroot.trim())
        .join("lib/rustlib")
        .join(WASM_TARGET);
    if libraries.is_dir() {
        println!("the target {WASM_TARGET} is there");
        return Ok(());
    }
    if workspace.which("rustup").is_none() {
        bail!(
            "the Rust target {WASM_TARGET} is missing and there is no rustup to add it; \
             install it with the package manager that Rust came from, or install Rust from https://rustup.rs"
        );
    }
    run(workspace
        .command("rustup")
        .args(["target", "add", WASM_TARGET]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_exact_version_counts() {
        assert!(says_version("wasm-bindgen 0.2.130\n", "0.2.130"));
        assert!(says_version("trunk 0.21.14 (abcdef)", "0.21.14"));
        assert!(says_version("mdbook v0.5.4", "0.5.4"));
        assert!(!says_version("trunk 0.21.140", "0.21.14"));
        assert!(!says_version("", "0.21.14"));
    }

    #[test]
    fn the_pinned_wasm_bindgen_is_the_one_everywhere() {
        let root = Workspace::locate().expect("found").root;
        let pin = WASM_BINDGEN.version;
        for (file, wanted) in [
            (
                "Cargo.lock",
                format!("name = \"wasm-bindgen\"\nversion = \"{pin}\""),
            ),
            ("Cargo.toml", format!("wasm-bindgen = \"={pin}\"")),
            // The library of the tests in WebAssembly and their runner speak to each other.
            (
                "Cargo.lock",
                format!("name = \"wasm-bindgen-test-shared\"\nversion = \"{pin}\""),
            ),
            ("Trunk.toml", format!("wasm_bindgen = \"{pin}\"")),
        ] {
            let text = std::fs::read_to_string(root.join(file)).expect(file);
            assert!(text.contains(&wanted), "{file} does not say {wanted}");
        }
    }
}
