// The harness itself: if these fail, the page is not to blame.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { promisify } from "node:util";
import { launch, open, serve, withFolder } from "./harness.mjs";
import { slowerSince, work } from "./load.mjs";
import { readNpy, writeNpy } from "./npy.mjs";
import { colouredCanvases } from "./pictures.mjs";
import { contention, found, until } from "./waiting.mjs";

let browser;

before(async () => {
  browser = await launch();
});
after(() => browser?.close());

const BLANK = "<title>t</title><link rel=icon href=data:,>";

async function adapter(browser) {
  return withFolder(async (folder) => {
    await mkdir(join(folder, "models"));
    await writeFile(join(folder, "index.html"), BLANK);
    const site = await serve({ dist: folder });
    try {
      const page = await open(browser, site.url);
      return await page.evaluate(async () => {
        const found = await navigator.gpu?.requestAdapter();
        return found ? { fallback: found.info.isFallbackAdapter } : null;
      });
    } finally {
      await site.close();
    }
  });
}

test("a browser with WebGPU has a software adapter", async () => {
  const withGpu = await launch({ webgpu: true });
  try {
    assert.deepEqual(await adapter(withGpu), { fallback: true });
  } finally {
    await withGpu.close();
  }
});

test("a browser without WebGPU has no adapter", async () => {
  assert.equal(await adapter(browser), null);
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
    const [site, other] = [await serve({ dist: folder }), await serve({ dist: folder })];
    try {
      const page = await open(browser, site.url);
      await page.evaluate((address) => fetch(address, { mode: "no-cors" }), other.url);
      const wanted = (problems) => problems.some((text) => /^policy: script-src/.test(text)) && problems.includes(`request to ${new URL(other.url).origin}`);
      await until(async () => wanted(page.problems), "both problems", { seen: async () => `${page.problems}` });
    } finally {
      await site.close();
      await other.close();
    }
  });
});

