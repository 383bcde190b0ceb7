import type { AdminClient } from "../client/admin-client.js";
import { ProxyError } from "../client/errors.js";
import type { ProxyWatch } from "./proxy-watch.js";
import { Rejection } from "./rejection.js";

/** Codes after which the proxy, or its connection, is gone. */
const ABSENT_CODES = new Set(["connection_failed", "request_timed_out", "worker_unavailable", "server_draining"]);
/**
 * Codes of a session that the proxy has no more, and of a slot that it has no more: a proxy that was restarted, or a worker behind a
 * gateway that died, has lost both.
 */
const FORGOTTEN_CODES = new Set(["session_not_found", "session_expired", "no_capacity"]);
const SERVER_ERROR = 500;
/** A proxy that does not answer this question in time counts as gone. */
const QUESTION_SECONDS = 10;

/** Returns true if a call failed because the proxy is gone, and false if the proxy refused it. */
export function isProxyAbsent(error: unknown): error is ProxyError {
  if (!(error instanceof ProxyError)) return false;
  const { code, status = 0 } = error;
  // A load balancer answers for a server that is gone, with a body of its own.
  return ABSENT_CODES.has(code) || (code === "invalid_reply" && status >= SERVER_ERROR);
}

/** Returns true if a call failed because the proxy, or the session of the call, was lost. */
export function isProxyLoss(error: unknown): error is ProxyError {
  return isProxyAbsent(error) || (error instanceof ProxyError && FORGOTTEN_CODES.has(error.code));
}

export interface FailedEpisode {
  readonly reason: Rejection;
  /** Undefined if no session was started. */
  readonly sessionId: string | undefined;
  readonly admin: AdminClient;
  readonly watch: ProxyWatch;
  /** When the episode began, on the clock of `performance.now()`. */
  readonly startedAt: number;
}

/**
 * Returns the error that shows that an episode failed because of its proxy; undefined if it failed for another reason.
 *
 * An agent sees only failed calls, whatever it reports about them. So the proxy is asked if it still has the session. If it has, an
 * outage that this process saw during the episode explains the failure as well: a proxy with storage comes back with its sessions.
 */
export async function findProxyLoss({
  reason,
  sessionId,
  admin,
  watch,
  startedAt,
}: FailedEpisode): Promise<Error | undefined> {
  const loss = isProxyLoss(reason.cause) ? reason.cause : await askForSession(admin, sessionId);
  if (loss) {
    if (loss.code !== "session_expired" && loss.code !== "no_capacity") watch.noteLoss(isProxyAbsent(loss));
    return loss;
  }
  return watch.wasLostSince(startedAt) ? new Error(`the proxy did not answer meanwhile: ${reason.message}`) : undefined;
}

/** Returns the error that shows that the proxy does not have a session; undefined if it has the session, or none is given. */
export async function askForSession(
  admin: AdminClient,
  sessionId: string | undefined,
): Promise<ProxyError | undefined> {
  if (sessionId === undefined) return undefined;
  try {
    await admin.sessionState(sessionId, { timeoutSeconds: QUESTION_SECONDS });
    return undefined;
  } catch (error) {
    return isProxyLoss(error) ? error : undefined;
  }
}

export function proxyLost(cause: Error): Rejection {
  return new Rejection("proxy_lost", `The proxy of the episode was lost: ${cause.message}`, { cause });
}
