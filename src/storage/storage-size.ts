import type { SegmentSet } from "./log/segment-set.js";

/** Space that a storage takes. */
export interface StorageSize {
  /** Size of all segments. */
  readonly fileBytes: number;
  /** Bytes of the values in them, rounded. The rest was replaced or removed, or fills pages. */
  readonly usedBytes: number;
}

export function readSize(set: SegmentSet): StorageSize {
  const { total, live } = set.measure();
  return { fileBytes: total, usedBytes: Math.min(live, total) };
}
