import { z } from "zod";
import { engineRecord, serverRecord } from "../../control/engine.js";
import type { Fleet, Member, MemberServer, ServerRecord } from "./fleet.js";

const use = serverRecord
  .pick({ url: true, state: true, healthy: true, requests: true })
  .extend({ tag: z.string().describe("Of the worker.") });

export const mergedServer = serverRecord.extend({
  workers: z.array(use).describe("The workers that use the server, and how each of them sees it."),
});

const absentWorkers = z.array(z.string()).optional().describe("Workers that did not answer.");

export const mergedEngine = engineRecord.extend({
  type: z.string().describe("`mixed` if the workers' engines are of several types."),
  paused: engineRecord.shape.paused.describe("The mode in which every worker is paused; null if one is not."),
  servers: z.array(mergedServer),
  workers: z.array(engineRecord.pick({ type: true, paused: true }).extend({ tag: z.string() })),
  unavailable_workers: absentWorkers,
});

export const drainedServer = mergedServer.extend({ unavailable_workers: absentWorkers });

export interface ServerUse extends MemberServer {
  readonly member: Member;
}

/** Returns the workers' engines as one: each server once, with the sums of its counts. */
export function mergeEngines({ members, absent }: Fleet): z.input<typeof mergedEngine> {
  return {
    type: theOnly(members.map(({ type }) => type)) ?? "mixed",
    paused: theOnly(members.map(({ paused }) => paused)) ?? null,
    servers: [...usesByServer(members)].map(([identity, uses]) => mergeServer(identity, uses)),
    workers: members.map(({ worker: { tag }, type, paused }) => ({ tag, type, paused })),
    ...(absent.length > 0 ? { unavailable_workers: [...absent] } : {}),
  };
}

/** Returns who uses which server, in the order of the workers. */
export function usesByServer(members: readonly Member[]): Map<string, ServerUse[]> {
  const uses = new Map<string, ServerUse[]>();
  for (const member of members) {
    for (const server of member.servers) {
      const known = uses.get(server.identity) ?? [];
      uses.set(server.identity, [...known, { ...server, member }]);
    }
  }
  return uses;
}

/** Returns one record of a server: up if any worker sees it so, because then it gets requests. */
export function mergeServer(identity: string, uses: readonly ServerUse[]): z.input<typeof mergedServer> {
  const records = uses.map(({ record }) => record);
  const sum = (count: (record: ServerRecord) => number) => records.reduce((total, each) => total + count(each), 0);
  const states = new Set(records.map(({ state }) => state));
  return {
    url: identity,
    state: (["up", "down", "draining", "unknown"] as const).find((state) => states.has(state)) ?? "down",
    healthy: records.some(({ healthy }) => healthy),
    requests: sum(({ requests }) => requests),
    waiting: sum(({ waiting }) => waiting),
    logprobs: theOnly(records.map(({ logprobs }) => logprobs).filter((content) => content !== "unknown")) ?? "unknown",
    completed: sum(({ completed }) => completed),
    failed: sum(({ failed }) => failed),
    aborted: sum(({ aborted }) => aborted),
    failovers: sum(({ failovers }) => failovers),
    last_failure: newest(records),
    workers: uses.map(({ member, record: { url, state, healthy, requests } }) => {
      return { tag: member.worker.tag, url, state, healthy, requests };
    }),
  };
}

function newest(records: readonly ServerRecord[]): ServerRecord["last_failure"] {
  const failures = records.flatMap(({ last_failure }) => last_failure ?? []);
  return failures.sort((a, b) => b.at - a.at)[0] ?? null;
}

/** The value, if all are the same. */
function theOnly<T>(values: readonly T[]): T | undefined {
  const [first, ...others] = new Set(values);
  return others.length === 0 ? first : undefined;
}
