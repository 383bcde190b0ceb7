import type { TokenImage, TokenSlice } from "../../api.js";
import { formatWhole } from "../state/format.js";
import type { TokenWindow } from "./token-window.js";

/** Tokens that are shown as one: a single token, or the tokens of an image that are in the same slice. */
export interface ShownRun {
  /** First token, counted from the start of the interaction's own tokens. */
  readonly from: number;
  readonly end: number;
  readonly image?: TokenImage;
}

/**
 * Returns the run that contains a position.
 *
 * @param start position of the slice's first token
 */
export function findRun({ ids, images }: TokenSlice, start: number, position: number): ShownRun {
  const image = images.find(({ from, count }) => position >= from && position < from + count);
  if (!image) return { from: position, end: position + 1 };
  return { from: Math.max(start, image.from), end: Math.min(start + ids.length, image.from + image.count), image };
}

/** Lists the runs of a slice. */
export function listRuns(slice: TokenSlice, start: number): readonly ShownRun[] {
  const runs: ShownRun[] = [];
  for (let at = start; at < start + slice.ids.length; ) {
    const run = findRun(slice, start, at);
    runs.push(run);
    at = run.end;
  }
  return runs;
}

/** Like {@link findRun}, in the slice of the window that contains the position. */
export function findRunInWindow({ from, slices }: TokenWindow, position: number): ShownRun {
  let start = from;
  for (const slice of slices) {
    if (position >= start && position < start + slice.ids.length) return findRun(slice, start, position);
    start += slice.ids.length;
  }
  return { from: position, end: position + 1 };
}

/**
 * Returns a text such as `image 1,280 × 720, 1,196 tokens`.
 *
 * @param shown number of the image's tokens that are in the run
 */
export function describeImage({ width, height, count }: TokenImage, shown: number): string {
  const tokens = shown < count ? `${formatWhole(shown)} of ${formatWhole(count)}` : formatWhole(count);
  return `image ${formatWhole(width)} × ${formatWhole(height)}, ${tokens} tokens`;
}
