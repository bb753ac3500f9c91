// Darcy flow and shallow water, solved live: the numbers, the brush, the player. No model, no GPU.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { after, afterEach, before, describe, test } from "node:test";
import { residual } from "./five-point.mjs";
import { DIST, launch, open, pno, serve, withFolder } from "./harness.mjs";
import { LivePage } from "./live-page.mjs";

const reference = JSON.parse(await readFile(new URL("live-reference.json", import.meta.url)));

// A pressure of about 0.1 in 32-bit floats, times 4 n²: on 64 cells 1e-4 of the source is left at best, on 128 four times that.
const FLOAT_RESIDUAL = { 64: 4e-4, 128: 1.6e-3 };

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

async function visit(query, work, options = {}) {
  const page = await open(browser, `${site.url}${query}`, options);
  try {
    return await work(new LivePage(page), page);
  } finally {
    await page.close();
  }
}

/** Both fields of the flow on the screen. */
async function flow(live) {
  return withFolder(async (folder) => {
    const permeability = await live.saved("permeability", folder);
    const pressure = await live.saved("pressure", folder);
    assert.deepEqual(permeability.shape, pressure.shape);
    return { n: pressure.shape[0], permeability: permeability.values, pressure: pressure.values };
  });
}

async function frame(live) {
  return withFolder((folder) => live.saved("frame", folder));
}

const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;
const share = (values, test) => values.filter(test).length / values.length;

/** Compares a field with every so-many-th value of the native one, to a share of the field's largest deviation. */
function assertNative(found, { stride, mean: wantedMean, values }, what) {
  const middle = mean(values);
  const scale = Math.max(...values.map((value) => Math.abs(value - middle)));
  assert.equal(Math.ceil(found.length / stride), values.length, `${what}: size`);
  values.forEach((wanted, i) => {
    const apart = Math.abs(found[i * stride] - wanted) / scale;
    assert.ok(apart < 1e-4, `${what}: ${found[i * stride]} for ${wanted} in place ${i * stride}`);
  });
  assert.ok(Math.abs(mean(found) - wantedMean) < 1e-4 * scale, `${what}: mean ${mean(found)} for ${wantedMean}`);
}

function assertSolved({ n, permeability, pressure }) {
  const left = residual(n, permeability, pressure);
  assert.ok(left < FLOAT_RESIDUAL[n], `residual ${left} on ${n} cells`);
}

describe("a live experiment", () => {
  /** Lets the worker tell the site when it looks for a GPU. */
  async function spyOnGpu() {
    const loader = await readFile(join(DIST, "worker_loader.js"), "utf8");
    const spy = `Object.defineProperty(navigator, "gpu", { get() { fetch("./asked-for-a-gpu"); } });\n`;
    site.override("worker_loader.js", { body: spy + loader });
    const before = site.requests.length;
    return () => site.requests.slice(before);
  }

  test("is spied on as a forecast is, which asks for both a model and a GPU", async () => {
    const asked = await spyOnGpu();
    await visit("?members=1", async (live) => {
      await live.finish();
      assert.ok(asked().includes("asked-for-a-gpu") && asked().includes("models/ks-pno-d.pno"), `asked for ${asked()}`);
    });
  });

  for (const experiment of ["darcy", "sswe"]) {
    test(`(${experiment}) loads no model, asks for no GPU, and says that it is the truth only`, async () => {
      const asked = await spyOnGpu();
      await visit(`?experiment=${experiment}`, async (live, page) => {
        await live.finish();
        assert.match(await live.at("truth-only").innerText(), /Truth only: no trained model of this experiment is shipped yet/);
        assert.ok(await live.at(`experiment-${experiment}`).isChecked());
        assert.ok(asked().includes("worker_bg.wasm"), `asked for ${asked()}`);
        assert.deepEqual(asked().filter((name) => /models|gpu/.test(name)), []);
        assert.deepEqual(page.problems, []);
      });
    });

    test(`(${experiment}) fits a phone without scrolling sideways`, async () => {
      await visit(`?experiment=${experiment}`, async (live, page) => {
        await live.finish();
        const excess = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
        assert.ok(excess <= 0, `${excess} px too wide`);
      }, { viewport: { width: 390, height: 844 } });
    });
  }

  test("can be switched to and from the forecast", async () => {
    await visit("?members=2&device=cpu&seed=3", async (live, page) => {
      await live.finish();
      await live.at("experiment-darcy").check({ force: true });
      await live.at("panel-pressure").waitFor();
      await live.settle();
      await live.waitForParam("experiment", "darcy");
      await live.at("experiment-sswe").check({ force: true });
      await live.at("panel-map").waitFor();
      await live.settle();
      await live.at("experiment-ks").check({ force: true });
      await live.at("panel-truth").waitFor();
      await live.settle();
      assert.equal(await live.number("score-members"), 2);
      assert.deepEqual(page.problems, []);
    });
  });

  test("tells what a model of one's own is for, as before", async () => {
    await withFolder(async (folder) => {
      const file = join(folder, "fresh.pno");
      await pno("init", "sswe", "--grid", "10x20", "--out", file);
      site.override("own.pno", { body: await readFile(file) });
    });
    await visit("?experiment=sswe&model=own.pno&members=1&device=cpu", async (live) => {
      assert.match(await live.error(), /own\.pno cannot be shown: it is for shallow water on the sphere/);
    });
  });

  test("says in a sentence that its program is not there, and tries again", async () => {
    site.override("worker_bg.wasm", { status: 404 });
    await visit("?experiment=darcy&cells=64", async (live) => {
      assert.match(await live.error(), /worker_bg\.wasm cannot be had.* 404/);
      site.restore();
      await live.at("retry").click();
      await live.settle();
      assert.equal((await live.panelStates())["panel-pressure"], "ready");
    });
  });
});

