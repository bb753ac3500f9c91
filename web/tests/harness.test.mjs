// The harness itself: if these fail, the page is not to blame.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import { launch, open, serve, withFolder } from "./harness.mjs";
import { readNpy, writeNpy } from "./npy.mjs";
import { colouredShare } from "./pictures.mjs";
import { found, until } from "./waiting.mjs";

async function adapter(webgpu) {
  return withFolder(async (folder) => {
    await mkdir(join(folder, "models"));
    await writeFile(join(folder, "index.html"), "<title>probe</title><link rel=icon href=data:,>");
    const site = await serve({ dist: folder });
    const browser = await launch({ webgpu });
    try {
      const page = await open(browser, site.url);
      return await page.evaluate(async () => {
        const found = await navigator.gpu?.requestAdapter();
        return found ? { fallback: found.info.isFallbackAdapter } : null;
      });
    } finally {
      await browser.close();
      await site.close();
    }
  });
}

test("a browser with WebGPU has a software adapter", async () => {
  assert.deepEqual(await adapter(true), { fallback: true });
});

test("a browser without WebGPU has no adapter", async () => {
  assert.equal(await adapter(false), null);
});

test("overrides answer in a file's place, and nothing outside the folder is served", async () => {
  await withFolder(async (folder) => {
    await writeFile(join(folder, "index.html"), "page");
    const site = await serve({ dist: folder });
    try {
      const status = async (name) => (await fetch(new URL(name, site.url))).status;
      assert.equal(await status(""), 200);
      assert.equal(await status("%2e%2e%2fpackage.json"), 404);
      site.override("index.html", { status: 500 });
      assert.equal(await status("index.html"), 500);
      site.restore();
      assert.equal(await status("index.html"), 200);
      assert.equal((await fetch(new URL("/", site.url))).status, 404);
    } finally {
      await site.close();
    }
  });
});

test("a forbidden script and a request to another origin are problems of the page", async () => {
  await withFolder(async (folder) => {
    const policy = `<meta http-equiv="Content-Security-Policy" content="script-src 'self'">`;
    await writeFile(join(folder, "index.html"), `${policy}<title>t</title><link rel=icon href=data:,><script>1</script>`);
    const [site, other, browser] = [await serve({ dist: folder }), await serve({ dist: folder }), await launch()];
    try {
      const page = await open(browser, site.url);
      await page.evaluate((address) => fetch(address, { mode: "no-cors" }), other.url);
      await page.waitForTimeout(50);
      assert.ok(page.problems.some((text) => /^policy: script-src/.test(text)), `${page.problems}`);
      assert.ok(page.problems.includes(`request to ${new URL(other.url).origin}`), `${page.problems}`);
    } finally {
      await browser.close();
      await site.close();
      await other.close();
    }
  });
});

test("a NumPy file that was written is read back bit for bit", async () => {
  await withFolder(async (folder) => {
    const path = join(folder, "a.npy");
    const values = Float32Array.from({ length: 6 }, (_, i) => Math.sin(i));
    await writeNpy(path, [2, 3], values);
    assert.deepEqual(await readNpy(path), { shape: [2, 3], values });
  });
});

/** A frame of another origin, 3000 pixels down, that changes after a while. */
async function outOfSight(work) {
  await withFolder(async (folder) => {
    const inner = `<title>inner</title><link rel=icon href=data:,><p>waiting</p>
      <script>setTimeout(() => { document.querySelector("p").id = "changed"; }, 300)</script>`;
    await writeFile(join(folder, "index.html"), inner);
    const other = await serve({ dist: folder });
    const outer = `<title>outer</title><link rel=icon href=data:,><div style="height:3000px"></div><iframe src="${other.url}"></iframe>`;
    await mkdir(join(folder, "outer"));
    await writeFile(join(folder, "outer", "index.html"), outer);
    const [site, browser] = [await serve({ dist: join(folder, "outer") }), await launch()];
    try {
      const page = await open(browser, site.url, { others: [other.url] });
      await work(await until(async () => page.frames().find((frame) => frame.url() === other.url), "the frame"));
    } finally {
      await browser.close();
      await site.close();
      await other.close();
    }
  });
}

test("a change in a frame that is out of sight is seen, although the frame has no animation frames", async (context) => {
  await outOfSight(async (frame) => {
    await found(frame, "#changed");
    const frames = await frame.evaluate(() => new Promise((done) => {
      setTimeout(() => done(0), 500);
      requestAnimationFrame(() => done(1));
    }));
    context.diagnostic(`animation frames within half a second: ${frames}`);
  });
});

test("a wait that fails says what it waited for and what was there", async () => {
  await outOfSight(async (frame) => {
    const seen = () => frame.evaluate(() => document.title);
    await assert.rejects(found(frame, "#never", { timeoutMs: 200, seen }), /waited 0\.2 s for `#never`, but found inner/);
  });
});

test("a test that never ends fails when its time is over, and the next one has its own time", async () => {
  await withFolder(async (folder) => {
    const waiting = new URL("waiting.mjs", import.meta.url).href;
    const file = join(folder, "slow.test.mjs");
    await writeFile(file, `
      import { test } from "node:test";
      import { watch } from ${JSON.stringify(waiting)};
      const alive = setInterval(() => {}, 1000);
      const page = {};
      page.wait = new Promise((_, fail) => { page.close = async () => fail(new Error("the page was closed")); });
      watch({ on: () => {}, contexts: () => [page] });
      test("waits for a page that never answers", () => page.wait);
      test("is fine", () => {});
      test("waits for something else", () => new Promise(() => {}));`);
    // A twentieth of all limits: less than three seconds.
    const env = { ...process.env, PNO_PATIENCE: "0.05" };
    delete env.NODE_TEST_CONTEXT;
    const begin = Date.now();
    const { code, stdout, stderr } = await promisify(execFile)(process.execPath, ["--test-reporter=tap", file], { env }).catch((error) => error);
    assert.equal(code, 1);
    assert.match(stdout, /not ok 1 - waits for a page that never answers/);
    assert.match(stdout, /the page was closed/);
    assert.match(stderr, /takes longer than 2\.75 s/);
    assert.match(stdout, /ok 2 - is fine/);
    assert.ok(Date.now() - begin > 2 * 2750, "the third had its own time");
  });
});

test("a picture of text alone has no colours, and one with a map has them", async () => {
  const browser = await launch();
  try {
    const page = await browser.newPage();
    await page.setContent(`<p>${"Truth, mean, error: 0.123 ".repeat(200)}</p>`);
    assert.equal(await colouredShare(page, await page.screenshot()), 0);
    const still = await readFile(new URL("../../docs/figures/ks-pno-r-hit.webp", import.meta.url));
    const share = await colouredShare(page, still);
    assert.ok(share > 0.05 && share < 0.5, `${share}`);
  } finally {
    await browser.close();
  }
});
