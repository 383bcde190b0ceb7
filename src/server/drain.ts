import type { FastifyBaseLogger } from "fastify";
import { SessionError } from "../session/errors.js";
import type { ServerContext } from "./context.js";

const POLL_MS = 50;
const MAX_LOGGED_IDS = 20;

/**
 * Stops accepting sessions and model calls. Waits for calls in flight and for exports of ended sessions, at most as long as
 * the settings say. Then it aborts calls that are still in flight and logs the sessions that were not exported.
 */
export async function drain(context: ServerContext, logger: FastifyBaseLogger): Promise<void> {
  if (context.draining) return;
  context.draining = true;
  const deadline = Date.now() + context.settings.shutdownSeconds * 1000;
  while (Date.now() < deadline && isBusy(context)) await new Promise((resolve) => setTimeout(resolve, POLL_MS));

  context.shutdown.abort();
  const reason = new SessionError("call_aborted", "The server is shutting down.");
  const sessions = [...context.registry.all()];
  const aborted = await Promise.all(sessions.map((session) => session.calls.abortAll(reason)));
  const abortedCalls = aborted.reduce((sum, count) => sum + count, 0);
  const lost = sessions.filter(
    ({ interactionCount, state }) => interactionCount > 0 && (state === "active" || state === "ended"),
  );
  if (abortedCalls > 0 || lost.length > 0) {
    const ids = lost.slice(0, MAX_LOGGED_IDS).map((session) => session.id);
    logger.warn(
      { abortedCalls, lostSessions: lost.length, ids },
      "server stopped with sessions that were not exported",
    );
  }
}

function isBusy({ registry }: ServerContext): boolean {
  for (const session of registry.all()) {
    if (session.calls.size > 0) return true;
    if (session.state === "ended" && session.interactionCount > 0) return true;
  }
  return false;
}
