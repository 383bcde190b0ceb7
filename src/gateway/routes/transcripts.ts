import { z } from "zod";
import { JSON_LINES_TYPE, writeFailedTranscript } from "../../admin-api/failed-transcript.js";
import { transcriptsBody } from "../../admin-api/session-schemas.js";
import type { App } from "../../http/app-type.js";
import { disconnectSignal } from "../../http/disconnect.js";
import type { ApiError } from "../../http/errors.js";
import { callWorker } from "../contact/call-worker.js";
import type { GatewayContext } from "../context.js";
import { readWorkerError } from "../export/refusal.js";
import { forwardTo, workerUnavailableError } from "../forward.js";
import { findWorkerBySession, groupByTag, pickCredentials, sessionNotFoundError } from "../routing.js";
import type { WorkerRequest } from "../worker-connections.js";

/** Maximum number of calls to a worker that leaves and returns meanwhile. */
const MAX_CALLS = 3;

/** Adds the calls that read transcripts. That of one session is read from its worker, those of several from all their workers at the same time. */
export function gatewayTranscriptRoutes(app: App, context: GatewayContext): void {
  const { pool } = context;
  const params = z.object({ id: z.string() });
  app.get("/rl/sessions/:id/transcript", { schema: { params } }, async (request, reply) =>
    forwardTo(pool, await findWorkerBySession(request.params.id, reply, pool), request, reply),
  );
  app.post("/rl/transcripts", { schema: { body: transcriptsBody } }, async (request, reply) => {
    const { session_ids: ids, ...options } = request.body;
    const call = { path: "/rl/transcripts", headers: pickCredentials(request), signal: disconnectSignal(reply) };
    const answers = [...groupByTag(ids)].map(([tag, session_ids]) =>
      readFromWorker(context, tag, session_ids, { ...call, body: { session_ids, ...options } }),
    );
    return reply.type(JSON_LINES_TYPE).send(Buffer.concat(await Promise.all(answers)));
  });
}

/** Returns the lines of a worker's sessions. Waits for an absent worker. If it does not return or refuses the call, each line has the error. */
async function readFromWorker(
  { pool, upstream }: GatewayContext,
  tag: string | undefined,
  sessionIds: readonly string[],
  call: WorkerRequest & { readonly signal: AbortSignal },
): Promise<Buffer> {
  const writeErrors = (toError: (id: string) => ApiError) =>
    Buffer.concat(sessionIds.map((id) => writeFailedTranscript(id, toError(id))));
  if (tag === undefined) return writeErrors(sessionNotFoundError);
  let worker = await pool.locate(tag, () => call.signal);
  for (let calls = 1; worker && calls <= MAX_CALLS; calls++) {
    const answer = await callWorker(upstream, worker, call);
    if (answer) return answer.status < 300 ? answer.body : writeErrors(() => readWorkerError(answer));
    worker = await pool.whenReturned(worker, call.signal);
  }
  return writeErrors(() => workerUnavailableError(tag));
}
