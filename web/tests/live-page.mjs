// The experiments that are solved live, as their visitors see them.

import { ForecastPage } from "./forecast-page.mjs";

export class LivePage extends ForecastPage {
  /** The canvas area of a panel. */
  plot(panel) {
    return this.at(panel).locator(".plot");
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

  /** Lets the browser take in what was done, and waits until its last consequence is solved. */
  async settle() {
    await this.page.evaluate(() => new Promise((done) => requestAnimationFrame(() => setTimeout(done))));
    await this.finish();
  }

  /** Pixels of a panel's canvas as one number each, rows from the top. */
  async pixels(panel) {
    return this.at(panel).locator("canvas").evaluate((canvas) => {
      const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
      return { width: canvas.width, height: canvas.height, values: [...new Uint32Array(data.buffer)] };
    });
  }

  /** The longest task of the main thread during `work`, in milliseconds. */
  async longestTask(work) {
    await this.page.evaluate(() => {
      window.longest = 0;
      window.observer = new PerformanceObserver((list) => {
        for (const { duration } of list.getEntries()) window.longest = Math.max(window.longest, duration);
      });
      // Tasks of 50 ms and more are told; shorter ones are no news.
      window.observer.observe({ type: "longtask" });
    });
    await work();
    return this.page.evaluate(async () => {
      await new Promise((done) => setTimeout(done, 100));
      window.observer.disconnect();
      return window.longest;
    });
  }
}
