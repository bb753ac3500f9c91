// How long tests wait, and how: by the clock of node, never by animation frames, which a browser stops in frames that are
// out of sight.
//
//   PNO_PATIENCE  all limits times this number, for a machine that is slower than any we know   (default: 1)

import { afterEach, beforeEach } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";

const TIMES = Number(process.env.PNO_PATIENCE || 1);

/** A test that takes longer has failed: all that fail do so within a minute. */
const TEST_MS = 55_000 * TIMES;
/** No single wait takes longer, so that a test fails with the words of its wait. Playwright's own waits end with it, too. */
export const PATIENCE_MS = 30_000 * TIMES;
/** Left for a test to end when its time is over. */
const REST_MS = 5_000 * TIMES;
/** How often is asked: short beside anything that is waited for, long beside the question. */
const POLL_MS = 50;

/**
 * The software adapter computes about forty times slower than the CPU path: tests that draw members on it may take as long
 * as every test might before there was a limit for each. Not measured on a busy machine yet.
 */
export const SOFTWARE_GPU_MS = 240_000;

// What the test that runs may take, what each of its waits may, and whether its time is over. One test runs at a time.
let limitMs = TEST_MS;
let waitMs = PATIENCE_MS;
let overdue = null;
let timers = [];
const browsers = new Set();

/** Closes the pages of this browser when a test takes too long: then all its waits fail. */
export function watch(browser) {
  browsers.add(browser);
  browser.on("disconnected", () => browsers.delete(browser));
  return browser;
}

/** Lets the test that runs, and each of its waits, take longer than others: a named limit with its reason, from now on. */
export function allow(milliseconds) {
  [limitMs, waitMs] = [milliseconds * TIMES, milliseconds * TIMES - REST_MS];
  arm();
}

/** How long a wait of the test that runs may take. */
export const patience = () => waitMs;

function arm() {
  timers.forEach(clearTimeout);
  // The second is for a test that waits for something else than a page.
  timers = [setTimeout(close, limitMs), setTimeout(() => process.exit(1), limitMs + REST_MS)];
  timers.forEach((timer) => timer.unref());
}

async function close() {
  overdue = `the test takes longer than ${limitMs / 1000} s: its pages are closed`;
  console.error(overdue);
  const contexts = [...browsers].flatMap((browser) => browser.contexts());
  await Promise.allSettled(contexts.map((context) => context.close()));
}

beforeEach(() => {
  [limitMs, waitMs, overdue] = [TEST_MS, PATIENCE_MS, null];
  arm();
});

afterEach(() => {
  timers.forEach(clearTimeout);
  if (overdue) throw new Error(overdue);
});

/**
 * Asks until the answer is truthy, and gives it. `what` is waited for, in words; `seen` may tell what was there instead.
 *
 * Works in frames that are out of sight, where Playwright's `waitForFunction` never comes back: it asks in animation frames.
 */
export async function until(ask, what, { timeoutMs = patience(), seen = async () => null } = {}) {
  const end = Date.now() + timeoutMs;
  for (;;) {
    const answer = await ask().catch(unlessNavigating);
    if (answer) return answer;
    if (Date.now() > end) {
      const found = await seen().catch((error) => error.message);
      throw new Error(`waited ${timeoutMs / 1000} s for ${what}${found === null ? "" : `, but found ${found}`}`);
    }
    await sleep(POLL_MS);
  }
}

/** A page that is about to be another one cannot answer yet. */
function unlessNavigating(error) {
  if (/Execution context was destroyed|Cannot find context|navigat/.test(error.message)) return null;
  throw error;
}

/** Waits until a function of the page (or frame) gives something truthy, and gives that. */
export function holds(page, test, argument, options = {}) {
  return until(() => page.evaluate(test, argument), options.what ?? `\`${test}\``, options);
}

/** Waits for an element that a selector of CSS finds; it may be out of sight. */
export async function found(page, selector, options = {}) {
  await holds(page, (selector) => document.querySelector(selector) !== null, selector, { what: `\`${selector}\``, ...options });
}
