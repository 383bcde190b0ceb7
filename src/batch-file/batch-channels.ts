import { z } from "zod";
import { countElements } from "../support/safetensors/dtype.js";
import type { TensorEntry } from "../support/safetensors/read-header.js";
import { readJson } from "../support/schema/read-json.js";
import type { TokenRun } from "./row-layout.js";
import { readElementBytes, type TensorBytes } from "./tensor-ranges.js";

/** The dtypes of channels, and how their bytes become numbers. */
const NUMBERS = {
  I32: (bytes: Uint8Array<ArrayBuffer>) => new Int32Array(bytes.buffer),
  F32: (bytes: Uint8Array<ArrayBuffer>) => new Float32Array(bytes.buffer),
  U16: (bytes: Uint8Array<ArrayBuffer>) => new Uint16Array(bytes.buffer),
  U8: (bytes: Uint8Array<ArrayBuffer>) => bytes,
  BOOL: (bytes: Uint8Array<ArrayBuffer>) => bytes,
};

type ChannelDtype = keyof typeof NUMBERS;

/** The metadata `channels` of a batch. */
const channelsSchema = z.array(
  z.object({
    name: z.string().regex(/^[a-z][a-z0-9_]{0,63}$/),
    of: z.enum(["output", "sequence"]),
    mask: z.string().default(""),
    offsets: z.string().optional(),
    token_ids: z.array(z.int()).optional(),
  }),
);

/** A channel of a batch: values of tokens besides ids and log probabilities. docs/reference/batch-format.md describes it. */
export interface BatchChannel {
  readonly name: string;
  /** The tokens that may have items. */
  readonly of: "output" | "sequence";
  readonly dtype: ChannelDtype;
  /** Extents of an item. Empty: one value. */
  readonly shape: readonly number[];
  /** True if a token has any number of items; otherwise it has one or none. */
  readonly isRagged: boolean;
  /** The token ids that the values of an item belong to, if they do. */
  readonly tokenIds: readonly number[] | undefined;
}

/** The first values of a token's items. */
export interface ItemValues {
  readonly values: readonly number[];
  /** Number of all values. */
  readonly total: number;
}

interface ChannelTensors {
  readonly channel: BatchChannel;
  readonly values: TensorEntry;
  /** The mask, or the offsets of a ragged channel. */
  readonly other: TensorEntry;
}

/** The channels of a batch file. Reads only the items that are asked for. */
export class BatchChannels {
  readonly #file: TensorBytes;
  readonly #tensors: ReadonlyMap<string, ChannelTensors>;

  constructor(file: TensorBytes) {
    this.#file = file;
    this.#tensors = new Map(findChannels(file).map((found) => [found.channel.name, found]));
  }

  get all(): readonly BatchChannel[] {
    return [...this.#tensors.values()].map(({ channel }) => channel);
  }

  /**
   * Reads one number per token: the value of a channel with one, the number of items of a ragged channel. Null: the token has no item.
   * Undefined for a channel whose items have several values.
   */
  async readColumn({ name }: BatchChannel, runs: readonly TokenRun[]): Promise<(number | null)[] | undefined> {
    const tensors = this.#tensors.get(name);
    if (!tensors || (!tensors.channel.isRagged && countElements(tensors.channel.shape) !== 1)) return undefined;
    const columns = await Promise.all(runs.map((run) => this.#readRun(tensors, run)));
    return columns.flat();
  }

  /** Reads the items of a token, at most `limit` values. Returns null if it has none. */
  async readItems({ name }: BatchChannel, { at }: TokenRun, limit: number): Promise<ItemValues | null> {
    const tensors = this.#tensors.get(name);
    if (!tensors) return null;
    const [first = 0, end = 0] = await this.#findItems(tensors, at);
    const size = countElements(tensors.channel.shape);
    const total = (end - first) * size;
    if (total <= 0) return null;
    const values = await this.#readValues(tensors, first * size, Math.min(end * size, first * size + limit));
    return { values, total };
  }

  async #readRun(tensors: ChannelTensors, { at, count }: TokenRun): Promise<(number | null)[]> {
    if (tensors.channel.isRagged) {
      const offsets = await this.#readOffsets(tensors, at, at + count + 1);
      return Array.from({ length: count }, (_, i) => {
        const items = (offsets[i + 1] ?? 0) - (offsets[i] ?? 0);
        return items > 0 ? items : null;
      });
    }
    const [values, mask] = await Promise.all([
      this.#readValues(tensors, at, at + count),
      readElementBytes(this.#file, tensors.other, at, at + count),
    ]);
    return values.map((value, i) => (mask[i] === 0 ? null : value));
  }

  /** Returns the first item of a token, and the one after its last. */
  async #findItems(tensors: ChannelTensors, at: number): Promise<number[]> {
    if (tensors.channel.isRagged) return this.#readOffsets(tensors, at, at + 2);
    const [hasItem] = await readElementBytes(this.#file, tensors.other, at, at + 1);
    return [at, hasItem === 0 ? at : at + 1];
  }

  async #readValues({ channel, values }: ChannelTensors, from: number, to: number): Promise<number[]> {
    return [...NUMBERS[channel.dtype](await readElementBytes(this.#file, values, from, to))];
  }

  async #readOffsets({ other }: ChannelTensors, from: number, to: number): Promise<number[]> {
    const { buffer } = await readElementBytes(this.#file, other, from, to);
    return Array.from(new BigInt64Array(buffer), Number);
  }
}

/** Lists the channels that the metadata names, without those whose tensors are missing or have another form. */
function findChannels({ header: { metadata, tensors } }: TensorBytes): ChannelTensors[] {
  const byName = new Map(tensors.map((tensor) => [tensor.name, tensor]));
  const extents = byName.get("input_ids")?.shape.length;
  const listed = readJson(channelsSchema, metadata["channels"]) ?? [];
  return listed.flatMap(({ name, of, mask, offsets, token_ids: tokenIds }) => {
    const values = byName.get(name);
    const other = byName.get(offsets ?? mask);
    const isRagged = offsets !== undefined;
    if (!values || !isNumeric(values.dtype) || other?.dtype !== (isRagged ? "I64" : "BOOL")) return [];
    const shape = values.shape.slice(isRagged ? 1 : extents);
    return [{ channel: { name, of, dtype: values.dtype, shape, isRagged, tokenIds }, values, other }];
  });
}

const isNumeric = (dtype: string): dtype is ChannelDtype => Object.hasOwn(NUMBERS, dtype);
