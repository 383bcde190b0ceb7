import type { z } from "zod";
import { engineRecord, type serverRecord } from "../../admin-api/engine-schemas.js";
import { callWorker } from "../contact/call-worker.js";
import type { GatewayContext } from "../context.js";
import { noWorkerError } from "../forward.js";
import { parseReply } from "../relay.js";
import type { WorkerReply } from "../worker-connections.js";
import type { Worker } from "../worker-pool.js";
import { workerRefusedError, workerSilentError } from "./failures.js";
import { identifyServer } from "./server-identity.js";

type ModelRecord = NonNullable<z.output<typeof engineRecord>["models"]>[number];

export type ServerRecord = z.output<typeof serverRecord>;

/** An engine server as one worker lists it. */
export interface MemberServer {
  readonly identity: string;
  readonly record: ServerRecord;
}

/** The models that a call concerns, of workers that answer several: the named one, or all that are not frozen. */
export interface ModelSelection {
  readonly model: string | undefined;
}

/** A worker that answered, and its engine. */
export interface FleetMember {
  readonly worker: Worker;
  readonly type: string;
  readonly paused: "abort" | "keep" | null;
  /** Versions by label; each worker has its own. */
  readonly labels: Readonly<Record<string, number>>;
  /** Absent if the worker answers one model. */
  readonly models?: readonly ModelRecord[] | undefined;
  /** Those of all its models, or of the selected ones. */
  readonly servers: readonly MemberServer[];
}

/** The workers of a gateway with their engines. */
export interface Fleet {
  readonly members: readonly FleetMember[];
  /** Tags of the workers that do not answer. */
  readonly absent: readonly string[];
}

/**
 * Reads the engines of all workers, including workers that registered a moment ago.
 *
 * @param selection the models whose servers are read. Default: all
 * @returns `silent`: workers that were not down before and do not answer
 * @throws ApiError if a worker returns an error, for example because of the key
 */
export async function readFleet(
  context: GatewayContext,
  headers: Readonly<Record<string, string>>,
  selection?: ModelSelection,
): Promise<Fleet & { readonly silent: readonly Worker[] }> {
  const { pool, upstream, controlMilliseconds } = context;
  await pool.discover();
  const workers = pool.all();
  const down = new Set(workers.filter(({ state }) => state === "down"));
  const call = { method: "GET", path: "/rl/engine", headers } as const;
  const replies = await Promise.all(workers.map((worker) => callWorker(upstream, worker, call, controlMilliseconds)));
  const members: FleetMember[] = [];
  const absent: Worker[] = [];
  workers.forEach((worker, index) => {
    const reply = replies[index];
    if (!reply) absent.push(worker);
    else if (reply.status >= 300) throw workerRefusedError(worker, reply);
    else members.push(toMember(worker, reply, selection));
  });
  for (const worker of absent) worker.state = "down";
  return { members, absent: absent.map(({ tag }) => tag), silent: absent.filter((worker) => !down.has(worker)) };
}

/**
 * Reads the engines of all workers before a change. A worker that was already down is left out.
 *
 * @throws ApiError if another worker does not answer, or if there is none
 */
export async function requireFleet(
  context: GatewayContext,
  headers: Readonly<Record<string, string>>,
  selection?: ModelSelection,
): Promise<Fleet> {
  const { silent, ...fleet } = await readFleet(context, headers, selection);
  const [first] = silent;
  if (first) throw workerSilentError(first, "No engine server was changed.");
  if (fleet.members.length === 0) throw noWorkerError();
  return fleet;
}

function toMember(worker: Worker, reply: WorkerReply, selection?: ModelSelection): FleetMember {
  const { type, paused, version_labels: labels, servers: own, models } = parseReply(reply, engineRecord);
  const servers = models ? models.filter((each) => isSelected(each, selection)).flatMap((each) => each.servers) : own;
  return {
    worker,
    type,
    paused,
    labels,
    models,
    servers: servers.map((record) => ({ identity: identifyServer(record.url, worker.url), record })),
  };
}

function isSelected({ model, frozen }: ModelRecord, selection: ModelSelection | undefined): boolean {
  if (!selection) return true;
  return selection.model === undefined ? !frozen : model === selection.model;
}
