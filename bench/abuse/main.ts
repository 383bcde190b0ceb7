import { parseArgs } from "node:util";
import { request } from "undici";
import { BenchReport } from "../kit/report.js";
import { readLoopDelay } from "../proxy/loop-delay.js";
import { Rig } from "../proxy/rig.js";
import { startScript } from "../servers.js";
import { sized } from "../sized.js";
import { median, percentile } from "../text.js";
import type { Attack, AttackCounts, Victim } from "./attack.js";
import { ATTACKS } from "./attacks.js";
import { stallOfFirst } from "./fresh.js";
import { HonestAgents, type Work } from "./honest-agents.js";
import { measureRound } from "./round/measure-round.js";

/**
 * Measures how an abuse slows down honest agents: the latency of their calls and the worst stall of the server's event loop, in
 * turn without and with the abuse. One attacker has one session key. The server has the default configuration.
 *
 *   npm run bench:abuse [-- words of the name…]
 *   npm run bench:abuse -- --first [words of the name…]
 *   npm run bench:abuse -- --round [--build FOLDER] [words of the name…]
 *
 * With `--first`, it measures only the stall by one request that is the first model call of a new server process.
 *
 * At last it measures attacks that once stopped a process or lost calls of others, each on processes of its own. With `--round`, it
 * measures only these, and with `--build FOLDER` the processes of another compiled program, such as that of an earlier commit.
 */

const ROUNDS = sized(3, 1, 1);
const SECONDS = sized(3, 0.2, 1);
/** A short run measures the honest agents without an abuse only once, before the first abuse. */
const MEASURES_BASELINE_ONCE = sized(false, false, true);
/** Requests that are sent one by one, each in a new session. */
const SINGLES = sized(5, 1, 2);

interface Window extends Work {
  readonly stall: number;
}

const { values, positionals } = parseArgs({
  options: { first: { type: "boolean" }, round: { type: "boolean" }, build: { type: "string", default: "dist" } },
  allowPositionals: true,
});
const words = positionals.join(" ");
/** The context length of a real model. The other benchmarks set one that no model has. */
const CONTEXT_LENGTH = "engine.context_length=262144";

const report = new BenchReport();
const rig = await Rig.start(64, { args: [CONTEXT_LENGTH] });
const attacker = await startScript(new URL("attacker-process.ts", import.meta.url));
const chosen = ATTACKS.filter(({ name }) => name.includes(words));
try {
  if (values.first) await measureFirsts();
  else if (!values.round) await measureAll();
  if (!values.first) await addRound();
} finally {
  await attacker.stop();
  await rig.close();
}

async function measureAll(): Promise<void> {
  const agents = await HonestAgents.start(rig);
  await agents.work(SECONDS);
  const baseline = MEASURES_BASELINE_ONCE ? await observe(agents) : undefined;
  const rows: string[][] = [];
  for (const attack of chosen) {
    process.stderr.write(`measuring ${attack.name} …\n`);
    rows.push(await measure(attack, agents, baseline));
  }
  const columns = ["abuse", "MB", "answers", "one (ms)", "p50 (ms)", "p99 (ms)", "worst stall (ms)", "refused"];
  report.addTable(columns, rows);
  console.log(
    "One: the stall of the event loop by one request without other calls, median and worst. The last four columns: without the " +
      "abuse, with it. Times are medians of the rounds; refused honest calls are sums.",
  );
}

async function addRound(): Promise<void> {
  const rows = await measureRound(words, values.build);
  if (rows.length > 0) report.addRows(rows);
}

/** Measures the first request of new processes. */
async function measureFirsts(): Promise<void> {
  const rows: string[][] = [];
  for (const attack of chosen) {
    const { name } = attack;
    if (!attack.once) continue;
    const stalls: number[] = [];
    for (let i = 0; i < SINGLES; i++) {
      const send = (victim: Victim) => tell("/once", { name, victim });
      stalls.push(await stallOfFirst(rig.engineUrl, [CONTEXT_LENGTH], send));
    }
    rows.push([name, formatStalls(stalls)]);
    process.stderr.write(`${rows.at(-1)?.join(": ")}\n`);
  }
  report.addTable(["abuse", "first of its process: median, worst (ms)"], rows);
}

/**
 * Measures one attack and returns its row of the table.
 *
 * @param baseline the agents without an abuse; undefined if each round measures them
 */
async function measure(attack: Attack, agents: HonestAgents, baseline: Window | undefined): Promise<string[]> {
  const { name } = attack;
  const victim = { url: rig.proxy.url, key: await rig.session() };
  const alone = attack.once ? await measureAlone(name) : "–";
  const without: Window[] = [];
  const during: Window[] = [];
  const answers = new Set<string>();
  let megabytes = 0;
  for (let round = 0; round < ROUNDS; round++) {
    without.push(baseline ?? (await observe(agents)));
    await tell("/start", { name, victim });
    during.push(await observe(agents));
    const counts = (await tell("/stop", {})) as AttackCounts;
    for (const [answer, count] of Object.entries(counts.answers)) if (count > 0) answers.add(answer);
    megabytes = counts.megabytes;
  }
  // The median over rounds, so that another program on the machine does not change a row much.
  const both = (read: (window: Window) => number) =>
    [without, during].map((windows) => median(windows.map(read)).toFixed(1)).join(", ");
  return [
    name,
    megabytes.toFixed(1),
    answers.size === 0 ? "none" : [...answers].sort().join(", "),
    alone,
    both(({ times }) => percentile(times, 0.5)),
    both(({ times }) => percentile(times, 0.99)),
    both(({ stall }) => stall),
    [without, during].map((windows) => windows.reduce((sum, { refused }) => sum + refused, 0)).join(", "),
  ];
}

/** Returns the stalls that one request of a new session causes without other calls: median and worst. */
async function measureAlone(name: string): Promise<string> {
  const stalls: number[] = [];
  for (let i = 0; i < SINGLES; i++) {
    const victim = { url: rig.proxy.url, key: await rig.session() };
    await scrape();
    await tell("/once", { name, victim });
    stalls.push((await scrape()).max);
  }
  return formatStalls(stalls);
}

/** Returns median and worst. */
function formatStalls(stalls: readonly number[]): string {
  return [median(stalls), Math.max(...stalls)].map((stall) => stall.toFixed(1)).join(", ");
}

/** Lets the agents work for the time of one round. */
async function observe(agents: HonestAgents): Promise<Window> {
  await scrape();
  const work = await agents.work(SECONDS);
  return { ...work, stall: (await scrape()).max };
}

async function tell(path: string, body: object): Promise<unknown> {
  const reply = await request(attacker.url + path, { method: "POST", body: JSON.stringify(body) });
  if (reply.statusCode !== 200) throw new Error(`the attacker answered: ${await reply.body.text()}`);
  return reply.body.json();
}

/** Delays since the last scrape: each scrape begins anew. */
async function scrape() {
  const { body } = await rig.proxy.pool.request({ path: "/metrics", method: "GET" });
  return readLoopDelay(await body.text());
}
