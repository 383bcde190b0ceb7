import { readFile } from "node:fs/promises";
import { z } from "zod";
import { CodedError } from "../support/coded-error.js";
import { readHeader, type TensorEntry } from "../support/safetensors/read-header.js";
import { type MetadataRow, readRows } from "./batch-rows.js";

/** Numbers of a tensor of a batch file. BOOL is a byte, 0 or 1. */
export type FileTensor =
  | { readonly dtype: "I32"; readonly shape: readonly number[]; readonly data: Int32Array }
  | { readonly dtype: "F32"; readonly shape: readonly number[]; readonly data: Float32Array }
  | { readonly dtype: "I64"; readonly shape: readonly number[]; readonly data: BigInt64Array }
  | { readonly dtype: "U16"; readonly shape: readonly number[]; readonly data: Uint16Array }
  | { readonly dtype: "U8"; readonly shape: readonly number[]; readonly data: Uint8Array }
  | { readonly dtype: "BOOL"; readonly shape: readonly number[]; readonly data: Uint8Array };

type Numbers = FileTensor["data"];
type Dtype = FileTensor["dtype"];

const DTYPES = {
  I32: Int32Array,
  F32: Float32Array,
  I64: BigInt64Array,
  U16: Uint16Array,
  U8: Uint8Array,
  BOOL: Uint8Array,
} as const satisfies Readonly<Record<Dtype, unknown>>;

/** The tensors whose dtype the format fixes. docs/reference/batch-format.md describes them. */
const KNOWN = {
  input_ids: "I32",
  loss_mask: "I32",
  logprobs: "F32",
  versions: "I32",
  attention_mask: "BOOL",
  position_ids: "I32",
  cu_seqlens: "I32",
  cu_turns: "I32",
  cu_trees: "I32",
  subtree_end: "I32",
  node_offsets: "I32",
  node_parents: "I32",
  node_lengths: "I32",
  node_rewards: "F32",
  rewards: "F32",
  mm_token_type_ids: "U8",
  image_row: "I32",
  image_file: "I32",
  image_offset: "I32",
  image_length: "I32",
  image_width: "I32",
  image_height: "I32",
  image_bytes_offsets: "I64",
  image_bytes: "U8",
} as const satisfies Readonly<Record<string, Dtype>>;

type KnownTensors = {
  readonly [Name in keyof typeof KNOWN]: Extract<FileTensor, { readonly dtype: (typeof KNOWN)[Name] }>["data"];
};

const layoutSchema = z.enum(["padded", "packed", "tree"]);
const codesSchema = z.record(z.string(), z.array(z.string()));

/** `invalid_batch`: a file that is no batch of Rolltape. `batch_mismatch`: the batch lacks a tensor. */
export class BatchFileError extends CodedError<"invalid_batch" | "batch_mismatch"> {
  override readonly name = "BatchFileError";
}

/**
 * A batch of a file or of the body of an export, whose members are named as in Python's `rolltape.Batch`. Tensors are views of its
 * bytes, unless they are not aligned there.
 */
export class BatchFile {
  /** Texts of the file's `__metadata__`. */
  readonly metadata: Readonly<Record<string, string>>;
  readonly layout: "padded" | "packed" | "tree";
  /** Session, task, group, interaction and length of each row; of each node of a tree. */
  readonly rows: readonly MetadataRow[];
  readonly #bytes: Uint8Array;
  readonly #tensors: ReadonlyMap<string, TensorEntry>;

  private constructor(bytes: Uint8Array) {
    const header = readHeader(bytes);
    const layout = layoutSchema.safeParse(header.metadata["layout"]);
    if (!layout.success)
      throw new BatchFileError("invalid_batch", "This is not a batch: its metadata has no known `layout`.");
    this.metadata = header.metadata;
    this.layout = layout.data;
    this.rows = readRows(header);
    this.#bytes = bytes;
    this.#tensors = new Map(header.tensors.map((tensor) => [tensor.name, tensor]));
  }

  /** Reads a whole file into memory. @throws SafetensorsError, BatchFileError, or an error of the file system */
  static async open(path: string): Promise<BatchFile> {
    return new BatchFile(await readFile(path));
  }

  /** Reads the body of an export, or the bytes of a `Batch`. @throws SafetensorsError or BatchFileError */
  static fromBytes(bytes: Uint8Array): BatchFile {
    return new BatchFile(bytes);
  }

