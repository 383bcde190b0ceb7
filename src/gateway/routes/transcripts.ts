import { z } from "zod";
import { transcriptsBody } from "../../control/session-schemas.js";
import { failedLine, JSON_LINES } from "../../control/transcript-lines.js";
import type { App } from "../../http/app-type.js";
import { disconnectSignal } from "../../http/disconnect.js";
import type { ApiError } from "../../http/errors.js";
import { callWorker } from "../contact/call-worker.js";
import type { GatewayContext } from "../context.js";
import { readWorkerError } from "../export/refusal.js";
import { forwardTo, workerUnavailableError } from "../forward.js";
import { findWorkerBySession, groupByTag, pickCredentials, sessionNotFoundError } from "../routing.js";
import type { UpstreamCall } from "../upstream.js";

/** What sessions have recorded: a call about one goes to its worker, a call about several to the workers of all. */
export function transcriptRoutes(app: App, context: GatewayContext): void {
  const { pool } = context;
  const params = z.object({ id: z.string() });
  app.get("/rl/sessions/:id/transcript", { schema: { params } }, async (request, reply) =>
    forwardTo(pool, await findWorkerBySession(request.params.id, reply, pool), request, reply),
  );
  app.post("/rl/transcripts", { schema: { body: transcriptsBody } }, async (request, reply) => {
    const { session_ids: ids, ...options } = request.body;
    const call = { path: "/rl/transcripts", headers: pickCredentials(request), signal: disconnectSignal(reply) };
    const answers = [...groupByTag(ids)].map(([tag, session_ids]) =>
      readFrom(context, tag, session_ids, { ...call, body: { session_ids, ...options } }),
    );
    return reply.type(JSON_LINES).send(Buffer.concat(await Promise.all(answers)));
  });
}

/**
 * Returns the lines of a worker's sessions. Does not wait for a worker that is absent: the lines of the other workers would wait too.
 *
 * @throws ApiError if the worker refuses the call
 */
async function readFrom(
  { pool, upstream }: GatewayContext,
  tag: string | undefined,
  sessionIds: readonly string[],
  call: UpstreamCall,
): Promise<Buffer> {
  const failed = (toError: (id: string) => ApiError) =>
    Buffer.concat(sessionIds.map((id) => failedLine(id, toError(id))));
  if (tag === undefined) return failed(sessionNotFoundError);
  const worker = await pool.find(tag);
  const answer = worker && (await callWorker(upstream, worker, call));
  if (!answer) return failed(() => workerUnavailableError(tag));
  if (answer.status >= 300) throw readWorkerError(answer);
  return answer.body;
}
