import { z } from "zod";
import { cutPage, formatCursor, type ListedSession, type SessionPage } from "../../control/session-page.js";
import { sessionsQuery } from "../../control/sessions.js";
import type { App } from "../../http/app-type.js";
import type { GatewayContext } from "../context.js";
import { forwardTo } from "../forward.js";
import { jsonOf, relay } from "../relay.js";
import { credentials, workerOfId } from "../routing.js";

/** A process that is stopped, or a machine that hangs, takes a call and never answers it. */
const ANSWER_TIMEOUT_MS = 5_000;

const listReply = z.object({
  sessions: z.array(z.looseObject({ session_id: z.string(), created_at: z.number() })),
  has_more: z.boolean(),
});

/** Sessions of all workers. */
export function sessionRoutes(app: App, context: GatewayContext): void {
  listSessions(app, context);
  oneSession(app, context);
}

function listSessions(app: App, { pool, upstream }: GatewayContext): void {
  app.get("/rl/sessions", { schema: { querystring: sessionsQuery } }, async (request, reply) => {
    const signal = AbortSignal.timeout(ANSWER_TIMEOUT_MS);
    const call = { method: "GET", path: request.url, headers: credentials(request), signal } as const;
    const workers = pool.all();
    const answers = await Promise.all(workers.map(({ url }) => upstream.call(url, call).catch(() => undefined)));
    const refusal = answers.find((answer) => answer !== undefined && answer.status >= 300);
    if (refusal) return relay(refusal, reply);
    const lists = answers.flatMap((answer) => (answer ? [jsonOf(answer, listReply)] : []));
    const { after, limit } = request.query;
    const page = cutPage(
      lists.flatMap(({ sessions }) => sessions),
      { after, limit },
    );
    const absent = workers.filter((_, index) => answers[index] === undefined).map(({ tag }) => tag);
    return { ...continued(page, lists), ...(absent.length > 0 ? { unavailable_workers: absent } : {}) };
  });
}

/** A worker that cut its own list has more, also where the lists of all together fit the limit. */
function continued(page: SessionPage<ListedSession>, lists: readonly z.output<typeof listReply>[]) {
  const last = page.sessions.at(-1);
  if (page.has_more || !last || !lists.some(({ has_more: isCut }) => isCut)) return page;
  return { ...page, has_more: true, next: formatCursor(last) };
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
