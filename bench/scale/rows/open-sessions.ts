import { randomText } from "../../../test/helpers/random.js";
import { user } from "../../kit/bodies.js";
import { chat, startSession, toTarget } from "../../kit/load.js";
import { readMebibytes } from "../../kit/processes.js";
import type { Row } from "../../kit/report.js";
import { startProxy, startScript } from "../../kit/servers.js";
import { sized } from "../../kit/sized.js";

const SESSIONS = sized(20_000, 20, 4000);
const TURNS = 2;
/** About a thousand tokens of a common tokenizer. */
const CHARACTERS = 4000;
const CONCURRENCY = 32;
/** Parts of the sessions in which the time of a call is measured: the first and the last. */
const PART = 0.1;

/** Memory of a proxy with many open sessions, and the processor time of a call with few and with many of them. */
export async function measureOpenSessions(): Promise<Row[]> {
  const engine = await startScript(new URL("../../proxy/wire-engine-process.ts", import.meta.url));
  const proxy = await startProxy({ engineUrl: engine.url, connections: CONCURRENCY });
  const target = toTarget(proxy, CONCURRENCY);
  try {
    const part = Math.ceil(SESSIONS * PART);
    await open(target, part, 0);
    const before = readMebibytes(proxy.pid, "RssAnon");
    const few = await timed(target, part, part);
    await open(target, SESSIONS - 3 * part, 2 * part);
    const many = await timed(target, part, SESSIONS - part);
    const grown = readMebibytes(proxy.pid, "RssAnon") - before;
    const kibibytes = (grown * 1024) / (SESSIONS - part);
    return [
      {
        what: `proxy with ${SESSIONS} open sessions of ${TURNS} calls`,
        measured: `${kibibytes.toFixed(0)} KiB a session; CPU ${many.toFixed(2)} ms a call`,
        reference: `${2 * part} open sessions: CPU ${few.toFixed(2)} ms a call`,
      },
    ];
  } finally {
    await target.pool.destroy();
    await proxy.stop();
    await engine.stop();
  }
}

/** Opens sessions, and returns the processor time of the proxy for each of their calls, in milliseconds. */
async function timed(target: ReturnType<typeof toTarget>, count: number, first: number): Promise<number> {
  const before = target.cpuSeconds();
  await open(target, count, first);
  return ((target.cpuSeconds() - before) * 1000) / (count * TURNS);
}

async function open(target: ReturnType<typeof toTarget>, count: number, first: number): Promise<void> {
  let next = first;
  const work = async () => {
    for (let number = next++; number < first + count; number = next++) await openOne(target, number);
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, work));
}

async function openOne(target: ReturnType<typeof toTarget>, number: number): Promise<void> {
  const key = await startSession(target);
  const messages: object[] = [user(randomText(CHARACTERS, number))];
  for (let turn = 0; turn < TURNS; turn++) {
    const answer = await chat(target, key, JSON.stringify({ messages, max_tokens: 128 }));
    const { choices } = JSON.parse(answer) as { choices: { message: object }[] };
    messages.push(choices[0]?.message ?? {}, user("Go on."));
  }
}
