/** Consecutive tokens of a sequence. */
interface TokenRange {
  readonly offset: number;
  /** At least 1. */
  readonly length: number;
}

/** Returns ids with only the first one of each range, such as one image token for each image. Ranges are in order and do not overlap. */
export function collapseRanges(ids: Int32Array, ranges: readonly TokenRange[]): Int32Array {
  const collapsed = new Int32Array(ids.length - ranges.reduce((sum, { length }) => sum + length - 1, 0));
  let from = 0;
  let to = 0;
  const copy = (end: number) => {
    collapsed.set(ids.subarray(from, end), to);
    to += end - from;
  };
  for (const { offset, length } of ranges) {
    copy(offset + 1);
    from = offset + length;
  }
  copy(ids.length);
  return collapsed;
}
