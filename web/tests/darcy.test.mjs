// Darcy flow, painted and solved live.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { assertNative, assertSolved, flow, highShare, mean, reference, share, withoutModels } from "./live-page.mjs";
import { holds, until } from "./waiting.mjs";

const { visit, visitAlone } = withoutModels();

describe("Darcy flow", () => {
  for (const cells of [64, 128]) {
    test(`on ${cells} cells solves the discrete equation`, async () => {
      await visit(`?experiment=darcy&cells=${cells}&seed=3`, async (live) => {
        await live.finish();
        const solved = await flow(live);
        assert.equal(solved.n, cells);
        assertSolved(solved);
        assert.equal(await live.number("solved-cells"), cells);
        assert.ok((await live.number("solve-ms")) > 0);
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
      await live.stroke("panel-input", [[0.1, 0.5], [0.9, 0.5]]);
      await live.settle();
      const second = await flow(live);
      assertSolved(second);
      assert.ok(share(second.permeability, (a) => a === 1) > share(first.permeability, (a) => a === 1) + 0.05);
      assert.ok(mean(second.pressure) < 0.9 * mean(first.pressure), "what conducts better needs less pressure");
      await live.at("paint-low").check({ force: true });
      await live.stroke("panel-input", [[0.2, 0.1], [0.2, 0.9]]);
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

  test("shows what is painted, also after a wild stroke", async () => {
    await visit("?experiment=darcy&cells=64&seed=7", async (live) => {
      await live.finish();
      const points = Array.from({ length: 9 }, (_, i) => [(i % 2) * 0.8 + 0.1, 0.1 + i * 0.1]);
      await live.stroke("panel-input", points, { steps: 30 });
      await live.settle();
      const solved = await flow(live);
      assertSolved(solved);
      const { width, height, values } = await live.pixels("panel-input");
      const colour = (i, j) => values[Math.floor((1 - (j + 0.5) / 64) * height) * width + Math.floor(((i + 0.5) / 64) * width)];
      const [high, low] = [new Set(), new Set()];
      solved.permeability.forEach((a, at) => (a === 1 ? high : low).add(colour(Math.floor(at / 64), at % 64)));
      assert.deepEqual([high.size, low.size], [1, 1], "the picture and the solved field are the same");
      assert.notDeepEqual(high, low);
    });
  });

  test("is solved while the brush is still down", async () => {
    await visit("?experiment=darcy&seed=7&brush=10", async (live) => {
      await live.finish();
      const before = await live.sentence("panel-truth");
      let during;
      await live.stroke("panel-input", [[0.2, 0.5], [0.8, 0.5]], {
        then: async () => {
          await live.settle();
          during = await live.sentence("panel-truth");
        },
      });
      const most = (sentence) => Number(sentence.match(/to ([\d.]+), mean/)[1]);
      assert.ok(most(during) < most(before), `${during} after ${before}`);
    });
  });

  test("of a cleared square has the pressure of a constant coefficient", async () => {
    await visit("?experiment=darcy&cells=64", async (live) => {
      await live.finish();
      await live.at("clear").click();
      await live.settle();
      const { permeability, pressure } = await flow(live);
      assert.equal(share(permeability, (a) => a === 1), 0);
      // 0.07367 / a in the middle of the unit square; the discrete square has the side 1 + h.
      const wanted = 0.7367 * (1 + 1 / 64) ** 2;
      const most = Math.max(...pressure);
      assert.ok(Math.abs(most / wanted - 1) < 0.005, `${most} for ${wanted}`);
    });
  });

  test("is painted with keys", async () => {
    await visit("?experiment=darcy&cells=64&brush=1&at=0.508,0.508", async (live, page) => {
      await live.finish();
      await live.at("clear").click();
      await live.settle();
      await live.plot("panel-input").focus();
      for (const key of ["ArrowRight", "Shift+ArrowUp", " "]) await page.keyboard.press(key);
      await live.settle();
      const { permeability } = await flow(live);
      const painted = [...permeability.keys()].filter((at) => permeability[at] === 1);
      assert.deepEqual(painted, [33 * 64 + 40]);
      assert.match(await live.sentence("panel-input"), /At x 0\.523, y 0\.633: 1\./);
      assert.match(await live.sentence("panel-truth"), /^Truth of u: from 0\.\d+ to 0\.\d+, mean/);
      await page.keyboard.press("Control+z");
      await live.settle();
      assert.equal(await highShare(live), 0);
    });
  });

  test("is painted with a finger, and the page does not scroll away", async () => {
    await visitAlone("?experiment=darcy&cells=64&brush=6", async (live, page) => {
      await live.finish();
      await live.at("clear").click();
      await live.settle();
      const [[x, y], [x2, y2]] = [
        await live.onScreen("panel-input", [0.5, 0.2]),
        await live.onScreen("panel-input", [0.5, 0.8]),
      ];
      const top = await page.evaluate(() => scrollY);
      const touch = await page.context().newCDPSession(page);
      const send = (type, points) => touch.send("Input.dispatchTouchEvent", { type, touchPoints: points });
      await send("touchStart", [{ x, y }]);
      for (let k = 1; k <= 10; k++) await send("touchMove", [{ x: x + ((x2 - x) * k) / 10, y: y + ((y2 - y) * k) / 10 }]);
      await send("touchEnd", []);
      await live.settle();
      assert.equal(await page.evaluate(() => scrollY), top);
      const painted = 100 * (await highShare(live));
      assert.ok(painted > 5 && painted < 8, `${painted} % painted`);
    }, { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });
  });

  test("is in the address: grid, brush and painting", async () => {
    await visitAlone("?experiment=darcy&cells=64&seed=5", async (live, page) => {
      await live.finish();
      await live.stroke("panel-input", [[0.3, 0.3], [0.6, 0.7]]);
      await live.settle();
      const painted = await flow(live);
      await holds(page, () => new URL(location.href).searchParams.get("painting")?.length > 20);
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
      await live.waitForParam("painting", null);
    });
  });

  test("tells the value at the point", async () => {
    await visit("?experiment=darcy&cells=64&seed=7", async (live, page) => {
      await live.finish();
      const { pressure } = await flow(live);
      await page.mouse.click(...(await live.onScreen("panel-truth", [20.5 / 64, 50.5 / 64])));
      const wanted = pressure[20 * 64 + 50];
      const shown = () => live.number("value-truth");
      await until(async () => Math.abs((await shown()) - wanted) < 6e-4, `the value ${wanted}`, { seen: shown });
    });
  });
});
