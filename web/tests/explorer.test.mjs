// The explorer with a model of every experiment: views, sides, rollouts, files of one's own. On the CPU, with untrained models.

import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, afterEach, before, describe, test } from "node:test";
import { apart } from "./compare.mjs";
import { sharedPages } from "./explorer-page.mjs";
import { built, launch, open, pno, serve, withFolder } from "./harness.mjs";
import { FLAT, MODELS, untrained } from "./models.mjs";
import { readNpy, writeNpy } from "./npy.mjs";
import { found, until } from "./waiting.mjs";

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

const share = sharedPages((query) => open(browser, `${site.url}${query}`), () => site);
const visit = (query, work, { models = MODELS } = {}) => share(query, work, models);

const saved = (explorer, what) => withFolder((folder) => explorer.saved(what, folder));

/** Members of the native program for an input. */
async function native(model, input, ...more) {
  return withFolder(async (folder) => {
    const [field, out, file] = ["in.npy", "out.npy", "model.pno"].map((name) => join(folder, name));
    await writeNpy(field, input.shape, input.values);
    await writeFile(file, await untrained(...MODELS[model]));
    await pno("predict", file, "--input", field, "--device", "cpu", ...more, "--out", out);
    return readNpy(out);
  });
}

const channel = (values, c, channels) => values.filter((_, i) => i % channels === c);

describe("every experiment with a model", () => {
  for (const [experiment, count] of [["darcy", 9], ["sswe", 8]]) {
    test(`(${experiment}) shows truth and ensemble side by side, with scores`, async () => {
      await visit(`?experiment=${experiment}&members=4&device=cpu`, async (explorer, page) => {
        await explorer.finish();
        const states = Object.values(await explorer.panelStates());
        assert.deepEqual(states, Array(count).fill("ready"));
        assert.equal(await explorer.number("score-members"), 4);
        assert.ok((await explorer.number("score-energy_score")) > 0);
        assert.ok((await explorer.number("score-solver")) >= 0);
        assert.equal(await explorer.at("truth-only").count(), 0);
        assert.deepEqual(page.problems, []);
      });
    });

    test(`(${experiment}) fits a phone of 360 px, also with two sides`, async () => {
      await visit(`?experiment=${experiment}&members=2&device=cpu&method2=pno-r`, async (explorer, page) => {
        await explorer.finish();
        await page.setViewportSize({ width: 360, height: 740 });
        await explorer.settle();
        const excess = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
        assert.ok(excess <= 0, `${excess} px too wide`);
      });
    });
  }

  test("(darcy) has the members of the native program for what is painted", async () => {
    await visit("?experiment=darcy&members=3&seed=9&device=cpu", async (explorer) => {
      await explorer.finish();
      await explorer.stroke("panel-input", [[0.2, 0.5], [0.8, 0.6]]);
      await explorer.settle();
      const input = await saved(explorer, "input");
      const members = await saved(explorer, "members");
      assert.deepEqual([input.shape, members.shape], [[16, 16], [3, 16, 16]]);
      const wanted = await native("darcy-pno-d.pno", input, "--members", 3, "--seed", 9);
      assert.ok(apart(members.values, wanted.values) < 1e-3);
    });
  });

  test("(darcy) draws few members while the brush moves, and all of them at rest", async () => {
    await visit("?experiment=darcy&members=16&device=cpu", async (explorer) => {
      await explorer.finish();
      let during;
      await explorer.stroke("panel-input", [[0.2, 0.3], [0.8, 0.3]], {
        then: async () => {
          await explorer.settle();
          during = await explorer.number("score-members");
        },
      });
      assert.equal(during, 4);
      await explorer.settle();
      assert.equal(await explorer.number("score-members"), 16);
    });
  });

  test("(sswe) steps every member on its own, hour by hour, as the native program does", async () => {
    await visit("?experiment=sswe&members=3&seed=5&device=cpu", async (explorer, page) => {
      await explorer.finish();
      for (let hour = 2; hour <= 3; hour++) {
        await explorer.at("step").click();
        await explorer.settle();
        assert.equal(await explorer.number("score-members"), 3);
      }
      const input = await saved(explorer, "input");
      const { shape, values } = await saved(explorer, "members");
      assert.deepEqual(shape, [3, 3, 12, 24, 3]);
      const wanted = await native("sswe-pno-d.pno", input, "--members", 3, "--seed", 5);
      const frame = 12 * 24 * 3;
      for (let member = 0; member < 3; member++) {
        const first = values.subarray(3 * member * frame, (3 * member + 1) * frame);
        const native = wanted.values.subarray(member * frame, (member + 1) * frame);
        for (let c = 0; c < 3; c++) assert.ok(apart(channel(first, c, 3), channel(native, c, 3)) < 1e-3, `member ${member}`);
      }
      assert.match(await explorer.sentence("panel-mean"), /^Ensemble mean of Geopotential after 3 hours/);
      await explorer.waitForParam("lead", 3);
      assert.deepEqual(page.problems, []);
    });
  });

  test("(era5) forecasts and scores a file with input and truth, in degrees Celsius", async () => {
    await visit("?experiment=era5&members=4&device=cpu&lead=2", async (explorer, page) => {
      await explorer.at("no-truth").waitFor();
      const frames = Array.from({ length: 8 * 140 }, (_, i) => 280 + 8 * Math.sin(i / 17) + Math.floor(i / 140));
      const bytes = await withFolder(async (folder) => {
        const path = join(folder, "case.npy");
        await writeNpy(path, [8, 10, 14], frames);
        return readFile(path);
      });
      await explorer.drop("case.npy", bytes);
      await found(page, "[data-testid=panel-truth][data-state=ready]");
      await explorer.settle();
      assert.match(await explorer.sentence("panel-truth"), /^Truth of 2 m temperature 21 h ahead: from [−\d.]+ °C to [\d.]+ °C/);
      assert.ok((await explorer.number("score-crps")) > 0);
      assert.deepEqual((await saved(explorer, "members")).shape, [4, 4, 10, 14]);
      assert.deepEqual(page.problems, []);
    });
  });
});

