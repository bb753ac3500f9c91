// How busy others keep the machine: what its processors did, less what the tests did themselves.

import { readdirSync, readFileSync } from "node:fs";
import { cpus } from "node:os";

/** Ticks of the system's clock in a second, of which Linux counts time. */
const TICKS = 100;
/** Time of a measurement where the system does not say what its processes did: some turns of its scheduler. */
const SAMPLE_MS = 60;

/**
 * The process all of whose descendants are ours: the test runner, whose files may run at the same time, else this one.
 */
const root = () => (process.env.NODE_TEST_CONTEXT ? process.ppid : process.pid);

/**
 * What was worked so far, in seconds of a processor: by our own processes and by all others; when that was, and the number of
 * processors. `null` where the system does not say.
 */
export function work(folder = "/proc", ours = root()) {
  try {
    const lines = readFileSync(`${folder}/stat`, "utf8").split("\n");
    const count = lines.filter((line) => /^cpu\d/.test(line)).length;
    const [user, nice, system, , , irq, softIrq, stolen] = lines[0].split(/\s+/).slice(1).map(Number);
    const own = ownTicks(processes(folder), ours) / TICKS;
    const all = (user + nice + system + irq + softIrq + stolen) / TICKS;
    return { at: performance.now() / 1000, count, own, others: all - own };
  } catch {
    return null;
  }
}

/** How many times slower than idle the machine was since a moment, for programs that would use all of it. */
export function slowerSince(before, now = work()) {
  if (!before || !now) return slowerNow();
  const room = now.count * Math.max(now.at - before.at, SAMPLE_MS / 1000);
  const taken = Math.max(0, now.others - before.others);
  return room / Math.max(room - taken, room / 1000);
}

/** The same for this very moment, by the clock over by the processor for some work. */
function slowerNow() {
  const [begin, spent] = [performance.now(), process.cpuUsage()];
  while (performance.now() - begin < SAMPLE_MS);
  const { user, system } = process.cpuUsage(spent);
  return Math.max(1, (1000 * SAMPLE_MS) / Math.max(1, user + system));
}

/** Every process: its parent, and ticks of itself and of its children that have ended. */
function processes(folder) {
  const all = new Map();
  for (const name of readdirSync(folder)) {
    if (!/^\d+$/.test(name)) continue;
    let text;
    try {
      text = readFileSync(`${folder}/${name}/stat`, "utf8");
    } catch {
      // It has ended meanwhile.
      continue;
    }
    // The name of the program, in brackets, may hold anything.
    const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
    const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
    all.set(Number(name), { parent: Number(fields[1]), ticks });
  }
  return all;
}

/** Ticks of a process and of all that descend from it. */
function ownTicks(all, ours) {
  const known = new Map([[ours, true]]);
  const isOurs = (id) => {
    if (!known.has(id)) {
      known.set(id, false);
      known.set(id, all.has(id) && isOurs(all.get(id).parent));
    }
    return known.get(id);
  };
  let sum = 0;
  for (const [id, { ticks }] of all) sum += isOurs(id) ? ticks : 0;
  return sum;
}
