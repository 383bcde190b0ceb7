import { z } from "zod";
import { ApiError, CATALOGUE, type ErrorCode } from "../../http/errors.js";
import { readSessionTag } from "../../session/worker-tag.js";
import { sessionNotFoundError } from "../routing.js";
import type { WorkerReply } from "../worker-connections.js";

/** The reply of a worker that does not export its part. */
export interface PartRefusal {
  readonly sessionIds: readonly string[];
  /** Undefined if the worker does not answer. */
  readonly reply: WorkerReply | undefined;
}

const refusedSession = z.object({ session_id: z.string(), code: z.string(), message: z.string() });

const errorBody = z.object({
  error: z.looseObject({
    message: z.string(),
    code: z.string(),
    param: z.string().nullish(),
    sessions: z.array(refusedSession).optional().catch(undefined),
  }),
});

type RefusedSession = z.output<typeof refusedSession>;

/** An error lists at most this many refused sessions. */
const MAX_NAMED = 1000;

/** Returns the error for sessions that no known worker has, or whose worker does not answer. */
export function unreachableSessions(sessionIds: readonly string[]): ApiError {
  return mergeRefusals([{ sessionIds, reply: undefined }]);
}

/** Returns one error for all refusals. A single worker's error is passed on; several become one that lists the sessions. */
export function mergeRefusals(refusals: readonly PartRefusal[]): ApiError {
  const [first] = refusals;
  if (first?.reply && refusals.length === 1) return readWorkerError(first.reply);
  const sessions = refusals.flatMap(listRefusedSessions);
  const codes = new Set(sessions.map(({ code }) => code));
  const [code] = codes;
  return new ApiError(
    codes.size === 1 && isKnown(code) ? code : "batch_not_exportable",
    `${sessions.length} sessions cannot be exported, so none was. First: ${sessions[0]?.message ?? ""}`,
    { param: "session_ids", details: { sessions: sessions.slice(0, MAX_NAMED) } },
  );
}

/** Returns a worker's error as the gateway's own. */
export function readWorkerError(reply: WorkerReply): ApiError {
  const { message, code, param, type: _, ...details } = parseError(reply);
  return new ApiError(isKnown(code) ? code : "invalid_worker_reply", message, { param: param ?? undefined, details });
}

function listRefusedSessions({ sessionIds, reply }: PartRefusal): RefusedSession[] {
  if (!reply) {
    return sessionIds.map((session_id) => {
      const tag = readSessionTag(session_id);
      const message =
        tag === undefined
          ? sessionNotFoundError(session_id).message
          : `Worker ${tag} of session ${session_id.slice(0, 200)} does not answer.`;
      return { session_id, code: tag === undefined ? "session_not_found" : "worker_unavailable", message };
    });
  }
  const { message, code, sessions } = parseError(reply);
  return sessions ?? sessionIds.map((session_id) => ({ session_id, code, message }));
}

function parseError({ status, body }: WorkerReply): z.output<typeof errorBody>["error"] {
  try {
    return errorBody.parse(JSON.parse(body.toString())).error;
  } catch (cause) {
    throw new ApiError("invalid_worker_reply", `A worker returned status ${status} without an error body.`, { cause });
  }
}

function isKnown(code: string | undefined): code is ErrorCode {
  return code !== undefined && Object.hasOwn(CATALOGUE, code);
}
