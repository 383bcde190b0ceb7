import { batchOptionsSchema } from "../../src/session/batch-options.js";
import type { StoreExportOptions } from "../../src/session/trajectory-store.js";
import { DISCOUNT } from "./load.js";

export const NOT_IN_BUILD = "not in this build";

/** Options of a repeatable export; undefined where this build does not know one of them. */
export function exportOptions(options: Readonly<Record<string, unknown>> = {}): StoreExportOptions | undefined {
  const parsed = batchOptionsSchema.safeParse({ discount: DISCOUNT, ...options });
  return parsed.success ? { ...parsed.data, release: false } : undefined;
}
