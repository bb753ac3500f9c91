// One behaviour per test, in a real Chromium, on the built page.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { after, afterEach, before, describe, test } from "node:test";
import { apart } from "./compare.mjs";
import { ForecastPage } from "./forecast-page.mjs";
import { DIST, built, launch, open, pno, serve, withFolder } from "./harness.mjs";
import { readNpy } from "./npy.mjs";
import { allowSoftwareGpu } from "./waiting.mjs";

const MODEL = "models/ks-pno-d.pno";
const POINTS = 20 * 256;

let site;
let browser;
let gpuBrowser;

/** A browser with the software adapter, for all tests that want one. */
async function withGpu() {
  gpuBrowser ??= await launch({ webgpu: true });
  return gpuBrowser;
}

before(async () => {
  site = await serve();
  browser = await launch();
});
after(async () => {
  await browser?.close();
  await gpuBrowser?.close();
  await site?.close();
});
afterEach(() => site.restore());

/** Opens the page, hands it to `work`, and closes it. */
async function visit(query, work, { from = browser, ...options } = {}) {
  const page = await open(from, `${site.url}${query}`, options);
  try {
    return await work(new ForecastPage(page), page);
  } finally {
    await page.close();
  }
}

describe("the shell", () => {
  test("can be used before the inference program has arrived", async () => {
    const release = site.hold("worker_bg.wasm");
    await visit("?members=2&device=cpu", async (forecast) => {
      await forecast.at("seed").fill("41");
      await forecast.at("seed").press("Enter");
      await forecast.waitForParam("seed", 41);
      assert.equal(await forecast.stage(), "compile");
      assert.ok((await forecast.at("status").innerText()).includes("compiling"));
      release();
      await forecast.finish();
    });
  });

  test("is readable text before any script runs", async () => {
    const html = await readFile(join(DIST, "index.html"), "utf8");
    assert.match(html, /Kuramoto-Sivashinsky/);
    assert.match(html, /<noscript>/);
  });
});

describe("the forecast", () => {
  test("appears on the CPU with all panels, scores and a model card", async () => {
    await visit("?members=8&device=cpu", async (forecast, page) => {
      await forecast.finish();
      const states = Object.values(await forecast.panelStates());
      assert.deepEqual(states, Array(8).fill("ready"));
      for (const panel of ["input", "truth", "mean", "error", "member", "std"]) {
        assert.ok((await forecast.colours(`panel-${panel}`)) > 20, `${panel} is a picture`);
      }
      assert.equal(await forecast.number("score-members"), 8);
      assert.equal(await forecast.at("score-device").innerText(), "CPU");
      const energy = await forecast.number("score-energy_score");
      assert.ok(energy > 0 && energy < 2, `energy score ${energy}`);
      const coverage = await forecast.number("score-coverage");
      assert.ok(coverage > 0 && coverage <= 1, `coverage ${coverage}`);
      assert.ok((await forecast.number("score-ms")) > 0);
      assert.match(await forecast.at("model").innerText(), /parameters/);
      assert.deepEqual(page.problems, []);
    });
  });

  test("takes the CPU by itself where there is no GPU, and says why", async () => {
    await visit("?members=1", async (forecast) => {
      await forecast.finish();
      assert.equal(await forecast.at("score-device").innerText(), "CPU");
      assert.match(await forecast.at("device-note").innerText(), /so the CPU is used/);
    });
  });

  test("says in one sentence that WebGPU was asked for and is not there", async () => {
    await visit("?members=1&device=webgpu", async (forecast) => {
      assert.match(await forecast.error(), /WebGPU/);
      assert.equal((await forecast.panelStates())["panel-truth"], "ready", "the truth is there all the same");
    });
  });

  test("of a new seed replaces the one before, also in the middle of a run", async () => {
    await visit("?members=256&device=cpu&seed=1", async (forecast, page) => {
      await forecast.reach("run");
      await forecast.at("seed").fill("2");
      await forecast.at("seed").press("Enter");
      await forecast.at("members").selectOption("4");
      await forecast.finish();
      assert.equal(await forecast.number("score-members"), 4);
      assert.deepEqual(page.problems, []);
    });
  });
});

/** Saves input and members of the page, and compares them with what the native program makes of the same input. */
async function compareWithNative(forecast, { model = MODEL, seed, members }) {
  await withFolder(async (folder) => {
    const input = await forecast.saved("input", folder);
    const drawn = await forecast.saved("members", folder);
    assert.deepEqual(input.shape, [20, 256]);
    assert.deepEqual(drawn.shape, [members, 20, 256]);
    const out = join(folder, "native.npy");
    const asked = ["--members", members, "--seed", seed, "--device", "cpu"];
    await pno("predict", built(model), "--input", input.path, ...asked, "--out", out);
    const native = await readNpy(out);
    assert.equal(native.values.length, drawn.values.length, `native shape ${native.shape}`);
    for (let m = 0; m < members; m++) {
      const [a, b] = [drawn, native].map(({ values }) => values.subarray(m * POINTS, (m + 1) * POINTS));
      const share = apart(a, b);
      assert.ok(share < 1e-3, `member ${m} differs by ${share} of its standard deviation`);
    }
  });
}

