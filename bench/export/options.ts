import { type BatchOptions, batchOptionsSchema } from "../../src/session/batch/batch-options.js";
import type { StoreExportOptions } from "../../src/session/trajectory-store.js";
import { DISCOUNT } from "./load.js";

export const NOT_IN_BUILD = "not in this build";

/** Returns options of an export; undefined if this build does not know one of them. */
export function batchOptions(options: Readonly<Record<string, unknown>> = {}): BatchOptions | undefined {
  return batchOptionsSchema.safeParse({ discount: DISCOUNT, ...options }).data;
}

/** Returns the same for an export that keeps its sessions, so that it can be repeated. */
export function exportOptions(options: Readonly<Record<string, unknown>> = {}): StoreExportOptions | undefined {
  const known = batchOptions(options);
  return known && { ...known, release: false };
}
