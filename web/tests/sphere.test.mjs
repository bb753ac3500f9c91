// Shallow water on a globe to turn and on a flat map. On the CPU, with untrained models.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { after, afterEach, before, describe, test } from "node:test";
import { sharedPages } from "./explorer-page.mjs";
import { launch, open, serve } from "./harness.mjs";
import { holds, until } from "./waiting.mjs";

const SPHERE = ["--set", "model.width=6", "--set", "model.lifting=12", "--set", "model.projection=12", "--grid", "12x24", "--set", "model.modes=[8,8]"];
const MODELS = {
  "sswe-pno-d.pno": ["sswe", ...SPHERE],
  "sswe-pno-r.pno": ["sswe", "--method", "pno-r", ...SPHERE],
};

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
const NONE = {};

/** Without models, whatever is shipped, unless some are given. */
function visit(query, work, { models = NONE } = {}) {
  return share(`?experiment=sswe&device=cpu&members=3${query}`, async (explorer, page) => {
    await explorer.finish();
    return work(explorer, page);
  }, models);
}

const above = (explorer) => explorer.at("above").innerText();
const kind = (explorer, panel) => explorer.plot(panel).getAttribute("class");
const apart = (a, b) => a.values.filter((value, i) => value !== b.values[i]).length / a.values.length;

/** The place and the value at the probe, in the words of a panel. */
async function probed(explorer, panel) {
  const [, place, value] = (await explorer.sentence(panel)).match(/ At (.*?): (.*?)\. /);
  return { place, value, head: await explorer.at(panel.replace("panel", "value")).innerText() };
}

describe("globe and map", () => {
  test("the globe is there first, and the choice is part of the address", async () => {
    await visit("", async (explorer, page) => {
      assert.match(await kind(explorer, "panel-truth"), /globe/);
      assert.ok((await explorer.colours("panel-truth")) > 50, "a picture");
      await explorer.at("surface-map").check({ force: true });
      await explorer.waitForParam("surface", "map");
      await explorer.settle();
      assert.match(await kind(explorer, "panel-truth"), /plot/);
      assert.ok((await explorer.colours("panel-truth")) > 50, "a picture");
      await explorer.at("surface-globe").check({ force: true });
      await explorer.waitForParam("surface", null);
      await explorer.settle();
      assert.ok((await explorer.colours("panel-truth")) > 50, "a picture again");
      assert.deepEqual(page.problems, []);
    });
    await visit("&surface=map", async (explorer) => assert.match(await kind(explorer, "panel-truth"), /plot/));
  });

  test("only a sphere has the choice", async () => {
    await share("?experiment=darcy", async (explorer) => {
      await explorer.finish();
      assert.equal(await explorer.at("surface-globe").count(), 0);
    }, NONE);
  });

  test("every view is drawn on the globe but the postage stamps, which stay flat", async () => {
    await visit("&method2=pno-r", async (explorer, page) => {
      for (const view of ["input", "truth", "mean", "error", "std", "member", "quantile", "width", "exceedance", "hit", "crps", "difference"]) {
        await explorer.at(`view-${view}`).check({ force: true });
        await explorer.settle();
        assert.match(await kind(explorer, `panel-${view}`), /globe/, view);
        assert.equal(await explorer.at(`panel-${view}`).getAttribute("data-state"), "ready", view);
        assert.ok((await explorer.colours(`panel-${view}`)) > 8, `${view} is a picture`);
      }
      await explorer.at("view-stamps").check({ force: true });
      await explorer.settle();
      assert.match(await kind(explorer, "panel-stamps"), /plot/);
      assert.deepEqual(page.problems, []);
    }, { models: MODELS });
  });
});

describe("turning", () => {
  test("by drag moves what is in the middle, and the address keeps it", async () => {
    await visit("&view=truth&eye=10,90", async (explorer) => {
      assert.equal(await above(explorer), "above 10° N, 90° E");
      const before = await explorer.pixels("panel-truth");
      await explorer.drag("panel-truth", [-120, 0]);
      const [, east] = (await above(explorer)).match(/^above 10° N, (\d+)° E$/);
      assert.ok(east > 105 && east < 140, `the east comes in: ${east}`);
      await explorer.waitForParam("eye", `10,${east}`);
      assert.ok(apart(await explorer.pixels("panel-truth"), before) > 0.2, "another picture");
    });
  });

  test("by keys goes with shift, and stops at a pole", async () => {
    await visit("&view=truth&eye=80,0", async (explorer, page) => {
      await explorer.plot("panel-truth").focus();
      await page.keyboard.press("Shift+ArrowRight");
      await explorer.waitForParam("eye", "80,6");
      for (let k = 0; k < 4; k++) await page.keyboard.press("Shift+ArrowUp");
      await explorer.waitForParam("eye", "90,6");
      assert.equal(await above(explorer), "above 90° N, 6° E");
    });
  });

  test("turns both sides together", async () => {
    await visit("&view=std&method2=pno-r", async (explorer) => {
      const before = await explorer.pixels("panel-std-b");
      await explorer.drag("panel-std", [150, 0]);
      assert.ok(apart(await explorer.pixels("panel-std-b"), before) > 0.2, "the other side turned");
    }, { models: MODELS });
  });

  test("goes on after a throw and not after a rest, by the time of the hand and not of the page that hears of it late", async () => {
    await visit("&view=truth&eye=10,90", async (explorer, page) => {
      /** Drags the globe and lets it go after a rest, all told to the page at once. */
      const drag = (rest) => page.evaluate((rest) => {
        const globe = document.querySelector(".globe");
        const { left, top, width, height } = globe.getBoundingClientRect();
        let [time, x] = [performance.now() - 2000, left + width / 2];
        const point = (type) => {
          const event = new PointerEvent(type, { bubbles: true, pointerId: 1, button: 0, buttons: 1, clientX: x, clientY: top + height / 2 });
          Object.defineProperty(event, "timeStamp", { value: time });
          globe.dispatchEvent(event);
        };
        point("pointerdown");
        for (let k = 0; k < 8; k++) {
          [time, x] = [time + 16, x - 12];
          point("pointermove");
        }
        time += rest;
        point("pointerup");
      }, rest);
      /** Degrees eastwards, on beyond the date line. */
      const east = async () => {
        const [, degrees, side] = (await above(explorer)).match(/, (\d+)° ([EW])$/);
        return side === "E" ? Number(degrees) : 360 - degrees;
      };
      await drag(600);
      await explorer.settle();
      const rested = await east();
      assert.ok(rested > 95, `${rested}`);
      await page.waitForTimeout(300);
      assert.equal(await east(), rested, "a hand that rested gives no speed");
      await drag(5);
      await until(async () => (await east()) > rested + (rested - 90) + 5, "a globe that turns on", { seen: async () => `${rested} and ${await east()}` });
    });
  });
});

