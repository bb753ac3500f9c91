// Experiments without a model: the truth alone, no download, no GPU.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { describe, test } from "node:test";
import { built } from "./harness.mjs";
import { withoutModels } from "./live-page.mjs";

const shared = withoutModels();

describe("an experiment without a model", () => {
  /** Lets the worker tell the site when it looks for a GPU. */
  async function spyOnGpu() {
    const loader = await readFile(built("worker_loader.js"), "utf8");
    const spy = `Object.defineProperty(navigator, "gpu", { get() { fetch("./asked-for-a-gpu"); } });\n`;
    shared.site.override("worker_loader.js", { body: spy + loader });
    const before = shared.site.requests.length;
    return () => shared.site.requests.slice(before);
  }

  test("is spied on as a forecast is, which asks for both a model and a GPU", async () => {
    const asked = await spyOnGpu();
    await shared.visitAlone("?members=1&model=models/ks-pno-d.pno", async (live) => {
      await live.finish();
      assert.ok(asked().includes("asked-for-a-gpu") && asked().includes("models/ks-pno-d.pno"), `asked for ${asked()}`);
    });
  });

  for (const experiment of ["darcy", "sswe", "ks"]) {
    test(`(${experiment}) loads none, asks for no GPU, says that it is the truth only, and fits a phone`, async () => {
      const asked = await spyOnGpu();
      await shared.visitAlone(`?experiment=${experiment}`, async (live, page) => {
        await live.finish();
        assert.match(await live.at("truth-only").innerText(), /Truth only: no trained model of this experiment is shipped yet/);
        assert.ok(await live.at(`experiment-${experiment}`).isChecked());
        assert.ok(asked().includes("worker_bg.wasm"), `asked for ${asked()}`);
        assert.deepEqual(asked().filter((name) => /pno$|gpu/.test(name)), []);
        assert.deepEqual(page.problems, []);
        await page.setViewportSize({ width: 360, height: 740 });
        await live.settle();
        const excess = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
        assert.ok(excess <= 0, `${excess} px too wide`);
      });
    });
  }

  test("(era5) asks for a file where no case is shipped", async () => {
    shared.site.override("cases/index.json", { status: 404 });
    await shared.visitAlone("?experiment=era5", async (live) => {
      assert.match(await live.at("no-truth").innerText(), /drop a NumPy file of the shape \[10, 160, 220\]/);
    });
  });

  test("says in a sentence that its program is not there, and tries again", async () => {
    shared.site.override("worker_bg.wasm", { status: 404 });
    await shared.visitAlone("?experiment=darcy&cells=64", async (live) => {
      assert.match(await live.error(), /worker_bg\.wasm cannot be had.* 404/);
      shared.site.restore();
      shared.hide();
      await live.at("retry").click();
      await live.settle();
      assert.equal((await live.panelStates())["panel-truth"], "ready");
    });
  });
});
