import { ApiError } from "../../http/errors.js";
import { restoreSession } from "../../session/stored/load-session.js";
import { type OfflineSession, readHeads, readWithTools, reasonOf } from "../../session/stored/offline-sessions.js";
import { StorageReader } from "../../storage/index.js";
import { countNoun } from "../count-noun.js";
import { readServerFacts } from "../storage/read-facts.js";
import type { ViewedSession, ViewedSessions } from "./stored-source.js";

/**
 * Opens the sessions of a storage folder, as it is now. A server may have it open.
 *
 * @throws StorageError
 */
export function openFolder(directory: string): ViewedSessions {
  const storage = StorageReader.open(directory);
  try {
    const { origin } = readServerFacts(storage, directory);
    let problems = storage.damage.length;
    const heads = readHeads(storage, () => problems++);
    const damage = `${countNoun(problems, "part")} of the folder cannot be read. \`rolltape storage verify\` names them.`;
    const isLive = "A server has the folder open. This is what it had when the viewer was started.";
    const toStored = (offline: OfflineSession): ViewedSession => ({
      id: offline.head.summary.id,
      readHead: async () => ({ session: restoreSession(offline.head.summary), origin, interactions: undefined }),
      read: async () => ({ session: readSession(storage, offline), origin }),
    });
    return {
      name: directory,
      notices: [...(storage.isLive ? [isLive] : []), ...(problems > 0 ? [damage] : [])],
      async *list() {
        for (const offline of heads) if (!offline.head.summary.freed) yield toStored(offline);
      },
      [Symbol.asyncDispose]: async () => storage.close(),
    };
  } catch (error) {
    storage.close();
    throw error;
  }
}

function readSession(storage: StorageReader, offline: OfflineSession) {
  try {
    return readWithTools(storage, offline);
  } catch (cause) {
    const { id } = offline.head.summary;
    throw new ApiError("session_damaged", `Session ${id} is damaged: ${reasonOf(cause)}.`, { cause });
  }
}
