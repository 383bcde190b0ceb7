import { parseArgs } from "node:util";
import { loadChatModel } from "../../src/model/load-chat-model.js";
import { ENGINE_NAMES, NotInstallableError } from "../../test/real/support/install-engine.js";
import { startEngineServer } from "../../test/real/support/real-engine.js";
import { median } from "../kit/measure.js";
import { BenchReport, type Row } from "../kit/report.js";
import { sized } from "../kit/sized.js";
import { Prompts } from "./prompts.js";
import { measureRate, type Rate, type Servers } from "./rates.js";
import { ownChat, sameRequests, startRolltape, type Target, TOKENS, throughRolltape, type Way } from "./ways.js";

/**
 * Measures calls per second through Rolltape against the same calls straight to a real engine: the requests with token ids that Rolltape
 * sends, and the engine's own chat endpoint. All calls have prompts of the same length and 32 output tokens. In each round, the ways
 * take turns; a ratio is of one round.
 *
 *   npm run bench:real -- vllm
 *   npm run bench:real -- sglang --open 8,32 --rounds 9
 *   npm run bench:real -- vllm --warm 0                    # with a proxy that has compiled nothing
 *   npm run bench:real -- vllm --url http://gpu0:8000 --model /models/Qwen3-8B --served Qwen3-8B
 *
 * Arguments that contain `=` are configuration of Rolltape.
 */

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    open: { type: "string", default: sized("1,8,32,128", "2") },
    rounds: { type: "string", default: String(sized(5, 1, 3)) },
    warm: { type: "string", default: String(sized(2000, 4)) },
    url: { type: "string" },
    model: { type: "string" },
    served: { type: "string", default: "default" },
  },
});
const OPEN = options.open.split(",").map(Number);
const ROUNDS = Number(options.rounds);
/** Calls through Rolltape before the first round. A new proxy takes two to three times as long for a call as a warm one. */
const WARM_UP_CALLS = Number(options.warm);
/** Calls of the other ways before the first round, which only fill the engine's caches. */
const FIRST_CALLS = sized(50, 4);
const WARM_UP_OPEN = sized(32, 2);
/** So many calls for each open one, so that the start and the end of a measurement, with fewer open, count little. */
const CALLS_PER_OPEN = sized(4, 2);
const LEAST_CALLS = sized(8, 2);
const TARGET_PERCENT = 97;

interface OpenTarget {
  readonly target: Target;
  /** Undefined if an address was given. */
  readonly pid?: number;
  stop(): Promise<void>;
}

const name = ENGINE_NAMES.find((each) => positionals.includes(each)) ?? "vllm";
const settings = positionals.filter((each) => each.includes("="));
const report = new BenchReport();
const engine = await openTarget();
if (engine) {
  try {
    report.addRows(await measure(engine));
  } finally {
    await engine.stop();
  }
}

/** Starts the engine unless an address is given. Returns undefined if this machine cannot run it. */
async function openTarget(): Promise<OpenTarget | undefined> {
  const { url, model, served } = options;
  if (url !== undefined) {
    if (model === undefined) throw new Error("--url needs --model FOLDER, the folder of the served model.");
    return { target: { name, url, model, served }, stop: async () => {} };
  }
  try {
    const server = await startEngineServer(name);
    return { target: { name, ...server }, pid: server.pid, stop: () => server.stop() };
  } catch (error) {
    if (!(error instanceof NotInstallableError)) throw error;
    console.log(`SKIPPED ${name}: ${error.message}`);
    return undefined;
  }
}