describe("Darcy flow", () => {
  for (const cells of [64, 128]) {
    test(`on ${cells} cells solves the discrete equation`, async () => {
      await visit(`?experiment=darcy&cells=${cells}&seed=3`, async (live) => {
        await live.finish();
        const solved = await flow(live);
        assert.equal(solved.n, cells);
        assertSolved(solved);
        assert.match(await live.at("cost").innerText(), new RegExp(`${cells} × ${cells} solved in [\\d.]+ ms`));
        assert.match(await live.at("residual").innerText(), /^\d\.\d × 10⁻¹[¹²³⁴⁵⁶]$/);
      });
    });
  }

  test("of a seed is that of the native solver", async () => {
    const { seed, darcy } = reference;
    await visit(`?experiment=darcy&cells=${darcy.cells}&seed=${seed}`, async (live) => {
      await live.finish();
      const solved = await flow(live);
      assertNative(solved.permeability, darcy.permeability, "permeability");
      assertNative(solved.pressure, darcy.pressure, "pressure");
    });
  });

  test("follows the brush, and the way back", async () => {
    await visit("?experiment=darcy&cells=64&seed=7&brush=8", async (live, page) => {
      await live.finish();
      const first = await flow(live);
      await live.stroke("panel-permeability", [[0.1, 0.5], [0.9, 0.5]]);
      await live.settle();
      const second = await flow(live);
      assertSolved(second);
      assert.ok(share(second.permeability, (a) => a === 1) > share(first.permeability, (a) => a === 1) + 0.05);
      assert.ok(mean(second.pressure) < 0.9 * mean(first.pressure), "what conducts better needs less pressure");
      await live.at("paint-low").check({ force: true });
      await live.stroke("panel-permeability", [[0.2, 0.1], [0.2, 0.9]]);
      await live.settle();
      const third = await flow(live);
      assertSolved(third);
      assert.equal(third.permeability[12 * 64 + 32], Math.fround(0.1), "x is the first axis");
      await live.at("undo").click();
      await live.settle();
      assert.deepEqual((await flow(live)).permeability, second.permeability);
      await live.at("undo").click();
      await live.settle();
      assert.deepEqual(await flow(live), first);
      assert.ok(await live.at("undo").isDisabled());
      assert.deepEqual(page.problems, []);
    });
  });

  test("shows the pressure of what is painted, also after a wild stroke", async () => {
    await visit("?experiment=darcy&seed=7", async (live) => {
      await live.finish();
      const points = Array.from({ length: 9 }, (_, i) => [(i % 2) * 0.8 + 0.1, 0.1 + i * 0.1]);
      await live.stroke("panel-permeability", points, { steps: 30 });
      await live.settle();
      const solved = await flow(live);
      assertSolved(solved);
      const picture = await live.pixels("panel-permeability");
      const colour = (i, j) => picture.values[(127 - j) * 128 + i];
      const high = new Set();
      const low = new Set();
      solved.permeability.forEach((a, at) => (a === 1 ? high : low).add(colour(Math.floor(at / 128), at % 128)));
      assert.deepEqual([high.size, low.size], [1, 1], "the picture and the solved field are the same");
      assert.notDeepEqual(high, low);
    });
  });

  test("is solved while the brush is still down", async () => {
    await visit("?experiment=darcy&seed=7&brush=10", async (live) => {
      await live.finish();
      const before = await live.number("mean-pressure");
      let during;
      await live.stroke("panel-permeability", [[0.2, 0.5], [0.8, 0.5]], {
        then: async () => {
          await live.settle();
          during = await live.number("mean-pressure");
        },
      });
      assert.ok(during < before, `${during} after ${before}`);
    });
  });

  test("of a cleared square has the pressure of a constant coefficient", async () => {
    await visit("?experiment=darcy&cells=64", async (live) => {
      await live.finish();
      await live.at("clear").click();
      await live.settle();
      assert.equal(await live.number("high-share"), 0);
      // 0.07367 / a in the middle of the unit square; the discrete square has the side 1 + h.
      const wanted = 0.7367 * (1 + 1 / 64) ** 2;
      const most = await live.number("largest-pressure");
      assert.ok(Math.abs(most / wanted - 1) < 0.005, `${most} for ${wanted}`);
    });
  });

  test("is painted with keys", async () => {
    await visit("?experiment=darcy&cells=64&brush=1&at=0.508,0.508", async (live, page) => {
      await live.finish();
      await live.at("clear").click();
      await live.settle();
      await live.plot("panel-permeability").focus();
      for (const key of ["ArrowRight", "Shift+ArrowUp", " "]) await page.keyboard.press(key);
      await live.settle();
      const { permeability } = await flow(live);
      const painted = [...permeability.keys()].filter((at) => permeability[at] === 1);
      assert.deepEqual(painted, [33 * 64 + 40]);
      const label = await live.plot("panel-permeability").getAttribute("aria-label");
      assert.match(label, /0\.0244 % of the square is high.* At x 0\.523, y 0\.633: 1\./);
      assert.match(await live.plot("panel-pressure").getAttribute("aria-label"), /^Pressure on 64 × 64 cells: largest 0\.\d+ at x/);
      await page.keyboard.press("Control+z");
      await live.settle();
      assert.equal(await live.number("high-share"), 0);
    });
  });

  test("is painted with a finger, and the page does not scroll away", async () => {
    await visit("?experiment=darcy&cells=64&brush=6", async (live, page) => {
      await live.finish();
      await live.at("clear").click();
      await live.settle();
      const [[x, y], [x2, y2]] = [
        await live.onScreen("panel-permeability", [0.5, 0.2]),
        await live.onScreen("panel-permeability", [0.5, 0.8]),
      ];
      const top = await page.evaluate(() => scrollY);
      const touch = await page.context().newCDPSession(page);
      const send = (type, points) => touch.send("Input.dispatchTouchEvent", { type, touchPoints: points });
      await send("touchStart", [{ x, y }]);
      for (let k = 1; k <= 10; k++) await send("touchMove", [{ x: x + ((x2 - x) * k) / 10, y: y + ((y2 - y) * k) / 10 }]);
      await send("touchEnd", []);
      await live.settle();
      assert.equal(await page.evaluate(() => scrollY), top);
      const painted = await live.number("high-share");
      assert.ok(painted > 5 && painted < 8, `${painted} % painted`);
    }, { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });
  });

  test("is in the address: grid, brush and painting", async () => {
    await visit("?experiment=darcy&cells=64&seed=5", async (live, page) => {
      await live.finish();
      await live.stroke("panel-permeability", [[0.3, 0.3], [0.6, 0.7]]);
      await live.settle();
      const painted = await flow(live);
      await page.waitForFunction(() => new URL(location.href).searchParams.get("painting")?.length > 20);
      await page.reload();
      await live.finish();
      assert.deepEqual((await flow(live)).permeability, painted.permeability);
      await live.at("cells-128").check({ force: true });
      await live.settle();
      const fine = await flow(live);
      assert.equal(fine.n, 128);
      assert.equal(share(fine.permeability, (a) => a === 1), share(painted.permeability, (a) => a === 1));
      await live.at("new-case").click();
      await live.settle();
      await page.waitForFunction(() => !new URL(location.href).searchParams.has("painting"));
    });
  });

  test("leaves the main thread free while it is painted", async () => {
    await visit("?experiment=darcy&seed=7", async (live) => {
      await live.finish();
      const paint = async () => {
        await live.stroke("panel-permeability", [[0.1, 0.2], [0.9, 0.3], [0.1, 0.5], [0.9, 0.7]], { steps: 40 });
        await live.settle();
      };
      // Other programs of a shared machine may hold up any task: one quiet stroke of three is asked for.
      const longest = [];
      for (let k = 0; k < 3; k++) longest.push(await live.longestTask(paint));
      assert.ok(Math.min(...longest) <= 50, `tasks of ${longest} ms`);
    });
  });

  test("tells the value under the pointer", async () => {
    await visit("?experiment=darcy&cells=64&seed=7", async (live, page) => {
      await live.finish();
      const { pressure } = await flow(live);
      await page.mouse.move(...(await live.onScreen("panel-pressure", [20.5 / 64, 50.5 / 64])));
      const wanted = pressure[20 * 64 + 50];
      await page.waitForFunction(
        (value) => Math.abs(Number(document.querySelector("[data-testid=value-pressure]").innerText) - value) < 6e-4,
        wanted,
        { timeout: 5000 },
      );
    });
  });
});

