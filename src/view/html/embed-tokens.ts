import { ApiError } from "../../http/errors.js";
import type { EpisodeLine, Source, TokenChannel, TokenSlice } from "../api.js";
import type { EmbeddedInteractionTokens, EmbeddedTokens } from "../embedded-format.js";
import { MAX_TOKENS } from "../tokens/token-slice.js";

/** Returns the tokens of an episode in the form of an HTML file; undefined if there are none. */
export async function embedTokens(
  source: Source,
  episode: number,
  { interactions }: EpisodeLine,
): Promise<EmbeddedTokens | undefined> {
  const table = new TokenTable();
  const embedded: (EmbeddedInteractionTokens | null)[] = [];
  for (const interaction of interactions.keys()) {
    const slice = await readAll(source, episode, interaction);
    embedded.push(slice ? embedSlice(slice, table) : null);
  }
  if (embedded.every((each) => each === null)) return undefined;
  return { ids: table.ids, texts: table.isDecoded ? table.texts : null, interactions: embedded };
}

/** Reads all own tokens of an interaction; undefined if there are none. */
async function readAll(source: Source, episode: number, interaction: number): Promise<TokenSlice | undefined> {
  try {
    let all = await source.tokens({ episode, interaction, from: 0, count: MAX_TOKENS });
    while (all.ids.length < all.total) {
      const next = await source.tokens({ episode, interaction, from: all.ids.length, count: MAX_TOKENS });
      if (next.ids.length === 0) return undefined;
      all = join(all, next);
    }
    return all;
  } catch (error) {
    if (error instanceof ApiError && error.code === "tokens_unavailable") return undefined;
    throw error;
  }
}

function join(all: TokenSlice, next: TokenSlice): TokenSlice {
  return {
    ...all,
    ids: [...all.ids, ...next.ids],
    texts: all.texts && next.texts ? [...all.texts, ...next.texts] : null,
    logprobs: [...all.logprobs, ...next.logprobs],
    loss_mask: [...all.loss_mask, ...next.loss_mask],
    versions: [...all.versions, ...next.versions],
    channels: all.channels.map((channel, i) => joinColumns(channel, next.channels[i])),
    // An image that both slices have tokens of begins in the first one.
    images: [...all.images, ...next.images.filter(({ from }) => from >= all.ids.length)],
  };
}

function joinColumns(all: TokenChannel, next: TokenChannel | undefined): TokenChannel {
  return all.column ? { ...all, column: [...all.column, ...(next?.column ?? [])] } : all;
}

function embedSlice(slice: TokenSlice, table: TokenTable): EmbeddedInteractionTokens {
  const { ids, texts, output_start, logprobs, loss_mask, versions, temperature, channels, images, difference } = slice;
  return {
    tokens: ids.map((id, i) => table.add(id, texts?.[i])),
    output_start,
    logprobs: logprobs.slice(output_start).map(roundLogprob),
    loss_mask: toRuns(loss_mask),
    versions: toRuns(versions.slice(output_start)),
    temperature,
    channels: channels.map(roundColumn),
    images,
    ...(difference && { difference }),
  };
}

const roundLogprob = (logprob: number): number => Math.round(logprob * 10_000) / 10_000;

function roundColumn(channel: TokenChannel): TokenChannel {
  const { values, column } = channel;
  if (values !== "logprobs" || !column) return channel;
  return { ...channel, column: column.map((value) => (typeof value === "number" ? roundLogprob(value) : value)) };
}

/** Returns runs of equal values: value, length, value, length, … */
function toRuns(values: readonly number[]): number[] {
  const runs: number[] = [];
  let last: number | undefined;
  for (const value of values) {
    if (value === last) runs[runs.length - 1] = (runs.at(-1) ?? 0) + 1;
    else runs.push(value, 1);
    last = value;
  }
  return runs;
}

/** Distinct pairs of id and text. The same id has several texts if it is a part of a character. */
class TokenTable {
  readonly ids: number[] = [];
  readonly texts: string[] = [];
  isDecoded = false;
  readonly #positions = new Map<string, number>();

  add(id: number, text: string | undefined): number {
    if (text !== undefined) this.isDecoded = true;
    const key = `${id} ${text ?? ""}`;
    let position = this.#positions.get(key);
    if (position === undefined) {
      position = this.ids.push(id) - 1;
      this.texts.push(text ?? "");
      this.#positions.set(key, position);
    }
    return position;
  }
}
