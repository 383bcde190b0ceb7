import { markdown } from "../export/row.js";
import { readLoopDelay } from "../proxy/loop-delay.js";
import { Rig } from "../proxy/rig.js";
import { sized } from "../sized.js";
import { type Abuse, AT_LIMITS, OVER_LIMITS } from "./bodies.js";

/**
 * The worst event-loop stall that one request with one session key causes, on a server with the default configuration.
 *
 *   npm run bench:abuse [-- words of the name…]
 */

const ROUNDS = sized(3, 1);

const words = process.argv.slice(2).join(" ");
/** Of a model with a long context. The other benchmarks set one that no model has. */
const CONTEXT_LENGTH = "engine.context_length=262144";

const rig = await Rig.start(2, { args: [CONTEXT_LENGTH] });
const rows: string[][] = [];
try {
  for (const abuse of [...OVER_LIMITS, ...AT_LIMITS]) {
    if (!abuse.name.includes(words)) continue;
    process.stderr.write(`measuring ${abuse.name} …\n`);
    const body = Buffer.from(abuse.body());
    const runs = [];
    for (let round = 0; round < ROUNDS; round++) runs.push(await measure(abuse, body));
    const stalls = runs.map(({ stall }) => stall).sort((a, b) => a - b);
    const megabytes = (body.length / 1e6).toFixed(1);
    const answers = [...new Set(runs.map(({ answer }) => answer))].join(", ");
    rows.push([abuse.name, megabytes, answers, stalls.map((each) => each.toFixed(0)).join(", ")]);
  }
} finally {
  await rig.close();
}
console.log(markdown(["request", "MB", "answer", "worst stall of each round (ms)"], rows));

async function measure({ path }: Abuse, body: Buffer): Promise<{ readonly stall: number; readonly answer: string }> {
  const key = await rig.session();
  await scrape();
  const headers = { "content-type": "application/json", authorization: `Bearer ${key}` };
  const reply = await rig.proxy.pool.request({ path, method: "POST", headers, body });
  const text = await reply.body.text();
  const code = reply.statusCode === 200 ? "" : ` ${(JSON.parse(text) as { error: { code: string } }).error.code}`;
  return { stall: (await scrape()).max, answer: `${reply.statusCode}${code}` };
}

/** Delays since the last scrape: each scrape begins anew. */
async function scrape() {
  const { body } = await rig.proxy.pool.request({ path: "/metrics", method: "GET" });
  return readLoopDelay(await body.text());
}
