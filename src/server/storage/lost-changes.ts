import type { FastifyBaseLogger } from "fastify";
import { listReasons } from "../../http/error-log.js";
import type { SessionRegistry } from "../../session/session-registry.js";
import type { ServerStorage } from "./server-storage.js";

/** Maximum number of sessions that the log names. */
const MAX_LOGGED = 20;

/** Changes that the disk refused until the server stopped. */
export interface LostChanges {
  /** Number of groups of changes. All changes of one step of the server are one group. */
  readonly changes: number;
  /** Ids of the sessions that were changed. */
  readonly sessions: readonly string[];
}

/** Closes the storage of a server. Logs the changes that the disk refuses, and returns them; undefined if all are on disk. */
export async function closeStorage(
  { storage, records }: ServerStorage,
  registry: SessionRegistry,
  logger: FastifyBaseLogger,
): Promise<LostChanges | undefined> {
  await records.committed().catch(() => undefined);
  await storage.close();
  const { pending: changes, failure, directory } = storage;
  if (changes === 0) return undefined;
  // A session that was removed meanwhile has no id any more.
  const sessions = records.listPending().flatMap((number) => registry.byNumber(number)?.id ?? []);
  logger.error(
    {
      directory,
      lostChanges: changes,
      lostSessions: sessions.length,
      ids: sessions.slice(0, MAX_LOGGED),
      reason: failure?.message,
      causes: listReasons(failure?.cause, failure?.message ?? ""),
    },
    "server stopped with changes that the storage refused; they are lost",
  );
  return { changes, sessions };
}
