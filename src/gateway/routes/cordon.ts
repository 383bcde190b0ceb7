import type { FastifyReply, FastifyRequest } from "fastify";
import type { z } from "zod";
import { CORDON_PATHS, cordonBody } from "../../admin-api/cordon.js";
import type { App } from "../../http/app-type.js";
import { ApiError } from "../../http/errors.js";
import { callWorker } from "../contact/call-worker.js";
import type { GatewayContext } from "../context.js";
import { workerUnavailableError } from "../forward.js";
import { relay } from "../relay.js";
import { pickCredentials } from "../routing.js";
import type { Worker, WorkerPool } from "../worker-pool.js";

/** Forwards the cordon of one worker. From then on, this gateway gives it no slots and no sessions. */
export function gatewayCordonRoutes(app: App, context: GatewayContext): void {
  const schema = { body: cordonBody };
  app.post(CORDON_PATHS.cordon, { schema }, (request, reply) =>
    forwardCordon(context, request, reply, { ...request.body, cordoned: true }),
  );
  app.post(CORDON_PATHS.uncordon, { schema }, (request, reply) =>
    forwardCordon(context, request, reply, { ...request.body, cordoned: false }),
  );
}

async function forwardCordon(
  { pool, upstream, controlMilliseconds }: GatewayContext,
  request: FastifyRequest,
  reply: FastifyReply,
  { worker: name, cordoned }: z.output<typeof cordonBody> & { readonly cordoned: boolean },
): Promise<FastifyReply> {
  const worker = await findWorker(pool, name);
  const path = cordoned ? CORDON_PATHS.cordon : CORDON_PATHS.uncordon;
  // With the tag, another server that has started at the address refuses the call.
  const call = { path, headers: pickCredentials(request), body: { worker: worker.tag } };
  const workerReply = await callWorker(upstream, worker, call, controlMilliseconds);
  if (!workerReply) throw workerUnavailableError(worker.tag);
  // The next health check corrects the state if the worker takes no sessions for another reason.
  if (workerReply.status < 300) worker.state = cordoned ? "cordoned" : "ok";
  return relay(workerReply, reply);
}

/** @throws ApiError `invalid_value` if no worker has this tag or address */
async function findWorker(pool: WorkerPool, name: string | undefined): Promise<Worker> {
  const worker = name === undefined ? undefined : await findByName(pool, name);
  if (worker) return worker;
  const message =
    "`worker` must be the tag or the address of one of the workers behind this gateway (`GET /health` lists them); " +
    `received ${name === undefined ? "nothing" : name.slice(0, 200)}.`;
  throw new ApiError("invalid_value", message, { param: "worker" });
}

async function findByName(pool: WorkerPool, name: string): Promise<Worker | undefined> {
  if (!URL.canParse(name)) return pool.find(name);
  const { origin } = new URL(name);
  return pool.all().find(({ url }) => url === origin);
}
