// What every browser test needs: the built page on a port of its own, and a Chromium with or without WebGPU.
//
// `cargo xtask browser-test` sets these addresses; without it the defaults below are tried.
//   PNO_DIST      folder of the built page            (default: dist/ of the repository)
//   PNO_CHROMIUM  the browser                         (default: chromium, … on PATH)
//   PNO_BIN       the native program `pno`            (default: target/release/pno)
//   PNO_SCREENSHOTS  where pictures of the page go    (default: target/screenshots)
//   PNO_BOOK      folder of the built book            (default: target/book)

import { createReadStream, existsSync, readFileSync } from "node:fs";
import { mkdtemp, rm, stat } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { delimiter, extname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";
import { ended, LONGEST_MS, run, watch } from "./waiting.mjs";

const ROOT = resolve(fileURLToPath(import.meta.url), "../../..");
const TARGET = process.env.CARGO_TARGET_DIR ?? join(ROOT, "target");

export const DIST = process.env.PNO_DIST ?? join(ROOT, "dist");
/** Where pictures of the page go. */
export const SCREENSHOTS = process.env.PNO_SCREENSHOTS ?? join(TARGET, "screenshots");
export const BOOK = process.env.PNO_BOOK ?? join(TARGET, "book");
export const BIN = process.env.PNO_BIN ?? join(TARGET, "release", "pno");

// The software adapter computes about forty times slower than the CPU path: tests that use it draw two to four members.
const WEBGPU_FLAGS = ["--enable-unsafe-webgpu", "--use-webgpu-adapter=swiftshader"];
const NO_WEBGPU_FLAGS = ["--disable-gpu"];

const TYPES = {
  ".css": "text/css; charset=utf-8",
  ".html": "text/html; charset=utf-8",
  ".ico": "image/x-icon",
  ".js": "text/javascript; charset=utf-8",
  ".json": "application/json",
  ".mjs": "text/javascript; charset=utf-8",
  ".png": "image/png",
  ".svg": "image/svg+xml",
  ".wasm": "application/wasm",
  ".webp": "image/webp",
};

/** The page's own files by their plain names: all but the entries have a hash in theirs, and the page has the table. */
function names(dist) {
  const page = join(dist, "index.html");
  const [, table = ""] = (existsSync(page) ? readFileSync(page, "utf8") : "").match(/<meta name="pno-files" content="([^"]*)">/) ?? [];
  const rows = table.split(" ").filter(Boolean).map((row) => row.split("="));
  return new Map(rows.map(([name, hash]) => [name, name.replace(/(?=\.[^.]*$)/, `-${hash}`)]));
}

/** A file of the built page by its plain name, such as `worker_loader.js` or `models/ks-pno-d.pno`. */
export function built(name) {
  return join(DIST, names(DIST).get(name) ?? name);
}

/**
 * Serves the built page below a path (not at the root, so that an address that is not relative fails the test).
 *
 * Files are called by their plain names here, whatever hashes the build gave them.
 * `site.override("models/x.pno", { status: 404 })` or `{ body: Buffer }` answers in a file's place,
 * `{ delayMs }` answers late, `{ pauseMs }` rests after half of the file; `site.restore()` takes all overrides back.
 * `headers` go with every file. `const release = site.hold("x.wasm")` answers when `release()` is called.
 */