describe("shallow water", () => {
  test("after no and after one hour is that of the native solver", async () => {
    const { seed, sswe } = reference;
    await visit(`?experiment=sswe&seed=${seed}`, async (live) => {
      for (const [hour, channels] of sswe.hours.entries()) {
        if (hour > 0) await live.at("step").click();
        await live.settle();
        assert.equal(await live.number("hour-shown"), hour);
        const { shape, values } = await frame(live);
        assert.deepEqual(shape, [...sswe.grid, 3]);
        channels.forEach((channel, c) => {
          const found = values.filter((_, at) => at % 3 === c);
          assertNative(found, channel, `channel ${c} after ${hour} hours`);
        });
      }
    });
  });

  test("keeps its mass and loses some energy to the damping", async () => {
    await visit("?experiment=sswe&hour=24", async (live) => {
      await live.finish();
      assert.match(await live.at("mass-drift").innerText(), /^(0 \(rounding\)|[+−]\d\.\d × 10⁻¹[⁰¹²])$/);
      assert.match(await live.at("energy-drift").innerText(), /^−\d+(\.\d+)? %$/);
      assert.ok((await live.number("ms-per-hour")) > 0);
    });
  });

  test("goes the same way hour by hour, at once, and back", async () => {
    await visit("?experiment=sswe&grid=64x128&channel=vorticity", async (live) => {
      await live.finish();
      const start = await frame(live);
      assert.deepEqual(start.shape, [64, 128, 3]);
      for (let hour = 1; hour <= 3; hour++) {
        await live.at("step").click();
        await live.settle();
      }
      const stepped = await frame(live);
      assert.notDeepEqual(stepped.values, start.values);
      await live.at("restart").click();
      await live.settle();
      assert.deepEqual((await frame(live)).values, start.values);
      await live.at("hour").fill("3");
      await live.settle();
      assert.deepEqual((await frame(live)).values, stepped.values);
      await live.waitForParam("hour", 3);
    });
  });

  test("shows each field with its unit, and a sentence of its numbers", async () => {
    await visit("?experiment=sswe&at=0.25,0.75", async (live) => {
      await live.finish();
      for (const [channel, unit] of [["geopotential", "m² s⁻²"], ["vorticity", "10⁻⁶ s⁻¹"], ["divergence", "10⁻⁶ s⁻¹"]]) {
        await live.at(`channel-${channel}`).check({ force: true });
        await live.settle();
        assert.ok((await live.colours("panel-map")) > 50, `${channel} is a picture`);
        const title = channel[0].toUpperCase() + channel.slice(1);
        const label = await live.plot("panel-map").getAttribute("aria-label");
        const sentence = new RegExp(`^${title} after 0 hours on 32 × 64 points: from −?[\\d.]+ to [\\d.]+ ${unit}\\. At 49\\.4° N, 90\\.0° E: `);
        assert.match(label, sentence);
        assert.match(await live.at("value-map").innerText(), new RegExp(`${unit} at 49\\.4° N`));
      }
    });
  });

  /** The hour on the screen now and after a while. */
  async function twice(live, page) {
    const now = await live.number("hour-shown");
    await page.waitForTimeout(700);
    return [now, await live.number("hour-shown")];
  }

  test("plays, pauses, and stops while nobody looks", async () => {
    await visit("?experiment=sswe", async (live, page) => {
      await live.finish();
      const hide = (hidden) => page.evaluate((value) => {
        Object.defineProperty(document, "hidden", { value, configurable: true });
        document.dispatchEvent(new Event("visibilitychange", { bubbles: true }));
      }, hidden);
      const reach = (hour) => page.waitForFunction(
        (wanted) => Number(document.querySelector("[data-testid=hour-shown]").innerText) >= wanted, hour);
      await live.at("play").click();
      await reach(3);
      await hide(true);
      await page.waitForTimeout(300);
      let [now, later] = await twice(live, page);
      assert.equal(later, now, "out of sight");
      await hide(false);
      await reach(now + 3);
      await page.evaluate(() => {
        document.body.style.paddingBottom = "3000px";
        scrollTo(0, 2500);
      });
      await page.waitForTimeout(300);
      [now, later] = await twice(live, page);
      assert.equal(later, now, "scrolled away");
      await page.evaluate(() => scrollTo(0, 0));
      await reach(now + 3);
      await live.at("play").click();
      await live.settle();
      [now, later] = await twice(live, page);
      assert.equal(later, now, "paused");
      await live.waitForParam("hour", now);
      assert.deepEqual(page.problems, []);
    });
  });

  test("gives up a long way for a newer wish", async () => {
    await visit("?experiment=sswe&grid=64x128&hour=240", async (live) => {
      await live.reach("first");
      await live.at("hour").fill("2");
      await live.settle();
      assert.equal(await live.number("hour-shown"), 2);
    });
  });
});
