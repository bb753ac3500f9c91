// How long tests wait, and how: by the clock of node, never by animation frames, which a browser stops in frames that are
// out of sight.
//
//   PNO_PATIENCE  all limits times this number, for a machine that is slower than any we know   (default: 1)
//
// A machine that others use as well has longer limits by itself: when one is over, it is measured how busy others kept it
// (`load.mjs`). What the tests do themselves, also in another file at the same time, makes no limit longer.

import { execFile } from "node:child_process";
import { afterEach, beforeEach } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { slowerSince, work } from "./load.mjs";

const TIMES = Number(process.env.PNO_PATIENCE || 1);

/** A test that takes longer has failed: all that fail do so within a minute. So has what runs before and after tests. */
const TEST_MS = 50_000 * TIMES;
/** No wait of ours takes longer, so that a test fails with the words of its wait. */
const WAIT_MS = 30_000 * TIMES;
/** Left for a test to end when its time is over. */
const REST_MS = 5_000 * TIMES;
/** How often is asked: short beside anything that is waited for, long beside the question. */
const POLL_MS = 50;

// The software adapter computes about forty times slower than the CPU path, and first compiles the kernels of a network for
// 10 to 30 s. So a test that uses it fails within a minute only where its page stands still: a wait ends when nothing has
// changed for so long (compiling is the longest silence) …
const STILL_MS = 45_000 * TIMES;
// … and at the latest then.
const MOVING_MS = 100_000 * TIMES;

/** A busy machine is not taken for more than so many times slower than an idle one: something has failed there, too. */
const MOST_TIMES_SLOWER = 4;

/**
 * For waits that are not ours and cannot be made longer while they last: more than any test has. The end of its time closes
 * its pages, and that ends them.
 */
export const LONGEST_MS = MOVING_MS * MOST_TIMES_SLOWER;

/** How many times slower than idle others have made the machine since the test began. */
export function contention() {
  return Math.min(slowerSince(idle), MOST_TIMES_SLOWER);
}

// What runs now (a test, or what is before and after tests): since when, how long it and each of its waits may take, how
// long nothing may move, and whether its time is over. One test runs at a time.
let begun = Date.now();
let idle = work();
let [limitMs, waitMs, stillMs] = [TEST_MS, WAIT_MS, Infinity];
let overdue = null;
let timer;
const browsers = new Set();

// What is before the first test counts, too; programs that make pictures take what they need.
if (process.argv[1]?.endsWith(".test.mjs")) begin();

/** Closes the pages of this browser when a test takes too long: then all its waits fail. */
export function watch(browser) {
  browsers.add(browser);
  browser.on("disconnected", () => browsers.delete(browser));
  return browser;
}

/** The test that runs computes on the software adapter: from now on it has time for as long as its page moves. */
export function allowSoftwareGpu() {
  [limitMs, waitMs, stillMs] = [MOVING_MS, MOVING_MS - REST_MS, STILL_MS];
  arm();
}

function begin() {
  [begun, idle, limitMs, waitMs, stillMs, overdue] = [Date.now(), work(), TEST_MS, WAIT_MS, Infinity, null];
  arm();
}

function arm(times = 1) {
  clearTimeout(timer);
  timer = setTimeout(end, Math.max(0, begun + limitMs * times - Date.now()));
  timer.unref();
}

/** Ends what takes too long, unless the machine is busy. */
function end() {
  const times = contention();
  if (Date.now() < begun + limitMs * times) {
    arm(times);
    return;
  }
  overdue = `the test takes longer than ${seconds(Date.now() - begun)} s: its pages are closed`;
  console.error(overdue);
  const contexts = [...browsers].flatMap((browser) => browser.contexts());
  Promise.allSettled(contexts.map((context) => context.close()));
  // For what waits for something else than a page.
  timer = setTimeout(() => process.exit(1), REST_MS);
  timer.unref();
}

beforeEach(begin);

afterEach(() => {
  const late = overdue;
  // What comes next has its own time, also where it is no test.
  begin();
  if (late) throw new Error(late);
});

/**
 * Asks until the answer is truthy, and gives it. `what` is waited for, in words; `seen` may tell what was there instead,
 * `life` something that changes while the page moves.
 *
 * Works in frames that are out of sight, where Playwright's `waitForFunction` never comes back: it asks in animation frames.
 */
export async function until(ask, what, { timeoutMs, still = stillMs, seen = async () => null, life = null } = {}) {
  const begun = Date.now();
  const limit = timeoutMs ?? waitMs;
  let [moved, last, times] = [begun, null, 1];
  for (;;) {
    const answer = await ask().catch(unlessNavigating);
    if (answer) return answer;
    if (life && still < Infinity) {
      const now = await life().catch(unlessNavigating);
      if (now !== last) [moved, last] = [Date.now(), now];
    }
    const late = () => Date.now() > Math.min(begun + limit * times, moved + still * times);
    if (late()) {
      // Who says how long means it.
      if (timeoutMs === undefined) times = contention();
      if (late()) {
        const found = await seen().catch((error) => error.message);
        const rest = life && still < Infinity ? `, with nothing new for ${seconds(Date.now() - moved)} s` : "";
        const waited = seconds(timeoutMs ?? Date.now() - begun);
        throw new Error(`waited ${waited} s for ${what}${rest}${found === null ? "" : `, but found ${found}`}`);
      }
    }
    await sleep(POLL_MS);
  }
}

/** Waits for work that asks nothing of us, such as a program that runs, for as long as for anything; then `stop`s it. */
export async function ended(work, what, stop) {
  let over = false;
  const late = until(async () => over, what).catch((error) => {
    stop();
    throw error;
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    over = true;
  }
}

/** Runs a program that ends in time, or is ended. */
export function run(program, args, options = {}) {
  const running = promisify(execFile)(program, args, options);
  return ended(running, `${[program, ...args].join(" ")} to end`, () => running.child.kill("SIGKILL"));
}

const seconds = (milliseconds) => Math.round(milliseconds / 100) / 10;

/** A page that is about to be another one cannot answer yet. */
function unlessNavigating(error) {
  if (/Execution context was destroyed|Cannot find context|navigat/.test(error.message)) return null;
  throw error;
}

/** What changes in a page or frame while it computes: its status line, and the states of its panels. */
export function life(page) {
  return () => page.evaluate(() => {
    const states = [...document.querySelectorAll("section.panel")].map((panel) => panel.dataset.state);
    return [document.querySelector("[data-testid=status]")?.innerText, document.documentElement.dataset.drawing, ...states].join();
  });
}

/** Waits until a function of the page (or frame) gives something truthy, and gives that. */
export function holds(page, test, argument, options = {}) {
  const { what = `\`${test}\``, ...more } = options;
  return until(() => page.evaluate(test, argument), what, { life: life(page), ...more });
}

/** Waits for an element that a selector of CSS finds; it may be out of sight. */
export async function found(page, selector, options = {}) {
  await holds(page, (selector) => document.querySelector(selector) !== null, selector, { what: `\`${selector}\``, ...options });
}
