/** The value that the background of a token shows. */
export type TokenColouring = "logprob" | "mask" | "version";

export const COLOURINGS: readonly TokenColouring[] = ["logprob", "mask", "version"];

/** Upper bounds of surprise (−log probability, in nats) of each level; the last level has no bound. */
export const SURPRISE_BOUNDS = [0.05, 0.2, 0.5, 1, 2, 3, 5, 8] as const;

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
  const surprise = Number.isNaN(logprob) ? Infinity : -logprob;
  const level = SURPRISE_BOUNDS.findIndex((bound) => surprise <= bound);
  return level < 0 ? SURPRISE_BOUNDS.length : level;
}

/** Returns the class of a token. The style sheet has the colours, so both themes share the class. */
export function tokenClass({ logprob, trained, version, output }: TokenColours, colouring: TokenColouring): string {
  switch (colouring) {
    case "mask":
      return trained ? "tok mask-1" : "tok mask-0";
    case "version":
      return version < 0 ? "tok prompt" : `tok version-${version % VERSION_COLOURS}`;
    case "logprob":
      return output ? `tok surprise-${surpriseLevel(logprob)}` : "tok prompt";
  }
}
