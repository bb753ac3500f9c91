// A GPU that hangs or computes nonsense: the page notices, says so, and goes on on the CPU.
//
// The software adapter works, so it is broken on purpose: lines of ours before the worker's first script stand for a driver
// that never answers or answers wrongly, and let the adapter pass for a real one where the page chooses by itself.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { after, afterEach, before, describe, test } from "node:test";
import { ExplorerPage, offer } from "./explorer-page.mjs";
import { built, launch, open, serve } from "./harness.mjs";
import { SMALL, SPHERE } from "./models.mjs";
import { allowSoftwareGpu, found } from "./waiting.mjs";

const MODELS = {
  "ks-pno-d.pno": ["ks", ...SMALL],
  "ks-pno-r.pno": ["ks", "--method", "pno-r", ...SMALL],
  "sswe-pno-d.pno": ["sswe", ...SPHERE],
};

/** The adapter passes for a GPU, but has the time of a program that plays one. */
const REAL = `const timer = self.setTimeout.bind(self);
self.setTimeout = (work, milliseconds, ...rest) => timer(work, milliseconds >= 10_000 ? 10 * milliseconds : milliseconds, ...rest);
for (const [key, value] of Object.entries({ isFallbackAdapter: false, vendor: "somebody", architecture: "", description: "" }))
  for (const kind of [GPUAdapterInfo, GPUAdapter])
    if (key in kind.prototype) Object.defineProperty(kind.prototype, key, { get: () => value });`;

/** What is read from the GPU is changed first: \`change\` is a statement about \`values\`, a Float32Array. */
const wrong = (change) => `const range = GPUBuffer.prototype.getMappedRange;
GPUBuffer.prototype.getMappedRange = function (...where) {
  const given = range.apply(this, where);
  const values = new Float32Array(given);
  if (this.usage & GPUBufferUsage.MAP_READ) { ${change} }
  return given;
};`;

/** After some reads the GPU answers no more, and a minute passes in no time. */
const silent = (reads) => `let left = ${reads};
const wait = self.setTimeout.bind(self);
const long = [];
self.setTimeout = (work, milliseconds, ...rest) => {
  if (milliseconds >= 10_000) long.push(work);
  return wait(work, milliseconds, ...rest);
};
const map = GPUBuffer.prototype.mapAsync;
GPUBuffer.prototype.mapAsync = function (mode, ...where) {
  if (!(mode & GPUMapMode.READ) || left-- > 0) return map.call(this, mode, ...where);
  fetch("./gpu-is-silent");
  wait(() => long.splice(0).forEach((work) => work()), 300);
  return new Promise(() => {});
};`;

let site;
let browser;

before(async () => {
  site = await serve();
  browser = await launch({ webgpu: true });
});
after(async () => {
  await browser?.close();
  await site?.close();
});
afterEach(() => site.restore());

/** Opens the page with a worker whose GPU is as the lines say. */
async function visit(query, lines, work) {
  allowSoftwareGpu();
  await offer(site, MODELS);
  const loader = await readFile(built("worker_loader.js"), "utf8");
  site.override("worker_loader.js", { body: `{\n${lines.join("\n")}\n}\n${loader}` });
  const begun = site.requests.length;
  const page = await open(browser, `${site.url}${query}`);
  try {
    return await work(new ExplorerPage(page), () => site.requests.slice(begun).includes("gpu-is-silent"));
  } finally {
    await page.close();
  }
}

const note = (explorer) => explorer.at("device-note").innerText();
const device = (explorer) => explorer.at("score-device").innerText();

describe("a GPU that works", () => {
  test("is used without a word after its first member was compared", async () => {
    await visit("?members=2", [REAL], async (explorer) => {
      await explorer.finish();
      assert.equal(await device(explorer), "WebGPU");
      assert.equal(await explorer.at("device-note").count(), 0);
      assert.equal(await explorer.number("score-members"), 2);
    });
  });
});

describe("a GPU that computes nonsense", () => {
  test("is not used, and a notice says why", async () => {
    await visit("?members=3", [REAL, wrong("values.fill(0);")], async (explorer) => {
      await found(explorer.page, "[data-testid=device-note]");
      await explorer.settle();
      const told = "The GPU computes something else than the CPU (its first member is zero everywhere), so the CPU is used.";
      assert.equal(await note(explorer), told);
      assert.equal(await device(explorer), "CPU");
      assert.equal(await explorer.number("score-members"), 3);
    });
  });

  test("ends a run that asked for it by name, and the CPU is one click away", async () => {
    await visit("?members=2&device=webgpu", [wrong("values.fill(NaN);")], async (explorer) => {
      const told = /computes something else than the CPU \(its first member is not finite\), but .*asks for WebGPU\. Choose CPU to go on/;
      assert.match(await explorer.error(), told);
      assert.equal((await explorer.panelStates())["panel-mean"], "waiting", "nothing of it is shown");
      await explorer.at("use-cpu").click();
      await explorer.waitForParam("device", "cpu");
      await explorer.settle();
      assert.equal(await device(explorer), "CPU");
      assert.equal(await explorer.at("use-cpu").count(), 0);
    });
  });
});

describe("a GPU that answers no more", () => {
  for (const [when, query, reads] of [
    ["at the second member of the second method", "?members=2&method2=pno-r", 3],
    ["in the middle of a rollout", "?experiment=sswe&members=2&lead=3", 4],
  ]) {
    test(`(${when}) is left for the CPU, which draws the same members`, async () => {
      await visit(query, [REAL, silent(reads)], async (explorer, wasSilent) => {
        await found(explorer.page, "[data-testid=device-note]");
        await explorer.settle();
        assert.ok(wasSilent());
        assert.equal(await note(explorer), "The GPU gave no answer in 60 s, so the CPU is used.");
        assert.equal(await device(explorer), "CPU");
        assert.equal(await explorer.number("score-members"), 2);
        const states = await explorer.panelStates();
        assert.ok(Object.values(states).every((state) => state === "ready"), JSON.stringify(states));
      });
    });
  }

  test("ends a run that asked for it by name, at its first member already", async () => {
    await visit("?members=2&device=webgpu", [silent(0)], async (explorer, wasSilent) => {
      assert.match(await explorer.error(), /The GPU gave no answer in \d+ s, but .* Choose CPU to go on/);
      assert.ok(wasSilent());
      await explorer.at("use-cpu").click();
      await explorer.waitForParam("device", "cpu");
      await explorer.settle();
      assert.equal(await device(explorer), "CPU");
    });
  });
});
