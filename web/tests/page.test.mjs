// One behaviour per test, in a real Chromium, on the built page.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { after, afterEach, before, describe, test } from "node:test";
import { onePage } from "./explorer-page.mjs";
import { ForecastPage } from "./forecast-page.mjs";
import { DIST, built, launch, open, serve, withFolder } from "./harness.mjs";
import { untrained } from "./models.mjs";
import { compareWithNative } from "./native.mjs";
import { until } from "./waiting.mjs";

const MODEL = "models/ks-pno-d.pno";

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

const load = (query, options) => open(browser, `${site.url}${query}`, options);

/** Opens the page, hands it to `work`, and closes it. */
async function visit(query, work, options = {}) {
  const page = await load(query, options);
  try {
    return await work(new ForecastPage(page), page);
  } finally {
    await page.close();
  }
}

/** The same in a page that is shared. */
const share = onePage(load);

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
    await share("?members=8&device=cpu", async (forecast, page) => {
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
    await share("?members=1", async (forecast) => {
      await forecast.finish();
      assert.equal(await forecast.at("score-device").innerText(), "CPU");
      assert.match(await forecast.at("device-note").innerText(), /so the CPU is used/);
    });
  });

  test("says in one sentence that WebGPU was asked for and is not there", async () => {
    await share("?members=1&device=webgpu", async (forecast) => {
      assert.match(await forecast.error(), /WebGPU/);
      assert.equal((await forecast.panelStates())["panel-truth"], "ready", "the truth is there all the same");
    });
  });

  test("of a new seed replaces the one before, also in the middle of a run", async () => {
    await share("?members=256&device=cpu&seed=1", async (forecast, page) => {
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

describe("the numbers", () => {
  for (const [method, seed, members] of [["pno-d", 11, 3], ["pno-r", 5, 4]]) {
    test(`of ${method} on the CPU are those of the native program`, async () => {
      await share(`?method=${method}&members=${members}&device=cpu&seed=${seed}`, async (forecast) => {
        await forecast.finish();
        assert.match(await forecast.at("model").innerText(), method === "pno-r" ? /PNO_R/ : /PNO_D/);
        await withFolder(async (folder) => {
          const { input, drawn } = await compareWithNative(forecast, folder, built(`models/ks-${method}.pno`), { seed, members });
          assert.deepEqual([input.shape, drawn.shape], [[20, 256], [members, 20, 256]]);
        });
      });
    });
  }
});

/** Lets the site serve an untrained model of `pno init`. */
async function serveFresh(name, ...init) {
  site.override(name, { body: await untrained(...init) });
}

describe("a model of one's own", () => {
  test("may be another operator", async () => {
    await serveFresh("uno.pno", "ks", "--operator", "uno");
    await share("?model=uno.pno&members=2&device=cpu", async (forecast, page) => {
      await forecast.finish();
      assert.equal(await forecast.number("score-members"), 2);
      assert.match(await forecast.at("model").innerText(), /U-shaped neural operator \(UNO, fixed\): 7 blocks/);
      assert.deepEqual(page.problems, []);
    });
  });

  test("brings its experiment along, and its grid", async () => {
    await serveFresh("globe.pno", "sswe", "--grid", "10x20");
    await share("?model=globe.pno&members=2&device=cpu", async (forecast) => {
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
    await serveFresh("line.pno", "ks", "--grid", "64", "--set", "model.modes=[12]");
    await share("?model=line.pno&members=2&device=cpu", async (forecast) => {
      assert.match(await forecast.at("no-truth").innerText(), /cannot be solved here: .* 1 axes.* Drop a NumPy file/);
    });
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

  test("for a file that is something else, a flipped bit, and half a download", async () => {
    const bytes = await readFile(built(MODEL));
    const flipped = Buffer.from(bytes);
    flipped[flipped.length >> 1] ^= 1;
    const files = {
      "page.pno": [Buffer.from("<!doctype html><title>not found</title>"), /page\.pno cannot be used: this is not a \.pno file/],
      "flipped.pno": [flipped, /flipped\.pno .*damaged/],
      "half.pno": [bytes.subarray(0, bytes.length >> 1), /half\.pno .*incomplete/],
    };
    for (const [name, [body, sentence]] of Object.entries(files)) {
      site.override(name, { body });
      await share(`?members=1&device=cpu&model=${name}`, async (forecast) => {
        const error = () => forecast.error();
        await until(async () => sentence.test(await error()), `${sentence}`, { seen: error });
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
    await share("?members=1&device=cpu&view=std", async (forecast) => {
      await forecast.at("panel-std").waitFor();
      assert.deepEqual(Object.keys(await forecast.panelStates()), ["panel-std"]);
      await forecast.at("enlarge-std").click();
      assert.equal(Object.keys(await forecast.panelStates()).length, 8);
    });
  });
});

describe("the probe", () => {
  test("shows members, fan and truth at the clicked point", async () => {
    await share("?members=4&device=cpu", async (forecast) => {
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
    await share("?members=1&device=cpu&at=0.041,0.500&lead=5", async (forecast, page) => {
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
    await share("?members=2&device=cpu", async (forecast, page) => {
      await forecast.finish();
      await page.setViewportSize({ width: 390, height: 844 });
      await forecast.settle();
      const excess = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      assert.ok(excess <= 0, `${excess} px too wide`);
    });
  });

  test("is dark where the system or the address says so, and light where the address says that", async () => {
    const isDark = () => {
      const [r, g, b] = getComputedStyle(document.body).backgroundColor.match(/\d+/g).map(Number);
      return r + g + b < 200;
    };
    // A page that begins in these colours, and one that goes on to them.
    await visit("?members=1", async (forecast, page) => {
      await forecast.at("seed").waitFor();
      assert.equal(await page.evaluate(isDark), true);
      await page.emulateMedia({ colorScheme: "light" });
      assert.equal(await page.evaluate(isDark), false);
    }, { colorScheme: "dark" });
    await visit("?members=1&theme=dark", async (forecast, page) => {
      await forecast.at("seed").waitFor();
      assert.equal(await page.evaluate(isDark), true);
      await page.emulateMedia({ colorScheme: "dark" });
      await forecast.go("?members=1&theme=light");
      assert.equal(await page.evaluate(isDark), false);
    }, { colorScheme: "light" });
  });
});
