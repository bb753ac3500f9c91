// Nothing holds up the main thread for more than 50 ms after the page has loaded, whatever is done.
//
// Long-task entries tell how long a task took by the clock. On a machine that others use too, most of that is waiting for
// a processor, so what counts where an entry is longer is how long the processor worked on the task, from the browser's
// trace: the two are the same on a quiet machine. Even that has outliers where others use the same processor and its
// caches, so what is done is done again where a task was too long: one that is too long by itself is so every time.
//
// This file measures time and runs alone (xtask/src/browser.rs).

import assert from "node:assert/strict";
import { after, afterEach, before, describe, test } from "node:test";
import { ExplorerPage, offer } from "./explorer-page.mjs";
import { threadTime, verified } from "./figures.mjs";
import { launch, open, serve } from "./harness.mjs";
import { MODELS } from "./models.mjs";

// The published grids, with few channels: what is shown is large, and quickly computed.
const NARROW = ["--set", "model.width=6", "--set", "model.lifting=12", "--set", "model.projection=12"];
const LARGE_DARCY = ["darcy", "--grid", "128x128", ...NARROW, "--set", "model.modes=[6,6]"];
const LARGE_WATER = ["sswe", "--grid", "32x64", ...NARROW, "--set", "model.modes=[8,8]"];

const LIMIT_MS = 50;
const TRIES = 3;

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

async function visit(query, work, models) {
  if (models) await offer(site, models);
  const page = await open(browser, `${site.url}${query}`);
  try {
    const explorer = new ExplorerPage(page);
    await explorer.finish();
    return await work(explorer, page);
  } finally {
    await page.close();
  }
}

function smooth(query, work, { models, context }) {
  return visit(query, async (explorer, page) => {
    const tries = [];
    const fine = ({ told, worked }) => Math.min(told, worked) <= LIMIT_MS;
    while (tries.length < TRIES && !tries.some(fine)) tries.push(await explorer.longestTask(() => work(explorer, page)));
    const words = tries.map(({ told, worked }) => `${Math.round(told)} ms by the clock (0: below 50), ${worked.toFixed(1)} ms of work`).join("; ");
    context.diagnostic(`longest task: ${words}`);
    assert.ok(tries.some(fine), `in each of ${TRIES} tries a task took too long: ${words}`);
    assert.deepEqual(page.problems, []);
  }, models);
}

/** What visitors of every experiment do. */
async function use(explorer, page) {
  for (let level = 30; level < 90; level += 20) await explorer.slide("level", level);
  for (let step = 20; step < 80; step += 20) await explorer.slide("threshold", step);
  await explorer.plot("panel-truth").focus();
  for (const key of ["ArrowRight", "ArrowUp", "ArrowUp", "ArrowLeft"]) await page.keyboard.press(key);
  for (const view of ["std", "stamps", "all"]) await explorer.at(`view-${view}`).check({ force: true });
  await explorer.at("new-case").click();
  await explorer.settle();
}

describe("the main thread stays free", () => {
  test("and would be found busy: much work in one task is told", async () => {
    const page = await open(browser, `${site.url}?members=1&device=cpu`);
    const explorer = new ExplorerPage(page);
    await explorer.finish();
    const { told, worked } = await explorer.longestTask(() => page.evaluate(() => new Promise((done) => setTimeout(() => {
      let sum = 0;
      for (let i = 0; i < 2e8; i++) sum += Math.sqrt(i);
      done(sum);
    }))));
    assert.ok(told > LIMIT_MS && worked > LIMIT_MS, `${told} ms, ${worked} ms of work`);
    await page.close();
  });

  test("in ks with 64 members", (context) => smooth("?members=64&device=cpu", use, { context }));

  test("in ks with two sides", (context) => smooth("?members=16&device=cpu&method2=pno-r", use, { context }));

  test("in darcy on the published grid", (context) =>
    smooth("?experiment=darcy&members=32&device=cpu", use, { models: { "darcy-pno-d.pno": LARGE_DARCY }, context }));

  test("in darcy while it is painted", (context) => {
    const paint = async (explorer) => {
      await explorer.stroke("panel-input", [[0.1, 0.2], [0.9, 0.3], [0.1, 0.5], [0.9, 0.7]], { steps: 40 });
      await explorer.settle();
    };
    return smooth("?experiment=darcy&members=16&device=cpu", paint, { models: MODELS, context });
  });

  test("in shallow water, also when it is stepped on", (context) => {
    const step = async (explorer, page) => {
      await use(explorer, page);
      for (let hour = 0; hour < 3; hour++) {
        await explorer.at("step").click();
        await explorer.settle();
      }
    };
    return smooth("?experiment=sswe&members=16&device=cpu", step, { models: { "sswe-pno-d.pno": LARGE_WATER }, context });
  });
});

