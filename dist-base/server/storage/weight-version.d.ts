import { CurrentVersion } from "../current-version.js";
import type { VersionFile } from "../version-file.js";
import type { ServerStorage } from "./server-storage.js";
/** Name of the weight version in the storage. */
export declare const WEIGHT_VERSION = "weight_version";
/**
 * Returns the weight version of a server. With storage, it begins with the stored version, and each later version is stored.
 *
 * @param file see {@link CurrentVersion}
 */
export declare function openWeightVersion(storage: ServerStorage | undefined, file?: VersionFile): CurrentVersion;