describe("views", () => {
  const KS = { models: null };

  test("are all drawn, each with a sentence of its numbers", async () => {
    await visit("?members=8&device=cpu&method2=pno-r", async (explorer, page) => {
      await explorer.finish();
      for (const view of ["input", "truth", "mean", "error", "std", "member", "quantile", "width", "exceedance", "hit", "crps", "stamps", "difference"]) {
        await explorer.at(`view-${view}`).check({ force: true });
        await found(page, `[data-testid=panel-${view}][data-state=ready]`);
        await explorer.settle();
        assert.ok((await explorer.colours(`panel-${view}`)) > (view === "hit" ? 1 : 8), `${view} is a picture`);
        assert.match(await explorer.sentence(`panel-${view}`), /At time 58, x 37\.5: /, view);
      }
      assert.deepEqual(page.problems, []);
    }, KS);
  });

  test("follow their sliders without the worker", async () => {
    await visit("?members=8&device=cpu&view=exceedance", async (explorer, page) => {
      await explorer.finish();
      await page.evaluate(() => {
        window.stages = [];
        const status = document.querySelector("[data-testid=status]");
        new MutationObserver(() => window.stages.push(status.dataset.stage)).observe(status, { attributes: true });
      });
      const half = async () => Number((await explorer.sentence("panel-exceedance")).match(/above one half at ([\d.]+) %/)[1]);
      /** Moves a slider, and waits until all that hangs on it is there. */
      const slide = async (name, value) => {
        await explorer.slide(name, value);
        await explorer.settle();
      };
      await slide("threshold", 10);
      const often = await half();
      await slide("threshold", 90);
      const seldom = await half();
      assert.ok(often > 80 && seldom < 20, `${often} % and ${seldom} %`);
      await explorer.at("view-quantile").check({ force: true });
      await slide("quantile", 10);
      assert.match(await explorer.sentence("panel-quantile"), /^10 % quantile/);
      await explorer.waitForParam("quantile", 10);
      await explorer.at("view-hit").check({ force: true });
      const inside = async () => Number((await explorer.sentence("panel-hit")).match(/inside at ([\d.]+) %/)[1]);
      await slide("level", 95);
      const wide = await inside();
      await slide("level", 20);
      assert.ok((await inside()) < wide);
      assert.deepEqual(await page.evaluate(() => window.stages), [], "the worker was not asked");
    }, KS);
  });

  test("are saved as picture, table, array and JSON", async () => {
    await visit("?members=4&device=cpu&view=std", async (explorer, page) => {
      await explorer.finish();
      const take = async (what) => {
        await explorer.at("save-std").click();
        const [download] = await Promise.all([page.waitForEvent("download"), explorer.at(`save-${what}-std`).click()]);
        assert.equal(download.suggestedFilename(), `ks-seed7-std.${what}`);
        return readFile(await download.path());
      };
      assert.deepEqual([...(await take("png")).subarray(1, 4)], [...Buffer.from("PNG")]);
      const csv = (await take("csv")).toString().trim().split("\n");
      assert.deepEqual([csv[0], csv.length], ["time,x,u", 1 + 20 * 256]);
      const json = JSON.parse(await take("json"));
      assert.equal(Math.fround(json.values[3][5]), Math.fround(csv[1 + 3 * 256 + 5].split(",")[2]));
      assert.equal(json.rows.coordinates[0], 40);
      assert.ok((await take("npy")).length > 4 * 20 * 256);
    }, KS);
  });
});

