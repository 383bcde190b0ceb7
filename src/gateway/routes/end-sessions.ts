import type { FastifyReply, FastifyRequest } from "fastify";
import { z } from "zod";
import { endBody, requireSelection } from "../../admin-api/session-schemas.js";
import type { App } from "../../http/app-type.js";
import { disconnectSignal } from "../../http/disconnect.js";
import { callWorker } from "../contact/call-worker.js";
import type { GatewayContext } from "../context.js";
import { parseReply, relay } from "../relay.js";
import { groupByTag, pickCredentials } from "../routing.js";
import type { WorkerReply } from "../worker-connections.js";
import type { Worker } from "../worker-pool.js";

const workerAnswer = z.object({
  sessions: z.array(z.looseObject({ session_id: z.string() })),
  not_found: z.array(z.string()),
});

interface EndedPart {
  readonly worker: Worker;
  /** Undefined if the worker does not answer. */
  readonly reply: WorkerReply | undefined;
}

/**
 * Ends sessions on all workers that can have them. If a worker does not answer, its tag is in `unavailable_workers`; the client may repeat
 * the call, because ending a session again changes nothing.
 */
export function gatewayEndRoutes(app: App, context: GatewayContext): void {
  app.post("/rl/sessions/end", { schema: { body: endBody } }, async (request, reply) => {
    requireSelection(request.body);
    const byTag = groupByTag(request.body.session_ids ?? []);
    const known = new Set(context.pool.all().map(({ tag }) => tag));
    const parts = await endOnWorkers(context, request, reply, byTag);
    const refusal = parts.find((part) => part.reply !== undefined && part.reply.status >= 300)?.reply;
    if (refusal) return relay(refusal, reply);
    const answers = parts.flatMap((part) => (part.reply ? [parseReply(part.reply, workerAnswer)] : []));
    const strays = [...byTag].flatMap(([tag, ids]) => (tag !== undefined && known.has(tag) ? [] : ids));
    const absent = parts.flatMap((part) => (part.reply ? [] : [part.worker.tag]));
    return {
      sessions: answers.flatMap(({ sessions }) => sessions),
      not_found: [...answers.flatMap(({ not_found }) => not_found), ...strays],
      ...(absent.length > 0 ? { unavailable_workers: absent } : {}),
    };
  });
}

/** Any worker can have sessions of a group or run. Without these, only the workers of the named sessions are called. */
function endOnWorkers(
  { pool, upstream }: GatewayContext,
  request: FastifyRequest<{ Body: z.output<typeof endBody> }>,
  reply: FastifyReply,
  byTag: ReadonlyMap<string | undefined, readonly string[]>,
): Promise<EndedPart[]> {
  const { session_ids: _, ...options } = request.body;
  const { group_ids: groups, run_ids: runs } = options;
  const signal = disconnectSignal(reply);
  const headers = pickCredentials(request);
  const end = async (worker: Worker): Promise<EndedPart> => {
    const body = { ...options, session_ids: byTag.get(worker.tag) ?? [] };
    const call = { path: "/rl/sessions/end", headers, body, signal };
    return { worker, reply: await callWorker(upstream, worker, call) };
  };
  return Promise.all(
    pool
      .all()
      .filter(({ tag }) => groups !== undefined || runs !== undefined || byTag.has(tag))
      .map(end),
  );
}
