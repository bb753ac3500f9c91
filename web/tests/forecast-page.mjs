// The page as its visitors see it: what they read, press and save.

import { readNpy } from "./npy.mjs";

/** A browser on two shared cores may be slow; nothing here waits longer than it has to. */
export const PATIENCE_MS = 240_000;

export class ForecastPage {
  constructor(page) {
    this.page = page;
  }

  at(name) {
    return this.page.getByTestId(name);
  }

  /** Waits until the status line is at a stage (`compile`, `download`, `warm-up`, `run`, `done`, `failed`). */
  async reach(stage) {
    await this.page.waitForSelector(`[data-testid=status][data-stage="${stage}"]`, { timeout: PATIENCE_MS });
  }

  /** Waits for the end of the run; an error panel ends the wait with its sentence. */
  async finish() {
    const end = '[data-testid=status]:is([data-stage="done"], [data-stage="failed"])';
    await this.page.waitForSelector(end, { timeout: PATIENCE_MS });
    // The last pictures may still be on their way, one after the other.
    await this.page.waitForSelector("html:not([data-drawing])", { state: "attached", timeout: PATIENCE_MS });
    if (await this.at("error").isVisible()) throw new Error(`the page says: ${await this.error()}`);
  }

  async stage() {
    return this.at("status").getAttribute("data-stage");
  }

  async error() {
    await this.at("error").waitFor({ timeout: PATIENCE_MS });
    return this.at("error").locator("p").innerText();
  }

  async number(name) {
    return Number(await this.at(name).innerText());
  }

  async panelStates() {
    const panels = this.page.locator("section.panel");
    return panels.evaluateAll((all) => Object.fromEntries(all.map((p) => [p.dataset.testid, p.dataset.state])));
  }

  /** How many different colours the canvas of a panel has: a blank one has one. */
  async colours(panel) {
    return this.at(panel).locator("canvas").evaluate((canvas) => {
      const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
      return new Set(new Uint32Array(data.buffer)).size;
    });
  }

  /** Clicks the middle of a cell of a frame (both from 0; time goes upwards). */
  async probe(panel, frame, cell) {
    const plot = this.at(panel).locator(".plot");
    const { width, height } = await plot.boundingBox();
    await plot.click({ position: { x: ((cell + 0.5) / 256) * width, y: (1 - (frame + 0.5) / 20) * height } });
  }

  /** The value of a key in the address, once it is there. */
  async waitForParam(key, value) {
    const wanted = ([k, v]) => new URL(location.href).searchParams.get(k) === v;
    await this.page.waitForFunction(wanted, [key, String(value)], { timeout: 30_000 });
  }

  /** Presses a download button and reads the NumPy file. */
  async saved(what, folder) {
    const [download] = await Promise.all([this.page.waitForEvent("download"), this.at(`download-${what}`).click()]);
    const path = `${folder}/${download.suggestedFilename()}`;
    await download.saveAs(path);
    return { path, ...(await readNpy(path)) };
  }
}
