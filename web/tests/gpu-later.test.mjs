// A GPU whose first member is right, and a later one is not a number: it is the GPU's, and not the model's.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { after, before, test } from "node:test";
import { ExplorerPage, offer } from "./explorer-page.mjs";
import { built, launch, open, serve } from "./harness.mjs";
import { SMALL } from "./models.mjs";
import { allowSoftwareGpu } from "./waiting.mjs";

/** What is read from the GPU for the second member and later is no number. */
const LATER = `let reads = 0;
const range = GPUBuffer.prototype.getMappedRange;
GPUBuffer.prototype.getMappedRange = function (...where) {
  const given = range.apply(this, where);
  if (this.usage & GPUBufferUsage.MAP_READ && reads++ > 0) new Float32Array(given).fill(NaN);
  return given;
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

test("ends a run that asked for the GPU by name with what the GPU gave, and the CPU is one click away", async () => {
  allowSoftwareGpu();
  await offer(site, { "ks-pno-d.pno": ["ks", ...SMALL] });
  site.override("worker_loader.js", { body: `{\n${LATER}\n}\n${await readFile(built("worker_loader.js"), "utf8")}` });
  const page = await open(browser, `${site.url}?members=2&device=webgpu`);
  try {
    const explorer = new ExplorerPage(page);
    assert.match(await explorer.error(), /^The GPU gave member 2, which is not finite, but .*asks for WebGPU\. Choose CPU to go on\.$/);
    await explorer.at("use-cpu").click();
    await explorer.waitForParam("device", "cpu");
    await explorer.settle();
    assert.equal(await explorer.number("score-members"), 2);
  } finally {
    await page.close();
  }
});
