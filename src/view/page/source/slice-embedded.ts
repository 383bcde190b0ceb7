import type { TokenRange, TokenSlice } from "../../api.js";
import type { EmbeddedTokens } from "../../embedded-format.js";

/** Returns a range of an interaction's tokens from the compact form of an HTML file. */
export function sliceEmbedded({ ids, texts, interactions }: EmbeddedTokens, range: TokenRange): TokenSlice {
  const found = interactions[range.interaction];
  if (!found) throw new Error("The tokens of this interaction are not in the HTML file.");
  const { tokens, output_start, logprobs, loss_mask, versions, temperature, difference } = found;
  const positions = tokens.slice(range.from, range.from + range.count);
  const mask = expandRuns(loss_mask, tokens.length);
  const outputVersions = expandRuns(versions, tokens.length - output_start);
  const own = (at: number): number => range.from + at;
  return {
    total: tokens.length,
    output_start,
    ids: positions.map((position) => ids[position] ?? -1),
    texts: texts && positions.map((position) => texts[position] ?? ""),
    logprobs: positions.map((_, at) => logprobs[own(at) - output_start] ?? 0),
    loss_mask: positions.map((_, at) => (mask[own(at)] === 1 ? 1 : 0)),
    versions: positions.map((_, at) => outputVersions[own(at) - output_start] ?? -1),
    temperature,
    ...(difference && { difference }),
  };
}

/** Expands `value, length, value, length, …` to at most `length` values. */
function expandRuns(runs: readonly number[], length: number): number[] {
  const values: number[] = [];
  for (let at = 0; at + 1 < runs.length && values.length < length; at += 2) {
    const [value = 0, count = 0] = [runs[at], runs[at + 1]];
    for (let i = 0; i < count && values.length < length; i++) values.push(value);
  }
  return values;
}
