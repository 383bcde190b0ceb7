import { readFileSync } from "node:fs";
import * as fc from "fast-check";
import { expect, it } from "vitest";
import { toSessionApiError } from "../../src/admin-api/session-errors.js";
import { packShards, type ShardOptions } from "../../src/session/batch/batch.js";
import { type BatchOptionsInput, batchOptionsSchema } from "../../src/session/batch/batch-options.js";
import { mergeOrigins } from "../../src/session/batch/merge-origins.js";
import type { Session } from "../../src/session/session.js";
import { batchOptions, manySessions } from "../helpers/export-model/arbitraries.js";
import type { ModelledSession, Turn } from "../helpers/export-model/modelled-session.js";
import { recordCalls } from "../helpers/export-model/record.js";
import type { Reply } from "../helpers/proxy.js";
import { sharedDirectory } from "../helpers/shared-directory.js";
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
  recordCalls(session, turns, { sessionReward: modelled.sessionReward, hasChannels: turns.length % 2 === 0 });
  if (hasMore) {
    const { attempts } = session.delivery;
    for (const retry of [0, 1]) attempts.record(attempts.begin("again", retry), first + 1 + retry);
  }
  session.count("abortedCalls", abortedCalls);
  session.count("incompleteCalls", abortedCalls % 2);
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

/** Returns what one server with these sessions exports: the batches, or the error. */
async function exportAlone(
  sessions: readonly Session[],
  options: BatchOptionsInput,
  shards: ShardOptions,
  servers: readonly WorkerServer[],
): Promise<Buffer[] | object> {
  const origin = mergeOrigins(servers.map(({ proxy }) => proxy.context.origin));
  try {
    const batches = await packShards(sessions, batchOptionsSchema.parse(options), shards, { origin });
    return batches.map((batch) => {
      const bytes = Buffer.from(batch.bytes);
      batch.release();
      return bytes;
    });
  } catch (error) {
    return JSON.parse(JSON.stringify(toSessionApiError(error).toBody())) as object;
  }
}

interface SharedFile {
  readonly id: string;
  readonly path: string;
}

/** Returns the batches of an answer, or its error. Acknowledges files. */
async function readBatches(gateway: Gateway, reply: Reply): Promise<Buffer[] | object> {
  if (reply.status !== 200) return reply.json<object>();
  if (reply.headers["content-type"] === "application/vnd.safetensors") return [reply.raw];
  const answer = reply.json<SharedFile | { readonly shards: readonly SharedFile[] }>();
  const files = "shards" in answer ? answer.shards : [answer];
  const batches = files.map(({ path }) => readFileSync(path));
  for (const { id } of files)
    expect((await gateway.send(`/export_batch/${id}`, { method: "DELETE" })).status).toBe(200);
  return batches;
}

/** A body has one shard, and shared memory one or all. */
const deliveries = fc.oneof(
  { weight: 3, arbitrary: fc.constant({ shards: 1, transport: "body" }) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(2, 3).chain((shards) =>
      fc.record({
        shards: fc.constant(shards),
        shard: fc.nat(shards - 1),
        transport: fc.constantFrom("body", "shm"),
      }),
    ),
  },
  { weight: 1, arbitrary: fc.record({ shards: fc.constantFrom(1, 2), transport: fc.constant("shm") }) },
);

const RUNS = 60;

it("is byte for byte the same", async () => {
  const servers = await Promise.all(TAGS.map((tag) => startWorker(tag)));
  const urls = servers.map(({ url }) => url);
  const gateway = await Gateway.start({ urls }, 60, undefined, undefined, { sharedMemory: sharedDirectory() });
  let batches = 0;
  const property = fc.asyncProperty(
    recordings,
    batchOptions,
    deliveries,
    fc.boolean(),
    async (recorded, options, delivery, acknowledge) => {
      const sessions = recorded.map((each) => record(each, servers));
      const expected = await exportAlone(sessions, options, delivery, servers);
      const body = { session_ids: sessions.map(({ id }) => id), ...toFields(options), ...delivery };
      const first = await gateway.post("/export_batch", body);
      const again = await gateway.post("/export_batch", { ...body, acknowledge });
      expect(await readBatches(gateway, first)).toEqual(expected);
      expect(await readBatches(gateway, again)).toEqual(expected);
      for (const session of sessions) if (!session.lifecycle.freed) session.free("exported");
      if (first.status === 200) batches++;
    },
  );
  await fc.assert(property, { numRuns: RUNS });
  expect(batches).toBeGreaterThan(RUNS / 4);
});
