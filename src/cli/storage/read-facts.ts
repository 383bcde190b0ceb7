import { z } from "zod";
import { weightVersionSchema } from "../../admin-api/weight-version.js";
import { IDENTITY, requireReadableFormat } from "../../server/storage/identity.js";
import { ORIGIN } from "../../server/storage/server-storage.js";
import { knownLabelsSchema, VERSION_LABELS } from "../../server/storage/version-labels.js";
import { WEIGHT_VERSION } from "../../server/storage/weight-version.js";
import type { BatchOrigin } from "../../session/batch/batch-metadata.js";
import { STATE } from "../../session/session-registry.js";
import { openJson } from "../../session/stored/sealed-json.js";
import type { StorageReader } from "../../storage/index.js";

const identitySchema = z.object({ format: z.int(), workerTag: z.string(), modelDigest: z.string() });
const stateSchema = z.object({ capacity: z.int() });
const originSchema = z.object({
  model: z.string(),
  modelDigest: z.string(),
  config: z.record(z.string(), z.unknown()),
});

/** Facts about a server that are stored in its folder. Undefined if missing or damaged. */
export interface ServerFacts {
  readonly identity: z.output<typeof identitySchema> | undefined;
  readonly origin: BatchOrigin | undefined;
  readonly capacity: number | undefined;
  readonly weightVersion: number | undefined;
}

/** @throws StorageError `storage_unusable` if this build cannot read the records */
export function readServerFacts(reader: StorageReader, directory: string): ServerFacts {
  const identity = readValue(reader, IDENTITY, identitySchema);
  if (identity) requireReadableFormat(identity.format, directory);
  const origin = readValue(reader, ORIGIN, originSchema);
  const labels = readValue(reader, VERSION_LABELS, knownLabelsSchema);
  return {
    identity,
    origin: origin && { ...origin, versionLabels: labels?.versions ?? {} },
    capacity: readValue(reader, STATE, stateSchema)?.capacity,
    weightVersion: readValue(reader, WEIGHT_VERSION, weightVersionSchema)?.version,
  };
}

function readValue<T>(reader: StorageReader, name: string, schema: z.ZodType<T>): T | undefined {
  try {
    const bytes = reader.get("meta", Buffer.from(name));
    return bytes && schema.safeParse(openJson(bytes)).data;
  } catch {
    return undefined;
  }
}
