import type { TokenSlice } from "../../api.js";
import type { TokenWindow } from "./token-window.js";

/** A token that is shown. */
export interface ShownToken {
  readonly slice: TokenSlice;
  /** Position in the slice. */
  readonly at: number;
  /** Position among the interaction's own tokens. */
  readonly position: number;
}

/** Returns the token at a position among the interaction's own tokens; null if it is not in the window. */
export function findToken({ from, slices }: TokenWindow, position: number): ShownToken | null {
  let at = position - from;
  for (const slice of slices) {
    if (at >= 0 && at < slice.ids.length) return { slice, at, position };
    at -= slice.ids.length;
  }
  return null;
}

export const isOutput = ({ slice, position }: ShownToken): boolean => position >= slice.output_start;
