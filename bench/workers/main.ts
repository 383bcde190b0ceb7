import { availableParallelism } from "node:os";
import type { Row } from "../export/row.js";
import { BenchReport } from "../kit/report.js";
import type { Child } from "../processes.js";
import { startScript } from "../servers.js";
import { sized } from "../sized.js";
import { median } from "../text.js";
import { type Pace, ServeCommand } from "./serve-command.js";

/**
 * Measures the rate of small calls with several workers (`server.workers`), compared with one. Engines and agents are processes of
 * their own, the same ones for every number of workers. The numbers take turns, because the speed of a machine changes while others
 * use it.
 *
 *   npm run bench:workers [-- NUMBER…]
 */

const CORES = availableParallelism();
const SECONDS = sized(3, 0.3, 2);
/** The first round is not counted, because V8 compiles hot functions in it. */
const WARM_UP_SECONDS = sized(4, 0.3, 2);
const ROUNDS = sized(5, 1, 3);
const SESSIONS_OF_AGENT = sized(16, 2);
/** Workers of one engine process, whose replies cost much less than recording them. */
const WORKERS_OF_ENGINE = 4;
/** Part of N times the rate that N workers reach: 8 workers 6.5 times. */
const TARGET_SHARE = 6.5 / 8;
/** Cores that a worker needs with its agents and its part of the engines, so that it is the worker that limits the rate. */
const CORES_OF_WORKER = 3;

const chosen = process.argv.slice(2).map(Number);
const counts = chosen.length > 0 ? chosen : doublings(Math.max(2, CORES));
const most = Math.max(...counts);
const report = new BenchReport();
const children: Child[] = [];
const commands: ServeCommand[] = [];
try {
  const engines = await startSeveral("../proxy/wire-engine-process.ts", Math.ceil(most / WORKERS_OF_ENGINE));
  const agents = await startSeveral("agents-process.ts", most);
  for (const count of new Set([1, ...counts]))
    commands.push(await ServeCommand.start(count, engines, agents.length * SESSIONS_OF_AGENT));
  const rounds = await measureInTurns(agents);
  report.addRows(commands.map((each, index) => toRow(each, index, rounds)));
} finally {
  await Promise.all(commands.map((each) => each.stop()));
  await Promise.all(children.map((child) => child.stop()));
}

async function startSeveral(script: string, count: number): Promise<Child[]> {
  const started = Array.from({ length: count }, () => startScript(new URL(script, import.meta.url)));
  const all = await Promise.all(started);
  children.push(...all);
  return all;
}

/** Returns the measurements of each round, in the order of `commands`. */
async function measureInTurns(agents: readonly Child[]): Promise<Pace[][]> {
  const rounds: Pace[][] = [];
  for (let round = -1; round < ROUNDS; round++) {
    const paces: Pace[] = [];
    for (const each of commands) paces.push(await each.measure(agents, round < 0 ? WARM_UP_SECONDS : SECONDS));
    process.stderr.write(`round ${round + 1}: ${paces.map(({ perSecond }) => perSecond.toFixed(0)).join(", ")}/s\n`);
    if (round >= 0) rounds.push(paces);
  }
  return rounds;
}

/** The first measurement of each round is that of one worker. */
function toRow({ workers, mostSessions }: ServeCommand, index: number, rounds: readonly Pace[][]): Row {
  const middle = (at: number, key: keyof Pace) => median(rounds.map((paces) => paces[at]?.[key] ?? Number.NaN));
  const describe = (at: number) =>
    `${middle(at, "perSecond").toFixed(0)}/s, CPU ${middle(at, "cpu").toFixed(2)} ms a call`;
  const what = `${workers} ${workers === 1 ? "worker" : "workers"}, at most ${mostSessions} sessions on each`;
  if (workers === 1) return { what, measured: describe(0), reference: "" };
  const ratio = median(rounds.map((paces) => (paces[index]?.perSecond ?? Number.NaN) / (paces[0]?.perSecond ?? 1)));
  const needed = workers * CORES_OF_WORKER;
  // The system divides time among processes, so that more of them get more if others want it too.
  const shared = ratio > workers ? "; other programs used the machine, so the rates say little" : "";
  // With fewer cores, agents and engines take the time that the workers need.
  if (CORES < needed) {
    const measured = `${describe(index)}; ${ratio.toFixed(2)}x, no target with fewer than ${needed} cores${shared}`;
    return { what, measured, reference: describe(0) };
  }
  const verdict = { value: ratio, target: workers * TARGET_SHARE, bound: "at least", unit: "x" } as const;
  return { what, measured: describe(index) + shared, reference: describe(0), verdict };
}

function doublings(limit: number): number[] {
  const numbers = [];
  for (let number = 1; number <= limit; number *= 2) numbers.push(number);
  return numbers;
}
