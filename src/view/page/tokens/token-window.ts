import type { TokenChannel, TokenSlice } from "../../api.js";

/** Number of tokens per read: a screen or two, and half of the maximum that a server returns. */
export const SLICE = 2048;

/** Number of prompt tokens shown before the answer; earlier ones are read on demand. */
const CONTEXT = 64;

/** Neighbouring slices of an interaction's own tokens. */
export interface TokenWindow {
  /** Position of the first token. */
  readonly from: number;
  readonly slices: readonly TokenSlice[];
}

/**
 * Returns the first token to show: shortly before the answer, because the answer is what was trained; 0 if the
 * prompt is short.
 */
export const firstShown = ({ output_start }: TokenSlice): number =>
  output_start <= 2 * CONTEXT ? 0 : output_start - CONTEXT;

/** Returns a slice without its first tokens. */
export function withoutFirst(slice: TokenSlice, count: number): TokenSlice {
  return {
    ...slice,
    ids: slice.ids.slice(count),
    texts: slice.texts?.slice(count) ?? null,
    logprobs: slice.logprobs.slice(count),
    loss_mask: slice.loss_mask.slice(count),
    versions: slice.versions.slice(count),
    channels: sliceColumns(slice.channels, count),
  };
}

/** Returns channels with the columns of the tokens [from, to). */
export function sliceColumns(channels: readonly TokenChannel[], from: number, to?: number): readonly TokenChannel[] {
  return channels.map((channel) => (channel.column ? { ...channel, column: channel.column.slice(from, to) } : channel));
}

export const windowEnd = ({ from, slices }: TokenWindow): number =>
  slices.reduce((end, { ids }) => end + ids.length, from);
