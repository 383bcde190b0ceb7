import type { FastifyReply, FastifyRequest } from "fastify";
import { z } from "zod";
import { grantBody, startBody } from "../../admin-api/session-schemas.js";
import type { App } from "../../http/app-type.js";
import { disconnectSignal } from "../../http/disconnect.js";
import { ApiError } from "../../http/errors.js";
import { readKeyTag } from "../../session/worker-tag.js";
import { addAddress } from "../add-address.js";
import { callWorker } from "../contact/call-worker.js";
import type { GatewayContext } from "../context.js";
import { noWorkerError, workerUnavailableError } from "../forward.js";
import { parseReply, relay } from "../relay.js";
import { pickCredentials } from "../routing.js";
import type { WorkerReply } from "../worker-connections.js";
import type { Worker } from "../worker-pool.js";

const capacityReply = z.object({ capacity: z.int() });

/** Gives slots and sessions to the workers with the least load. */
export function capacityRoutes(app: App, context: GatewayContext): void {
  app.post("/grant_capacity", { schema: { body: grantBody } }, (request, reply) =>
    grant(context, request, reply, request.body.slots),
  );
  app.post("/rl/start_session", { config: { beginsTrace: false }, schema: { body: startBody } }, (request, reply) =>
    start(context, request, reply, request.body),
  );
}

/** Grants slots to the workers. If a worker does not answer, its slots go to the others, and it is not asked again. */
async function grant(
  context: GatewayContext,
  request: FastifyRequest,
  reply: FastifyReply,
  slots: number,
): Promise<FastifyReply | { capacity: number }> {
  const silent = new Set<string>();
  let left = slots;
  while (left > 0) {
    const workers = (await readyWorkers(context)).filter(({ tag }) => !silent.has(tag));
    if (workers.length === 0) throw noWorkerError();
    const shares = spreadSlots(
      left,
      workers.map(({ capacity, sessions, pendingSlots }) => capacity + sessions + pendingSlots),
    );
    const grants = workers.map((worker, index) => grantOne(context, request, worker, shares[index] ?? 0));
    const workerReplies = await Promise.all(grants);
    const refusal = workerReplies.find((workerReply) => workerReply !== undefined && workerReply.status >= 300);
    if (refusal) return relay(refusal, reply);
    workers.forEach(({ tag }, index) => {
      if (!workerReplies[index]) silent.add(tag);
    });
    left = workerReplies.reduce((sum, workerReply, index) => sum + (workerReply ? 0 : (shares[index] ?? 0)), 0);
  }
  return { capacity: context.pool.ready().reduce((sum, { capacity }) => sum + capacity, 0) };
}

/** Returns the worker's reply; undefined if it does not answer. A worker without a share is not called. */
async function grantOne(
  { upstream, controlMilliseconds }: GatewayContext,
  request: FastifyRequest,
  worker: Worker,
  slots: number,
): Promise<Pick<WorkerReply, "status" | "headers" | "body"> | undefined> {
  if (slots === 0) return { status: 200, headers: {}, body: Buffer.alloc(0) };
  const call = { path: "/grant_capacity", headers: pickCredentials(request), body: { slots } };
  // Counted before the call, so that concurrent requests choose another worker.
  worker.pendingSlots += slots;
  const workerReply = await callWorker(upstream, worker, call, controlMilliseconds);
  worker.pendingSlots -= slots;
  if (!workerReply) worker.state = "down";
  else if (workerReply.status < 300) worker.capacity = parseReply(workerReply, capacityReply).capacity;
  return workerReply;
}

/** Starts the session on the first worker with a free slot. If no worker has one, the client gets the last refusal. */
async function start(
  context: GatewayContext,
  request: FastifyRequest,
  reply: FastifyReply,
  body: z.output<typeof startBody>,
): Promise<FastifyReply> {
  const workers =
    body.api_key === undefined
      ? sortByFreeSlots(await readyWorkers(context))
      : [await findWorkerForNewKey(context, reply, body.api_key)];
  let refusal: WorkerReply | undefined;
  for (const worker of workers) {
    const workerReply = await startOn(context, request, worker, body);
    if (!workerReply) continue;
    if (workerReply.status < 300 && context.direct) return reply.send(addAddress(workerReply, worker));
    if (workerReply.status !== 429 && workerReply.status !== 503) return relay(workerReply, reply);
    refusal = workerReply;
  }
  if (refusal) return relay(refusal, reply);
  throw body.api_key === undefined ? noWorkerError() : workerUnavailableError(readKeyTag(body.api_key) ?? "");
}

/** Sends the current weight version, too, because the worker may have joined or restarted a moment ago. */
async function startOn(
  { pool, upstream, controlMilliseconds }: GatewayContext,
  request: FastifyRequest,
  worker: Worker,
  body: object,
): Promise<WorkerReply | undefined> {
  // Counted before the call, so that concurrent requests choose another worker.
  worker.capacity--;
  worker.sessions++;
  const call = {
    path: "/rl/start_session",
    headers: pickCredentials(request),
    body: { ...body, weight_version: pool.newestVersion },
  };
  const workerReply = await callWorker(upstream, worker, call, controlMilliseconds);
  if (!workerReply) worker.state = "down";
  else if (workerReply.status >= 300) {
    worker.sessions--;
    worker.capacity = workerReply.status === 429 ? 0 : worker.capacity + 1;
  }
  return workerReply;
}

/** Returns the worker that a key of the client's choice names. The gateway keeps no list of keys, so the key must have a tag. */
async function findWorkerForNewKey({ pool }: GatewayContext, reply: FastifyReply, key: string): Promise<Worker> {
  const tag = readKeyTag(key);
  const worker = tag === undefined ? undefined : await pool.locate(tag, () => disconnectSignal(reply));
  if (worker) return worker;
  const received = tag === undefined ? "a key without a tag" : `the tag ${tag}, which no worker has`;
  const message =
    "`api_key` must be `sk-<tag>.` and 16 or more characters, with the tag of one of the workers behind this gateway " +
    `(\`GET /health\` lists them); received ${received}.`;
  throw new ApiError("invalid_value", message, { param: "api_key" });
}

async function readyWorkers({ pool }: GatewayContext): Promise<Worker[]> {
  if (pool.ready().length === 0) await pool.refresh();
  const workers = pool.ready();
  if (workers.length === 0) throw noWorkerError();
  return workers;
}

/**
 * Splits `slots` over workers so that their loads become as equal as possible.
 *
 * @param loads current load of each worker: its sessions and its free slots
 * @returns the slots for each worker
 */
export function spreadSlots(slots: number, loads: readonly number[]): number[] {
  const order = loads.map((load, index) => ({ load, index })).sort((a, b) => a.load - b.load);
  const shares = loads.map(() => 0);
  let sum = slots;
  let levelled = 0;
  for (const { load } of order) {
    // The workers with less load do not reach the load of this worker, so it gets no slots.
    if (load * levelled > sum) break;
    sum += load;
    levelled++;
  }
  const level = Math.floor(sum / levelled);
  let rest = sum - level * levelled;
  for (const { load, index } of order.slice(0, levelled)) {
    shares[index] = level - load + (rest-- > 0 ? 1 : 0);
  }
  return shares;
}

/** Returns the workers with the most free slots first, and among equals those with the fewest sessions first. */
export function sortByFreeSlots(workers: readonly Worker[]): Worker[] {
  return [...workers].sort((a, b) => b.capacity - a.capacity || a.sessions - b.sessions);
}
