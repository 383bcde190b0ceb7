import type { Message } from "../src/conversation/message.js";
import { native } from "../src/native/addon.js";
import { Session } from "../src/session/session.js";
import { beginTurn, recordAnswer } from "../test/helpers/record-turn.js";
import { collectGarbage } from "./export/measure.js";
import type { Row } from "./export/row.js";
import { BenchReport } from "./kit/report.js";
import { sized } from "./sized.js";
import { median } from "./text.js";

/**
 * Measures the time of a turn in larger sessions, and with more sessions. A turn finds its parent, makes a prompt that refers to it, and
 * is recorded. Every time is compared with that of the smallest size in the same run.
 *
 *   npm run bench:scale
 */

const SIZES = sized([1, 10, 100, 1_000, 10_000, 100_000], [1, 10, 100], [1, 10, 100, 1_000, 10_000]);
const SESSION_COUNTS = SIZES.slice(0, -1);
/** Turns measured for each size in each round, at least. */
const MEASURED = sized(2_000, 200);
const ROUNDS = sized(4, 2, 3);
const TAIL = new Int32Array(20).fill(7);
const OUTPUT = new Int32Array(20).fill(8);
const LOGPROBS = new Float32Array(20).fill(-1);

/** Adds a turn to a session that grows; turns are numbered from 0. */
type AddTurn = (turn: number) => void;

function sampled(): InstanceType<typeof native.Generation> {
  const generation = new native.Generation();
  generation.append(OUTPUT, LOGPROBS, 0);
  return generation;
}

/**
 * One conversation. Its messages' digests are made before: they cost time in a request's own messages, however many the
 * session has recorded.
 */
function chain(): AddTurn {
  const session = new native.Session();
  return (turn) => {
    const digests = CHAIN_DIGESTS.subarray(0, 16 * (2 * turn + 1));
    const prompt = session.prompt([TAIL], session.findParent(digests)?.index);
    const recorded = session.record({ prompt, generation: sampled(), digests, output: [`message ${2 * turn + 1}`] });
    if (recorded.parent !== turn - 1 || recorded.tokenExact !== turn > 0) throw new Error(`turn ${turn}: wrong parent`);
  };
}
const CHAIN_DIGESTS = native.digestMessages(Array.from({ length: 250_000 }, (_, index) => `message ${index}`));

const user = (content: string): Message => ({ role: "user", content });
const answer: Message = { role: "assistant", content: "an answer" };

function recordIn(session: Session, messages: readonly Message[]): number {
  const turn = beginTurn(session, { messages });
  turn.buildPrompt({ pieces: [TAIL], continues: turn.parent });
  return recordAnswer(turn, { output: [answer], generation: sampled() }).parent;
}

/** Branches of one turn, through all that the server does to record a call. */
function branches(): AddTurn {
  const session = new Session({ id: "task-0", taskId: "task" });
  return (turn) => {
    const opening = [user("a question")];
    const parent = recordIn(session, turn === 0 ? opening : [...opening, answer, user(`branch ${turn}`)]);
    if (parent !== (turn === 0 ? -1 : 0)) throw new Error(`branch ${turn}: wrong parent`);
  };
}

/** Attempts at one call, each in the place of the one before. */
function retries(): AddTurn {
  const session = new Session({ id: "task-0", taskId: "task" });
  return () => void recordIn(session, [user("a question")]);
}

/** Microseconds of the processors' time, garbage collection included: what else the machine does counts little. */
function processorTime(work: () => void): number {
  collectGarbage();
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return user + system;
}

/** Time of a turn where `size` are recorded, in as many sessions as give enough turns to measure. */
function timeOfTurn(start: () => AddTurn, size: number): number {
  const window = Math.max(1, size / 10);
  const sessions = Array.from({ length: Math.ceil(MEASURED / window) }, start);
  for (const add of sessions) {
    for (let turn = 0; turn < size; turn++) add(turn);
  }
  const taken = processorTime(() => {
    for (const add of sessions) {
      for (let turn = size; turn < size + window; turn++) add(turn);
    }
  });
  return taken / (sessions.length * window);
}

/** Time of a turn where so many sessions grow side by side, from their second turn on. */
function timeAmong(count: number): number {
  const sessions = Array.from({ length: count }, chain);
  for (const add of sessions) add(0);
  const rounds = Math.ceil(Math.max(5, MEASURED / count));
  const taken = processorTime(() => {
    for (let turn = 1; turn <= rounds; turn++) {
      for (const add of sessions) add(turn);
    }
  });
  return taken / (rounds * count);
}

/** Medians over rounds in which the sizes take turns. */
function medians(sizes: readonly number[], time: (size: number) => number): number[] {
  const rounds = Array.from({ length: ROUNDS }, () => sizes.map(time));
  // The first one warmed the code.
  return sizes.map((_, index) => median(rounds.slice(1).map((round) => round[index] ?? Number.NaN)));
}

/** A row for each size; the last one's ratio to the first is what counts. */
function rowsOf(
  what: string,
  unit: string,
  sizes: readonly number[],
  time: (size: number) => number,
  most: number,
): Row[] {
  const times = medians(sizes, time);
  const first = times[0] ?? Number.NaN;
  return times.map((taken, index) => ({
    what: `${what}, ${(sizes[index] ?? 0).toLocaleString("en")} ${unit}`,
    measured: `${taken.toFixed(2)} µs a turn`,
    reference: index === 0 ? "" : `${first.toFixed(2)} µs at ${sizes[0]}`,
    verdict: { value: taken / first, target: most, bound: "at most", unit: "x" },
  }));
}

const report = new BenchReport();
report.addRows([
  ...rowsOf("one conversation", "recorded", SIZES, (size) => timeOfTurn(chain, size), 2),
  ...rowsOf("branches of one turn", "recorded", SIZES, (size) => timeOfTurn(branches, size), 2),
  ...rowsOf("retries of one call", "recorded", SIZES, (size) => timeOfTurn(retries, size), 2),
  ...rowsOf("sessions side by side", "sessions", SESSION_COUNTS, timeAmong, 2),
]);
