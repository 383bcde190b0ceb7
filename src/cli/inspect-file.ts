import { type FileHandle, open } from "node:fs/promises";
import { type Header, headerLength, LENGTH_BYTES, parseHeader, type TensorEntry } from "./inspect-header.js";

const CHUNK_BYTES = 1 << 22;

/** A safetensors file that is read piece by piece: it may be larger than memory. */
export class TensorFile implements AsyncDisposable {
  readonly header: Header;
  readonly byteLength: number;
  readonly #file: FileHandle;

  private constructor(file: FileHandle, header: Header, byteLength: number) {
    this.#file = file;
    this.header = header;
    this.byteLength = byteLength;
  }

  /** @throws InspectError, or what the file system says */
  static async open(path: string): Promise<TensorFile> {
    const file = await open(path);
    try {
      const { size } = await file.stat();
      const start = await readBytes(file, 0, LENGTH_BYTES);
      const header = await readBytes(file, 0, Math.min(size, LENGTH_BYTES + headerLength(start)));
      return new TensorFile(file, parseHeader(header, size), size);
    } catch (error) {
      await file.close();
      throw error;
    }
  }

  /** The numbers of a tensor of 32-bit elements, a piece at a time. Nothing where there is no such tensor. */
  async *numbers(name: string): AsyncGenerator<Int32Array | Float32Array> {
    const tensor = this.header.tensors.find((each) => each.name === name);
    if (!tensor || (tensor.dtype !== "I32" && tensor.dtype !== "F32")) return;
    for (let at = tensor.start; at < tensor.end; at += CHUNK_BYTES) yield await this.#piece(tensor, at);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#file.close();
  }

  async #piece({ dtype, end }: TensorEntry, at: number): Promise<Int32Array | Float32Array> {
    const { buffer } = await readBytes(this.#file, at, Math.min(CHUNK_BYTES, end - at));
    return dtype === "I32" ? new Int32Array(buffer) : new Float32Array(buffer);
  }
}

/** So many bytes in memory of their own; fewer at the end of the file. */
async function readBytes(file: FileHandle, position: number, length: number): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = new Uint8Array(length);
  let read = 0;
  while (read < length) {
    const { bytesRead } = await file.read(bytes, read, length - read, position + read);
    if (bytesRead === 0) return bytes.slice(0, read);
    read += bytesRead;
  }
  return bytes;
}
