// Files made to hurt (tests/hostile): the page refuses each within a second and 100 MB, and lives on.
//
// This file measures time and memory, and runs alone (xtask/src/browser.rs).

import assert from "node:assert/strict";
import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { ExplorerPage, onePage } from "./explorer-page.mjs";
import { built, launch, open, serve } from "./harness.mjs";
import { FLAT, untrained } from "./models.mjs";

const FOLDER = fileURLToPath(new URL("../../tests/hostile", import.meta.url));
/** Longest time from the drop to the sentence. */
const MOST_MS = 1000;
/** On a busy machine the browser may have to wait for its turn: the best of so many drops counts. */
const TRIES = 3;
/** By how much the memory of a program may grow. It never shrinks, so this is the most that was held at a time. */
const MOST_MB = 100;

const manifest = JSON.parse(await readFile(join(FOLDER, "manifest.json"), "utf8"));
const lies = new Map(manifest.filter(({ lie }) => lie).map(({ file, lie }) => [file, lie]));
/** What the page reads; of all else it looks at the name alone. */
const isRead = (name) => /\.(pno|npy)$/.test(name);

/** Keeps the memory of the program that is loaded in this place, page or worker. */
const KEEP = `for (const name of ["instantiate", "instantiateStreaming"]) {
  const load = WebAssembly[name];
  WebAssembly[name] = async (...all) => {
    const made = await load.apply(WebAssembly, all);
    globalThis.programMemory = (made.instance ?? made).exports.memory;
    return made;
  };
}`;

let site;
let browser;
let context;
let good;

before(async () => {
  site = await serve();
  browser = await launch();
  context = await browser.newContext();
  await context.addInitScript(KEEP);
  site.override("worker_loader.js", { body: `${KEEP}\n${await readFile(built("worker_loader.js"), "utf8")}` });
  good = await untrained("darcy", ...FLAT);
});
after(async () => {
  await browser?.close();
  await site?.close();
});

const FEW = "?members=2&device=cpu";
const load = () => open({ newPage: () => context.newPage() }, `${site.url}${FEW}`);

/** Megabytes of both programs. */
async function memory(page) {
  const size = () => globalThis.programMemory.buffer.byteLength / 1e6;
  return { interface: await page.evaluate(size), worker: await page.workers()[0].evaluate(size) };
}

/** By how much each program grew: `[[program, megabytes], …]`. */
const growth = (before, after) => Object.keys(after).map((program) => [program, after[program] - before[program]]);
const told = (before, grown) => grown.map(([program, mb]) => `${program} ${before[program].toFixed(0)} MB and ${mb.toFixed(1)} more`).join(", ");

/** Drops a file, and says what the page says of it and after how long, by the page's own clock. */
async function refusal(page, name, bytes) {
  return page.evaluate(async ([name, base64]) => {
    const transfer = new DataTransfer();
    transfer.items.add(new File([Uint8Array.from(atob(base64), (c) => c.charCodeAt(0))], name));
    const begin = performance.now();
    document.body.dispatchEvent(new DragEvent("drop", { dataTransfer: transfer, bubbles: true, cancelable: true }));
    const said = () => [...document.querySelectorAll("[data-testid=error], [data-testid=address-problem], [data-testid=no-truth]")]
      .map((place) => place.innerText).find((text) => text.includes(name));
    while (said() === undefined && performance.now() - begin < 20_000) await new Promise((done) => setTimeout(done, 5));
    return { said: said(), ms: performance.now() - begin };
  }, [name, Buffer.from(bytes).toString("base64")]);
}

/** Drops a file until it is refused in time; gives what was measured, in words, and throws where it never is. */
async function refused(page, name, words) {
  const bytes = await readFile(join(FOLDER, name));
  const [worker] = page.workers();
  const before = await memory(page);
  const times = [];
  for (let i = 0; i < TRIES && !times.some((ms) => ms <= MOST_MS); i += 1) {
    // Another name each time, so that the sentence is that of this drop.
    const { said, ms } = await refusal(page, `${i}-${name}`, bytes);
    assert.match(said ?? "nothing was said", words);
    times.push(ms);
  }
  const after = await memory(page);
  assert.equal(page.workers()[0], worker, "the worker lives on");
  const grown = growth(before, after);
  const found = `${times.map((ms) => `${ms.toFixed(0)} ms`).join(", ")}; ${told(before, grown)}`;
  assert.ok(Math.min(...times) <= MOST_MS, found);
  assert.ok(grown.every(([, mb]) => mb <= MOST_MB), found);
  return found;
}

test("the list of hostile files names every model and array that is there", async () => {
  const there = (await readdir(FOLDER)).filter(isRead).sort();
  assert.deepEqual([...lies.keys()].filter(isRead).sort(), there);
});

test("memory that a program takes is seen", async () => {
  const page = await load();
  await new ExplorerPage(page).finish();
  const before = await memory(page);
  const more = () => globalThis.programMemory.grow(160);
  await page.evaluate(more);
  await page.workers()[0].evaluate(more);
  const after = await memory(page);
  for (const program of Object.keys(before)) assert.ok(after[program] - before[program] > 10, JSON.stringify({ before, after }));
  await page.close();
});

const read = [...lies].filter(([name]) => isRead(name));
const half = Math.ceil(read.length / 2);

for (const [which, files] of [["first", read.slice(0, half)], ["second", read.slice(half)]]) {
  // One page for all of them: what each leaves behind is there when the next one comes.
  describe(`hostile files that are dropped one after the other, the ${which} half`, () => {
    const share = onePage(load);
    let begun;

    async function visit(work) {
      await share(FEW, async (explorer, page) => {
        await explorer.finish();
        if (begun?.page !== page) begun = { page, memory: await memory(page) };
        await work(explorer, page);
      });
    }

    for (const [name, lie] of files) {
      test(`${name} (${lie}) is refused within a second and 100 MB`, async (t) => {
        await visit(async (_, page) => t.diagnostic(await refused(page, name, /cannot be used: .+\./)));
      });
    }

    test("take less than 100 MB together, and the next model runs", async (t) => {
      await visit(async (explorer, page) => {
        const grown = growth(begun.memory, await memory(page));
        t.diagnostic(`all of them: ${told(begun.memory, grown)}`);
        assert.ok(grown.every(([, mb]) => mb <= MOST_MB), told(begun.memory, grown));
        await explorer.drop("good.pno", good);
        await explorer.waitForParam("experiment", "darcy");
        await explorer.settle();
        assert.equal(await explorer.number("score-members"), 2);
      });
    });
  });
}

test("a hostile file of a kind that the page does not read is refused by its name", async () => {
  const page = await load();
  await new ExplorerPage(page).finish();
  for (const name of [...lies.keys()].filter((name) => !isRead(name))) {
    // A folder cannot be dropped.
    if ((await stat(join(FOLDER, name))).isDirectory()) continue;
    await refused(page, name, /is neither a model \(\.pno\) nor an input/);
  }
  await page.close();
});
