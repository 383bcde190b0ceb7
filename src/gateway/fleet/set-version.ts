import { z } from "zod";
import { NEVER_SET, stampVersion, type WeightVersion } from "../../admin-api/weight-version.js";
import { callWorker } from "../contact/call-worker.js";
import type { GatewayContext } from "../context.js";
import { noWorkerError } from "../forward.js";
import { parseReply } from "../relay.js";
import type { WorkerReply, WorkerRequest } from "../worker-connections.js";
import type { Worker } from "../worker-pool.js";
import { workerRefusedError, workerSilentError } from "./failures.js";

/** Time limit for workers that are not down. They write the version to a shared folder, which may be slow. */
const WRITE_TIMEOUT_MS = 30_000;
const MAX_ATTEMPTS = 3;

const REPEAT = "Other workers may have the new version; repeat the call.";

const versionReply = z.object({ version: z.int() });

/**
 * Sets the weight version on every worker, and returns the reply of one. A worker that joins later reads the version from the
 * shared folder, or receives it with its first session.
 *
 * @param body the client's body
 * @throws ApiError that names the first worker that returns an error or does not answer
 */
export async function setVersion(
  context: GatewayContext,
  headers: Readonly<Record<string, string>>,
  body: { readonly version: number; readonly model?: string | undefined },
): Promise<WorkerReply> {
  for (let attempt = 1; ; attempt++) {
    // The pool knows the version of the main model, which its workers have without a name.
    const isNamed = body.model !== undefined;
    const version = stampVersion(body.version, isNamed ? NEVER_SET : context.pool.newestVersion);
    const call = { path: "/rl/set_version", headers, body: { ...body, ...version } };
    const replies = await setEverywhere(context, isNamed ? undefined : version, call);
    const outdated = replies.find((workerReply) => parseReply(workerReply, versionReply).version !== body.version);
    const result = outdated ?? replies[0];
    if (!result) throw noWorkerError();
    if (result !== outdated || attempt === MAX_ATTEMPTS) return result;
    // That worker kept another version with a later time, because a clock runs ahead. The refresh reads that time.
    await context.pool.refresh();
  }
}

/**
 * Calls every worker, including workers that join during the calls.
 *
 * @param version the new version of the main model; undefined if the call is for another one
 * @throws ApiError that names the first worker that returns an error or does not answer
 */
async function setEverywhere(
  context: GatewayContext,
  version: WeightVersion | undefined,
  call: WorkerRequest,
): Promise<WorkerReply[]> {
  const { pool } = context;
  const replies: WorkerReply[] = [];
  const called = new Set<Worker>();
  for (let workers = pool.all(); workers.length > 0; workers = pool.all().filter((worker) => !called.has(worker))) {
    const expected = workers.filter(({ state }) => state !== "down");
    const newReplies = await callAll(context, workers, call);
    // As soon as one worker has the version, new sessions on all workers must start with it.
    if (newReplies.some((reply) => reply !== undefined && reply.status < 300) && version) pool.learnVersion(version);
    workers.forEach((worker, index) => {
      const reply = newReplies[index];
      if (reply && reply.status >= 300) throw workerRefusedError(worker, reply, REPEAT);
      if (reply) replies.push(reply);
      called.add(worker);
    });
    const silent = workers.find((worker, index) => newReplies[index] === undefined && expected.includes(worker));
    if (silent) throw workerSilentError(silent, REPEAT);
    await pool.discover();
  }
  return replies;
}

/**
 * Calls all workers, including those that are down or unreachable. These need not answer, but they may be back, and a stopped
 * process reads the call when it continues.
 */
function callAll(
  { upstream, controlMilliseconds }: GatewayContext,
  workers: readonly Worker[],
  call: WorkerRequest,
): Promise<(WorkerReply | undefined)[]> {
  const callOne = (worker: Worker): Promise<WorkerReply | undefined> => {
    if (worker.state !== "down") return callWorker(upstream, worker, call, WRITE_TIMEOUT_MS);
    const signal = AbortSignal.timeout(controlMilliseconds);
    return upstream.call(worker.url, { ...call, signal }).catch(() => undefined);
  };
  return Promise.all(workers.map(callOne));
}
