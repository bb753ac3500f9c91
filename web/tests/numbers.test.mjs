// The numbers of the page are those of the native program: every experiment on the CPU (on WebGPU: operators.test.mjs and
// gpu.test.mjs), ensembles of networks, calibrated models, and scores.

import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, afterEach, before, describe, test } from "node:test";
import { apart } from "./compare.mjs";
import { sharedPages } from "./explorer-page.mjs";
import { built, launch, open, pno, serve, withFolder } from "./harness.mjs";
import { DEEP, MODELS, SMALL, untrained } from "./models.mjs";
import { compareWithNative } from "./native.mjs";
import { readNpy, writeNpy } from "./npy.mjs";
import { found } from "./waiting.mjs";

let site;
let browser;

before(async () => {
  site = await serve();
  browser = await launch();
});
after(async () => {
  await browser?.close();
  await site?.close();
});
afterEach(() => site.restore());

const visit = sharedPages((query) => open(browser, `${site.url}${query}`), () => site);

/** Writes an untrained model into a folder, and gives its path. */
async function written(folder, ...init) {
  const path = join(folder, "model.pno");
  await writeFile(path, await untrained(...init));
  return path;
}

/** Drops an input (and truth) of the temperature: the page has no cases of its own. */
async function dropTemperature(explorer, folder) {
  await explorer.at("no-truth").waitFor();
  const frames = Array.from({ length: 8 * 140 }, (_, i) => 280 + 8 * Math.sin(i / 17) + Math.floor(i / 140));
  await writeNpy(join(folder, "case.npy"), [8, 10, 14], frames);
  await explorer.drop("case.npy", await readFile(join(folder, "case.npy")));
  await found(explorer.page, "[data-testid=panel-truth][data-state=ready]");
  await explorer.settle();
}

describe("members are those of the native program", () => {
  for (const [experiment, more] of [["darcy", {}], ["sswe", { channels: 3 }], ["era5", {}]]) {
    test(`in ${experiment}`, async () => {
      await withFolder((folder) => visit(`?experiment=${experiment}&members=2&seed=9&device=cpu`, async (explorer, page) => {
        if (experiment === "era5") await dropTemperature(explorer, folder);
        await explorer.finish();
        assert.equal(await explorer.at("score-device").innerText(), "CPU");
        const model = await written(folder, ...MODELS[`${experiment}-pno-d.pno`]);
        await compareWithNative(explorer, folder, model, { seed: 9, members: 2, ...more });
        assert.deepEqual(page.problems, []);
      }, MODELS));
    });
  }

  test("in shallow water after three hours", async () => {
    await withFolder((folder) => visit("?experiment=sswe&members=2&seed=4&lead=3&device=cpu", async (explorer) => {
      await explorer.finish();
      const model = await written(folder, ...MODELS["sswe-pno-d.pno"]);
      await compareWithNative(explorer, folder, model, { seed: 4, members: 2, steps: 3, channels: 3 });
    }, MODELS));
  });
});

describe("as many members as can be asked for", () => {
  test("are drawn to the end, and are the native ones", async () => {
    const small = ["ks", ...SMALL];
    await withFolder((folder) => visit("?members=256&seed=6&view=std&device=cpu", async (explorer, page) => {
      await explorer.finish();
      assert.equal(await explorer.number("score-members"), 256);
      assert.match(await explorer.at("status").innerText(), /Done: 256 members/);
      const model = await written(folder, ...small);
      const { drawn } = await compareWithNative(explorer, folder, model, { seed: 6, members: 256 });
      assert.deepEqual(drawn.shape, [256, 20, 256]);
      assert.deepEqual(page.problems, []);
    }, { "ks-pno-d.pno": small }));
  });
});

