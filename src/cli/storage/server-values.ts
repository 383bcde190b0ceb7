import { IDENTITY } from "../../server/storage/identity.js";
import { STATE } from "../../session/session-registry.js";
import type { DamagedParts } from "../../session/stored/damaged-parts.js";
import { type StorageReader, unusableFolderError } from "../../storage/index.js";

/**
 * Refuses a folder that no server can continue: without these values, message digests could not be compared, and session ids would be
 * given again.
 *
 * @throws StorageError `storage_unusable`
 */
export function refuseLostServer(storage: StorageReader, damaged: DamagedParts): void {
  const intact = new Set<string>();
  for (const { key } of storage.scan("meta", () => undefined)) {
    if (damaged.isIntact("meta", key)) intact.add(key.toString());
  }
  const lost = [IDENTITY, STATE].filter((name) => !intact.has(name));
  if (lost.length === 0) return;
  const reason =
    `has lost values that a server needs to continue its sessions (${lost.join(", ")}). ` +
    "`rolltape export --storage` exports what can be read; start the server on another folder. Nothing was changed";
  throw unusableFolderError(storage.directory, reason);
}
