import { z } from "zod";
import { cutPage, formatCursor, type ListedSession, type SessionPage } from "../../admin-api/session-page.js";
import { sessionsQuery, takeOverBody } from "../../admin-api/session-schemas.js";
import type { App } from "../../http/app-type.js";
import { addAddress } from "../add-address.js";
import { callWorker } from "../contact/call-worker.js";
import type { GatewayContext } from "../context.js";
import { forwardTo, workerUnavailableError } from "../forward.js";
import { parseReply, relay } from "../relay.js";
import { readTarget } from "../request-target.js";
import { findWorkerBySession, pickCredentials } from "../routing.js";
import { listRunOnWorkers } from "../run-sessions.js";

const listReply = z.object({
  sessions: z.array(z.looseObject({ session_id: z.string(), created_at: z.number() })),
  has_more: z.boolean(),
});

/** Lists the sessions of all workers, and forwards calls about one session. */
export function gatewaySessionRoutes(app: App, context: GatewayContext): void {
  listSessions(app, context);
  listRunSessions(app, context);
  forwardSessionCalls(app, context);
  takeOverSession(app, context);
}

function listSessions(app: App, { pool, upstream, controlMilliseconds }: GatewayContext): void {
  app.get("/rl/sessions", { schema: { querystring: sessionsQuery } }, async (request, reply) => {
    const call = { method: "GET", path: readTarget(request), headers: pickCredentials(request) } as const;
    const workers = pool.all();
    const workerReplies = await Promise.all(
      workers.map((worker) => callWorker(upstream, worker, call, controlMilliseconds)),
    );
    const refusal = workerReplies.find((workerReply) => workerReply !== undefined && workerReply.status >= 300);
    if (refusal) return relay(refusal, reply);
    const lists = workerReplies.flatMap((workerReply) => (workerReply ? [parseReply(workerReply, listReply)] : []));
    const { after, limit } = request.query;
    const page = cutPage(
      lists.flatMap(({ sessions }) => sessions),
      { after, limit },
    );
    const absent = workers.filter((_, index) => workerReplies[index] === undefined).map(({ tag }) => tag);
    return { ...withNextPage(page, lists), ...(absent.length > 0 ? { unavailable_workers: absent } : {}) };
  });
}

function listRunSessions(app: App, context: GatewayContext): void {
  app.get("/rl/runs/:id/sessions", { schema: { params: z.object({ id: z.string() }) } }, async (request) => ({
    sessions: await listRunOnWorkers(context, request, request.params.id),
  }));
}

/** Marks the page as followed by another one if a worker cut its own list, even if all lists together fit the limit. */
function withNextPage(page: SessionPage<ListedSession>, lists: readonly z.output<typeof listReply>[]) {
  const last = page.sessions.at(-1);
  if (page.has_more || !last || !lists.some(({ has_more: isCut }) => isCut)) return page;
  return { ...page, has_more: true, next: formatCursor(last) };
}

function forwardSessionCalls(app: App, { pool }: GatewayContext): void {
  const params = z.object({ id: z.string() });
  app.get("/rl/sessions/:id", { schema: { params } }, async (request, reply) =>
    forwardTo(pool, await findWorkerBySession(request.params.id, reply, pool), request, reply),
  );
  app.delete("/rl/sessions/:id", { schema: { params } }, async (request, reply) =>
    forwardTo(pool, await findWorkerBySession(request.params.id, reply, pool), request, reply),
  );
}

/** Takes a session over from an agent that has ended. With `gateway.direct`, adds the address of the session's worker. */
function takeOverSession(app: App, { pool, upstream, controlMilliseconds, direct }: GatewayContext): void {
  const schema = { params: z.object({ id: z.string() }), body: takeOverBody };
  app.post("/rl/sessions/:id/take_over", { schema }, async (request, reply) => {
    const worker = await findWorkerBySession(request.params.id, reply, pool);
    if (!direct) return forwardTo(pool, worker, request, reply, { body: request.body });
    const call = { path: readTarget(request), headers: pickCredentials(request), body: request.body };
    const workerReply = await callWorker(upstream, worker, call, controlMilliseconds);
    if (!workerReply) throw workerUnavailableError(worker.tag);
    return workerReply.status < 300 ? addAddress(workerReply, worker) : relay(workerReply, reply);
  });
}
