import type { BatchChannel, ItemValues } from "../../batch-file/batch-channels.js";
import { decodeTokens, type TokenEntries } from "../../batch-file/token-texts.js";
import { describeChannel } from "../../facts/channels.js";
import type { ChannelValues, JsonNumber, TokenChannel, TokenItems, TokenText } from "../api.js";

/** The channels of an interaction's sequence. Positions count from the start of the sequence. */
export interface InteractionChannels {
  readonly all: readonly BatchChannel[];
  /** Indices of the layers with experts; undefined if the batch does not name them. */
  readonly moeLayers: readonly number[] | undefined;
  /** Reads one number for each of the tokens [from, to); undefined if items have several values. */
  readColumn(channel: BatchChannel, from: number, to: number): Promise<(number | null)[] | undefined>;
  /** Reads the items of a token, at most `limit` values; null if it has none. */
  readItems(channel: BatchChannel, at: number, limit: number): Promise<ItemValues | null>;
}

/** Most values of a token that one answer has for a channel. */
const MAX_VALUES = 4096;

/** Describes the channels of a sequence, each with the column of the tokens [from, to) if it has one number per token. */
export async function readChannels(
  channels: InteractionChannels | undefined,
  entries: TokenEntries | undefined,
  from: number,
  to: number,
): Promise<readonly TokenChannel[]> {
  if (!channels) return [];
  return Promise.all(
    channels.all.map(async (channel): Promise<TokenChannel> => {
      const column = await channels.readColumn(channel, from, to);
      return {
        ...describe(channel, channels.moeLayers, entries),
        ...(column && { column: column.map(toColumnValue) }),
      };
    }),
  );
}

/** Reads what each channel has for one token. */
export async function readChannelItems(
  channels: InteractionChannels | undefined,
  entries: TokenEntries | undefined,
  at: number,
): Promise<TokenItems> {
  if (!channels) return [];
  return Promise.all(
    channels.all.map(async (channel): Promise<ChannelValues> => {
      const { name, shape } = channel;
      const found = await channels.readItems(channel, at, MAX_VALUES);
      if (!found) return { name, values: null, total: 0 };
      const { values, total } = found;
      const texts = describeChannel(name, shape).values === "token_ids" && values.map((id) => textOf(entries, id));
      return { name, values: values.map(toJsonNumber), total, ...(texts && { texts }) };
    }),
  );
}

function describe(
  { name, dtype, shape, of, isRagged, tokenIds }: BatchChannel,
  moeLayers: readonly number[] | undefined,
  entries: TokenEntries | undefined,
): TokenChannel {
  const facts = describeChannel(name, shape);
  const tokens = tokenIds?.map((id): TokenText => ({ id, text: textOf(entries, id) }));
  return {
    ...facts,
    name,
    dtype,
    shape,
    of,
    ragged: isRagged,
    ...(tokens && { tokens }),
    ...(facts.values === "experts" && moeLayers && { layers: moeLayers }),
  };
}

/** Returns the text of a token on its own. A part of a character is U+FFFD. */
function textOf(entries: TokenEntries | undefined, id: number): string | null {
  return entries && id >= 0 ? (decodeTokens(entries, [id], true)[0] ?? null) : null;
}

const toColumnValue = (value: number | null): JsonNumber | null => (value === null ? null : toJsonNumber(value));

/** JSON has no number that is not finite, but the log probability of an excluded token is -Infinity. */
function toJsonNumber(value: number): JsonNumber {
  return Number.isFinite(value) ? toShortNumber(value) : (String(value) as JsonNumber);
}

/** A float32 has about seven decimal digits; more would only make answers longer. Whole numbers keep all of theirs. */
export function toShortNumber(value: number): number {
  return Number.isInteger(value) ? value : Number(value.toPrecision(7));
}
