import type { OpenFile } from "../file-access.js";
import { openRegularFile } from "../regular-file.js";
import { SafetensorsError } from "./errors.js";
import {
  type Header,
  LENGTH_BYTES,
  parseHeader,
  readHeader,
  readHeaderLength,
  type TensorEntry,
} from "./read-header.js";

const CHUNK_BYTES = 1 << 22;

export interface TensorFileOptions {
  readonly maxHeaderBytes?: number;
  /** Opens a file whose tensors do not lie in it, for example because it was cut off. Default false. */
  readonly allowDamage?: boolean;
}

/** Numbers of a tensor. A BOOL is 0 or 1. */
export type TensorValues = Int32Array | Float32Array | Uint8Array;

type ReadFile = Pick<OpenFile, "read" | "close">;

/** A safetensors file that is read piece by piece, because it may be larger than memory. */
export class TensorFile implements AsyncDisposable {
  readonly header: Header;
  readonly byteLength: number;
  readonly #file: ReadFile;

  private constructor(file: ReadFile, header: Header, byteLength: number) {
    this.#file = file;
    this.header = header;
    this.byteLength = byteLength;
  }

  /** @throws SafetensorsError, or an error of the file system */
  static async open(path: string, options: TensorFileOptions = {}): Promise<TensorFile> {
    const file = await openRegularFile(path);
    return TensorFile.read(file, (await file.stat()).size, options);
  }

  /**
   * Reads the header of an open file. If this fails, the file is closed.
   *
   * @throws SafetensorsError
   */
  static async read(
    file: ReadFile,
    size: number,
    { maxHeaderBytes, allowDamage = false }: TensorFileOptions = {},
  ): Promise<TensorFile> {
    try {
      const start = await readBytes(file, 0, LENGTH_BYTES);
      const header = await readBytes(file, 0, Math.min(size, LENGTH_BYTES + readHeaderLength(start, maxHeaderBytes)));
      return new TensorFile(file, allowDamage ? parseHeader(header) : readHeader(header, size), size);
    } catch (error) {
      await file.close();
      throw error;
    }
  }

  /**
   * Opens a file whose bytes are in memory.
   *
   * @throws SafetensorsError
   */
  static fromBytes(bytes: Uint8Array): TensorFile {
    const read = (target: Uint8Array, offset: number, length: number, position: number) => {
      const part = bytes.subarray(position, position + length);
      target.set(part, offset);
      return Promise.resolve({ bytesRead: part.length });
    };
    return new TensorFile({ read, close: () => Promise.resolve() }, readHeader(bytes), bytes.length);
  }

  /** Yields the numbers of an I32, F32 or BOOL tensor in pieces. Yields nothing if the file has no such tensor. */
  async *numbers(name: string): AsyncGenerator<TensorValues> {
    const tensor = this.#tensor(name);
    if (!tensor) return;
    for (let at = tensor.start; at < tensor.end; at += CHUNK_BYTES) {
      yield this.#read(tensor, at, Math.min(CHUNK_BYTES, tensor.end - at));
    }
  }

  /**
   * Returns all numbers of a one-dimensional tensor with `count` elements; undefined if the file has no such tensor.
   */
  async values(name: string, count: number): Promise<TensorValues | undefined> {
    const tensor = this.#tensor(name);
    if (tensor?.shape.length !== 1 || tensor.shape[0] !== count) return undefined;
    return this.#read(tensor, tensor.start, tensor.end - tensor.start);
  }

  /**
   * Returns some bytes of a tensor of this file.
   *
   * @param offset from the tensor's first byte
   * @throws SafetensorsError if the file has become shorter
   */
  async bytes({ name, start }: TensorEntry, offset: number, length: number): Promise<Uint8Array<ArrayBuffer>> {
    const bytes = await readBytes(this.#file, start + offset, length);
    if (bytes.length < length) throw new SafetensorsError(`it ends within ${name}`);
    return bytes;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#file.close();
  }

  #tensor(name: string): TensorEntry | undefined {
    return this.header.tensors.find((each) => each.name === name && READABLE.has(each.dtype));
  }

  async #read({ dtype }: TensorEntry, position: number, length: number): Promise<TensorValues> {
    const { buffer } = await readBytes(this.#file, position, length);
    if (dtype === "I32") return new Int32Array(buffer);
    return dtype === "F32" ? new Float32Array(buffer) : new Uint8Array(buffer);
  }
}

const READABLE: ReadonlySet<string> = new Set(["I32", "F32", "BOOL"]);

/** Reads `length` bytes into new memory. Returns fewer at the end of the file. */
async function readBytes(file: ReadFile, position: number, length: number): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = new Uint8Array(length);
  let read = 0;
  while (read < length) {
    const { bytesRead } = await file.read(bytes, read, length - read, position + read);
    if (bytesRead === 0) return bytes.slice(0, read);
    read += bytesRead;
  }
  return bytes;
}
