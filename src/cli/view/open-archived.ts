import { ApiError } from "../../http/errors.js";
import { DamagedSessionError } from "../../session/stored/damaged-session-error.js";
import { SessionsFileError } from "../../session/stored/file/errors.js";
import { ArchiveError } from "../../storage/archive/errors.js";
import { isMissing, ObjectStore } from "../../storage/archive/object-store.js";
import { type ArchivedSession, listArchived, readArchived, readArchivedHead } from "../archive/archived-sessions.js";
import type { ViewedSession, ViewedSessions } from "./stored-source.js";

/**
 * Opens the sessions of an archive; undefined if it has none.
 *
 * @throws ArchiveError
 */
export async function openArchived(address: string): Promise<ViewedSessions | undefined> {
  const store = await ObjectStore.open(address);
  const close = async () => store.close();
  try {
    const { done } = await listArchived(store).next();
    if (!done) return { name: address, notices: [], list: () => toStored(store), [Symbol.asyncDispose]: close };
  } catch (error) {
    store.close();
    throw error;
  }
  store.close();
  return undefined;
}

async function* toStored(store: ObjectStore): AsyncGenerator<ViewedSession> {
  for await (const object of listArchived(store)) {
    yield {
      id: object.id,
      readHead: () => describingErrors(object, () => readArchivedHead(store, object)),
      read: () =>
        describingErrors(object, async () => {
          const [session] = await readArchived(store, object);
          if (session) return session;
          throw new ApiError("session_damaged", `${store.address(object.name)} has no session.`);
        }),
    };
  }
}

async function describingErrors<T>({ id }: ArchivedSession, read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (cause) {
    if (cause instanceof SessionsFileError || cause instanceof DamagedSessionError)
      throw new ApiError("session_damaged", cause.message, { cause });
    if (cause instanceof ArchiveError && isMissing(cause.cause))
      throw new ApiError("session_not_found", `Session ${id} is no longer in the archive.`, { cause });
    throw cause;
  }
}
