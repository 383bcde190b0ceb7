import type { Row } from "../../export/row.js";
import { sized } from "../../sized.js";
import { median, randomText } from "../../text.js";
import { assistant, body, user } from "../bodies.js";
import { chat, Rig } from "../rig.js";

/**
 * Measures the time of a turn in a conversation that grows to 128K tokens, without the time of reading its body. The latter is measured
 * with the same body in a call that is refused.
 */

const ROUNDS = sized(3, 1);
const TURNS = sized(40, 8);
const CHARACTERS_PER_TURN = sized(6_400, 400);

export async function growing(): Promise<Row[]> {
  const rig = await Rig.start(1, { args: ["rollout.agent.chat_template_type=concat"] });
  try {
    const early: number[] = [];
    const late: number[] = [];
    let tokens = 0;
    for (let round = -1; round < ROUNDS; round++) {
      const turns = await converse(rig, round + 2);
      if (round < 0) continue;
      early.push(median(turns.slice(1, 6).map((turn) => turn.milliseconds)));
      late.push(median(turns.slice(-5).map((turn) => turn.milliseconds)));
      tokens = turns.at(-1)?.tokens ?? 0;
    }
    const ratio = median(late.map((each, round) => each / (early[round] ?? Number.NaN)));
    return [
      {
        what: `a turn of a growing conversation, ${Math.round(tokens / 1000)}K tokens at its end`,
        measured: `last turns ${median(late).toFixed(2)} ms`,
        reference: `first turns ${median(early).toFixed(2)} ms`,
        verdict: { value: ratio, target: 1.5, bound: "at most", unit: "x" },
      },
    ];
  } finally {
    await rig.close();
  }
}

async function converse(rig: Rig, seed: number): Promise<{ milliseconds: number; tokens: number }[]> {
  const key = await rig.session();
  const messages: object[] = [];
  const turns = [];
  for (let turn = 0; turn < TURNS; turn++) {
    messages.push(user(randomText(CHARACTERS_PER_TURN, seed * 1000 + turn)));
    const whole = await timed(() => chat(rig.proxy, key, body(messages)));
    const reading = await timed(() => chat(rig.proxy, key, body(messages, { n: 2 })).catch(() => ""));
    const { choices, usage } = JSON.parse(whole.value) as {
      choices: [{ message: { content: string } }];
      usage: { prompt_tokens: number };
    };
    messages.push(assistant(choices[0].message.content));
    turns.push({ milliseconds: whole.milliseconds - reading.milliseconds, tokens: usage.prompt_tokens });
  }
  return turns;
}

async function timed<T>(work: () => Promise<T>): Promise<{ value: T; milliseconds: number }> {
  const started = performance.now();
  const value = await work();
  return { value, milliseconds: performance.now() - started };
}