export async function serve({ dist = DIST, prefix = "/some/path/", headers = {} } = {}) {
  if (!existsSync(join(dist, "index.html"))) {
    throw new Error(`no page in ${dist}: run \`cargo xtask page\` first`);
  }
  const overrides = new Map();
  const requests = [];
  const plain = new Map([...names(dist)].map(([name, hashed]) => [hashed, name]));
  const server = createServer(async (request, response) => {
    const path = decodeURIComponent(new URL(request.url, "http://localhost").pathname);
    if (!path.startsWith(prefix)) {
      response.writeHead(404).end(`outside ${prefix}`);
      return;
    }
    const name = path.slice(prefix.length) || "index.html";
    const called = plain.get(name) ?? name;
    requests.push(called);
    const { status = 200, body, after, headers: own = {}, delayMs = 0, pauseMs = 0 } = overrides.get(called) ?? {};
    if (delayMs > 0) await new Promise((done) => setTimeout(done, delayMs));
    await after;
    const file = resolve(dist, name);
    const type = TYPES[extname(name)] ?? "application/octet-stream";
    if (status !== 200 || body !== undefined) {
      response.writeHead(status, { ...headers, "content-type": type, ...own }).end(body);
      return;
    }
    const info = file.startsWith(resolve(dist)) ? await stat(file).catch(() => null) : null;
    if (!info?.isFile()) {
      response.writeHead(404).end("not found");
      return;
    }
    response.writeHead(200, { ...headers, "content-type": type, "content-length": info.size, ...own });
    if (pauseMs > 0) {
      const half = Math.floor(info.size / 2);
      const first = createReadStream(file, { end: half - 1 });
      first.on("end", () => setTimeout(() => createReadStream(file, { start: half }).pipe(response), pauseMs));
      first.pipe(response, { end: false });
      return;
    }
    createReadStream(file).pipe(response);
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  return {
    url: `http://localhost:${server.address().port}${prefix}`,
    /// Files asked for so far, in order.
    requests,
    override: (name, answer) => overrides.set(name, answer),
    hold: (name) => {
      const { promise, resolve } = held();
      overrides.set(name, { after: promise });
      return resolve;
    },
    restore: () => overrides.clear(),
    close: () => {
      server.closeAllConnections();
      return new Promise((done) => server.close(done));
    },
  };
}

function held() {
  let resolve;
  const promise = new Promise((done) => { resolve = done; });
  return { promise, resolve };
}

/** Starts Chromium: with `webgpu` on the software adapter, without it as a visitor who has none. */
export async function launch({ webgpu = false } = {}) {
  const root = process.getuid?.() === 0;
  const args = [...(root ? ["--no-sandbox"] : []), ...(webgpu ? WEBGPU_FLAGS : NO_WEBGPU_FLAGS)];
  const starting = chromium.launch({ executablePath: chromiumPath(), args, timeout: LONGEST_MS });
  const browser = watch(await ended(starting, "Chromium to start", () => {}));
  const newContext = browser.newContext.bind(browser);
  browser.newContext = async (...options) => {
    const context = await newContext(...options);
    context.setDefaultTimeout(LONGEST_MS);
    return context;
  };
  return browser;
}

/**
 * A page that keeps what went wrong: `page.problems` gathers uncaught errors, console errors, what the content security
 * policy forbade, and requests to an origin that is neither its own nor one of `others`.
 * A test ends with `assert.deepEqual(page.problems, [])` unless it provokes them.
 */
export async function open(browser, url, { others = [], ...options } = {}) {
  const page = await browser.newPage({ viewport: { width: 1280, height: 900 }, ...options });
  page.problems = [];
  await page.exposeFunction("reportViolation", (what) => page.problems.push(`policy: ${what}`));
  await page.addInitScript(() => {
    document.addEventListener("securitypolicyviolation", ({ violatedDirective, blockedURI, sourceFile }) =>
      window.reportViolation(`${violatedDirective} forbids ${blockedURI} in ${sourceFile}`),
    );
  });
  const origins = [url, ...others].map((address) => new URL(address).origin);
  page.on("request", (request) => {
    const address = new URL(request.url());
    const local = ["data:", "blob:"].includes(address.protocol) || origins.includes(address.origin);
    if (!local) page.problems.push(`request to ${address.origin}`);
  });
  page.on("pageerror", (error) => page.problems.push(`uncaught: ${error.message}`));
  page.on("console", (message) => {
    if (message.type() === "error") page.problems.push(`console: ${message.text()}`);
  });
  await page.goto(url);
  return page;
}

/** Runs the native program and gives its standard output; a failure carries its standard error. */
export async function pno(...args) {
  if (!existsSync(BIN)) throw new Error(`no native program at ${BIN}: run \`cargo xtask browser-test\``);
  const { stdout } = await run(BIN, args.map(String), { maxBuffer: 1 << 26 });
  return stdout;
}

/** Calls `work` with a fresh folder, and removes the folder afterwards. */
export async function withFolder(work) {
  const folder = await mkdtemp(join(tmpdir(), "pno-test-"));
  try {
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function chromiumPath() {
  if (process.env.PNO_CHROMIUM) return process.env.PNO_CHROMIUM;
  const names = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];
  for (const folder of (process.env.PATH ?? "").split(delimiter)) {
    for (const name of names) {
      const path = join(folder, name);
      if (existsSync(path)) return path;
    }
  }
  throw new Error(`no Chromium: install it, or set PNO_CHROMIUM to its path (looked for ${names.join(", ")})`);
}