describe("a picture that turns", () => {
  /** Pictures in sixty frames of a turning globe: every other one, at least. */
  const FEWEST = 30;

  // Frames per second depend on who else uses the machine; the processor time of a picture does not. It decides what is possible.
  test("of a globe takes less than a thirtieth of a second of the processor, on 480 pixels", async (t) => {
    await visit("?experiment=sswe&device=cpu&view=truth&grid=64x128", async (explorer, page) => {
      await page.locator(".globe").first().evaluate((globe) => globe.style.setProperty("max-width", "480px", "important"));
      await explorer.settle();
      const session = await page.context().newCDPSession(page);
      await session.send("Performance.enable", { timeDomain: "threadTicks" });
      const spent = async () => {
        const { metrics } = await session.send("Performance.getMetrics");
        return 1000 * metrics.find(({ name }) => name === "TaskDuration").value;
      };
      const before = await spent();
      const turned = () => page.evaluate(async () => {
        const FRAMES = 60;
        const globe = document.querySelector(".globe");
        const area = globe.getBoundingClientRect();
        const sides = [area.width];
        let pictures = 0;
        const put = CanvasRenderingContext2D.prototype.putImageData;
        CanvasRenderingContext2D.prototype.putImageData = function (...all) {
          pictures++;
          sides.push(this.canvas.width);
          return put.apply(this, all);
        };
        const point = (type, x) => globe.dispatchEvent(new PointerEvent(type, {
          bubbles: true, pointerId: 1, button: 0, buttons: 1, clientX: x, clientY: area.top + area.height / 2,
        }));
        /** Frames per second while something is done before each, as a hand does it. */
        const rate = (work) => new Promise((done) => {
          let frame = 0;
          let begin;
          const next = (time) => {
            begin ??= time;
            if (frame === FRAMES) return done((1000 * FRAMES) / (time - begin));
            const now = frame++;
            setTimeout(() => work(now));
            requestAnimationFrame(next);
          };
          requestAnimationFrame(next);
        });
        const idle = await rate(() => {});
        const middle = area.left + area.width / 2;
        point("pointerdown", middle);
        const turning = await rate((frame) => point("pointermove", middle + 60 * Math.sin(frame / 9)));
        point("pointercancel", middle);
        CanvasRenderingContext2D.prototype.putImageData = put;
        return { idle, turning, pictures, sides };
      });
      const tries = [await turned()];
      // Moves that a busy machine hands out together make one picture.
      if (tries[0].pictures < FEWEST) tries.push(await turned());
      const all = tries.map(({ pictures }) => pictures);
      const { idle, turning, sides } = tries.at(-1);
      const each = ((await spent()) - before) / all.reduce((sum, pictures) => sum + pictures);
      t.diagnostic(`${sides[0]} px drawn with ${Math.max(...sides.slice(1))}: ${each.toFixed(1)} ms of the processor for a picture; ` +
        `${turning.toFixed(1)} frames per second while turning, ${idle.toFixed(1)} at rest, on this machine as it was`);
      assert.equal(sides[0], 480);
      assert.ok(Math.max(...all) >= FEWEST, `${all} pictures in 60 frames`);
      assert.ok(each < 1000 / 30, `${each} ms`);
    }, {});
  });
});

describe("the point", () => {
  test("moves over charts and verification without holding up the main thread", async (t) => {
    await visit("?members=64&device=cpu&view=mean", async (explorer, page) => {
      await verified(explorer, 64);
      await explorer.at("panel-mean").locator(".plot").focus();
      const step = async (k) => {
        await page.keyboard.press(["ArrowRight", "ArrowUp", "ArrowRight", "ArrowDown"][k % 4]);
        await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => setTimeout(done))));
      };
      await step(0);
      const tries = [];
      while (tries.length < TRIES && !tries.some((ms) => ms <= LIMIT_MS)) tries.push(await threadTime(page, 12, step));
      const words = `${tries.map((ms) => ms.toFixed(1)).join(", ")} ms of the main thread for a move`;
      t.diagnostic(words);
      assert.ok(tries.some((ms) => ms <= LIMIT_MS), words);
    });
  });
});
