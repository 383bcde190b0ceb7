import {
  type FileHead,
  type FileSession,
  readFirstHead,
  readSessions,
} from "../../session/stored/file/read-sessions.js";
import type { ObjectStore, StoredObject } from "../../storage/archive/object-store.js";
import { StoredFile } from "../../storage/archive/stored-file.js";
import { readChunks } from "../export/read-chunks.js";

/** The name of an archived session: the outbox of its server, its number, its id. */
const SESSION = /^sessions\/[0-9a-f]+\/\d+-(.+)\.sessions$/;

/** Bytes that are read at a time to find the head of a session. Most heads with their tools have less. */
const HEAD_BYTES = 1 << 16;

export interface ArchivedSession extends StoredObject {
  readonly id: string;
}

/** Yields the sessions of an archive, server by server, in the order in which they started. Reads none of them. */
export async function* listArchived(store: ObjectStore): AsyncGenerator<ArchivedSession> {
  for await (const object of store.list("sessions/")) {
    const id = SESSION.exec(object.name)?.[1];
    if (id !== undefined) yield { ...object, id };
  }
}

/**
 * Reads the session of an object.
 *
 * @throws SessionsFileError or DamagedSessionError if it is damaged, ArchiveError if the store fails
 */
export async function readArchived(store: ObjectStore, { name, bytes }: StoredObject): Promise<FileSession[]> {
  const sessions: FileSession[] = [];
  const chunks = readChunks(new StoredFile(store, name, bytes));
  for await (const session of readSessions(chunks, store.address(name))) sessions.push(session);
  return sessions;
}

/**
 * Reads the session of an object without its data, which may have many megabytes.
 *
 * @throws SessionsFileError if it is damaged, ArchiveError if the store fails
 */
export function readArchivedHead(store: ObjectStore, { name, bytes }: StoredObject): Promise<FileHead> {
  return readFirstHead(readParts(), store.address(name));

  async function* readParts(): AsyncGenerator<Uint8Array> {
    for (let from = 0; from < bytes; from += HEAD_BYTES) yield store.readRange(name, from, HEAD_BYTES);
  }
}