describe("two sides", () => {
  test("stand side by side on the same case, and both have native numbers", async () => {
    await visit("?members=2&device=cpu&seed=11&method2=pno-r&view=mean", async (explorer, page) => {
      await explorer.finish();
      assert.deepEqual(await explorer.panelStates(), { "panel-mean": "ready", "panel-mean-b": "ready" });
      assert.equal(await explorer.number("score-b-members"), 2);
      await withFolder(async (folder) => {
        const input = await explorer.saved("input", folder);
        for (const [what, method] of [["members", "pno-d"], ["members-b", "pno-r"]]) {
          const drawn = await explorer.saved(what, folder);
          const out = join(folder, `${method}.npy`);
          const model = built(`models/ks-${method}.pno`);
          await pno("predict", model, "--input", input.path, "--members", 2, "--seed", 11, "--device", "cpu", "--out", out);
          assert.ok(apart(drawn.values, (await readNpy(out)).values) < 1e-3, method);
        }
      });
      assert.match(await explorer.at("panel-mean-b").innerText(), /B\s+PNO_R/);
      assert.deepEqual(page.problems, []);
    }, { models: null });
  });

  test("share the point, and end where one is chosen", async () => {
    await visit("?members=2&device=cpu&method2=pno-r&view=std", async (explorer) => {
      await explorer.finish();
      await explorer.probe("panel-std-b", 4, 128);
      await explorer.waitForParam("lead", 5);
      for (const panel of ["panel-std", "panel-std-b"]) assert.match(await explorer.sentence(panel), /At time 48, x 50: /);
      await explorer.at("compare").selectOption("");
      await explorer.settle();
      assert.deepEqual(Object.keys(await explorer.panelStates()), ["panel-std"]);
      await explorer.waitForParam("method2", null);
    }, { models: null });
  });
});

describe("files of one's own", () => {
  test("a model that is dropped runs, with its own experiment and grid", async () => {
    await visit("?members=2&device=cpu", async (explorer) => {
      await explorer.finish();
      await explorer.drop("mine.pno", await untrained("darcy", ...FLAT));
      await explorer.waitForParam("experiment", "darcy");
      await explorer.settle();
      assert.equal(await explorer.number("score-members"), 2);
      assert.deepEqual((await saved(explorer, "truth")).shape, [16, 16]);
      assert.match(await explorer.at("model-choice").innerText(), /mine\.pno/);
    });
  });

  test("a damaged model gets its sentence, by its name", async () => {
    await visit("?members=2&device=cpu", async (explorer) => {
      await explorer.finish();
      const bytes = await untrained("darcy", ...FLAT);
      bytes[bytes.length >> 1] ^= 1;
      await explorer.drop("broken.pno", bytes);
      assert.match(await explorer.error(), /The model broken\.pno cannot be used: .*damaged/);
    }, { models: null });
  });

  test("an input that is dropped is forecast, and forgotten again", async () => {
    await visit("?members=2&device=cpu&seed=3", async (explorer) => {
      await explorer.finish();
      const input = await saved(explorer, "input");
      const bytes = await withFolder(async (folder) => {
        await writeNpy(join(folder, "in.npy"), input.shape, input.values.map((v) => -v));
        return readFile(join(folder, "in.npy"));
      });
      await explorer.drop("in.npy", bytes);
      await explorer.at("forget-input").waitFor();
      await explorer.settle();
      const given = await saved(explorer, "input");
      assert.equal(given.values[77], -input.values[77]);
      assert.equal((await saved(explorer, "members")).shape[0], 2);
      assert.equal((await explorer.panelStates())["panel-truth"], "waiting", "there is no truth for it");
      await explorer.at("forget-input").click();
      await explorer.settle();
      assert.equal((await explorer.panelStates())["panel-truth"], "ready");
    }, { models: null });
  });

  test("other files and shapes are told in one sentence", async () => {
    await visit("?members=2&device=cpu", async (explorer) => {
      await explorer.finish();
      await explorer.drop("notes.txt", "hello");
      assert.match(await explorer.at("address-problem").innerText(), /notes\.txt is neither a model \(\.pno\) nor an input/);
      await explorer.drop("no.npy", "hello");
      const problem = () => explorer.at("address-problem").innerText();
      await until(async () => /no\.npy cannot be used: it is not a NumPy file/.test(await problem()), "another problem", { seen: problem });
      const bytes = await withFolder(async (folder) => {
        await writeNpy(join(folder, "small.npy"), [3, 4], Array(12).fill(1));
        return readFile(join(folder, "small.npy"));
      });
      await explorer.drop("small.npy", bytes);
      assert.match(await explorer.at("no-truth").innerText(), /small\.npy has the shape \[3, 4\], but this model takes \[20, 256\]/);
    }, { models: null });
  });
});
