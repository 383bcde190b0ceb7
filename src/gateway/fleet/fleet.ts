import type { z } from "zod";
import { engineRecord, type serverRecord } from "../../control/engine.js";
import type { GatewayContext } from "../context.js";
import { noWorker } from "../forward.js";
import { jsonOf } from "../relay.js";
import type { UpstreamReply } from "../upstream.js";
import type { Worker } from "../worker-pool.js";
import { namedRefusal, silentWorker } from "./failures.js";
import { serverIdentity } from "./server-identity.js";

export type ServerRecord = z.output<typeof serverRecord>;

/** An engine server as one worker lists it. */
export interface MemberServer {
  readonly identity: string;
  readonly record: ServerRecord;
}

/** A worker that answered, with its engine. */
export interface Member {
  readonly worker: Worker;
  readonly type: string;
  readonly paused: "abort" | "keep" | null;
  readonly servers: readonly MemberServer[];
}

export interface Fleet {
  readonly members: readonly Member[];
  /** Tags of workers that do not answer. */
  readonly absent: readonly string[];
}

/** A worker's call that no engine takes part in. A stopped process takes a call and never answers it. */
export const ANSWER_TIMEOUT_MS = 5_000;

/**
 * Reads the engines of all workers, those included that registered a moment ago.
 *
 * @throws ApiError if a worker refuses, for example because of the key
 */
export async function readFleet(
  context: GatewayContext,
  headers: Readonly<Record<string, string>>,
): Promise<Fleet & { readonly silent: readonly Worker[] }> {
  const { pool, upstream } = context;
  await pool.discover();
  const workers = pool.all();
  const down = new Set(workers.filter(({ state }) => state === "down"));
  const read = async ({ url }: Worker): Promise<UpstreamReply | undefined> => {
    const signal = AbortSignal.timeout(ANSWER_TIMEOUT_MS);
    return upstream.call(url, { method: "GET", path: "/rl/engine", headers, signal }).catch(() => undefined);
  };
  const replies = await Promise.all(workers.map(read));
  const members: Member[] = [];
  const unheard: Worker[] = [];
  workers.forEach((worker, index) => {
    const reply = replies[index];
    if (!reply) unheard.push(worker);
    else if (reply.status >= 300) throw namedRefusal(worker, reply);
    else members.push(memberOf(worker, reply));
  });
  for (const worker of unheard) worker.state = "down";
  return { members, absent: unheard.map(({ tag }) => tag), silent: unheard.filter((worker) => !down.has(worker)) };
}

/**
 * Reads the engines of all workers before they are told something. A worker that was down already is left out.
 *
 * @throws ApiError if another worker does not answer, or if there is none
 */
export async function requireFleet(context: GatewayContext, headers: Readonly<Record<string, string>>): Promise<Fleet> {
  const { silent, ...fleet } = await readFleet(context, headers);
  const [first] = silent;
  if (first) throw silentWorker(first, "No engine server was told anything.");
  if (fleet.members.length === 0) throw noWorker();
  return fleet;
}

function memberOf(worker: Worker, reply: UpstreamReply): Member {
  const { type, paused, servers } = jsonOf(reply, engineRecord);
  return {
    worker,
    type,
    paused,
    servers: servers.map((record) => ({ identity: serverIdentity(record.url, worker.url), record })),
  };
}
