import type { FastifyBaseLogger } from "fastify";
import { z } from "zod";
import { VersionLabels } from "../../engine/version-labels.js";
import type { ServerStorage } from "./server-storage.js";

/** Name of the labels of weight versions in the storage. */
export const VERSION_LABELS = "version_labels";

const version = z.int32();

export const knownLabelsSchema = z.object({ versions: z.record(z.string(), version.min(0)), highest: version });

/**
 * Returns the labels of weight versions. With storage, they begin with the stored ones, and each new one is stored.
 *
 * @param scope see {@link openWeightVersion}
 */
export function openVersionLabels(
  storage: ServerStorage | undefined,
  logger: Pick<FastifyBaseLogger, "warn">,
  scope: string = "",
): VersionLabels {
  const name = VERSION_LABELS + scope;
  const stored = knownLabelsSchema.safeParse(storage?.records.readValue(name));
  let isWarned = stored.success && Object.keys(stored.data.versions).length > 0;
  return new VersionLabels(stored.data, (known) => {
    storage?.records.saveValue(name, known);
    const [label, version] = Object.entries(known.versions).at(-1) ?? [];
    if (isWarned || label === undefined) return;
    isWarned = true;
    logger.warn(
      { label, version },
      "the engine names its weights by a text; Rolltape records such labels as integers in the order of their appearance. Name " +
        "weights by integers, so that all proxies and the trainer have the same ones",
    );
  });
}
