import { weightVersionSchema } from "../../control/weight-version.js";
import { CurrentVersion } from "../current-version.js";
/** Name of the weight version in the storage. */
export const WEIGHT_VERSION = "weight_version";
/**
 * Returns the weight version of a server. With storage, it begins with the stored version, and each later version is stored.
 *
 * @param file see {@link CurrentVersion}
 */
export function openWeightVersion(storage, file) {
    const weightVersion = new CurrentVersion(file, (version) => storage?.records.saveValue(WEIGHT_VERSION, version));
    const stored = weightVersionSchema.safeParse(storage?.records.readValue(WEIGHT_VERSION));
    if (stored.success)
        weightVersion.takeOver(stored.data);
    return weightVersion;
}
//# sourceMappingURL=weight-version.js.map