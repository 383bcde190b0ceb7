import { body, history } from "../../kit/bodies.js";
import { chat, readLoopDelay } from "../../kit/load.js";
import { median } from "../../kit/measure.js";
import type { Row } from "../../kit/report.js";
import { sized } from "../../kit/sized.js";
import { Rig } from "../rig.js";

/** Measures the proxy's event-loop delay while many sessions begin with long prompts that are in no cache. */

const SESSIONS = sized(8, 2);
const ROUNDS = sized(3, 1);
/** Characters of a prompt: 128K tokens of the tiny model. */
const CHARACTERS = sized(280_000, 8_000);

export async function firstTurns(): Promise<Row[]> {
  const rig = await Rig.start(SESSIONS + 1);
  const p99: number[] = [];
  const max: number[] = [];
  let tokens = 0;
  try {
    for (let round = -1; round < ROUNDS; round++) {
      const keys = await Promise.all(Array.from({ length: SESSIONS }, () => rig.session()));
      const bodies = keys.map((_, i) => body(history(CHARACTERS, (round + 2) * 100 + i)));
      await readLoopDelay(rig.proxy);
      const answers = await Promise.all(keys.map((key, i) => chat(rig.proxy, key, bodies[i] ?? "")));
      const delays = await readLoopDelay(rig.proxy);
      tokens = (JSON.parse(answers[0] ?? "") as { usage: { prompt_tokens: number } }).usage.prompt_tokens;
      if (round < 0) continue;
      p99.push(delays.p99);
      max.push(delays.max);
    }
  } finally {
    await rig.close();
  }
  return [
    {
      what: `event-loop delay, ${SESSIONS} first turns of ${Math.round(tokens / 1000)}K tokens at once: p99`,
      measured: `p99 ${median(p99).toFixed(1)} ms, max ${median(max).toFixed(1)} ms`,
      reference: "",
      verdict: { value: median(p99), target: 5, bound: "at most", unit: " ms" },
    },
  ];
}