describe("the numbers", () => {
  test("on the CPU are those of the native program", async () => {
    await visit("?members=3&device=cpu&seed=11", async (forecast) => {
      await forecast.finish();
      await compareWithNative(forecast, { seed: 11, members: 3 });
    });
  });

  test("of the second method on the CPU are those of the native program", async () => {
    await visit("?method=pno-r&members=4&device=cpu&seed=5", async (forecast) => {
      await forecast.finish();
      assert.match(await forecast.at("model").innerText(), /PNO_R/);
      await compareWithNative(forecast, { model: "models/ks-pno-r.pno", seed: 5, members: 4 });
    });
  });

  for (const method of ["pno-d", "pno-r"]) {
    test(`of ${method} on WebGPU are those of the native program`, async () => {
      allowSoftwareGpu();
      await visit(`?method=${method}&members=2&device=webgpu&seed=11`, async (forecast, page) => {
        await forecast.finish();
        assert.equal(await forecast.at("score-device").innerText(), "WebGPU");
        await compareWithNative(forecast, { model: `models/ks-${method}.pno`, seed: 11, members: 2 });
        assert.deepEqual(page.problems, []);
      }, { from: await withGpu() });
    });
  }
});

/** Lets the site serve an untrained model of `pno init`. */
async function serveFresh(name, ...init) {
  await withFolder(async (folder) => {
    const file = join(folder, "fresh.pno");
    await pno("init", ...init, "--out", file);
    site.override(name, { body: await readFile(file) });
  });
}

describe("a model of one's own", () => {
  test("may be another operator", async () => {
    await serveFresh("own.pno", "ks", "--operator", "uno");
    await visit("?model=own.pno&members=2&device=cpu", async (forecast, page) => {
      await forecast.finish();
      assert.equal(await forecast.number("score-members"), 2);
      assert.match(await forecast.at("model").innerText(), /U-shaped neural operator \(UNO, fixed\): 7 blocks/);
      assert.deepEqual(page.problems, []);
    });
  });

  test("brings its experiment along, and its grid", async () => {
    await serveFresh("own.pno", "sswe", "--grid", "10x20");
    await visit("?model=own.pno&members=2&device=cpu", async (forecast) => {
      await forecast.waitForParam("experiment", "sswe");
      await forecast.finish();
      assert.ok(await forecast.at("experiment-sswe").isChecked());
      assert.equal(await forecast.number("score-members"), 2);
      await withFolder(async (folder) => {
        assert.deepEqual((await forecast.saved("truth", folder)).shape, [10, 20, 3]);
      });
    });
  });

  test("for times that cannot be solved says so, and takes an input", async () => {
    await serveFresh("own.pno", "ks", "--grid", "64", "--set", "model.modes=[12]");
    await visit("?model=own.pno&members=2&device=cpu", async (forecast) => {
      assert.match(await forecast.at("no-truth").innerText(), /cannot be solved here: .* 1 axes.* Drop a NumPy file/);
    });
  });
});

describe("a software adapter", () => {
  test("counts as no GPU unless WebGPU is asked for", async () => {
    await visit("?members=1", async (forecast) => {
      await forecast.finish();
      assert.equal(await forecast.at("score-device").innerText(), "CPU");
      assert.match(await forecast.at("device-note").innerText(), /without a GPU behind it/);
    }, { from: await withGpu() });
  });
});