test("what a worker asks another origin for is a problem of the page, too, also in a frame", async () => {
  await withFolder(async (folder) => {
    await writeFile(join(folder, "index.html"), BLANK);
    await writeFile(join(folder, "worker.js"), `onmessage = ({ data }) => fetch(data, { mode: "no-cors" }).then(() => postMessage("done"));`);
    await writeFile(join(folder, "outer.html"), `<title>t</title><link rel=icon href=data:,><iframe src="./index.html"></iframe>`);
    const [site, other] = [await serve({ dist: folder }), await serve({ dist: folder })];
    try {
      for (const name of ["", "outer.html"]) {
        const page = await open(browser, site.url + name);
        await page.frames().at(-1).evaluate((address) => new Promise((done) => {
          const worker = new Worker("./worker.js");
          worker.onmessage = done;
          worker.postMessage(address);
        }).then(() => null), other.url);
        const told = async () => page.problems.includes(`request to ${new URL(other.url).origin}`);
        await until(told, "the worker's request", { seen: async () => `${page.problems}` });
        await page.close();
      }
    } finally {
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
    const site = await serve({ dist: join(folder, "outer") });
    try {
      const page = await open(browser, site.url, { others: [other.url] });
      await work(await until(async () => page.frames().find((frame) => frame.url() === other.url), "the frame"));
    } finally {
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

test("a wait goes on while its page moves, and ends when nothing has moved for long", async () => {
  const begun = Date.now();
  const life = async () => String(Math.floor(Date.now() / 100));
  await until(async () => Date.now() - begun > 1000, "a second", { still: 400, life });
  const still = until(async () => false, "what never comes", { still: 400, life: async () => "the same" });
  await assert.rejects(still, /waited [\d.]+ s for what never comes, with nothing new for [\d.]+ s/);
});

test("how busy the machine is, is a number from 1 to 4", () => {
  const times = contention();
  assert.ok(times >= 1 && times <= 4, `${times}`);
});

/** A folder like the system's `/proc`, of two processors: ticks of all that they did, and processes `[id, parent, ticks]`. */
async function system(folder, all, processes) {
  const rest = "0 0 5000 0 0 0 0 0 0";
  await writeFile(join(folder, "stat"), `cpu  ${all} ${rest}\ncpu0 ${all} ${rest}\ncpu1 0 ${rest}\nintr 1\n`);
  for (const [id, parent, ticks] of processes) {
    await mkdir(join(folder, `${id}`), { recursive: true });
    await writeFile(join(folder, `${id}`, "stat"), `${id} (a ) (b) S ${parent} 0 0 0 0 0 0 0 0 0 ${ticks} 0 0 0 20 0`);
  }
}

test("what others do makes the machine slower, and what the tests do themselves does not", async () => {
  await withFolder(async (folder) => {
    // Ours is 20 with its children; 30 is somebody else's.
    await system(folder, 1000, [[10, 1, 50], [20, 10, 100], [21, 20, 300], [30, 10, 200]]);
    const before = work(folder, 20);
    assert.deepEqual([before.count, before.own, before.others], [2, 4, 6]);
    // Ten seconds later, of which two processors have twenty.
    const later = async (all, own) => {
      await system(folder, all, [[20, 10, 100], [21, 20, 300 + own]]);
      return slowerSince(before, { ...work(folder, 20), at: before.at + 10 });
    };
    const near = (times, wanted) => assert.ok(Math.abs(times - wanted) < 1e-9, `${times} for ${wanted}`);
    near(await later(2500, 1500), 1);
    near(await later(2500, 500), 2);
    assert.ok((await later(3000, 0)) > 100);
  });
});

test("a busy child of a test is no one else's", { skip: work() ? false : "this system does not say what its processes did" }, async () => {
  const before = work();
  await promisify(execFile)(process.execPath, ["-e", "const end = Date.now() + 1000; while (Date.now() < end);"]);
  const worked = work().own - before.own;
  assert.ok(worked > 0.1, `${worked} s`);
});

/** A fiftieth of what a test may take. */
const SHORT_MS = 1000;

/** Runs tests with a fiftieth of all limits. */
async function underShortLimits(text) {
  return withFolder(async (folder) => {
    const file = join(folder, "slow.test.mjs");
    const waiting = new URL("waiting.mjs", import.meta.url).href;
    await writeFile(file, `
      import { after, before, describe, test } from "node:test";
      import { watch } from ${JSON.stringify(waiting)};
      const alive = setInterval(() => {}, 1000);
      const page = { close: async () => page.fail?.(new Error("the page was closed")) };
      const hang = () => new Promise((_, fail) => { page.fail = fail; });
      watch({ on: () => {}, contexts: () => [page] });
      ${text}`);
    const env = { ...process.env, PNO_PATIENCE: "0.02" };
    delete env.NODE_TEST_CONTEXT;
    const begun = Date.now();
    const ended = await promisify(execFile)(process.execPath, ["--test-reporter=tap", file], { env }).catch((error) => error);
    return { ...ended, code: ended.code, ms: Date.now() - begun };
  });
}

test("a test that never ends fails when its time is over, also inside a group, and the next one has its own time", async () => {
  const { code, stdout, stderr, ms } = await underShortLimits(`
    test("waits for a page that never answers", hang);
    describe("a group", () => {
      test("has one that waits", hang);
      test("has one that is fine", () => {});
    });
    test("is fine", () => {});
    test("waits for something else", () => new Promise(() => {}));`);
  assert.equal(code, 1);
  assert.match(stdout, /not ok 1 - waits for a page that never answers/);
  assert.match(stdout, /not ok 1 - has one that waits/);
  assert.ok(stdout.match(/the page was closed/g)?.length >= 2, stdout);
  assert.match(stdout, /\bok 2 - has one that is fine/);
  assert.match(stdout, /\nok 3 - is fine/);
  assert.equal(stderr.match(/takes longer than [\d.]+ s/g)?.length, 3, stderr);
  assert.ok(ms > 3 * SHORT_MS, `each had its own time: ${ms} ms`);
});

for (const [where, text] of [
  ["before all tests", `before(() => new Promise(() => {})); test("never begins", () => {});`],
  ["before a group", `describe("a group", () => { before(() => new Promise(() => {})); test("never begins", () => {}); });`],
  ["after all tests", `after(() => new Promise(() => {})); test("is fine", () => {});`],
]) {
  test(`what never ends ${where} fails when its time is over`, async () => {
    const { code, stderr, ms } = await underShortLimits(text);
    assert.equal(code, 1);
    assert.match(stderr, /takes longer than/);
    assert.ok(ms > SHORT_MS, `${ms} ms`);
  });
}

test("a blank canvas has no colours, whatever its legend has, and one with a map has them", async () => {
  const page = await browser.newPage();
  try {
    const panel = (name) => `<section class="panel" data-testid="${name}"><canvas width="100" height="50"></canvas><p style="background:red">legend</p></section>`;
    await page.setContent(["blank", "grey", "map"].map(panel).join(""));
    await page.evaluate(() => {
      const [, grey, map] = [...document.querySelectorAll("canvas")].map((canvas) => canvas.getContext("2d"));
      grey.fillStyle = "#888";
      grey.fillRect(0, 0, 100, 50);
      map.fillStyle = "#2060c0";
      map.fillRect(0, 0, 50, 50);
    });
    assert.deepEqual(await colouredCanvases(page), [["blank", 0], ["grey", 0], ["map", 0.5]]);
  } finally {
    await page.close();
  }
});
