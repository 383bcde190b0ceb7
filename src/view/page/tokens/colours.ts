import type { JsonNumber, TokenChannel } from "../../api.js";

/** The value that the background of a token shows: a value of every batch, or the column of a channel. */
export type TokenColouring = BaseColouring | `channel:${string}`;
type BaseColouring = "logprob" | "mask" | "version";

export const BASE_COLOURINGS: readonly BaseColouring[] = ["logprob", "mask", "version"];

export const colouringOf = ({ name }: TokenChannel): TokenColouring => `channel:${name}`;

/** Returns the channel whose column a colouring shows. */
export const findChannel = (channels: readonly TokenChannel[], by: TokenColouring): TokenChannel | undefined =>
  channels.find((channel) => channel.column && colouringOf(channel) === by);

/** Returns the colourings of tokens with these channels. */
export function listColourings(channels: readonly TokenChannel[]): readonly TokenColouring[] {
  return [...BASE_COLOURINGS, ...channels.filter(({ column }) => column).map(colouringOf)];
}

/** Upper bounds of surprise (−log probability, in nats) of each level; the last level has no bound. */
export const SURPRISE_BOUNDS = [0.05, 0.2, 0.5, 1, 2, 3, 5, 8] as const;

/** Lower bounds of the levels of a difference of two log probabilities, in nats; below the first, they count as equal. */
export const DIFFERENCE_BOUNDS = [0.1, 0.5, 1, 2] as const;

/** Upper bounds of the levels of a number of items; the last level has no bound. */
export const COUNT_BOUNDS = [1, 4, 16, 64, 256] as const;

/** Number of colours for versions; they repeat after that many versions. */
export const VERSION_COLOURS = 6;

export interface TokenColours {
  readonly logprob: number;
  readonly trained: boolean;
  /** -1: a prompt token. */
  readonly version: number;
  readonly output: boolean;
}

/** Returns the level of a log probability: 0 for a certain token, up to `SURPRISE_BOUNDS.length`. */
export function surpriseLevel(logprob: number): number {
  return levelOf(Number.isNaN(logprob) ? Infinity : -logprob, SURPRISE_BOUNDS);
}

/** Returns the index of the first bound that is not exceeded. */
function levelOf(value: number, bounds: readonly number[]): number {
  const level = bounds.findIndex((bound) => value <= bound);
  return level < 0 ? bounds.length : level;
}

/** Returns the class of a token. The style sheet has the colours, so both themes share the class. */
export function tokenClass({ logprob, trained, version, output }: TokenColours, colouring: BaseColouring): string {
  switch (colouring) {
    case "mask":
      return trained ? "tok mask-1" : "tok mask-0";
    case "version":
      return version < 0 ? "tok prompt" : `tok version-${version % VERSION_COLOURS}`;
    case "logprob":
      return output ? `tok surprise-${surpriseLevel(logprob)}` : "tok prompt";
  }
}

/**
 * How the column of a channel is coloured: a log probability by its difference from the recorded one, other numbers by level. `bounds` are
 * the upper bounds of the levels; the last level has none.
 */
export type ColumnScale =
  | { readonly kind: "difference" }
  | { readonly kind: "levels"; readonly bounds: readonly number[] };

/** Returns the scale of a channel. `columns` are its columns in all slices that are shown. */
export function scaleOf({ values, ragged }: TokenChannel, columns: readonly TokenChannel["column"][]): ColumnScale {
  if (ragged) return { kind: "levels", bounds: COUNT_BOUNDS };
  if (values === "logprobs") return { kind: "difference" };
  let [lowest, highest] = [Infinity, -Infinity];
  for (const value of columns.flatMap((column) => column ?? [])) {
    if (typeof value !== "number") continue;
    lowest = Math.min(lowest, value);
    highest = Math.max(highest, value);
  }
  if (!(lowest < highest)) return { kind: "levels", bounds: [] };
  const steps = COUNT_BOUNDS.length + 1;
  return { kind: "levels", bounds: COUNT_BOUNDS.map((_, i) => lowest + ((i + 1) * (highest - lowest)) / steps) };
}

/** Returns the class of a token that shows a value of a channel. */
export function columnClass(
  scale: ColumnScale,
  value: JsonNumber | null | undefined,
  { logprob, output }: Pick<TokenColours, "logprob" | "output">,
): string {
  if (scale.kind === "levels") {
    if (value === null || value === undefined) return output ? "tok no-value" : "tok prompt";
    return `tok size-${levelOf(Number(value), scale.bounds)}`;
  }
  // A prompt has no recorded log probabilities to compare with.
  if (!output) return "tok prompt";
  if (value === null || value === undefined) return "tok no-value";
  return `tok ${differenceClass(Number(value) - logprob)}`;
}

/** Returns the class of a difference: `higher-n` or `lower-n`, or `equal`. */
export function differenceClass(difference: number): string {
  if (Number.isNaN(difference)) return "no-value";
  const level = DIFFERENCE_BOUNDS.filter((bound) => Math.abs(difference) >= bound).length;
  if (level === 0) return "equal";
  return `${difference > 0 ? "higher" : "lower"}-${level}`;
}
