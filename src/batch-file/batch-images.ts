import { z } from "zod";
import type { TensorValues } from "../support/safetensors/tensor-file.js";
import { readJson } from "../support/schema/read-json.js";
import { readAll, readElementBytes, type TensorBytes } from "./tensor-ranges.js";

/** The metadata `images` of a batch. */
const filesSchema = z.array(z.object({ sha256: z.string() }));

/** An image of a row. */
export interface RowImage {
  readonly sha256: string;
  /** In pixels. */
  readonly width: number;
  /** In pixels. */
  readonly height: number;
  /** Index of its first token. It counts from where the method that returns the image says. */
  readonly offset: number;
  /** Number of its tokens. */
  readonly length: number;
}

const COLUMNS = ["row", "file", "offset", "length", "width", "height"] as const;

type ImageColumns = Readonly<Record<(typeof COLUMNS)[number], TensorValues>>;

/** The images of a batch file: see docs/reference/batch-format.md. Image files are read only when they are requested. */
export class BatchImages {
  readonly #file: TensorBytes;
  readonly #files: readonly z.output<typeof filesSchema>[number][];
  #columns: Promise<ImageColumns | undefined> | undefined;

  constructor(file: TensorBytes) {
    this.#file = file;
    this.#files = readJson(filesSchema, file.header.metadata["images"]) ?? [];
  }

  /** Lists the images of a row. Offsets count from the row's own first token. */
  async ofRow(row: number): Promise<readonly RowImage[]> {
    this.#columns ??= this.#readColumns();
    const columns = await this.#columns;
    if (!columns) return [];
    const images: RowImage[] = [];
    for (let at = columns.row.indexOf(row); at >= 0; at = columns.row.indexOf(row, at + 1)) {
      const read = (name: (typeof COLUMNS)[number]) => columns[name][at] ?? -1;
      const file = this.#files[read("file")];
      const [offset, length, width, height] = [read("offset"), read("length"), read("width"), read("height")];
      if (!file || offset < 0 || length <= 0 || width <= 0 || height <= 0) continue;
      images.push({ sha256: file.sha256, width, height, offset, length });
    }
    return images;
  }

  /** Returns the file that the batch names by this digest, which is not compared; undefined if it has no such file. */
  async readFile(sha256: string): Promise<Uint8Array<ArrayBuffer> | undefined> {
    const index = this.#files.findIndex((file) => file.sha256 === sha256);
    const { tensors } = this.#file.header;
    const bytes = tensors.find(({ name, dtype }) => name === "image_bytes" && dtype === "U8");
    const offsets = tensors.find(({ name, dtype }) => name === "image_bytes_offsets" && dtype === "I64");
    if (index < 0 || !bytes || !offsets) return undefined;
    const { buffer } = await readElementBytes(this.#file, offsets, index, index + 2);
    const [start, end] = Array.from(new BigInt64Array(buffer), Number);
    return start === undefined || end === undefined ? undefined : readElementBytes(this.#file, bytes, start, end);
  }

  async #readColumns(): Promise<ImageColumns | undefined> {
    const columns: Partial<Record<(typeof COLUMNS)[number], TensorValues>> = {};
    for (const name of COLUMNS) {
      const values = await readAll(this.#file, `image_${name}`, "I32");
      if (!values) return undefined;
      columns[name] = values;
    }
    return columns as ImageColumns;
  }
}
