import { Pool } from "undici";
import { type Row, skipped } from "../../export/row.js";
import { sized } from "../../sized.js";
import { percentile } from "../../text.js";
import { HonestAgents, type Work } from "../honest-agents.js";
import { SCENARIOS } from "./scenarios.js";
import { type Scenario, startSession } from "./scene.js";

const SECONDS = sized(10, 0.2, 3);
/** A call that waits longer is lost. */
const LOST_MS = 5000;

/** Measures what is left of the calls of honest agents while processes are attacked that are started for it. */
export async function measureRound(words: string, build: string): Promise<Row[]> {
  const rows: Row[] = [];
  for (const scenario of SCENARIOS.filter(({ name }) => name.includes(words))) {
    process.stderr.write(`measuring ${scenario.name} …\n`);
    rows.push(await measure(scenario, build));
  }
  return rows;
}

async function measure(scenario: Scenario, build: string): Promise<Row> {
  const { name, figure } = scenario;
  const scene = await scenario.start(build);
  if (typeof scene === "string") return skipped(name, scene);
  const pool = new Pool(scene.url, { connections: 64, headersTimeout: LOST_MS, bodyTimeout: LOST_MS });
  try {
    const agents = await HonestAgents.start({ proxy: { pool }, session: () => startSession(pool, scene.adminKey) });
    await agents.work(SECONDS);
    const without = await agents.work(SECONDS);
    const ending = new AbortController();
    const attack = scene.attack(ending.signal);
    const during = await agents.work(SECONDS);
    const verdict = scene.judge(during);
    ending.abort();
    await attack.catch(() => undefined);
    return {
      what: `${name}: ${figure}`,
      measured: `${describe(during)}; ${scene.describe()}`,
      reference: `without: ${describe(without)}`,
      verdict,
    };
  } finally {
    await pool.destroy();
    await scene.stop();
  }
}

function describe({ times, refused }: Work): string {
  const p99 = times.length === 0 ? "" : `, 99% within ${percentile(times, 0.99).toFixed(1)} ms`;
  return `${refused} of ${times.length + refused} calls lost${p99}`;
}
