// The numbers of the page are those of the native program: every experiment on WebGPU and on the CPU, ensembles of
// networks, calibrated models, and scores.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { after, afterEach, before, describe, test } from "node:test";
import { apart } from "./compare.mjs";
import { ExplorerPage, offer } from "./explorer-page.mjs";
import { built, launch, open, pno, serve, withFolder } from "./harness.mjs";
import { DEEP, MODELS, SMALL } from "./models.mjs";
import { readNpy, writeNpy } from "./npy.mjs";
import { allowSoftwareGpu } from "./waiting.mjs";

let site;
const browsers = {};

before(async () => {
  site = await serve();
  browsers.cpu = await launch();
  browsers.webgpu = await launch({ webgpu: true });
});
after(async () => {
  for (const browser of Object.values(browsers)) await browser.close();
  await site?.close();
});
afterEach(() => site.restore());

async function visit(query, device, work) {
  const page = await open(browsers[device], `${site.url}${query}&device=${device}`);
  try {
    return await work(new ExplorerPage(page), page);
  } finally {
    await page.close();
  }
}

const channel = (values, c, count) => values.filter((_, i) => i % count === c);

/** Saves input and members of the page, and compares them with what the native program makes of the same input. */
async function compare(explorer, folder, model, { seed, members, steps = 1, channels = 1, limit = 1e-3 }) {
  const input = await explorer.saved("input", folder);
  const drawn = await explorer.saved("members", folder);
  const out = join(folder, "native.npy");
  const asked = ["--members", members, "--seed", seed, "--steps", steps, "--device", "cpu"];
  await pno("predict", model, "--input", input.path, ...asked, "--out", out, "--force");
  const native = await readNpy(out);
  assert.deepEqual(drawn.shape, native.shape);
  for (let c = 0; c < channels; c++) {
    const share = apart(channel(drawn.values, c, channels), channel(native.values, c, channels));
    assert.ok(share < limit, `channel ${c} differs by ${share} of its standard deviation`);
  }
  return { input, drawn };
}

/** Drops an input (and truth) of the temperature: the page has no cases of its own. */
async function dropTemperature(explorer, folder) {
  await explorer.at("no-truth").waitFor();
  const frames = Array.from({ length: 8 * 140 }, (_, i) => 280 + 8 * Math.sin(i / 17) + Math.floor(i / 140));
  await writeNpy(join(folder, "case.npy"), [8, 10, 14], frames);
  await explorer.drop("case.npy", await readFile(join(folder, "case.npy")));
  await explorer.page.waitForSelector("[data-testid=panel-truth][data-state=ready]");
  await explorer.settle();
}

describe("members are those of the native program", () => {
  for (const device of ["cpu", "webgpu"]) {
    for (const [experiment, more] of [["darcy", {}], ["sswe", { channels: 3 }], ["era5", {}]]) {
      test(`in ${experiment} on ${device}`, async () => {
        if (device === "webgpu") allowSoftwareGpu();
        await offer(site, MODELS);
        await withFolder((folder) => visit(`?experiment=${experiment}&members=2&seed=9`, device, async (explorer, page) => {
          if (experiment === "era5") await dropTemperature(explorer, folder);
          await explorer.finish();
          assert.equal((await explorer.at("score-device").innerText()).toLowerCase(), device);
          const model = join(folder, "model.pno");
          await pno("init", ...MODELS[`${experiment}-pno-d.pno`], "--out", model);
          await compare(explorer, folder, model, { seed: 9, members: 2, ...more });
          assert.deepEqual(page.problems, []);
        }));
      });
    }
  }

  test("in shallow water after three hours", async () => {
    await offer(site, MODELS);
    await withFolder((folder) => visit("?experiment=sswe&members=2&seed=4&lead=3", "cpu", async (explorer) => {
      await explorer.finish();
      const model = join(folder, "model.pno");
      await pno("init", ...MODELS["sswe-pno-d.pno"], "--out", model);
      await compare(explorer, folder, model, { seed: 4, members: 2, steps: 3, channels: 3 });
    }));
  });
});

describe("as many members as can be asked for", () => {
  test("are drawn to the end, and are the native ones", async () => {
    const small = ["ks", ...SMALL];
    await offer(site, { "ks-pno-d.pno": small });
    await withFolder((folder) => visit("?members=256&seed=6&view=std", "cpu", async (explorer, page) => {
      await explorer.finish();
      assert.equal(await explorer.number("score-members"), 256);
      assert.match(await explorer.at("status").innerText(), /Done: 256 members/);
      const model = join(folder, "model.pno");
      await pno("init", ...small, "--out", model);
      const { drawn } = await compare(explorer, folder, model, { seed: 6, members: 256 });
      assert.deepEqual(drawn.shape, [256, 20, 256]);
      assert.deepEqual(page.problems, []);
    }));
  });
});

describe("an ensemble of networks", () => {
  test("has as many members as networks, says so, and they are the native ones", async () => {
    await offer(site, { "ks-ensemble.pno": DEEP });
    await withFolder((folder) => visit("?method=ensemble&members=8&seed=5", "cpu", async (explorer, page) => {
      await explorer.finish();
      assert.equal(await explorer.number("score-members"), 3);
      assert.match(await explorer.at("members-note").innerText(), /ensemble of 3 networks has 3 members, one each; 8 were asked for/);
      assert.match(await explorer.at("status").innerText(), /Done: 3 members/);
      const model = join(folder, "model.pno");
      await pno("init", ...DEEP, "--out", model);
      await compare(explorer, folder, model, { seed: 5, members: 8 });
      assert.deepEqual(page.problems, []);
    }));
  });

  test("that is large enough needs no words", async () => {
    await offer(site, { "ks-ensemble.pno": DEEP });
    await visit("?method=ensemble&members=3", "cpu", async (explorer) => {
      await explorer.finish();
      assert.equal(await explorer.number("score-members"), 3);
      assert.equal(await explorer.at("members-note").count(), 0);
    });
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
      await visit("?experiment=darcy&model=own.pno&members=6&seed=3", "cpu", async (explorer, page) => {
        await explorer.finish();
        assert.match(await explorer.at("calibration-note").innerText(), /the 50 % interval holds its share/);
        const { input, drawn } = await compare(explorer, folder, scaled, { seed: 3, members: 6 });
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

  for (const [experiment, file, query] of [["ks", "ks-pno-d.pno", "?members=8&seed=2"], ["darcy", "darcy-pno-d.pno", "?experiment=darcy&members=8&seed=2"]]) {
    test(`of one case of ${experiment}`, async () => {
      if (experiment !== "ks") await offer(site, MODELS);
      await withFolder((folder) => visit(query, "cpu", async (explorer) => {
        await explorer.finish();
        for (const what of ["members", "truth"]) {
          const { shape, values } = await explorer.saved(what, folder);
          await writeNpy(join(folder, `${what}.npy`), shape, values);
        }
        let model = built(`models/${file}`);
        if (experiment !== "ks") {
          model = join(folder, file);
          await pno("init", ...MODELS[file], "--out", model);
        }
        const { std } = JSON.parse(await pno("inspect", model, "--json")).task.outputs[0].normalisation;
        const wanted = await native(folder, std);
        for (const [name, value] of Object.entries(wanted)) {
          const found = await explorer.number(`score-${name}`);
          assert.ok(Math.abs(found - value) < 6e-4, `${name}: ${found} for ${value}`);
        }
      }));
    });
  }
});
