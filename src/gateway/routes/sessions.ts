import { z } from "zod";
import type { App } from "../../server/app-type.js";
import type { GatewayContext } from "../context.js";
import { forwardTo } from "../forward.js";
import { jsonOf, relay } from "../relay.js";
import { credentials, workerOfId } from "../routing.js";

const DEFAULT_LIMIT = 1000;
/** A process that is stopped, or a machine that hangs, takes a call and never answers it. */
const ANSWER_TIMEOUT_MS = 5_000;

const listReply = z.object({ sessions: z.array(z.looseObject({ created_at: z.number() })) });

/** Sessions of all workers. */
export function sessionRoutes(app: App, context: GatewayContext): void {
  listSessions(app, context);
  oneSession(app, context);
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