describe("an ensemble of networks", () => {
  const NETWORKS = { "ks-ensemble.pno": DEEP };

  test("has as many members as networks, says so, and they are the native ones", async () => {
    await withFolder((folder) => visit("?method=ensemble&members=8&seed=5&device=cpu", async (explorer, page) => {
      await explorer.finish();
      assert.equal(await explorer.number("score-members"), 3);
      assert.match(await explorer.at("members-note").innerText(), /ensemble of 3 networks has 3 members, one each; 8 were asked for/);
      assert.match(await explorer.at("status").innerText(), /Done: 3 members/);
      const model = await written(folder, ...DEEP);
      await compareWithNative(explorer, folder, model, { seed: 5, members: 8 });
      assert.deepEqual(page.problems, []);
    }, NETWORKS));
  });

  test("that is large enough needs no words", async () => {
    await visit("?method=ensemble&members=3&device=cpu", async (explorer) => {
      await explorer.finish();
      assert.equal(await explorer.number("score-members"), 3);
      assert.equal(await explorer.at("members-note").count(), 0);
    }, NETWORKS);
  });
});

describe("a calibrated model", () => {
  /** A model and the same with its spread scaled, fitted on a few small cases. */
  async function calibrated(folder, experiment, init, ...data) {
    const [plain, scaled, cases] = ["plain.pno", "scaled.pno", "data"].map((name) => join(folder, name));
    await pno("init", experiment, ...init, "--out", plain);
    await pno("data", "generate", experiment, ...data, "--shares", "1,4,1", "--out", cases);
    await pno("conformal", plain, "--data", cases, "--coverage", "0.5", "--members", "8", "--device", "cpu", "--out", scaled);
    site.override("own.pno", { body: await readFile(scaled) });
    return { plain, scaled };
  }
  const GRID = [...SMALL, "--grid", "16x16", "--set", "model.modes=[6,6]"];

  test("draws members that are spread as those of the native program, and says so", async () => {
    await withFolder(async (folder) => {
      const { plain, scaled } = await calibrated(folder, "darcy", GRID, "--grid", "16");
      await visit("?experiment=darcy&model=own.pno&members=6&seed=3&device=cpu", async (explorer, page) => {
        await explorer.finish();
        assert.match(await explorer.at("calibration-note").innerText(), /the 50 % interval holds its share/);
        const { input, drawn } = await compareWithNative(explorer, folder, scaled, { seed: 3, members: 6 });
        await pno("predict", plain, "--input", input.path, "--members", 6, "--seed", 3, "--device", "cpu", "--out", join(folder, "plain.npy"));
        assert.ok(apart(drawn.values, (await readNpy(join(folder, "plain.npy"))).values) > 0.1, "not the plain ones");
        assert.equal(await explorer.number("score-members"), 6);
        assert.deepEqual(page.problems, []);
      });
    });
  });
});

describe("scores are those of the native program", () => {
  /** Scores of `pno score` for what the page saved, in units of the network. */
  async function native(folder, std) {
    const [members, truth, json] = ["members.npy", "truth.npy", "scores.json"].map((name) => join(folder, name));
    await pno("score", "--members", members, "--truth", truth, "--member-axis", 0, "--json", json, "--force");
    const scores = JSON.parse(await readFile(json, "utf8"));
    const of = (name, unit) => scores[name].value / unit;
    return { energy_score: of("energy_score", std), crps: of("crps", std), coverage: of("coverage", 1), interval_width: of("interval_width", std) };
  }

  for (const [experiment, file, query] of [["ks", "ks-pno-d.pno", "?members=8&seed=2&device=cpu"], ["darcy", "darcy-pno-d.pno", "?experiment=darcy&members=8&seed=2&device=cpu"]]) {
    test(`of one case of ${experiment}`, async () => {
      await withFolder((folder) => visit(query, async (explorer) => {
        await explorer.finish();
        for (const what of ["members", "truth"]) {
          const { shape, values } = await explorer.saved(what, folder);
          await writeNpy(join(folder, `${what}.npy`), shape, values);
        }
        const model = experiment === "ks" ? built(`models/${file}`) : await written(folder, ...MODELS[file]);
        const { std } = JSON.parse(await pno("inspect", model, "--json")).task.outputs[0].normalisation;
        const wanted = await native(folder, std);
        for (const [name, value] of Object.entries(wanted)) {
          const found = await explorer.number(`score-${name}`);
          assert.ok(Math.abs(found - value) < 6e-4, `${name}: ${found} for ${value}`);
        }
      }, experiment === "ks" ? null : MODELS));
    });
  }
});
