import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { native } from "../../src/native/addon.js";
import type { NativeErrorCode, NativeReplyStream, NativeSession, ReplyFormat } from "../../src/native/contract.js";
import { generation, ids, planOptions, rowColumn } from "./support.js";

/**
 * Makes every native call repeatedly, each time with a later allocation of the addon failing, until the call succeeds:
 * once with only that allocation failing, and once with all later ones failing too. A failed call must change nothing.
 * Prints the result of each call. See failing_new.cc and allocation.test.ts.
 *
 *   LD_PRELOAD=failing_new.node node --import tsx failing-calls.ts failing_new.node rolltape.node directory
 */

interface FailingNew {
  watch(path: string): void;
  fail(after: number, all: boolean): void;
}

export interface Outcome {
  readonly failures: number;
  /** The distinct results of failed calls. */
  readonly codes: readonly string[];
}

interface Attempt {
  readonly call: () => unknown;
  readonly expectUnchanged?: () => void;
}

const [failingPath = "", addonPath = "", directory = ""] = process.argv.slice(2);
const allocator = createRequire(import.meta.url)(failingPath) as FailingNew;
allocator.watch(addonPath);

/** Returns the code of the error that a call fails with; undefined if it succeeds. */
async function catchFailure(call: () => unknown, after: number, all: boolean): Promise<string | undefined> {
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
      const code = await catchFailure(call, after, all);
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
/** Returns the digests that find a record of `digests` with the answer {@link LONG}. */
const follow = native.digestMessages([LONG, "answer", "more", LONG, "next"]);

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

/** Session sizes at which the next record needs no new memory, a new table, a new block, … */
function recordAt(turns: number): () => Attempt {
  return () => {
    const session = conversation(turns);
    const made = generation([7, 8]);
    const described = { facts: new Uint32Array(17), labels: [LONG, "stop"], callIds: BigUint64Array.of(1n, 2n) };
    const prompt = session.prompt([new Int32Array(100)], 0);
    const input = { prompt, generation: made, digests, output: [LONG], ...described };
    const state = () => [
      session.length,
      session.findParent(digests),
      session.findParent(follow),
      session.interaction(0),
      made.length,
    ];
    const before = state();
    return { call: () => session.record(input), expectUnchanged: () => assert.deepEqual(state(), before) };
  };
}

/** Restores an interaction with everything that a record can have, after `turns` others. */
function restoreAt(turns: number): () => Attempt {
  const source = conversation(turns);
  source.record({
    prompt: source.prompt([new Int32Array(100)], 0),
    generation: generation([7, 8]),
    digests,
    output: [LONG],
    facts: new Uint32Array(17),
    labels: [LONG, "stop"],
    callIds: BigUint64Array.of(1n, 2n),
  });
  const part = source.serialize(turns);
  return () => {
    const session = conversation(turns);
    const state = () => [session.length, session.findParent(follow), session.interaction(0)];
    const before = state();
    return { call: () => session.restore([part]), expectUnchanged: () => assert.deepEqual(state(), before) };
  };
}

function restoreOnThread(): Attempt {
  const source = conversation(8);
  const parts = Array.from({ length: source.length }, (_, index) => source.serialize(index));
  const session = new native.Session();
  const expectUnchanged = () => assert.equal(session.length, 0);
  return { call: () => session.restoreAsync(parts), expectUnchanged };
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

/** Returns a frame of a stream with alternatives, from token `from` of `length`. */
function createFrame(format: ReplyFormat, from: number, length: number, last: boolean): Buffer {
  const tokens = Array.from({ length: length - from }, (_, index) => from + index);
  const entry = (id: number) => [-1, id, LONG];
  const meta_info = {
    id: LONG,
    finish_reason: last ? { type: "stop", matched: LONG } : null,
    completion_tokens: length,
    output_token_logprobs: tokens.map(entry),
    output_token_logprobs_length: length,
    output_top_logprobs: tokens.map((id) => [entry(id), entry(id + 1)]),
    weight_versions: tokens.map((id) => ({ version: String(id), start: id, end: id + 1 })),
  };
  const top_logprobs = [1, 2].map((id) => ({ token_id: id, logprob: -1 }));
  const content = tokens.map((token_id) => ({ token_id, logprob: -1, top_logprobs }));
  const choice = { token_ids: tokens, logprobs: { content }, finish_reason: last ? "stop" : null, stop_reason: LONG };
  const frame = format === "sglang" ? { meta_info } : { request_id: LONG, choices: [choice] };
  return Buffer.from(`data: ${JSON.stringify(frame)}\n\n`);
}

const PREFIX = 40;

/** A stream that has read tokens, and its next tokens in pieces. */
function streamCall(format: ReplyFormat, call: (stream: NativeReplyStream, next: Buffer) => unknown): () => Attempt {
  return () => {
    const made = generation([7, 8], 3);
    const stream = new native.ReplyStream(format, made, 1, 2);
    stream.push(createFrame(format, 0, 3, false));
    const next = createFrame(format, 3, 40, true);
    stream.push(next.subarray(0, PREFIX));
    // A failed stream keeps the tokens of complete frames, and cannot be ended as a complete reply.
    const expectUnchanged = () => {
      assert([5, 42].includes(made.length));
      const expected = Array.from({ length: made.length }, (_, i) => (i < 2 ? 7 + i : i - 2));
      assert.deepEqual([...made.ids()], expected);
      assert.deepEqual([made.logprobs().length, made.versions().length], [made.length, made.length]);
      assert.equal(made.top()?.ids.length, 2 * made.length);
      assert.throws(() => stream.end(), { code: "ERR_REPLY_MALFORMED" });
    };
    return { call: () => call(stream, next.subarray(PREFIX)), expectUnchanged };
  };
}

/** After the end was read, the reply cannot be read again. Only the tokens stay unchanged. */
function endOfStream(): Attempt {
  const made = new native.Generation();
  const stream = new native.ReplyStream("sglang", made, 1, 0);
  stream.push(createFrame("sglang", 0, 3, true));
  return { call: () => stream.end(), expectUnchanged: () => assert.deepEqual(made.ids(), ids(0, 1, 2)) };
}

/** Columns of each kind. */
const columns = [
  rowColumn({ name: "parent", source: "parentRow" }),
  rowColumn({ name: "end", source: "turnEnd", perRow: false, perTurn: true }),
  rowColumn({ name: "fact", perTurn: true }),
  rowColumn({ name: "label", source: "label", perTurn: true, labels: [LONG] }),
];

/** A session with a call that has other labels. Its last call is left out of plans. */
function describedSession(): NativeSession {
  const session = conversation(5);
  for (const label of ["stop", `${LONG}, and more`]) {
    const call = { prompt: session.prompt([ids(1)], 4), generation: generation([1]), digests, output: [LONG] };
    session.record({ ...call, parent: 4, labels: [label], facts: new Uint32Array(3) });
  }
  session.setSessionReward(1);
  return session;
}

/** Refusals are tested too, because the message of an error needs memory. */
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
const described = describedSession();
const describedOptions = { ...planOptions, style: "concat", turns: true, columns } as const;
const describedPlan = native.planBatch([described], describedOptions);
const pool = new native.SharedPool({ directory, maxBytes: 2 ** 24 });
const parts = Array.from({ length: 13 }, () => LONG);
const given = [{ name: "image_bytes", dtype: "U8" as const, shape: [2], parts: [Uint8Array.of(1), Uint8Array.of(2)] }];
const pieces = [Buffer.from(LONG), Buffer.from(LONG)];
const simple = (call: () => unknown) => () => ({ call });

const CASES: Readonly<Record<string, () => Attempt | Promise<Attempt>>> = {
  "new Session": simple(() => new native.Session()),
  "new Generation": simple(() => new native.Generation()),
  "new SharedPool": simple(() => new native.SharedPool({ directory, maxBytes: 2 ** 20 }).close()),
  ...Object.fromEntries([1, 2, 3, 7, 8, 9, 12].map((turns) => [`record after ${turns}`, recordAt(turns)])),
  ...Object.fromEntries([1, 3, 8].map((turns) => [`restore after ${turns}`, restoreAt(turns)])),
  restoreAsync: restoreOnThread,
  serialize: simple(() => session.serialize(3)),
  "a refused part": simple(refused("ERR_STORED_INVALID", () => session.restore([Buffer.alloc(100)]))),
  findParent: simple(() => session.findParent(digests)),
  prompt: simple(() => session.prompt([ids(1)], 3)),
  promptSharing: simple(() => session.promptSharing([ids(1)], 3)),
  sharedLength: simple(() => session.sharedLength(prompt, 2)),
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
  "new ReplyStream": simple(() => new native.ReplyStream("sglang", new native.Generation(), 0, 0)),
  "push to a stream, sglang": streamCall("sglang", (stream, next) => stream.push(next)),
  "push to a stream, vllm": streamCall("vllm", (stream, next) => stream.push(next)),
  "end of a stream": endOfStream,
  "a malformed frame": streamCall("vllm", (stream) =>
    refused("ERR_REPLY_MALFORMED", () => stream.push(Buffer.from("no JSON\n")))(),
  ),
  planBatch: simple(() => native.planBatch([session, session], { ...planOptions, style: "concat" })),
  "planBatch, tree": simple(() => native.planBatch([session], { ...planOptions, layout: "tree" })),
  "planBatch, columns and turns": simple(() => native.planBatch([described], describedOptions, [Uint32Array.of(6)])),
  "planBatch, return": simple(() => native.planBatch([described], { ...describedOptions, concatReward: "return" })),
  "plan builder": simple(() => {
    const builder = new native.PlanBuilder(describedOptions, 12);
    builder.add(described, Uint32Array.of(6));
    builder.addEpisode({ hasReward: true, rows: 1, reward: 1, discountedReturn: 1 }, 3);
    builder.finish().episode(1);
  }),
  "pack, metadata in pieces": simple(async () => (await plan.pack({ rows: pieces })).release()),
  "pack, given tensors": simple(async () => (await plan.pack({}, { tensors: given })).release()),
  setSessionReward: simple(() => described.setSessionReward(2)),
  "discountedRewards, session reward": simple(() => described.discountedRewards(0.5)),
  "findParent, call ids": simple(() => session.findParent(digests, BigUint64Array.of(1n, 2n, 3n))),
  "pack, columns and turns": simple(async () => (await describedPlan.pack({ rows: LONG })).release()),
  "shards, columns and turns": simple(() => describedPlan.shards(2)),
  "a refused column": simple(
    refused("ERR_INVALID_ARG", () =>
      native.planBatch([described], { ...describedOptions, columns: [...columns, ...columns] }),
    ),
  ),
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
