import { z } from "zod";
import { engineRecord, namedEngineRecord, serverRecord } from "../../admin-api/engine-schemas.js";
import type { Fleet, FleetMember, MemberServer, ServerRecord } from "./fleet.js";

const use = serverRecord
  .pick({ url: true, state: true, healthy: true, requests: true })
  .extend({ tag: z.string().describe("Tag of the worker.") });

export const mergedServer = serverRecord.extend({
  workers: z.array(use).describe("The workers that use the server, and its state for each of them."),
});

const absentWorkers = z.array(z.string()).optional().describe("Tags of workers that did not answer.");

export const mergedEngine = engineRecord.omit({ version_labels: true, models: true }).extend({
  type: z.string().describe("Type of all engines; `mixed` if workers have different types."),
  paused: engineRecord.shape.paused.describe(
    "The mode in which all workers are paused; null if one is not paused or the modes differ.",
  ),
  servers: z.array(mergedServer),
  workers: z.array(
    engineRecord.pick({ type: true, paused: true, version_labels: true }).extend({
      tag: z.string(),
      models: z.array(namedEngineRecord.omit({ servers: true })).optional(),
    }),
  ),
  unavailable_workers: absentWorkers,
});

export const drainedServer = mergedServer.extend({ unavailable_workers: absentWorkers });

export interface ServerUse extends MemberServer {
  readonly member: FleetMember;
}

/** Merges the engines of all workers into one record that has each server once, with the sums of its counts. */
export function mergeEngines({ members, absent }: Fleet): z.input<typeof mergedEngine> {
  return {
    type: findCommonValue(members.map(({ type }) => type)) ?? "mixed",
    paused: findCommonValue(members.map(({ paused }) => paused)) ?? null,
    servers: [...groupByServer(members)].map(([identity, uses]) => mergeServer(identity, uses)),
    workers: members.map(({ worker: { tag }, type, paused, labels, models }) => ({
      tag,
      type,
      paused,
      version_labels: labels,
      ...(models && { models: models.map(withoutServers) }),
    })),
    ...(absent.length > 0 ? { unavailable_workers: [...absent] } : {}),
  };
}

function withoutServers({ model, frozen, type, weight_version, paused }: NonNullable<FleetMember["models"]>[number]) {
  return { model, frozen, type, weight_version, paused };
}

/** Returns the uses of each server by identity, in the order of the workers. */
export function groupByServer(members: readonly FleetMember[]): Map<string, ServerUse[]> {
  const uses = new Map<string, ServerUse[]>();
  for (const member of members) {
    for (const server of member.servers) {
      const earlier = uses.get(server.identity) ?? [];
      uses.set(server.identity, [...earlier, { ...server, member }]);
    }
  }
  return uses;
}

/** Merges the records of one server. It is `up` if it is up for any worker, because it then gets requests. */
export function mergeServer(identity: string, uses: readonly ServerUse[]): z.input<typeof mergedServer> {
  const records = uses.map(({ record }) => record);
  const sum = (count: (record: ServerRecord) => number) => records.reduce((total, record) => total + count(record), 0);
  const states = new Set(records.map(({ state }) => state));
  return {
    url: identity,
    state: (["up", "down", "draining", "unknown"] as const).find((state) => states.has(state)) ?? "down",
    healthy: records.some(({ healthy }) => healthy),
    requests: sum(({ requests }) => requests),
    waiting: sum(({ waiting }) => waiting),
    max_inflight: sum(({ max_inflight }) => max_inflight),
    logprobs:
      findCommonValue(records.map(({ logprobs }) => logprobs).filter((content) => content !== "unknown")) ?? "unknown",
    completed: sum(({ completed }) => completed),
    failed: sum(({ failed }) => failed),
    aborted: sum(({ aborted }) => aborted),
    failovers: sum(({ failovers }) => failovers),
    last_failure: findNewestFailure(records),
    workers: uses.map(({ member, record: { url, state, healthy, requests } }) => {
      return { tag: member.worker.tag, url, state, healthy, requests };
    }),
  };
}

function findNewestFailure(records: readonly ServerRecord[]): ServerRecord["last_failure"] {
  const failures = records.flatMap(({ last_failure }) => last_failure ?? []);
  return failures.sort((a, b) => b.at - a.at)[0] ?? null;
}

/** Returns the value that all have; undefined if they differ. */
function findCommonValue<T>(values: readonly T[]): T | undefined {
  const [first, ...others] = new Set(values);
  return others.length === 0 ? first : undefined;
}
