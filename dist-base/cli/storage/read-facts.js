import { z } from "zod";
import { weightVersionSchema } from "../../control/weight-version.js";
import { FORMAT, IDENTITY, ORIGIN, READABLE_FORMATS } from "../../server/storage/server-storage.js";
import { WEIGHT_VERSION } from "../../server/storage/weight-version.js";
import { STATE } from "../../session/session-registry.js";
import { openJson } from "../../session/stored/sealed-json.js";
import { StorageError } from "../../storage/index.js";
const identitySchema = z.object({ format: z.int(), workerTag: z.string(), modelDigest: z.string() });
const stateSchema = z.object({ capacity: z.int() });
const originSchema = z.object({
    model: z.string(),
    modelDigest: z.string(),
    config: z.record(z.string(), z.unknown()),
});
/** @throws StorageError `storage_unusable` if this build cannot read the records */
export function readServerFacts(reader, directory) {
    const identity = readValue(reader, IDENTITY, identitySchema);
    if (identity && !READABLE_FORMATS.includes(identity.format)) {
        const reason = `has records of version ${identity.format}; this build reads version ${FORMAT}`;
        throw new StorageError("storage_unusable", `storage.directory ${directory} ${reason}.`);
    }
    return {
        identity,
        origin: readValue(reader, ORIGIN, originSchema),
        capacity: readValue(reader, STATE, stateSchema)?.capacity,
        weightVersion: readValue(reader, WEIGHT_VERSION, weightVersionSchema)?.version,
    };
}
function readValue(reader, name, schema) {
    try {
        const bytes = reader.get("meta", Buffer.from(name));
        return bytes && schema.safeParse(openJson(bytes)).data;
    }
    catch {
        return undefined;
    }
}
//# sourceMappingURL=read-facts.js.map