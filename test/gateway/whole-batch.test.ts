import * as fc from "fast-check";
import { expect, it } from "vitest";
import { toApiError } from "../../src/control/session-errors.js";
import { packShards } from "../../src/session/batch/batch.js";
import { type BatchOptionsInput, batchOptionsSchema } from "../../src/session/batch/batch-options.js";
import { mergeOrigins } from "../../src/session/batch/merge-origins.js";
import type { Session } from "../../src/session/session.js";
import { batchOptions, manySessions } from "../helpers/export-model/arbitraries.js";
import type { ModelledSession, Turn } from "../helpers/export-model/modelled-session.js";
import { recordCalls } from "../helpers/export-model/record.js";
import type { Reply } from "../helpers/proxy.js";
import { Gateway, startWorker, type WorkerServer } from "./workers.js";

/** The batch of a gateway with sessions of three workers, and the batch of one server that has these sessions. */

const TAGS = ["one", "two", "three"];
const SUMMARY = "The parser fails, because a comma is missing in line 12 of the grammar. ".repeat(4).trim();

/** A modelled session, its worker, and what the model does not have. */
interface Recorded {
  readonly modelled: ModelledSession;
  readonly worker: number;
  readonly groupId: string | undefined;
  /** Adds a call whose retry was continued, and a conversation that was compacted. */
  readonly hasMore: boolean;
  readonly abortedCalls: number;
}

const MORE = ["A", "lost", SUMMARY, "B", "C"];
const MORE_TEXTS = [
  ["Plan"],
  ["Plan", "A", "Go on"],
  ["Plan", "A", "Go on"],
  [`Summary: ${SUMMARY}`],
  ["Plan", "A", "Go on", SUMMARY, "Next"],
];

function moreTurns(first: number): Turn[] {
  return MORE_TEXTS.map((texts, i) => ({
    id: `call-${first + i}`,
    texts,
    answer: MORE[i] ?? "",
    finishReason: "stop",
    prompt: [1, 2, i],
    output: [3, i],
    logprobs: [-1, -0.5],
    versions: [1, 1],
    parent: -1,
    continues: false,
    reward: i === 4 ? 2 : undefined,
    model: "main",
    tag: undefined,
    undelivered: false,
  }));
}

function record({ modelled, worker, groupId, hasMore, abortedCalls }: Recorded, servers: readonly WorkerServer[]) {
  const registry = servers[worker]?.proxy.context.registry;
  if (!registry) throw new Error("no worker");
  registry.grant(1);
  const { session } = registry.start({ taskId: modelled.taskId, groupId });
  const first = modelled.turns.length;
  const turns = hasMore ? [...modelled.turns, ...moreTurns(first)] : modelled.turns;
  recordCalls(session, turns, modelled.sessionReward);
  if (hasMore) {
    const { attempts } = session.delivery;
    for (const retry of [0, 1]) attempts.record(attempts.begin("again", retry), first + 1 + retry);
  }
  for (let n = abortedCalls; n > 0; n--) session.countAbortedCall();
  session.incompleteCalls = abortedCalls % 2;
  return session;
}

const recordings = manySessions({ undelivered: true }).chain(({ exported }) =>
  fc.tuple(
    ...exported.map((modelled) =>
      fc.record({
        modelled: fc.constant(modelled),
        worker: fc.nat(TAGS.length - 1),
        groupId: fc.constantFrom(undefined, "a", 'group "ü"'),
        hasMore: fc.boolean(),
        abortedCalls: fc.nat(2),
      }),
    ),
  ),
);

const snakeCase = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
const toFields = (options: object) =>
  Object.fromEntries(Object.entries(options).map(([name, value]) => [snakeCase(name), value as unknown]));

/** Returns what one server with these sessions exports: the batch, or its refusal. */
async function exportAlone(
  sessions: readonly Session[],
  options: BatchOptionsInput,
  servers: readonly WorkerServer[],
): Promise<Buffer | string> {
  const origin = mergeOrigins(servers.map(({ proxy }) => proxy.context.origin));
  try {
    const [batch] = await packShards(sessions, batchOptionsSchema.parse(options), { shards: 1 }, { origin });
    const bytes = Buffer.from(batch?.bytes ?? []);
    batch?.release();
    return bytes;
  } catch (error) {
    return toApiError(error).code;
  }
}

const readReply = (reply: Reply): Buffer | string => (reply.status === 200 ? reply.raw : reply.error.code);

it("is byte for byte the same", async () => {
  const servers = await Promise.all(TAGS.map((tag) => startWorker(tag)));
  const gateway = await Gateway.start({ urls: servers.map(({ url }) => url) });
  let batches = 0;
  const property = fc.asyncProperty(recordings, batchOptions, async (recorded, options) => {
    const sessions = recorded.map((each) => record(each, servers));
    const expected = await exportAlone(sessions, options, servers);
    const body = { session_ids: sessions.map(({ id }) => id), ...toFields(options) };
    const reply = await gateway.post("/export_batch", body);
    const again = await gateway.post("/export_batch", body);
    for (const session of sessions) session.free("exported");
    expect(readReply(reply)).toEqual(expected);
    expect(readReply(again)).toEqual(expected);
    if (reply.status === 200) batches++;
  });
  await fc.assert(property, { numRuns: 200 });
  expect(batches).toBeGreaterThan(50);
});
