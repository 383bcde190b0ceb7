import type { EpisodeLine, SearchResult, Source, TokenRange, TokenSlice } from "../../api.js";
import {
  type EmbeddedOverview,
  type EmbeddedTokens,
  episodeBlock,
  imageBlock,
  OVERVIEW_BLOCK,
  tokensBlock,
} from "../../embedded-format.js";
import { episodeContains, SEARCH_MS } from "../../search.js";
import { sliceColumns } from "../tokens/token-window.js";

/** Returns the text of the script block with this id; undefined if the document has none. */
export type ReadBlock = (id: string) => string | undefined;

/** Returns the data of an HTML file in the form of `src/view/embedded-format.ts`; undefined if the page has no data inside. */
export function createEmbeddedSource(readBlock: ReadBlock): Source | undefined {
  if (readBlock(OVERVIEW_BLOCK) === undefined) return undefined;
  const pages = once(() => readJson<EmbeddedOverview>(readBlock, OVERVIEW_BLOCK));
  const episode = (index: number): Promise<EpisodeLine> => readJson<EpisodeLine>(readBlock, episodeBlock(index));
  const tokensOf = lastOne((index: number) => readJson<EmbeddedTokens>(readBlock, tokensBlock(index)));
  return {
    overview: async (after = 0) => {
      const all = await pages();
      const page = after === 0 ? all[0] : all.find(({ revision }) => revision > after);
      if (!page) throw new Error("The HTML file has no further episodes.");
      return page;
    },
    episode,
    tokens: async (range) => sliceEmbedded(await tokensOf(range.episode), range),
    image: async ({ sha256 }) =>
      decodeBlock(readBlock, imageBlock(sha256), "This image was left out of the HTML file."),
    search: async (text, signal) => {
      const indices = (await pages()).flatMap(({ episodes }) => episodes.index);
      return searchEpisodes(text, signal, indices, episode);
    },
  };
}

async function searchEpisodes(
  text: string,
  signal: AbortSignal,
  indices: readonly number[],
  read: (index: number) => Promise<EpisodeLine>,
): Promise<SearchResult> {
  const wanted = text.toLowerCase();
  const until = performance.now() + SEARCH_MS;
  const episodes: number[] = [];
  let complete = true;
  for (const index of indices) {
    if (performance.now() > until) return { episodes, complete: false };
    signal.throwIfAborted();
    const line = await read(index).catch(() => null);
    if (line === null) complete = false;
    else if (episodeContains(line, wanted)) episodes.push(index);
  }
  return { episodes, complete };
}

async function readJson<T>(readBlock: ReadBlock, id: string): Promise<T> {
  const bytes = decodeBlock(readBlock, id, "This part of the run was left out of the HTML file.");
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return (await new Response(stream).json()) as T;
}

/** @throws Error with this message if the document has no such block */
function decodeBlock(readBlock: ReadBlock, id: string, absence: string): Uint8Array<ArrayBuffer> {
  const block = readBlock(id);
  if (block === undefined) throw new Error(absence);
  return Uint8Array.from(atob(JSON.parse(block) as string), (character) => character.charCodeAt(0));
}

function once<T>(read: () => Promise<T>): () => Promise<T> {
  let result: Promise<T> | undefined;
  return () => (result ??= read());
}

/** Remembers the last result: the tokens of an episode are read turn by turn. */
function lastOne<T>(read: (index: number) => Promise<T>): (index: number) => Promise<T> {
  let last: { index: number; result: Promise<T> } | undefined;
  return (index) => {
    if (last?.index !== index) last = { index, result: read(index) };
    return last.result;
  };
}

/** Returns a range of an interaction's tokens from the compact form of an HTML file. */
function sliceEmbedded({ ids, texts, interactions }: EmbeddedTokens, range: TokenRange): TokenSlice {
  const found = interactions[range.interaction];
  if (!found) throw new Error("The tokens of this interaction are not in the HTML file.");
  const { tokens, output_start, logprobs, loss_mask, versions, temperature, channels, images, difference } = found;
  const positions = tokens.slice(range.from, range.from + range.count);
  const mask = expandRuns(loss_mask, tokens.length);
  const outputVersions = expandRuns(versions, tokens.length - output_start);
  const own = (at: number): number => range.from + at;
  const end = range.from + positions.length;
  return {
    total: tokens.length,
    output_start,
    ids: positions.map((position) => ids[position] ?? -1),
    texts: texts && positions.map((position) => texts[position] ?? ""),
    logprobs: positions.map((_, at) => logprobs[own(at) - output_start] ?? 0),
    loss_mask: positions.map((_, at) => (mask[own(at)] === 1 ? 1 : 0)),
    versions: positions.map((_, at) => outputVersions[own(at) - output_start] ?? -1),
    temperature,
    channels: sliceColumns(channels, range.from, range.from + range.count),
    images: images.filter(({ from, count }) => from < end && from + count > range.from),
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
