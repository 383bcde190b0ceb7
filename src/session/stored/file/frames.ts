import { crc32 } from "node:zlib";
import { runAtOnce, type Steps } from "../../../support/async/steps.js";
import { damaged, SessionsFileError } from "./errors.js";

/** The first bytes of a sessions file, before the number of its format. */
const MAGIC = Buffer.from("RTSESS");
/** Number of the format. It increases with every change that earlier versions cannot read. */
const FORMAT = 1;
const START_BYTES = MAGIC.length + 2;

/**
 * The kinds of records of a sessions file. A frame has its kind as a number, so the order must not change.
 *
 * - `origin`: the server that recorded sessions, as JSON. Once in a file, before its first session.
 * - `tools`: a list of tools, as JSON. Once in a file, before its first session.
 * - `session`: the summary of a session, as JSON.
 * - `interaction`: see `interaction-record.ts`. In order, after their session.
 * - `outcomes`: the outcomes of all interactions of a session, see `outcome-record.ts`. The end of a session.
 * - `end`: counts of the file, as JSON. The end of the file.
 * - `channels`: items of channels that were added to an interaction after its call. After the interactions of its session.
 * - `images`: files of images, see `image-record.ts`. After the interactions of its session.
 */
const FRAME_KINDS = ["origin", "tools", "session", "interaction", "outcomes", "end", "channels", "images"] as const;

export type FrameKind = (typeof FRAME_KINDS)[number];

export interface Frame {
  readonly kind: FrameKind;
  readonly payload: Buffer;
}

/** Length (4), kind (1), CRC-32 of both and the payload (4). */
const HEADER_BYTES = 9;
const CHECKED_HEADER_BYTES = 5;
/** Bytes whose checksum takes about a millisecond. */
const CHECKED_AT_ONCE = 1 << 20;

interface EndCounts {
  readonly sessions: number;
  readonly records: number;
  readonly checksum: number;
}

/** Returns the start of a file. */
export function encodeStart(): Buffer {
  const start = Buffer.alloc(START_BYTES);
  MAGIC.copy(start);
  start.writeUInt16LE(FORMAT, MAGIC.length);
  return start;
}

/** Returns true if these are the first bytes of a sessions file, of whatever format. */
export const isSessionsFile = (bytes: Uint8Array): boolean => MAGIC.equals(bytes.subarray(0, MAGIC.length));

/** Returns the header of a frame. */
export function* encodeFrameHeader({ kind, payload }: Frame): Steps<Buffer> {
  const header = Buffer.alloc(HEADER_BYTES);
  header.writeUInt32LE(payload.length, 0);
  header.writeUInt8(FRAME_KINDS.indexOf(kind), 4);
  header.writeUInt32LE(yield* checksumOf(header, payload), CHECKED_HEADER_BYTES);
  return header;
}

function* checksumOf(header: Buffer, payload: Buffer): Steps<number> {
  let checksum = crc32(header.subarray(0, CHECKED_HEADER_BYTES));
  for (let from = 0; from < payload.length; from += CHECKED_AT_ONCE) {
    if (from > 0) yield;
    checksum = crc32(payload.subarray(from, from + CHECKED_AT_ONCE), checksum);
  }
  return checksum;
}

/**
 * Counts the frames of a file for its last frame, which has the checksum of the checksums of all frames. It shows if a frame is missing,
 * repeated or in another place.
 */
export class FrameCount {
  #sessions = 0;
  #records = 0;
  #checksum = 0;

  /** Number of frames. */
  get records(): number {
    return this.#records;
  }

  add(kind: FrameKind, header: Buffer): void {
    if (kind === "session") this.#sessions++;
    this.#records++;
    this.#checksum = crc32(header.subarray(CHECKED_HEADER_BYTES), this.#checksum);
  }

  /** Returns the payload of the last frame. */
  encode(): Buffer {
    const counts: EndCounts = { sessions: this.#sessions, records: this.#records, checksum: this.#checksum };
    return Buffer.from(JSON.stringify(counts));
  }
}

/**
 * Reads the frames of a sessions file, without its start and its last frame.
 *
 * @param chunks the bytes of the file
 * @param name of the file, for errors
 * @throws SessionsFileError if it is no sessions file, has another format, or is damaged or cut
 */
export async function* readFrames(chunks: AsyncIterable<Uint8Array>, name: string): AsyncGenerator<Frame> {
  const source = new ByteSource(chunks);
  try {
    await readStart(source, name);
    yield* readRecords(source, name);
  } finally {
    await source.close();
  }
}

async function* readRecords(source: ByteSource, name: string): AsyncGenerator<Frame> {
  const count = new FrameCount();
  for (;;) {
    const header = await source.read(HEADER_BYTES);
    const payload = header && (await source.read(header.readUInt32LE(0)));
    if (!payload) throw damaged(name, "its end is missing");
    const kind = FRAME_KINDS[header.readUInt8(4)];
    if (runAtOnce(checksumOf(header, payload)) !== header.readUInt32LE(CHECKED_HEADER_BYTES) || !kind)
      throw damaged(name, `the checksum of record ${count.records} is wrong`);
    if (kind === "end") {
      if (!payload.equals(count.encode())) throw damaged(name, "records are missing or in another order");
      if (await source.read(1)) throw damaged(name, "it has bytes after its end");
      return;
    }
    count.add(kind, header);
    yield { kind, payload };
  }
}

async function readStart(source: ByteSource, name: string): Promise<void> {
  const start = await source.read(START_BYTES);
  if (!start || !isSessionsFile(start)) throw new SessionsFileError("not_sessions", `${name} is no sessions file.`);
  const format = start.readUInt16LE(MAGIC.length);
  if (format === FORMAT) return;
  const message = `${name} has format ${format}; this Rolltape reads format ${FORMAT}. Use the Rolltape that wrote it.`;
  throw new SessionsFileError("unknown_format", message);
}

/** Reads a given number of bytes at a time from chunks of any size. */
class ByteSource {
  readonly #chunks: AsyncIterator<Uint8Array>;
  #waiting: Uint8Array[] = [];
  #length = 0;

  constructor(chunks: AsyncIterable<Uint8Array>) {
    this.#chunks = chunks[Symbol.asyncIterator]();
  }

  /** Returns the next bytes; undefined if there are fewer. */
  async read(length: number): Promise<Buffer | undefined> {
    while (this.#length < length) {
      const next = await this.#chunks.next();
      if (next.done) return undefined;
      this.#waiting.push(next.value);
      this.#length += next.value.length;
    }
    const [first] = this.#waiting;
    const joined = first && this.#waiting.length === 1 ? toBuffer(first) : Buffer.concat(this.#waiting);
    this.#waiting = [joined.subarray(length)];
    this.#length = joined.length - length;
    return joined.subarray(0, length);
  }

  /** Stops reading. */
  async close(): Promise<void> {
    await this.#chunks.return?.();
  }
}

const toBuffer = ({ buffer, byteOffset, byteLength }: Uint8Array): Buffer =>
  Buffer.from(buffer, byteOffset, byteLength);
