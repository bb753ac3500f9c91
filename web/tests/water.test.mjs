// Waves and shallow water, nudged, stepped and played.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { assertNative, mean, reference, saved, withoutModels } from "./live-page.mjs";
import { holds, until } from "./waiting.mjs";

const { visit, visitAlone } = withoutModels();

describe("waves", () => {
  test("are nudged where the visitor presses, and the way back leads to where they were", async () => {
    await visit("?experiment=ks&seed=4", async (live) => {
      await live.finish();
      const plain = await saved(live, "input");
      const [x, y] = await live.onScreen("panel-input", [0.5, 0.5]);
      await live.page.mouse.click(x, y);
      await live.settle();
      const nudged = await saved(live, "input");
      const lift = nudged.values[128] - plain.values[128];
      assert.ok(lift > 1 && lift < 3, `lifted by ${lift}`);
      await holds(live.page, () => /^0\.(49|50)\d,/.test(new URL(location.href).searchParams.get("nudge") ?? ""));
      await live.at("undo").click();
      await live.settle();
      assert.deepEqual((await saved(live, "input")).values, plain.values);
    });
  });
});

describe("shallow water", () => {
  test("at its start and after one hour is that of the native solver", async () => {
    const { seed, sswe } = reference;
    await visit(`?experiment=sswe&seed=${seed}`, async (live) => {
      await live.finish();
      for (const [hour, channels] of sswe.hours.entries()) {
        const { shape, values } = await saved(live, hour === 0 ? "input" : "truth");
        assert.deepEqual(shape, [...sswe.grid, 3]);
        channels.forEach((channel, c) => {
          const found = values.filter((_, at) => at % 3 === c);
          assertNative(found, channel, `channel ${c} after ${hour} hours`);
        });
      }
    });
  });

  test("keeps its mass and loses some energy to the damping", async () => {
    await visit("?experiment=sswe&lead=24", async (live) => {
      await live.finish();
      assert.equal(await live.number("hour-solved"), 24);
      assert.match(await live.at("mass-drift").innerText(), /^(0 \(rounding\)|[+−]\d\.\d × 10⁻¹[⁰¹²])$/);
      assert.match(await live.at("energy-drift").innerText(), /^−\d+(\.\d+)? %$/);
      // A number that may be zero: a fast machine solves an hour within a tick of the browser's clock.
      assert.match(await live.at("ms-per-hour").innerText(), /^\d+(\.\d+)?$/);
    });
  });

  test("goes the same way hour by hour and at once, and going back is free", async () => {
    // Each in a page of its own: one worker would remember the hours of the other.
    const frames = async (query, steps) => visitAlone(query, async (live) => {
      await live.finish();
      for (let hour = 1; hour < steps; hour++) {
        await live.at("step").click();
        await live.settle();
      }
      await live.waitForParam("lead", 3);
      assert.equal(await live.at("lead-words").innerText(), "after 3 hours");
      await live.at("back").click();
      assert.equal(await live.stage(), "done", "nothing is asked for");
      assert.match(await live.sentence("panel-truth"), /after 2 hours/);
      return saved(live, "truth");
    });
    const stepped = await frames("?experiment=sswe&grid=64x128&channel=vorticity", 3);
    assert.deepEqual(stepped.shape, [3, 64, 128, 3]);
    const atOnce = await frames("?experiment=sswe&grid=64x128&channel=vorticity&lead=3", 1);
    assert.deepEqual(atOnce.values, stepped.values);
  });

  test("shows each field with its unit, and a sentence of its numbers", async () => {
    await visit("?experiment=sswe&at=0.25,0.75", async (live) => {
      await live.finish();
      for (const [channel, unit] of [["geopotential", "m² s⁻²"], ["vorticity", "10⁻⁶ s⁻¹"], ["divergence", "10⁻⁶ s⁻¹"]]) {
        await live.at(`channel-${channel}`).check({ force: true });
        await live.settle();
        assert.ok((await live.colours("panel-truth")) > 50, `${channel} is a picture`);
        const title = channel[0].toUpperCase() + channel.slice(1);
        const sentence = new RegExp(`^Truth of ${title} after 1 hour: from −?[\\d.]+ ${unit} to [\\d.]+ ${unit}, mean .* At 49\\.4° N, 90° E: `);
        assert.match(await live.sentence("panel-truth"), sentence);
        assert.match(await live.at("panel-truth").locator(".key").innerText(), new RegExp(`${unit}$`));
      }
    });
  });

  test("plays, pauses, and stops while nobody looks", async () => {
    await visitAlone("?experiment=sswe", async (live, page) => {
      await live.finish();
      const hour = () => page.evaluate(() => Number(document.querySelector("[data-testid=lead]").value));
      const twice = async () => {
        const now = await hour();
        await page.waitForTimeout(900);
        return [now, await hour()];
      };
      const hide = (hidden) => page.evaluate((value) => {
        Object.defineProperty(document, "hidden", { value, configurable: true });
        document.dispatchEvent(new Event("visibilitychange", { bubbles: true }));
      }, hidden);
      /** It may finish the hour under way; then it must rest. */
      const rests = async (why) => {
        await until(async () => {
          const [now, later] = await twice();
          return now === later;
        }, `the player to rest (${why})`);
        return hour();
      };
      const reach = (wanted) => until(async () => (await hour()) >= wanted, `the hour ${wanted}`, { seen: hour });
      await live.at("play").click();
      await reach(3);
      await hide(true);
      const hidden = await rests("out of sight");
      await hide(false);
      await reach(hidden + 3);
      await page.evaluate(() => {
        document.body.style.paddingBottom = "4000px";
        scrollTo(0, 4000);
      });
      const away = await rests("scrolled away");
      await page.evaluate(() => scrollTo(0, 0));
      await reach(away + 3);
      await live.at("play").click();
      await live.settle();
      await live.waitForParam("lead", await rests("paused"));
      assert.deepEqual(page.problems, []);
    });
  });

  test("gives up a long way for a newer wish", async () => {
    await visit("?experiment=sswe&grid=64x128&lead=240", async (live) => {
      await live.reach("solving");
      await live.at("new-case").click();
      await live.settle();
      assert.equal(await live.number("hour-solved"), 1);
    });
  });
});
