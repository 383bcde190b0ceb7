import { z } from "zod";
import type { App } from "../../server/app-type.js";
import { ApiError } from "../../server/errors.js";
import { versionBody } from "../../server/routes/control.js";
import type { GatewayContext } from "../context.js";
import { forwardTo, workerUnavailable } from "../forward.js";
import { jsonOf, relay } from "../relay.js";
import { credentials, workerOfId } from "../routing.js";
import type { Worker } from "../worker-pool.js";

const DEFAULT_LIMIT = 1000;
/** A process that is stopped, or a machine that hangs, takes a call and never answers it. */
const ANSWER_TIMEOUT_MS = 5_000;

const listReply = z.object({ sessions: z.array(z.looseObject({ created_at: z.number() })) });

/** Sessions of all workers, and what concerns all workers alike. */
export function sessionRoutes(app: App, context: GatewayContext): void {
  listSessions(app, context);
  oneSession(app, context);
  setVersion(app, context);
}

function listSessions(app: App, { pool, upstream }: GatewayContext): void {
  app.get(
    "/rl/sessions",
    { schema: { querystring: z.looseObject({ limit: z.coerce.number().int().min(1).default(DEFAULT_LIMIT) }) } },
    async (request, reply) => {
      const signal = AbortSignal.timeout(ANSWER_TIMEOUT_MS);
      const call = { method: "GET", path: request.url, headers: credentials(request), signal } as const;
      const workers = pool.all();
      const answers = await Promise.all(workers.map(({ url }) => upstream.call(url, call).catch(() => undefined)));
      const refusal = answers.find((answer) => answer !== undefined && answer.status >= 300);
      if (refusal) return relay(refusal, reply);
      const lists = answers.flatMap((answer) => (answer ? [jsonOf(answer, listReply).sessions] : []));
      const sessions = lists.flat().sort((a, b) => a.created_at - b.created_at);
      const absent = workers.filter((_, index) => answers[index] === undefined).map(({ tag }) => tag);
      return {
        sessions: sessions.slice(0, request.query.limit),
        ...(absent.length > 0 ? { unavailable_workers: absent } : {}),
      };
    },
  );
}

function oneSession(app: App, { pool }: GatewayContext): void {
  const params = z.object({ id: z.string() });
  app.get("/rl/sessions/:id", { schema: { params } }, async (request, reply) =>
    forwardTo(await workerOfId(request.params.id, pool), request, reply),
  );
  app.delete("/rl/sessions/:id", { schema: { params } }, async (request, reply) =>
    forwardTo(await workerOfId(request.params.id, pool), request, reply),
  );
}

/**
 * On every worker that is there. One that was down when last heard of may be back: it is told too, but it need not answer.
 * Idempotent: where one fails the trainer says it again.
 */
function setVersion(app: App, { pool, upstream }: GatewayContext): void {
  app.post("/rl/set_version", { schema: { body: versionBody } }, async (request, reply) => {
    const call = { path: "/rl/set_version", headers: credentials(request), body: request.body };
    const workers = pool.all();
    const down = new Set(workers.filter(({ state }) => state === "down"));
    const tell = (worker: Worker) => {
      const limit = down.has(worker) ? { signal: AbortSignal.timeout(ANSWER_TIMEOUT_MS) } : {};
      return upstream.call(worker.url, { ...call, ...limit }).catch(() => undefined);
    };
    const answers = await Promise.all(workers.map(tell));
    const refusal = answers.find((answer) => answer !== undefined && answer.status >= 300);
    if (refusal) return relay(refusal, reply);
    const silent = workers.find((worker, index) => answers[index] === undefined && !down.has(worker));
    if (silent) throw workerUnavailable(silent.tag);
    const answer = answers.find((each) => each !== undefined);
    if (!answer) throw new ApiError("worker_unavailable", "No worker answers now.");
    return relay(answer, reply);
  });
}