describe("the point", () => {
  test("that is clicked on the globe has the same value on the map", async () => {
    await visit("&view=truth&eye=20,100&channel=vorticity", async (explorer) => {
      const box = await explorer.plot("panel-truth").boundingBox();
      await explorer.plot("panel-truth").click({ position: { x: 0.62 * box.width, y: 0.4 * box.height } });
      await explorer.settle();
      const globe = await probed(explorer, "panel-truth");
      assert.match(globe.place, /^\d+(\.\d)?° N, 1[0-4]\d(\.\d)?° E$/);
      await explorer.at("surface-map").check({ force: true });
      await explorer.settle();
      assert.deepEqual(await probed(explorer, "panel-truth"), globe);
    });
  });

  test("moves by the same arrow keys on both", async () => {
    const walk = (query) => visit(`&view=truth&at=0.3,0.6${query}`, async (explorer, page) => {
      await explorer.plot("panel-truth").focus();
      for (const key of ["ArrowRight", "ArrowRight", "ArrowUp", "ArrowLeft", "ArrowUp"]) await page.keyboard.press(key);
      await explorer.settle();
      return probed(explorer, "panel-truth");
    });
    const [globe, map] = [await walk("&eye=10,110"), await walk("&surface=map")];
    assert.deepEqual(globe, map);
  });

  test("is turned into sight when it goes behind the globe", async () => {
    await visit("&view=truth&at=0.3,0.5&eye=0,110", async (explorer, page) => {
      await explorer.plot("panel-truth").focus();
      for (let k = 0; k < 20; k++) await page.keyboard.press("ArrowRight");
      await explorer.settle();
      const [, east] = (await above(explorer)).match(/, (\d+)° [EW]$/);
      assert.notEqual(east, "110");
    });
  });

  test("nudges the start where the input's globe is pressed, and drags turn it", async () => {
    await visit("&view=input&eye=0,180", async (explorer, page) => {
      await explorer.drag("panel-input", [60, 0]);
      assert.equal(new URL(page.url()).searchParams.get("nudge"), null, "a drag changes nothing");
      await page.evaluate(() => scrollTo(0, 0));
      const [, lon] = (await above(explorer)).match(/ (\d+)° E$/);
      await explorer.plot("panel-input").click();
      await explorer.settle();
      await holds(page, () => new URL(location.href).searchParams.has("nudge"));
      const [across, upwards, amount] = new URL(page.url()).searchParams.get("nudge").split(",").map(Number);
      assert.ok(Math.abs(across * 360 - lon) < 3, `${across * 360} for ${lon}`);
      assert.ok(Math.abs(upwards - 0.5) < 0.02, `${upwards}`);
      assert.equal(amount, 1);
      await explorer.at("undo").click();
      await explorer.waitForParam("nudge", null);
    });
  });
});

describe("taking away", () => {
  test("the globe as a picture", async () => {
    await visit("&view=truth", async (explorer, page) => {
      await explorer.at("save-truth").click();
      const [download] = await Promise.all([page.waitForEvent("download"), explorer.at("save-png-truth").click()]);
      assert.equal(download.suggestedFilename(), "sswe-seed7-truth-lead1.png");
      const bytes = await readFile(await download.path());
      const colours = await page.evaluate(async (base64) => {
        const image = new Image();
        image.src = `data:image/png;base64,${base64}`;
        await image.decode();
        const canvas = new OffscreenCanvas(image.width, image.height);
        const context = canvas.getContext("2d");
        context.drawImage(image, 0, 0);
        const { data } = context.getImageData(0, 0, image.width, image.height);
        const at = (x, y) => [...data.subarray(4 * (y * image.width + x), 4 * (y * image.width + x) + 3)];
        return { size: [image.width, image.height], corner: at(30, 90), many: new Set(new Uint32Array(data.buffer)).size };
      }, bytes.toString("base64"));
      assert.ok(colours.size[1] > colours.size[0], `${colours.size}`);
      assert.deepEqual(colours.corner, [255, 255, 255], "around the globe there is paper");
      assert.ok(colours.many > 200, `${colours.many} colours`);
    });
  });
});
