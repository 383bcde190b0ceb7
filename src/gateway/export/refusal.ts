import { z } from "zod";
import { ApiError, CATALOGUE, type ErrorCode } from "../../http/errors.js";
import { readSessionTag } from "../../session/worker-tag.js";
import type { UpstreamReply } from "../upstream.js";

/** Why one worker does not export its part. */
export interface PartRefusal {
  readonly sessionIds: readonly string[];
  /** Undefined where it does not answer. */
  readonly answer: UpstreamReply | undefined;
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

/** More refused sessions than this are not named one by one. */
const MAX_NAMED = 1000;

/** No worker is known to have these sessions. */
export function unreachable(sessionIds: readonly string[]): ApiError {
  return refusalOf([{ sessionIds, answer: undefined }]);
}

/**
 * One error for the parts that cannot be exported: a worker's own where there is only one, else one that names every session.
 */
export function refusalOf(refusals: readonly PartRefusal[]): ApiError {
  const [only] = refusals;
  if (only?.answer && refusals.length === 1) return errorOf(only.answer);
  const sessions = refusals.flatMap(sessionsOf);
  const codes = new Set(sessions.map(({ code }) => code));
  const [code] = codes;
  return new ApiError(
    codes.size === 1 && isKnown(code) ? code : "batch_not_exportable",
    `No session was exported, because ${sessions.length} cannot be. The first: ${sessions[0]?.message ?? ""}`,
    { param: "session_ids", details: { sessions: sessions.slice(0, MAX_NAMED) } },
  );
}

export function errorOf(answer: UpstreamReply): ApiError {
  const { message, code, param, type: _, ...details } = parseError(answer);
  return new ApiError(isKnown(code) ? code : "invalid_worker_reply", message, { param: param ?? undefined, details });
}

function sessionsOf({ sessionIds, answer }: PartRefusal): RefusedSession[] {
  if (!answer) {
    return sessionIds.map((session_id) => {
      const tag = readSessionTag(session_id);
      const message =
        tag === undefined
          ? `There is no session "${session_id.slice(0, 200)}".`
          : `Worker ${tag} of session ${session_id.slice(0, 200)} does not answer.`;
      return { session_id, code: tag === undefined ? "session_not_found" : "worker_unavailable", message };
    });
  }
  const { message, code, sessions } = parseError(answer);
  return sessions ?? sessionIds.map((session_id) => ({ session_id, code, message }));
}

function parseError({ status, body }: UpstreamReply): z.output<typeof errorBody>["error"] {
  try {
    return errorBody.parse(JSON.parse(body.toString())).error;
  } catch (cause) {
    throw new ApiError("invalid_worker_reply", `A worker answered ${status} without an error.`, { cause });
  }
}

function isKnown(code: string | undefined): code is ErrorCode {
  return code !== undefined && Object.hasOwn(CATALOGUE, code);
}
