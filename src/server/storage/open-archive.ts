import { join } from "node:path";
import type { FastifyBaseLogger } from "fastify";
import type { Config } from "../../config/index.js";
import type { BatchOrigin } from "../../session/batch/batch-metadata.js";
import type { SessionRegistry } from "../../session/session-registry.js";
import { Outbox } from "../../storage/archive/outbox.js";
import { SessionArchive } from "./session-archive.js";

/** The archive of a server's sessions. */
export interface ServerArchive {
  readonly outbox: Outbox;
  readonly sessions: SessionArchive;
  /** Writes and uploads what waits, until everything is in the archive or the time is over. Then stops. */
  close(milliseconds: number): Promise<void>;
}

/** Folder in `storage.directory` with the files that wait for their upload. */
const FOLDER = "archive";

/** Opens the outbox of the configured archive; undefined if there is none. Fails if the archive cannot be used at all. */
export async function openOutbox({ storage }: Config, logger: FastifyBaseLogger): Promise<Outbox | undefined> {
  const { archive: address, directory, archive_backlog_bytes: maxBytes } = storage;
  if (address === null || directory === null) return undefined;
  const outbox = await Outbox.open({
    directory: join(directory, FOLDER),
    address,
    maxBytes,
    onFailure: (reason, { waiting, waitingBytes }) => {
      const facts = { archive: address, waiting, waitingBytes };
      if (reason === undefined) logger.info(facts, "archive accepts uploads again");
      else
        logger.warn({ ...facts, reason }, "archive refuses uploads; they are tried again, and no call waits for them");
    },
  });
  const { waiting, waitingBytes } = outbox.counts;
  logger.info({ archive: address, waiting, waitingBytes }, "sessions that end are archived");
  return outbox;
}

/** Begins to archive the sessions of a server. */
export function startArchive(
  outbox: Outbox,
  server: { readonly registry: SessionRegistry; readonly origin: BatchOrigin },
  logger: FastifyBaseLogger,
): ServerArchive {
  const sessions = new SessionArchive({ ...server, outbox, logger });
  const close = async (milliseconds: number) => {
    const signal = AbortSignal.timeout(Math.max(1, milliseconds));
    await sessions.flush(signal);
    await outbox.whenEmpty(signal);
    await sessions.close();
    await outbox.close();
    const waiting = sessions.pending + outbox.counts.waiting;
    if (waiting > 0)
      logger.warn({ waiting }, "server stopped with sessions that are not archived; the next start goes on");
  };
  return { outbox, sessions, close };
}
