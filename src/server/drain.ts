import type { FastifyBaseLogger } from "fastify";
import { SessionError } from "../session/errors.js";
import type { ServerContext } from "./context.js";

const POLL_MS = 50;

/**
 * Takes no new sessions and model calls, and waits, within the limit of the settings, for the calls in flight and for
 * ended sessions to be exported. What is then still in flight is aborted; what was not exported is named in the log.
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
  const lost = sessions.filter((s) => s.interactionCount > 0 && (s.state === "active" || s.state === "ended"));
  if (abortedCalls > 0 || lost.length > 0) {
    const ids = lost.slice(0, 20).map((session) => session.id);
    logger.warn({ abortedCalls, lostSessions: lost.length, ids }, "stopped with work that was not exported");
  }
}

function isBusy({ registry }: ServerContext): boolean {
  for (const session of registry.all()) {
    if (session.calls.size > 0) return true;
    if (session.state === "ended" && session.interactionCount > 0) return true;
  }
  return false;
}