  /** Number of rows. */
  get length(): number {
    return this.rows.length;
  }

  /** The discount of rewards that the export asked for. */
  get discount(): number {
    return Number(this.metadata["discount"] ?? 1);
  }

  /** The reward of each row, after discount. */
  get rewards(): Float32Array {
    return this.tensor(this.layout === "tree" ? "node_rewards" : "rewards");
  }

  get sessionIds(): string[] {
    return this.rows.map((row) => row.session_id);
  }

  /** The group of each row. A session without a group is a group of its own. */
  get groups(): string[] {
    return this.rows.map(({ group_id: group, session_id: session }) => group ?? `session:${session}`);
  }

  /** Names of all tensors. */
  get names(): string[] {
    return [...this.#tensors.keys()];
  }

  has(name: string): boolean {
    return this.#tensors.has(name);
  }

  /**
   * Returns the numbers of a tensor. Their type follows from the name: `tensor("logprobs")` is a Float32Array.
   *
   * @throws BatchFileError if the batch has no such tensor
   */
  tensor<Name extends keyof KnownTensors>(name: Name): KnownTensors[Name];
  tensor(name: string): Numbers;
  tensor(name: string): Numbers {
    return this.describe(name).data;
  }

  /** Returns dtype, shape and numbers of a tensor. @throws BatchFileError if the batch has no such tensor */
  describe(name: string): FileTensor {
    const tensor = this.#tensors.get(name);
    if (tensor === undefined) throw new BatchFileError("batch_mismatch", `The batch has no tensor \`${name}\`.`);
    const expected = isKnown(name) ? KNOWN[name] : tensor.dtype;
    if (tensor.dtype !== expected)
      throw new BatchFileError(
        "invalid_batch",
        `Tensor \`${name}\` must have dtype ${expected}; it has ${tensor.dtype}.`,
      );
    return this.#view(tensor);
  }

  /** Returns row column `name`, such as `temperature`: one value per row. @throws BatchFileError */
  column(name: string): Numbers {
    return this.tensor(`row_${name}`);
  }

  /**
   * Returns turn column `name`: one value per turn. The turns of row i are `cu_turns[i]` to `cu_turns[i + 1]`.
   *
   * @throws BatchFileError if the batch was exported without turns
   */
  turnColumn(name: string): Numbers {
    return this.tensor(`turn_${name}`);
  }

  /** Returns a column of codes as texts, such as `finish_reason`. Null: no text, or one that is not listed. */
  texts(name: string, { turns = false }: { readonly turns?: boolean } = {}): (string | null)[] {
    const listed = codesSchema.parse(JSON.parse(this.metadata["row_codes"] ?? "{}"))[name] ?? [];
    const texts: (string | null)[] = [];
    for (const code of turns ? this.turnColumn(name) : this.column(name)) texts.push(listed[Number(code)] ?? null);
    return texts;
  }

  #view({ dtype, shape, start, end }: TensorEntry): FileTensor {
    const size = isReadable(dtype) ? DTYPES[dtype].BYTES_PER_ELEMENT : 1;
    const at = this.#bytes.byteOffset + start;
    // Files of other writers may have tensors at any byte, where a typed array cannot begin.
    const view = this.#bytes.subarray(start, end);
    // Not `slice`, which does not copy a Buffer.
    const bytes = at % size === 0 ? view : new Uint8Array(view);
    const span = [bytes.buffer, bytes.byteOffset, (end - start) / size] as const;
    switch (dtype) {
      case "I32":
        return { dtype, shape, data: new Int32Array(...span) };
      case "F32":
        return { dtype, shape, data: new Float32Array(...span) };
      case "I64":
        return { dtype, shape, data: new BigInt64Array(...span) };
      case "U16":
        return { dtype, shape, data: new Uint16Array(...span) };
      case "U8":
      case "BOOL":
        return { dtype, shape, data: new Uint8Array(...span) };
      default:
        throw new BatchFileError("invalid_batch", `A tensor of a batch cannot have dtype ${dtype}.`);
    }
  }
}

const isKnown = (name: string): name is keyof KnownTensors => Object.hasOwn(KNOWN, name);
const isReadable = (dtype: string): dtype is Dtype => Object.hasOwn(DTYPES, dtype);
