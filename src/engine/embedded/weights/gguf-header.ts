import { type FileHandle } from "node:fs/promises";
import { openRegularFile } from "../../../support/regular-file.js";
import { GGUF_HEADER_BYTES } from "./model-template.js";

const CHUNK_BYTES = 1 << 20;
/** Vocabularies have some megabytes. */
const MAX_HEADER_BYTES = 2 ** 28;
const VERSIONS: readonly number[] = [2, 3];
const STRING = 8;
const ARRAY = 9;
/** Bytes of a value by its type: https://github.com/ggml-org/ggml/blob/master/docs/gguf.md */
const SCALAR_BYTES: ReadonlyMap<number, number> = new Map([
  ...([0, 1, 7] as const).map((type) => [type, 1] as const),
  ...([2, 3] as const).map((type) => [type, 2] as const),
  ...([4, 5, 6] as const).map((type) => [type, 4] as const),
  ...([10, 11, 12] as const).map((type) => [type, 8] as const),
]);
const MAX_AXES = 4;
/** Of pairs, tensors, or texts in an array. The largest vocabularies have some 100,000 texts. */
const MAX_COUNT = 2n ** 22n;

/**
 * Checks that all that the header of a GGUF file counts lies within the file. The library that reads it afterwards believes
 * every count, also one of 2^62.
 *
 * @throws Error that names the problem
 */
export async function checkGgufHeader(path: string): Promise<void> {
  await using file = await openRegularFile(path);
  await walkHeader(new HeaderCursor(file, (await file.stat()).size));
}

class HeaderError extends Error {
  constructor(problem: string) {
    super(`it is not a GGUF file, or a damaged one: ${problem}`);
  }
}

async function walkHeader(cursor: HeaderCursor): Promise<void> {
  const start = await cursor.take(GGUF_HEADER_BYTES);
  if (start.toString("latin1", 0, 4) !== "GGUF") throw new HeaderError("it does not begin with GGUF");
  const version = start.readUInt32LE(4);
  if (!VERSIONS.includes(version)) throw new HeaderError(`its version is ${version}; only 2 and 3 can be read`);
  const tensors = checkCount(start.readBigUInt64LE(8), "tensors");
  const pairs = checkCount(start.readBigUInt64LE(16), "pairs");
  for (let i = 0n; i < pairs; i++) {
    await cursor.skipText();
    await skipValue(cursor, await cursor.u32());
  }
  for (let i = 0n; i < tensors; i++) {
    await cursor.skipText();
    const axes = await cursor.u32();
    if (axes > MAX_AXES) throw new HeaderError(`a tensor has ${axes} axes`);
    // The extents, the type and the offset.
    cursor.skip(BigInt(8 * axes + 4 + 8));
  }
}

async function skipValue(cursor: HeaderCursor, type: number): Promise<void> {
  if (type === STRING) return cursor.skipText();
  const bytes = SCALAR_BYTES.get(type);
  if (bytes !== undefined) return cursor.skip(BigInt(bytes));
  if (type !== ARRAY) throw new HeaderError(`a value has the type ${type}`);
  const elementType = await cursor.u32();
  const count = await cursor.u64();
  const elementBytes = SCALAR_BYTES.get(elementType);
  if (elementBytes !== undefined) return cursor.skip(count * BigInt(elementBytes));
  if (elementType !== STRING) throw new HeaderError(`an array has elements of the type ${elementType}`);
  checkCount(count, "texts in an array");
  for (let i = 0n; i < count; i++) await cursor.skipText();
}

/** A sparse file can be as long as any count claims. */
function checkCount(count: bigint, things: string): bigint {
  if (count <= MAX_COUNT) return count;
  throw new HeaderError(`it has ${count} ${things}`);
}

/** A position in a header. Every step beyond the file's end or the longest header fails. */
class HeaderCursor {
  readonly #file: FileHandle;
  readonly #end: number;
  #buffer: Buffer = Buffer.alloc(0);
  /** Position of the buffer in the file. */
  #start = 0;
  #at = 0;

  constructor(file: FileHandle, size: number) {
    this.#file = file;
    this.#end = Math.min(size, MAX_HEADER_BYTES);
  }

  async u32(): Promise<number> {
    return (await this.take(4)).readUInt32LE();
  }

  async u64(): Promise<bigint> {
    return (await this.take(8)).readBigUInt64LE();
  }

  async skipText(): Promise<void> {
    return this.skip(await this.u64());
  }

  skip(bytes: bigint): void {
    if (BigInt(this.#at) + bytes > BigInt(this.#end)) throw new HeaderError("it ends within its header");
    this.#at += Number(bytes);
  }

  /** Returns the next bytes: at most 24. */
  async take(bytes: number): Promise<Buffer> {
    const from = this.#at;
    this.skip(BigInt(bytes));
    if (from < this.#start || this.#at > this.#start + this.#buffer.length) await this.#fill(from);
    return this.#buffer.subarray(from - this.#start, this.#at - this.#start);
  }

  async #fill(start: number): Promise<void> {
    const buffer = Buffer.alloc(Math.min(CHUNK_BYTES, this.#end - start));
    for (let read = 0; read < buffer.length; ) {
      const { bytesRead } = await this.#file.read(buffer, read, buffer.length - read, start + read);
      if (bytesRead === 0) throw new HeaderError("it has become shorter");
      read += bytesRead;
    }
    [this.#buffer, this.#start] = [buffer, start];
  }
}
