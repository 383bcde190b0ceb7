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
 * @param scope appended to the names of the storage. Default: those of the main model
 */
export function openWeightVersion(
  storage: ServerStorage | undefined,
  file?: VersionFile,
  scope: string = "",
): CurrentVersion {
  const name = WEIGHT_VERSION + scope;
  const weightVersion = new CurrentVersion(file, (version) => storage?.records.saveValue(name, version));
  const stored = weightVersionSchema.safeParse(storage?.records.readValue(name));
  if (stored.success) weightVersion.takeOver(stored.data);
  return weightVersion;
}
