import type { FastifyReply, FastifyRequest } from "fastify";
import { z } from "zod";
import { grantBody, startBody } from "../../control/sessions.js";
import type { App } from "../../http/app-type.js";
import { ApiError } from "../../http/errors.js";
import { workerOfKey } from "../../session/worker-tag.js";
import { byFreeSlots, spread } from "../balance.js";
import type { GatewayContext } from "../context.js";
import { noWorker, workerUnavailable } from "../forward.js";
import { jsonOf, relay } from "../relay.js";
import { credentials } from "../routing.js";
import type { UpstreamReply } from "../upstream.js";
import type { Worker } from "../worker-pool.js";

const capacityReply = z.object({ capacity: z.int() });

/** Slots and sessions go to the workers that have the least to do. */
export function capacityRoutes(app: App, context: GatewayContext): void {
  app.post("/grant_capacity", { schema: { body: grantBody } }, (request, reply) =>
    grant(context, request, reply, request.body.slots),
  );
  app.post("/rl/start_session", { schema: { body: startBody } }, (request, reply) =>
    start(context, request, reply, request.body),
  );
}

/** What a worker that is gone would have got goes to the others. A worker that broke off once is not asked again. */
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
    if (workers.length === 0) throw noWorker();
    const shares = spread(
      left,
      workers.map(({ capacity, sessions }) => capacity + sessions),
    );
    const grants = workers.map((worker, index) => grantOne(context, request, worker, shares[index] ?? 0));
    const answers = await Promise.all(grants);
    const refusal = answers.find((answer) => answer !== undefined && answer.status >= 300);
    if (refusal) return relay(refusal, reply);
    workers.forEach(({ tag }, index) => {
      if (!answers[index]) silent.add(tag);
    });
    left = answers.reduce((sum, answer, index) => sum + (answer ? 0 : (shares[index] ?? 0)), 0);
  }
  return { capacity: context.pool.ready().reduce((sum, { capacity }) => sum + capacity, 0) };
}

/** Undefined where the worker is gone; nothing is asked of one without a share. */
async function grantOne(
  { upstream }: GatewayContext,
  request: FastifyRequest,
  worker: Worker,
  slots: number,
): Promise<Pick<UpstreamReply, "status" | "headers" | "body"> | undefined> {
  if (slots === 0) return { status: 200, headers: {}, body: Buffer.alloc(0) };
  const call = { path: "/grant_capacity", headers: credentials(request), body: { slots } };
  const answer = await upstream.call(worker.url, call).catch(() => undefined);
  if (!answer) worker.state = "down";
  else if (answer.status < 300) worker.capacity = jsonOf(answer, capacityReply).capacity;
  return answer;
}

/** The first worker that has a slot. A worker's refusal is the answer only where none has one. */
async function start(
  context: GatewayContext,
  request: FastifyRequest,
  reply: FastifyReply,
  body: z.output<typeof startBody>,
): Promise<FastifyReply> {
  const workers =
    body.api_key === undefined ? byFreeSlots(await readyWorkers(context)) : [await chosen(context, body.api_key)];
  let refusal: UpstreamReply | undefined;
  for (const worker of workers) {
    const answer = await startOn(context, request, worker, body);
    if (!answer) continue;
    if (answer.status !== 429 && answer.status !== 503) return relay(answer, reply);
    refusal = answer;
  }
  if (refusal) return relay(refusal, reply);
  throw body.api_key === undefined ? noWorker() : workerUnavailable(workerOfKey(body.api_key) ?? "");
}

/** Tells the worker which weight version is current: it may have joined, or started again, a moment ago. */
async function startOn(
  { pool, upstream }: GatewayContext,
  request: FastifyRequest,
  worker: Worker,
  body: object,
): Promise<UpstreamReply | undefined> {
  // Counted at once: those who ask meanwhile take another worker.
  worker.capacity--;
  worker.sessions++;
  try {
    const answer = await upstream.call(worker.url, {
      path: "/rl/start_session",
      headers: credentials(request),
      body: { ...body, weight_version: pool.newestVersion },
    });
    if (answer.status < 300) return answer;
    worker.sessions--;
    worker.capacity = answer.status === 429 ? 0 : worker.capacity + 1;
    return answer;
  } catch {
    worker.state = "down";
    return undefined;
  }
}

/** A key of the caller's choice says itself which worker has it: nobody keeps a list of keys. */
async function chosen({ pool }: GatewayContext, key: string): Promise<Worker> {
  const tag = workerOfKey(key);
  const worker = tag === undefined ? undefined : await pool.find(tag);
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
  if (workers.length === 0) throw noWorker();
  return workers;
}
