import type { RowImage } from "../../batch-file/batch-images.js";
import type { SequenceTokens } from "../../batch-file/batch-tokens.js";
import { CHARACTER_TOKENS, decodeTokens, type TokenEntries } from "../../batch-file/token-texts.js";
import { ApiError } from "../../http/errors.js";
import type { EpisodeLine, TranscriptInteraction } from "../../transcript/format.js";
import type { TokenImage, TokenItems, TokenPlace, TokenRange, TokenSlice, TokenText } from "../api.js";
import { type InteractionChannels, readChannelItems, readChannels, toShortNumber } from "./token-channels.js";

/** Tokens of the interactions of one episode. */
export interface EpisodeTokens {
  /**
   * Returns the number of available tokens of an interaction's sequence, prompt and output; undefined if it has no row.
   */
  length(interaction: number): Promise<number | undefined>;
  /** Reads tokens [from, to) of an interaction's sequence. */
  read(interaction: number, from: number, to: number): Promise<SequenceTokens>;
  /** Returns the divisor of the logits; undefined if it is not known. */
  temperature(interaction: number): Promise<number | undefined>;
  /** Lists the images of an interaction's row. Offsets count from the start of its sequence. A tree's row may lack images of its parents. */
  images(interaction: number): Promise<readonly RowImage[]>;
  /** Returns the channels of an interaction's row; undefined if it has none. */
  channels(interaction: number): InteractionChannels | undefined;
}

export const MAX_TOKENS = 4096;

/** Number of tokens that are shown before and after the first difference of a broken prefix. */
const BEFORE_DIFFERENCE = 8;
const AFTER_DIFFERENCE = 16;

/**
 * Reads a range of an interaction's own tokens.
 *
 * @param entries undefined if the tokenizer is not known
 * @throws ApiError `tokens_unavailable`
 */
export async function readTokenSlice(
  episode: EpisodeLine,
  { interaction: index, from, count }: Omit<TokenRange, "episode">,
  tokens: EpisodeTokens,
  entries: TokenEntries | undefined,
): Promise<TokenSlice> {
  const { interaction, length, shared } = await findOwnTokens(episode, index, tokens);
  const start = shared + from;
  const end = Math.min(start + Math.min(count, MAX_TOKENS), length);
  const context = Math.max(0, Math.min(start, length) - CHARACTER_TOKENS);
  const read = await tokens.read(index, context, Math.max(context, end));
  const skipped = Math.min(start, length) - context;
  const texts = entries ? decodeTokens(entries, read.ids, end === length).slice(skipped) : null;
  const difference = await readDifference(episode, index, tokens, entries);
  return {
    total: length - shared,
    output_start: Math.max(0, Math.min(interaction.prompt_tokens, length) - shared),
    ids: [...read.ids.subarray(skipped)],
    texts,
    logprobs: Array.from(read.logprobs.subarray(skipped), toFinite),
    loss_mask: Array.from(read.lossMask.subarray(skipped), (value) => (value === 0 ? 0 : 1)),
    versions: [...read.versions.subarray(skipped)],
    temperature: (await tokens.temperature(index)) ?? readTemperature(interaction),
    channels: await readChannels(tokens.channels(index), entries, Math.min(start, length), Math.max(start, end)),
    images: await readImages(tokens, index, { start, end, shared }),
    ...(difference && { difference }),
  };
}

interface SliceBounds {
  readonly start: number;
  readonly end: number;
  readonly shared: number;
}

/** Lists the images that have tokens in [start, end) of the sequence. */
async function readImages(
  tokens: EpisodeTokens,
  index: number,
  { start, end, shared }: SliceBounds,
): Promise<TokenImage[]> {
  const images = await tokens.images(index);
  return images
    .filter(({ offset, length }) => offset < end && offset + length > start)
    .map(({ offset, length, ...image }) => ({ from: offset - shared, count: length, ...image }));
}

/**
 * Reads what the channels have for one of an interaction's own tokens.
 *
 * @param entries undefined if the tokenizer is not known
 * @throws ApiError `tokens_unavailable`, or `not_found`
 */
export async function readTokenItems(
  episode: EpisodeLine,
  { interaction: index, token }: Omit<TokenPlace, "episode">,
  tokens: EpisodeTokens,
  entries: TokenEntries | undefined,
): Promise<TokenItems> {
  const { length, shared } = await findOwnTokens(episode, index, tokens);
  if (shared + token >= length) {
    throw new ApiError(
      "not_found",
      `Interaction ${index} has ${length - shared} own tokens; there is no token ${token}.`,
    );
  }
  return readChannelItems(tokens.channels(index), entries, shared + token);
}

interface OwnTokens {
  readonly interaction: TranscriptInteraction;
  /** Number of tokens of the interaction's sequence. */
  readonly length: number;
  /** Number of those before its own. */
  readonly shared: number;
}

/** @throws ApiError `tokens_unavailable`, or `not_found` */
async function findOwnTokens({ interactions }: EpisodeLine, index: number, tokens: EpisodeTokens): Promise<OwnTokens> {
  const interaction = interactions[index];
  if (!interaction) throw new ApiError("not_found", `The episode has no interaction ${index}.`);
  const length = await tokens.length(index);
  if (length === undefined) {
    throw new ApiError("tokens_unavailable", `Interaction ${index} has no row in the episode's batch.`);
  }
  return { interaction, length, shared: Math.min(interaction.shared_tokens, length) };
}

function readTemperature({ sampling }: TranscriptInteraction): number {
  const temperature = sampling?.["temperature"];
  return typeof temperature === "number" && temperature > 0 ? temperature : 1;
}

/** JSON has no number that is not finite. */
function toFinite(logprob: number): number {
  if (Number.isFinite(logprob)) return toShortNumber(logprob);
  throw new ApiError("tokens_unavailable", "The tensor file has a log probability that is not finite.");
}

/** Returns both sides of the first difference if the prompt does not begin with all tokens of its parent. */
async function readDifference(
  { interactions }: EpisodeLine,
  index: number,
  tokens: EpisodeTokens,
  entries: TokenEntries | undefined,
): Promise<TokenSlice["difference"]> {
  const interaction = interactions[index];
  const parent = interaction && interactions[interaction.parent];
  if (!interaction || !parent || interaction.token_exact) return undefined;
  const at = interaction.shared_tokens;
  const readSide = async (side: number): Promise<TokenText[] | undefined> => {
    const length = await tokens.length(side);
    if (length === undefined || at > length) return undefined;
    const { ids } = await tokens.read(
      side,
      Math.max(0, at - BEFORE_DIFFERENCE),
      Math.min(length, at + AFTER_DIFFERENCE),
    );
    const texts = entries && decodeTokens(entries, ids, true);
    return Array.from(ids, (id, i) => ({ id, text: texts?.[i] ?? null }));
  };
  const sides = [await readSide(interaction.parent), await readSide(index)];
  return sides[0] && sides[1] ? { at, parent: sides[0], own: sides[1] } : undefined;
}
