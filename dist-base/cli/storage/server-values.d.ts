import type { DamagedParts } from "../../session/stored/damaged-parts.js";
import { type OfflineStorage } from "../../storage/index.js";
/**
 * Refuses a folder that no server can continue: without these values, message digests could not be compared, and session ids would be
 * given again.
 *
 * @throws StorageError `storage_unusable`
 */
export declare function refuseLostServer(storage: OfflineStorage, damaged: DamagedParts): void;
