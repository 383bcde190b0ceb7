import { randomText } from "../../../test/helpers/random.js";
import { assistant, body, turnBodies, user } from "../../kit/bodies.js";
import { chat } from "../../kit/load.js";
import { median } from "../../kit/measure.js";
import type { Row } from "../../kit/report.js";
import { sized } from "../../kit/sized.js";
import { Rig } from "../rig.js";

/**
 * Compares the processor time that the proxy needs for the next turn of two conversations, which were recorded turn by turn.
 *
 * - With the same number of bytes after ten and after a hundred turns: what a turn costs must not depend on how many came before it.
 * - After ten and after a hundred turns of one conversation: what all the bytes cost that a request repeats. This has no target, because the
 *   bytes have to be read, compared, and sent to the engine.
 *
 * The conversations take turns in blocks of calls. Processor time is that of all threads of the proxy, because garbage collection and the
 * engine's request use others than the event loop.
 */

const FEW_TURNS = sized(10, 2);
const MANY_TURNS = sized(100, 6);
/** Size of a request after the last turn. */
const BYTES = sized(240_000, 12_000);
const SHORT_BYTES = BYTES * (FEW_TURNS / MANY_TURNS);
/** Calls of a block. Linux counts processor time in 10 ms, so a block must take much longer than that. */
const CALLS = sized(200, 3);
const ROUNDS = sized(7, 1, 3);
const TARGET = 1.3;

interface Conversation {
  readonly turns: number;
  /** Size of the body of the next turn. */
  readonly bytes: number;
  readonly key: string;
  /** Returns the body of the next turn: the same history, and another short message. */
  readonly next: () => Buffer;
}

export async function growing(): Promise<Row[]> {
  const rig = await Rig.start(1, { args: ["rollout.agent.chat_template_type=concat"] });
  try {
    const conversations = [
      await record(rig, MANY_TURNS, BYTES),
      await record(rig, FEW_TURNS, BYTES),
      await record(rig, FEW_TURNS, SHORT_BYTES),
    ] as const;
    const rounds: (readonly number[])[] = [];
    for (let round = -1; round < ROUNDS; round++) {
      const times: number[] = [];
      for (const conversation of conversations) times.push(await cpuOfCall(rig, conversation));
      if (round >= 0) rounds.push(times);
    }
    const [many, few, short] = conversations;
    const describe = (index: 0 | 1 | 2) =>
      `CPU ${median(rounds.map((times) => times[index] ?? Number.NaN)).toFixed(2)} ms a call`;
    const ratioTo = (index: 1 | 2) => median(rounds.map((times) => (times[0] ?? Number.NaN) / (times[index] ?? 0)));
    return [
      {
        what: `the next turn after ${many.turns} turns against after ${few.turns}, both of ${kilobytes(many.bytes)}`,
        measured: describe(0),
        reference: describe(1),
        verdict: { value: ratioTo(1), target: TARGET, bound: "at most", unit: "x" },
      },
      {
        what:
          `the next turn of a conversation after ${many.turns} turns, of ${kilobytes(many.bytes)}, ` +
          `against after ${short.turns}, of ${kilobytes(short.bytes)}`,
        measured: describe(0),
        reference: describe(2),
      },
    ];
  } finally {
    await rig.close();
  }
}

/** Records a conversation turn by turn, so that the body of its next turn has about this number of bytes. */
async function record(rig: Rig, turns: number, bytes: number): Promise<Conversation> {
  const key = await rig.session();
  const messages: object[] = [];
  for (let turn = 0; turn < turns; turn++) {
    const wanted = (bytes * (turn + 1)) / turns - body(messages).length;
    // The answer takes a part of the turn's bytes.
    messages.push(user(randomText(Math.max(1, wanted - ANSWER_BYTES), turns * 1000 + turn)));
    const { choices } = JSON.parse(await chat(rig.proxy, key, body(messages))) as {
      choices: [{ message: { content: string } }];
    };
    messages.push(assistant(choices[0].message.content));
  }
  const next = turnBodies(messages);
  return { turns, bytes: next().length, key, next };
}

/** About the size of an answer of the engine in JSON. */
const ANSWER_BYTES = 600;

/** Sends a block of calls. Returns the proxy's processor time for one, in milliseconds. */
async function cpuOfCall({ proxy }: Rig, { key, next }: Conversation): Promise<number> {
  const before = proxy.cpuSeconds();
  for (let call = 0; call < CALLS; call++) await chat(proxy, key, next());
  return ((proxy.cpuSeconds() - before) * 1000) / CALLS;
}

const kilobytes = (bytes: number) => `${Math.round(bytes / 1000)} KB`;
