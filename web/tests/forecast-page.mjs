// The page as its visitors see it: what they read, press and save.

import { readNpy } from "./npy.mjs";
import { found, holds, life, until } from "./waiting.mjs";

// Waits ask from here, again and again: a figure may be in a frame that is out of sight.
export class ForecastPage {
  constructor(page) {
    this.page = page;
  }

  at(name) {
    return this.page.getByTestId(name);
  }

  /** Waits until the status line is at a stage (`compile`, `download`, `warm-up`, `run`, `paused`, `done`, `failed`). */
  async reach(...stages) {
    const there = async () => stages.includes(await this.stage());
    await until(there, `the stage ${stages.join(" or ")}`, { life: life(this.page), seen: async () => `${await this.stage()}` });
  }

  /** Waits for the end of the run; an error panel ends the wait with its sentence. */
  async finish() {
    await this.reach("done", "failed");
    // The last pictures may still be on their way, one after the other.
    await found(this.page, "html:not([data-drawing])");
    if (await this.at("error").isVisible()) throw new Error(`the page says: ${await this.error()}`);
  }

  /** Goes on to another address in the open page, as Back and Forward do: worker, programs and models stay. */
  async go(query) {
    await this.page.evaluate((query) => {
      history.pushState(null, "", query || location.pathname);
      dispatchEvent(new PopStateEvent("popstate"));
      document.activeElement?.blur();
      scrollTo(0, 0);
    }, query);
    await this.taken();
    const followed = (settings) => settings.every(([key, value]) => {
      const choice = document.querySelector(`input[type=radio][data-testid="${key}-${value}"]`);
      return choice?.checked ?? (key !== "seed" || document.querySelector("[data-testid=seed]").value === value);
    });
    await holds(this.page, followed, [...new URLSearchParams(query)], { what: `controls that follow ${query}` });
  }

  /** Chooses light or dark, and waits until the page has its colours: some of either would be seen beside each other. */
  async chooseTheme(theme) {
    await this.at("theme").selectOption(theme);
    await holds(this.page, (theme) => document.documentElement.dataset.theme === theme, theme);
    await this.taken();
  }

  /** Lets the browser take in what was done, and waits until its last consequence is there. */
  async settle() {
    await this.taken();
    await this.finish();
  }

  /** Lets the browser take in what was done. */
  async taken() {
    await this.page.evaluate(() => new Promise((done) => {
      const drawn = () => setTimeout(done, 30);
      // A frame that is out of sight has no animation frames.
      const unseen = setTimeout(drawn, 1000);
      requestAnimationFrame(() => {
        clearTimeout(unseen);
        drawn();
      });
    }));
  }

  /** The stage of the status line; none before there is one. */
  async stage() {
    return this.page.evaluate(() => document.querySelector("[data-testid=status]")?.dataset.stage ?? null);
  }

  /** The sentence of the error panel, once it is there. */
  async error() {
    return holds(this.page, () => document.querySelector("[data-testid=error] p")?.innerText, null, { what: "an error panel" });
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

  /** The value of a key in the address, once it is there; with `null` the address without the key. */
  async waitForParam(key, value) {
    const present = () => this.page.evaluate((key) => new URL(location.href).searchParams.get(key), key);
    const seen = async () => `${key}=${await present()}`;
    const wanted = value === null ? null : String(value);
    await until(async () => (await present()) === wanted, `${key}=${wanted} in the address`, { seen });
  }

  /** Presses a download button and reads the NumPy file. */
  async saved(what, folder) {
    const [download] = await Promise.all([this.page.waitForEvent("download"), this.at(`download-${what}`).click()]);
    const path = `${folder}/${download.suggestedFilename()}`;
    await download.saveAs(path);
    return { path, ...(await readNpy(path)) };
  }
}
