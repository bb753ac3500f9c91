// The explorer as its visitors see it, whatever the experiment.

import { ForecastPage } from "./forecast-page.mjs";
import { untrained } from "./models.mjs";

export class ExplorerPage extends ForecastPage {
  /** The canvas area of a panel: flat, or a globe. */
  plot(panel) {
    return this.at(panel).locator(":is(.plot, .globe)");
  }

  /** The sentence that stands for a panel's picture. */
  async sentence(panel) {
    return this.plot(panel).getAttribute("aria-label");
  }

  /** A point of a panel on the screen; both shares from 0 to 1, upwards as up. */
  async onScreen(panel, [across, upwards]) {
    const plot = this.plot(panel);
    await plot.scrollIntoViewIfNeeded();
    const { x, y, width, height } = await plot.boundingBox();
    return [x + across * width, y + (1 - upwards) * height];
  }

  /** Draws with the mouse through points of a panel, in small steps as a hand does. */
  async stroke(panel, points, { steps = 12, then = async () => {} } = {}) {
    const [first, ...rest] = await Promise.all(points.map((point) => this.onScreen(panel, point)));
    await this.page.mouse.move(...first);
    await this.page.mouse.down();
    for (const point of rest) await this.page.mouse.move(...point, { steps });
    await then();
    await this.page.mouse.up();
  }

  /** Drags a panel's picture by some pixels, in small steps as a hand does. */
  async drag(panel, [right, down], { steps = 10 } = {}) {
    const [x, y] = await this.onScreen(panel, [0.5, 0.5]);
    await this.page.mouse.move(x, y);
    await this.page.mouse.down();
    await this.page.mouse.move(x + right, y + down, { steps });
    // A hand that rests before it lets go gives no speed.
    await this.page.waitForTimeout(250);
    await this.page.mouse.up();
    await this.settle();
  }

  /** Moves a slider to a value, as a hand does. */
  async slide(name, value) {
    await this.at(name).evaluate((slider, wanted) => {
      slider.value = wanted;
      slider.dispatchEvent(new Event("input", { bubbles: true }));
    }, String(value));
  }

  /** Pixels of a panel's canvas as one number each, rows from the top. */
  async pixels(panel) {
    return this.at(panel).locator("canvas").evaluate((canvas) => {
      const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
      return { width: canvas.width, height: canvas.height, values: [...new Uint32Array(data.buffer)] };
    });
  }

  /** Drops a file on the page. */
  async drop(name, bytes) {
    const data = await this.page.evaluateHandle(([name, base64]) => {
      const transfer = new DataTransfer();
      const bytes = Uint8Array.from(atob(base64), (c) => c.charCodeAt(0));
      transfer.items.add(new File([bytes], name));
      return transfer;
    }, [name, Buffer.from(bytes).toString("base64")]);
    await this.page.dispatchEvent("body", "drop", { dataTransfer: data });
  }

  /**
   * The longest tasks of the main thread during `work`, in milliseconds: as the page itself is told (`told`, none below 50),
   * and how long the processor worked on one (`worked`), which is the same on a quiet machine, and on a busy one still true.
   */
  async longestTask(work) {
    const browser = this.page.context().browser();
    await this.page.evaluate(() => {
      window.longest = 0;
      window.observer = new PerformanceObserver((list) => {
        for (const { duration } of list.getEntries()) window.longest = Math.max(window.longest, duration);
      });
      window.observer.observe({ type: "longtask" });
    });
    await browser.startTracing(this.page, { categories: ["toplevel"] });
    await work();
    const told = await this.page.evaluate(async () => {
      await new Promise((done) => setTimeout(done, 100));
      window.observer.disconnect();
      return window.longest;
    });
    const { traceEvents } = JSON.parse((await browser.stopTracing()).toString());
    const named = traceEvents.filter(({ name, args }) => name === "thread_name" && args.name === "CrRendererMain");
    const threads = new Set(named.map(({ pid, tid }) => `${pid} ${tid}`));
    const tasks = traceEvents.filter(({ name, pid, tid }) => name.endsWith("RunTask") && threads.has(`${pid} ${tid}`));
    if (tasks.length === 0) throw new Error("the trace has no task of the main thread");
    return { told, worked: tasks.reduce((most, { tdur = 0 }) => Math.max(most, tdur / 1000), 0) };
  }
}

/** Lets the site offer untrained models of `pno init`: `{ "darcy-pno-d.pno": ["darcy", …], … }`. */
export async function offer(site, models) {
  const list = [];
  for (const [file, init] of Object.entries(models)) {
    site.override(`models/${file}`, { body: await untrained(...init) });
    const [, experiment, method] = file.match(/^(ks-step|[a-z0-9]+)-(pno-d|pno-r|pno-f|det|mcd|laplace|ensemble|perturbed)/);
    list.push({ file, experiment, method, title: file });
  }
  site.override("models/index.json", { body: JSON.stringify({ models: list }) });
}

/**
 * How the tests of a file visit the page, at an address and with a list of models to offer (`null`: what is shipped): those
 * with the same list share a page.
 */
export function sharedPages(load, site) {
  const pages = new Map();
  return async (query, work, models = null) => {
    if (models) await offer(site(), models);
    if (!pages.has(models)) pages.set(models, onePage(load));
    return pages.get(models)(query, work);
  };
}

/**
 * How tests share a page, which `load` opens at an address: the first loads it, the others go on to their address in it, which
 * spares them what is there already. The list of models is that of the first. A test that fails closes the page, and the next
 * one loads it again.
 */
export function onePage(load) {
  let page = null;
  let screen;
  return async (query, work) => {
    const open = page !== null && !page.isClosed();
    if (!open) {
      page = await load(query);
      screen = page.viewportSize();
    }
    const explorer = new ExplorerPage(page);
    try {
      if (open) {
        page.problems.length = 0;
        await page.setViewportSize(screen);
        await explorer.go(query);
      }
      return await work(explorer, page);
    } catch (error) {
      await page.close();
      throw error;
    }
  };
}
