//! Serves `dist/` on localhost, to this machine only.

use std::io::{self, IsTerminal};
use std::net::{Ipv4Addr, TcpListener};
use std::path::Path;
use std::sync::Arc;
use std::thread;

use anyhow::{Context, Result, bail};

use crate::args::Args;
use crate::http;
use crate::workspace::{Workspace, is_ci};

/// Ports that are tried when none was asked for.
const PORTS: std::ops::Range<u16> = 8080..8100;

/// `cargo xtask serve`.
pub fn command(workspace: &Workspace, mut args: Args) -> Result<()> {
    let port = args.port()?;
    let open = !args.flag("--no-open");
    args.finish()?;
    serve(workspace, port, open)
}

/// Serves the page until the process is ended.
pub fn serve(workspace: &Workspace, port: Option<u16>, open: bool) -> Result<()> {
    let dist = workspace.dist();
    if !dist.join("index.html").is_file() {
        bail!(
            "there is no page in {}; `cargo xtask page` builds it",
            dist.display()
        );
    }
    let listener = listen(port)?;
    let address = format!("http://localhost:{}/", listener.local_addr()?.port());
    println!("\nThe page is at {address}\nCtrl-C ends it.");
    if open && !is_ci() && io::stdout().is_terminal() {
        open_browser(workspace, &address);
    }
    answer_all(&listener, &dist);
    Ok(())
}

fn listen(port: Option<u16>) -> Result<TcpListener> {
    let bind = |port: u16| TcpListener::bind((Ipv4Addr::LOCALHOST, port));
    if let Some(port) = port {
        return bind(port).with_context(|| {
            format!("port {port} on localhost cannot be used; try another --port")
        });
    }
    PORTS
        .clone()
        .find_map(|port| bind(port).ok())
        .with_context(|| {
            format!(
                "no free port from {} to {}; choose one with --port",
                PORTS.start,
                PORTS.end - 1
            )
        })
}

fn answer_all(listener: &TcpListener, folder: &Path) {
    let folder: Arc<Path> = folder.into();
    for stream in listener.incoming().flatten() {
        let folder = Arc::clone(&folder);
        // A visitor who leaves in the middle of a download is no news.
        thread::spawn(move || http::answer(stream, &folder).ok());
    }
}

/// Shows the page if the system has a way to; the address was printed in any case.
fn open_browser(workspace: &Workspace, address: &str) {
    let opener = if cfg!(target_os = "macos") {
        "open"
    } else if cfg!(windows) {
        "explorer"
    } else {
        "xdg-open"
    };
    let mut command = workspace.command(opener);
    command
        .arg(address)
        .stdout(std::process::Stdio::null())
        .stderr(std::process::Stdio::null());
    if let Ok(mut child) = command.spawn() {
        thread::spawn(move || child.wait().ok());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_port_in_use_is_told() {
        let first = listen(Some(0)).expect("any port");
        let port = first.local_addr().expect("an address").port();
        let message = format!("{:#}", listen(Some(port)).expect_err("in use"));
        assert!(
            message.contains(&port.to_string()) && message.contains("--port"),
            "{message}"
        );
    }
}
