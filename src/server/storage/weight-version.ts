import { weightVersionSchema } from "../../admin-api/weight-version.js";
import { CurrentVersion } from "../current-version.js";
import type { VersionFile } from "../version-file.js";
import type { ServerStorage } from "./server-storage.js";

/** Name of the weight version in the storage. */
export const WEIGHT_VERSION = "weight_version";

/**
 * Returns the weight version of a server. With storage, it begins with the stored version, and each later version is stored.
 *
 * @param file see {@link CurrentVersion}
 */
export function openWeightVersion(storage: ServerStorage | undefined, file?: VersionFile): CurrentVersion {
  const weightVersion = new CurrentVersion(file, (version) => storage?.records.saveValue(WEIGHT_VERSION, version));
  const stored = weightVersionSchema.safeParse(storage?.records.readValue(WEIGHT_VERSION));
  if (stored.success) weightVersion.takeOver(stored.data);
  return weightVersion;
}
