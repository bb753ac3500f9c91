// The page with a GPU. One that works has the numbers of the native program; where one hangs, is lost or computes nonsense,
// the page notices, says so, and goes on on the CPU.
//
// The software adapter works, so it is broken on purpose: lines of ours before the worker's first script stand for a driver
// that never answers or answers wrongly, and let the adapter pass for a real one where the page chooses by itself.
// Every new worker builds all kernels anew, which takes the adapter long: the networks are small, and the file runs alone.

import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, afterEach, before, describe, test } from "node:test";
import { ExplorerPage, offer } from "./explorer-page.mjs";
import { built, launch, open, serve, withFolder } from "./harness.mjs";
import { MODELS, SMALL, untrained } from "./models.mjs";
import { compareWithNative } from "./native.mjs";
import { allowSoftwareGpu, found, holds } from "./waiting.mjs";

/** For waves as well: zero in the units of their network is zero on the page, too. */
const SMALLEST = { ...MODELS, "ks-pno-d.pno": ["ks", ...SMALL] };
const DARCY = "?experiment=darcy";

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

/** Opens the page, with the smallest models unless the shipped ones are wanted. */
async function visit(query, work, { shipped = false } = {}) {
  allowSoftwareGpu();
  if (!shipped) await offer(site, SMALLEST);
  const page = await open(browser, `${site.url}${query}`);
  try {
    return await work(new ExplorerPage(page), page);
  } finally {
    await page.close();
  }
}

/** Opens the page with a worker whose GPU is as the lines say. */
async function visitWith(lines, query, work) {
  const loader = await readFile(built("worker_loader.js"), "utf8");
  site.override("worker_loader.js", { body: `{\n${lines.join("\n")}\n}\n${loader}` });
  const begun = site.requests.length;
  await visit(query, (explorer) => work(explorer, () => site.requests.slice(begun).includes("gpu-is-silent")));
}

const note = (explorer) => explorer.at("device-note").innerText();
const device = (explorer) => explorer.at("score-device").innerText();

describe("a software adapter", () => {
  test("counts as no GPU unless WebGPU is asked for", async () => {
    await visit("?members=1", async (explorer) => {
      await explorer.finish();
      assert.equal(await device(explorer), "CPU");
      assert.match(await note(explorer), /without a GPU behind it/);
    }, { shipped: true });
  });
});

describe("a GPU that works", () => {
  test("has the numbers of the native program, of both methods side by side", async () => {
    await visit("?members=2&device=webgpu&seed=11&method2=pno-r", async (explorer, page) => {
      await explorer.finish();
      assert.equal(await device(explorer), "WebGPU");
      await withFolder(async (folder) => {
        for (const [side, method] of [["", "pno-d"], ["-b", "pno-r"]]) {
          await compareWithNative(explorer, folder, built(`models/ks-${method}.pno`), { side, seed: 11, members: 2 });
        }
      });
      assert.deepEqual(page.problems, []);
    }, { shipped: true });
  });
});

describe("a GPU that computes nonsense", () => {
  test("is not used, and a notice says why", async () => {
    await visitWith([REAL, wrong("values.fill(0);")], "?members=3", async (explorer) => {
      await found(explorer.page, "[data-testid=device-note]");
      await explorer.settle();
      const told = "The GPU computes something else than the CPU (its first member is zero everywhere), so the CPU is used.";
      assert.equal(await note(explorer), told);
      assert.equal(await device(explorer), "CPU");
      assert.equal(await explorer.number("score-members"), 3);
    });
  });

  test("ends a run that asked for it by name, and the CPU is one click away", async () => {
    await visitWith([wrong("values.fill(NaN);")], `${DARCY}&members=2&device=webgpu`, async (explorer) => {
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
  /** It gave no answer, and was left for the CPU. */
  async function left(explorer, wasSilent) {
    await found(explorer.page, "[data-testid=device-note]");
    await explorer.settle();
    assert.ok(wasSilent());
    assert.equal(await note(explorer), "The GPU gave no answer in 60 s, so the CPU is used.");
    assert.equal(await device(explorer), "CPU");
    assert.equal(await explorer.number("score-members"), 2);
    const states = await explorer.panelStates();
    assert.ok(Object.values(states).every((state) => state === "ready"), JSON.stringify(states));
  }

  test("is used without a word after its first member was compared, and left for the CPU at the second member of a second method", async () => {
    await visitWith([REAL, silent(3)], `${DARCY}&members=2`, async (explorer, wasSilent) => {
      await explorer.finish();
      assert.equal(await device(explorer), "WebGPU");
      assert.equal(await explorer.at("device-note").count(), 0);
      assert.equal(await explorer.number("score-members"), 2);
      assert.ok(!wasSilent());
      await explorer.go(`${DARCY}&members=2&method2=pno-r`);
      await left(explorer, wasSilent);
      assert.equal(await explorer.number("score-b-members"), 2);
    });
  });

  test("is left for the CPU in the middle of a rollout", async () => {
    await visitWith([REAL, silent(4)], "?experiment=sswe&members=2&lead=3", left);
  });

  test("ends a run that asked for it by name, at its first member already", async () => {
    await visitWith([silent(0)], `${DARCY}&members=2&device=webgpu`, async (explorer, wasSilent) => {
      assert.match(await explorer.error(), /The GPU gave no answer in \d+ s, but .* Choose CPU to go on/);
      assert.ok(wasSilent());
      assert.equal(await explorer.at("use-cpu").count(), 1);
    });
  });
});

describe("a lost GPU", () => {
  /** Loses the device soon after it was given. */
  const LOSE = `const given = GPUAdapter.prototype.requestDevice;
GPUAdapter.prototype.requestDevice = async function (...a) { const d = await given.apply(this, a); setTimeout(() => d.destroy(), 300); return d; };`;

  test("is replaced by the CPU with a notice; tried again, it has the numbers of the native program in shallow water", async () => {
    const loader = await readFile(built("worker_loader.js"), "utf8");
    site.override("worker_loader.js", { body: loader.replace("load().catch", `${LOSE}\nload().catch`) });
    await visit("?experiment=sswe&members=2&seed=9&device=webgpu", async (explorer, page) => {
      await found(page, "[data-testid=gpu-lost]");
      await explorer.finish();
      assert.equal(await device(explorer), "CPU");
      assert.equal(await explorer.number("score-members"), 2);
      site.restore();
      await offer(site, SMALLEST);
      await explorer.at("gpu-again").click();
      await holds(page, () => document.querySelector("[data-testid=score-device]").innerText === "WebGPU");
      await explorer.finish();
      await withFolder(async (folder) => {
        const model = join(folder, "model.pno");
        await writeFile(model, await untrained(...MODELS["sswe-pno-d.pno"]));
        await compareWithNative(explorer, folder, model, { seed: 9, members: 2, channels: 3 });
      });
    });
  });
});
