import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { native } from "../../src/native/addon.js";
import type { NativeErrorCode, NativeSession } from "../../src/native/contract.js";
import { generation, ids, planOptions } from "./support.js";

/**
 * Makes every native call with one allocation of the addon more each time until it succeeds: with that allocation
 * alone failing, and with all from there on. After a failure, what the call would have changed must be as it was.
 * Prints what each call answered. See failing_new.cc and allocation.test.ts.
 *
 *   LD_PRELOAD=failing_new.node node --import tsx failing-calls.ts failing_new.node rolltape.node directory
 */

interface FailingNew {
  watch(path: string): void;
  fail(after: number, all: boolean): void;
}

export interface Outcome {
  readonly failures: number;
  /** What the failures answered, each once. */
  readonly codes: readonly string[];
}

interface Attempt {
  readonly call: () => unknown;
  readonly expectUnchanged?: () => void;
}

const [failingPath = "", addonPath = "", directory = ""] = process.argv.slice(2);
const allocator = createRequire(import.meta.url)(failingPath) as FailingNew;
allocator.watch(addonPath);

/** The code of the error that a call fails with, undefined where it succeeds. */
async function failureOf(call: () => unknown, after: number, all: boolean): Promise<string | undefined> {
  allocator.fail(after, all);
  try {
    await call();
    return undefined;
  } catch (error) {
    assert(error instanceof Error);
    return "code" in error ? String(error.code) : `no code: ${error.message}`;
  } finally {
    allocator.fail(-1, false);
  }
}

async function failEvery(prepare: () => Attempt | Promise<Attempt>): Promise<Outcome> {
  const codes: string[] = [];
  for (const all of [false, true]) {
    for (let after = 0; ; after++) {
      const { call, expectUnchanged } = await prepare();
      const code = await failureOf(call, after, all);
      if (code === undefined) break;
      expectUnchanged?.();
      codes.push(code);
    }
  }
  return { failures: codes.length, codes: [...new Set(codes)] };
}

const LONG = "a text that is longer than any small string, and than what is kept beside one";
const reply = Buffer.from(
  JSON.stringify({
    meta_info: {
      id: LONG,
      finish_reason: { type: "stop", matched: LONG },
      output_token_logprobs: [[-1, 2, null]],
      output_top_logprobs: [[[-1, 2, null]]],
    },
  }),
);
const digests = native.digestMessages([LONG, "answer", "more"]);

function conversation(turns: number): NativeSession {
  const session = new native.Session();
  for (let turn = 0; turn < turns; turn++) {
    session.record({
      prompt: session.prompt([new Int32Array(100).fill(turn)], turn === 0 ? undefined : turn - 1),
      generation: generation([turn, turn + 1]),
      digests: digests.subarray(0, 16 * (1 + (turn % 3))),
      output: [`answer ${turn}`],
    });
  }
  return session;
}

/** Session sizes at which the next record needs no new memory, a table, a block, … */
function recordAt(turns: number): () => Attempt {
  return () => {
    const session = conversation(turns);
    const made = generation([7, 8]);
    const input = { prompt: session.prompt([new Int32Array(100)], 0), generation: made, digests, output: [LONG] };
    const state = () => [
      session.length,
      session.findSame(digests),
      session.findParent(digests),
      session.interaction(0),
      made.length,
    ];
    const before = state();
    return { call: () => session.record(input), expectUnchanged: () => assert.deepEqual(state(), before) };
  };
}

function generationCall(call: (made: ReturnType<typeof generation>) => unknown): () => Attempt {
  return () => {
    const made = generation([7, 8], 3);
    made.appendTop(ids(1, 2), new Float32Array(2), 1);
    const state = () => [made.length, made.ids(), made.logprobs(), made.versions(), made.top()];
    const before = state();
    return { call: () => call(made), expectUnchanged: () => assert.deepEqual(state(), before) };
  };
}

/** A refusal is an error as well, whose message needs memory. */
function refused(code: NativeErrorCode, call: () => unknown): () => Promise<void> {
  return async () => {
    try {
      await call();
    } catch (error) {
      if (!(error instanceof Error && "code" in error && error.code === code)) throw error;
    }
  };
}

const session = conversation(12);
const prompt = session.prompt([ids(1)], 3);
const plan = native.planBatch([session], planOptions);
const pool = new native.SharedPool({ directory, maxBytes: 2 ** 24 });
const parts = Array.from({ length: 13 }, () => LONG);
const simple = (call: () => unknown) => () => ({ call });

const CASES: Readonly<Record<string, () => Attempt | Promise<Attempt>>> = {
  "new Session": simple(() => new native.Session()),
  "new Generation": simple(() => new native.Generation()),
  "new SharedPool": simple(() => new native.SharedPool({ directory, maxBytes: 2 ** 20 }).close()),
  ...Object.fromEntries([1, 2, 3, 7, 8, 9, 12].map((turns) => [`record after ${turns}`, recordAt(turns)])),
  findParent: simple(() => session.findParent(digests)),
  findSame: simple(() => session.findSame(digests)),
  prompt: simple(() => session.prompt([ids(1)], 3)),
  interaction: simple(() => session.interaction(3)),
  setReward: simple(() => session.setReward(3, 1)),
  discountedRewards: simple(() => session.discountedRewards(0.5)),
  tokens: simple(() => prompt.tokens()),
  requestBody: simple(() => prompt.requestBody(LONG, LONG)),
  requestBodyAsync: generationCall((made) => prompt.requestBodyAsync(LONG, LONG, made)),
  digestMessages: simple(() => native.digestMessages([LONG, "short", LONG])),
  append: generationCall((made) => made.append(ids(1, 2), new Float32Array(2), ids(5, 6))),
  appendTop: generationCall((made) => made.appendTop(ids(1, 2, 3, 4), new Float32Array(4), 2)),
  appendSglangReply: generationCall((made) => made.appendSglangReply(reply, 1)),
  appendSglangReplyAsync: generationCall((made) => made.appendSglangReplyAsync(reply, 1)),
  planBatch: simple(() => native.planBatch([session, session], { ...planOptions, style: "concat" })),
  "planBatch, tree": simple(() => native.planBatch([session], { ...planOptions, layout: "tree" })),
  pack: simple(async () => (await plan.pack({ rows: LONG })).release()),
  "pack, view": simple(async () => (await plan.pack({})).bytes),
  "pack, shared": simple(async () => (await plan.pack({ rows: LONG }, { memory: pool })).acknowledge()),
  "pack, taken path": simple(async () => {
    const batch = await plan.pack({}, { memory: pool });
    assert(!batch.taken && batch.path !== undefined);
    batch.release();
  }),
  shards: simple(() => plan.shards(3)),
  packJson: simple(() => plan.packJson(parts)),
  reserve: simple(() => pool.reserve(1000)),
  trim: simple(() => pool.trim(0)),
  pinnedMemory: simple(() => native.pinnedMemory()),
  "a refusal": simple(refused("ERR_INVALID_ARG", () => session.interaction(99))),
  "a refused promise": simple(refused("ERR_INVALID_ARG", () => plan.packJson([]))),
  "a malformed reply": generationCall((made) =>
    refused("ERR_REPLY_MALFORMED", () => made.appendSglangReplyAsync(reply.subarray(0, 200), 1))(),
  ),
};

const outcomes: Record<string, Outcome> = {};
for (const [name, prepare] of Object.entries(CASES)) {
  outcomes[name] = await failEvery(prepare);
}
pool.close();
process.stdout.write(JSON.stringify(outcomes));