async function measure({ target, pid }: OpenTarget): Promise<Row[]> {
  const prompts = new Prompts(await loadChatModel(target.model));
  const [first] = await prompts.make(1);
  if (!first) throw new Error("no prompt");
  const same = await sameRequests(target, first);
  const rolltape = await startRolltape(target, settings);
  try {
    const servers = { rolltape: rolltape.pid, engine: pid };
    const through = await throughRolltape(rolltape, Math.max(...OPEN));
    const references = [same, ownChat(target)];
    for (const way of [through, ...references]) {
      const count = way === through ? WARM_UP_CALLS : FIRST_CALLS;
      await measureRate(way, await prompts.make(count), WARM_UP_OPEN, servers);
    }
    console.log(`${prompts.length} prompt tokens, ${TOKENS} output tokens\n`);
    const rows: Row[] = [];
    for (const open of OPEN) rows.push(...(await compare({ through, references }, open, prompts, servers)));
    return rows;
  } finally {
    await rolltape.stop();
  }
}

interface Compared {
  readonly through: Way;
  readonly references: readonly Way[];
}

async function compare(
  { through, references }: Compared,
  open: number,
  prompts: Prompts,
  servers: Servers,
): Promise<Row[]> {
  const ways = [through, ...references];
  const rates = new Map(ways.map((way) => [way, [] as Rate[]]));
  for (let round = 0; round < ROUNDS; round++) {
    // Each way is first in some rounds, so that a machine that becomes slower favours none.
    const order = [...ways.slice(round % ways.length), ...ways.slice(0, round % ways.length)];
    for (const way of order) {
      const batch = await prompts.make(Math.max(LEAST_CALLS, CALLS_PER_OPEN * open));
      const rate = await measureRate(way, batch, open, servers);
      rates.get(way)?.push(rate);
      console.log(`${open} open, round ${round + 1}, ${way.name}: ${rate.perSecond.toFixed(1)}/s`);
    }
  }
  const measured = rates.get(through) ?? [];
  return references.flatMap((reference) =>
    toRows(`${open} open, ${reference.name}`, measured, rates.get(reference) ?? []),
  );
}

/** Returns the ratio of the rates, and that of the processor times, which other programs of the machine affect less. */
function toRows(what: string, measured: readonly Rate[], reference: readonly Rate[]): Row[] {
  const perSecond = ({ perSecond: rate }: Rate) => rate;
  const inAll = ({ engine: time, rolltape }: Rate) => 1000 / (time + rolltape);
  const alone = ({ engine: time }: Rate) => 1000 / time;
  const middle = (part: (rate: Rate) => number) => median(measured.map(part));
  const times = `${middle(({ engine: time }) => time).toFixed(1)} ms engine, ${middle(({ rolltape }) => rolltape).toFixed(2)} ms Rolltape`;
  const rows: Row[] = [toRow(what, compareBy(measured, reference, perSecond, perSecond), "/s")];
  if (Number.isNaN(middle(alone))) return rows;
  const cpu = compareBy(measured, reference, inAll, alone);
  const text = `${what}: calls for a second of processor time`;
  return [...rows, { ...toRow(text, cpu, ""), measured: `${toRow(text, cpu, "").measured}; a call takes ${times}` }];
}

interface Comparison {
  readonly measured: number;
  readonly reference: number;
  /** One for each round, in percent. */
  readonly ratios: readonly number[];
}

function compareBy(
  measured: readonly Rate[],
  reference: readonly Rate[],
  ofMeasured: (rate: Rate) => number,
  ofReference: (rate: Rate) => number,
): Comparison {
  const [ours, theirs] = [measured.map(ofMeasured), reference.map(ofReference)];
  const ratios = ours.map((value, round) => (100 * value) / (theirs[round] ?? Number.NaN));
  return { measured: median(ours), reference: median(theirs), ratios };
}

function toRow(what: string, { measured, reference, ratios }: Comparison, unit: string): Row {
  const spread = `ratios ${Math.min(...ratios).toFixed(0)}% to ${Math.max(...ratios).toFixed(0)}%`;
  return {
    what,
    measured: `${measured.toFixed(1)}${unit}, ${spread}`,
    reference: `${reference.toFixed(1)}${unit}`,
    verdict: { value: median(ratios), target: TARGET_PERCENT, bound: "at least", unit: "%" },
  };
}