describe("errors are sentences", () => {
  test("for a missing checkpoint, which goes away when it is there again", async () => {
    site.override(MODEL, { status: 404 });
    await visit("?members=1&device=cpu", async (forecast) => {
      assert.match(await forecast.error(), /There is no model at .*ks-pno-d\.pno: the server answered 404/);
      assert.equal(await forecast.stage(), "failed");
      assert.equal((await forecast.panelStates())["panel-truth"], "ready");
      site.restore();
      await forecast.at("retry").click();
      await forecast.finish();
      assert.equal(await forecast.at("error").count(), 0);
    });
  });

  test("for a file that is something else", async () => {
    site.override(MODEL, { body: Buffer.from("<!doctype html><title>not found</title>") });
    await visit("?members=1&device=cpu", async (forecast) => {
      assert.match(await forecast.error(), /cannot be used: this is not a \.pno file/);
    });
  });

  test("for a checkpoint with a flipped bit, and for half a download", async () => {
    const bytes = await readFile(built(MODEL));
    const flipped = Buffer.from(bytes);
    flipped[flipped.length >> 1] ^= 1;
    for (const [body, sentence] of [[flipped, /damaged/], [bytes.subarray(0, bytes.length >> 1), /incomplete/]]) {
      site.override(MODEL, { body });
      await visit("?members=1&device=cpu", async (forecast) => {
        assert.match(await forecast.error(), sentence);
      });
    }
  });

  test("for an inference program that is not there", async () => {
    site.override("worker_bg.wasm", { status: 404 });
    await visit("?members=1&device=cpu", async (forecast) => {
      assert.match(await forecast.error(), /The inference worker stopped: .*worker_bg\.wasm cannot be had.* 404/);
      site.restore();
      await forecast.at("retry").click();
      await forecast.finish();
    });
  });

  test("for values in the address that mean nothing", async () => {
    await visit("?members=many&seed=3&device=cpu", async (forecast) => {
      assert.match(await forecast.at("address-problem").innerText(), /members=many, but members must be a whole number/);
      assert.equal(await forecast.at("seed").inputValue(), "3");
    });
  });
});

describe("the address", () => {
  test("holds what a visitor sets, and a reload brings it back", async () => {
    await visit("?members=1&device=cpu", async (forecast, page) => {
      await forecast.at("seed").fill("23");
      await forecast.at("seed").press("Enter");
      await forecast.at("members").selectOption("4");
      await forecast.at("method-pno-r").check({ force: true });
      await forecast.at("theme").selectOption("dark");
      await forecast.at("panel-truth").locator("canvas").waitFor();
      await forecast.probe("panel-truth", 1, 64);
      await forecast.waitForParam("lead", 2);
      await page.reload();
      assert.equal(await forecast.at("seed").inputValue(), "23");
      assert.equal(await forecast.at("members").inputValue(), "4");
      assert.ok(await forecast.at("method-pno-r").isChecked());
      assert.equal(await page.locator("html").getAttribute("data-theme"), "dark");
      await forecast.finish();
      assert.equal(await forecast.number("score-members"), 4);
    });
  });

  test("chooses one panel by its view, and the button shows all again", async () => {
    await visit("?members=1&device=cpu&view=std", async (forecast) => {
      await forecast.at("panel-std").waitFor();
      assert.deepEqual(Object.keys(await forecast.panelStates()), ["panel-std"]);
      await forecast.at("enlarge-std").click();
      assert.equal(Object.keys(await forecast.panelStates()).length, 8);
    });
  });
});

describe("the probe", () => {
  test("shows members, fan and truth at the clicked point", async () => {
    await visit("?members=4&device=cpu", async (forecast) => {
      await forecast.finish();
      await forecast.probe("panel-mean", 19, 128);
      await forecast.waitForParam("lead", 20);
      await forecast.settle();
      const chart = forecast.at("fan");
      assert.match(await chart.locator("h2").innerText(), /x 50/);
      for (const part of ["truth", "members", "outer", "middle", "inner"]) {
        const path = await chart.locator(`.plot path.${part}`).getAttribute("d");
        assert.ok(path.length > 100, `${part} is drawn`);
      }
      assert.match(await forecast.at("across").locator("h2").innerText(), /time 78/);
    });
  });

  test("follows the arrow keys", async () => {
    await visit("?members=1&device=cpu&at=0.041,0.500&lead=5", async (forecast, page) => {
      await forecast.finish();
      await forecast.at("panel-truth").locator(".plot").focus();
      await page.keyboard.press("ArrowRight");
      await page.keyboard.press("ArrowUp");
      await forecast.waitForParam("at", "0.045,0.500");
      await forecast.waitForParam("lead", 6);
    });
  });
});

describe("the layout", () => {
  test("fits a phone without scrolling sideways", async () => {
    await visit("?members=2&device=cpu", async (forecast, page) => {
      await forecast.finish();
      const excess = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      assert.ok(excess <= 0, `${excess} px too wide`);
    }, { viewport: { width: 390, height: 844 } });
  });

  test("is dark where the system or the address says so, and light where the address says that", async () => {
    const darkness = (page) => page.evaluate(() => {
      const [r, g, b] = getComputedStyle(document.body).backgroundColor.match(/\d+/g).map(Number);
      return r + g + b < 200;
    });
    const load = (query, colorScheme) =>
      visit(query, async (forecast, page) => {
        await forecast.at("seed").waitFor();
        return darkness(page);
      }, { colorScheme });
    assert.equal(await load("?members=1", "dark"), true);
    assert.equal(await load("?members=1", "light"), false);
    assert.equal(await load("?members=1&theme=dark", "light"), true);
    assert.equal(await load("?members=1&theme=light", "dark"), false);
  });
});
