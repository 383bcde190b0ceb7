import { z } from "zod";
import { TensorFile } from "../support/safetensors/tensor-file.js";
import { readJson } from "../support/schema/read-json.js";
import { type BatchChannel, BatchChannels, type ItemValues } from "./batch-channels.js";
import { BatchImages, type RowImage } from "./batch-images.js";
import { BatchRows } from "./batch-rows.js";
import { type RowLayout, readLayout, type TokenRun } from "./row-layout.js";
import { findTensor, readRange, type TensorBytes } from "./tensor-ranges.js";

/** Tokens of a sequence, one value per token. */
export interface SequenceTokens {
  readonly ids: Int32Array;
  readonly logprobs: Float32Array;
  /** 1 at tokens that count for the loss. */
  readonly lossMask: Int32Array;
  /** -1 at prompt tokens. */
  readonly versions: Int32Array;
}

/** The tokens of a batch file. Reads only the tokens that are asked for. */
export class BatchTokens implements AsyncDisposable {
  readonly rows: BatchRows;
  readonly modelDigest: string | undefined;
  /** Indices of the layers with experts; undefined if the file does not name them. */
  readonly moeLayers: readonly number[] | undefined;
  readonly file: TensorBytes;
  /** The image files of the batch. */
  readonly images: BatchImages;
  readonly #layout: RowLayout;
  readonly #channels: BatchChannels;

  private constructor(file: TensorBytes, rows: BatchRows, layout: RowLayout) {
    this.file = file;
    this.rows = rows;
    this.#layout = layout;
    this.#channels = new BatchChannels(file);
    this.images = new BatchImages(file);
    const { metadata } = file.header;
    this.modelDigest = metadata["model_digest"];
    this.moeLayers = readJson(z.array(z.int()), metadata["moe_layers"]);
  }

  /**
   * Opens a batch. Returns undefined if the file is not a batch of Rolltape.
   *
   * @throws SafetensorsError, or an error of the file system
   */
  static async open(path: string): Promise<BatchTokens | undefined> {
    return BatchTokens.read(await TensorFile.open(path));
  }

  /** Reads a batch from an open file. If this fails, or the file is not a batch of Rolltape, the file is closed. */
  static async read(file: TensorBytes): Promise<BatchTokens | undefined> {
    try {
      const rows = new BatchRows(file.header);
      const layout = await readLayout(file, rows);
      if (layout) return new BatchTokens(file, rows, layout);
    } catch (error) {
      await file[Symbol.asyncDispose]();
      throw error;
    }
    await file[Symbol.asyncDispose]();
    return undefined;
  }

  /** Returns the number of tokens of a row's sequence. */
  length(row: number): number {
    return this.#layout.length(row);
  }

  /** Reads tokens [from, to) of a row's sequence. Values of a tensor that the file lacks are 0. */
  async read(row: number, from: number, to: number): Promise<SequenceTokens> {
    const runs = await this.#layout.runs(row, from, to);
    const count = runs.reduce((sum, run) => sum + run.count, 0);
    const [ids, logprobs, lossMask, versions] = await Promise.all([
      this.#gather("input_ids", "I32", runs, new Int32Array(count)),
      this.#gather("logprobs", "F32", runs, new Float32Array(count)),
      this.#gather("loss_mask", "I32", runs, new Int32Array(count)),
      this.#gather("versions", "I32", runs, new Int32Array(count)),
    ]);
    return { ids, logprobs, lossMask, versions };
  }

  /** Channels that the batch has in addition to {@link SequenceTokens}. */
  get channels(): readonly BatchChannel[] {
    return this.#channels.all;
  }

  /** Reads one number for each of the tokens [from, to) of a row's sequence; see {@link BatchChannels.readColumn}. */
  async readColumn(
    row: number,
    channel: BatchChannel,
    from: number,
    to: number,
  ): Promise<(number | null)[] | undefined> {
    return this.#channels.readColumn(channel, await this.#layout.runs(row, from, to));
  }

  /** Reads the items of one token of a row's sequence; see {@link BatchChannels.readItems}. */
  async readItems(row: number, channel: BatchChannel, at: number, limit: number): Promise<ItemValues | null> {
    const [token] = await this.#layout.runs(row, at, at + 1);
    return token ? this.#channels.readItems(channel, token, limit) : null;
  }

  /** Lists the images of a row; in a tree, those among the row's own tokens. Offsets count from the start of the row's sequence. */
  async readImages(row: number): Promise<readonly RowImage[]> {
    const start = this.#layout.ownStart(row);
    const images = await this.images.ofRow(row);
    return images.map((image) => ({ ...image, offset: start + image.offset }));
  }

  async #gather<Values extends Int32Array | Float32Array>(
    name: string,
    dtype: "I32" | "F32",
    runs: readonly TokenRun[],
    values: Values,
  ): Promise<Values> {
    const tensor = findTensor(this.file, name, dtype);
    if (!tensor) return values;
    let filled = 0;
    for (const { at, count } of runs) {
      values.set(await readRange(this.file, tensor, at, at + count), filled);
      filled += count;
    }
    return values;
  }

  /** Returns the number that the row's logits were divided by; undefined if the file does not have it. */
  async temperature(row: number): Promise<number | undefined> {
    const tensor = findTensor(this.file, "row_temperature", "F32");
    const [value] = tensor ? await readRange(this.file, tensor, row, row + 1) : [];
    return value !== undefined && value > 0 ? value : undefined;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.file[Symbol.asyncDispose]();
  }
}
