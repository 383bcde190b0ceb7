import { rmSync } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { dirname } from "node:path";
import { permissions } from "../../support/private-files.js";
import {
  type BatchFileSystem,
  BatchWriteError,
  DISK,
  describeReason,
  partialPathOf,
  requireBatchSpace,
  syncFolder,
} from "./batch-file.js";

/** The operations on the partial file. */
export interface PartialFile extends Pick<FileHandle, "sync" | "close"> {
  writev(chunks: readonly Uint8Array[], position: number): Promise<{ readonly bytesWritten: number }>;
  read(bytes: Uint8Array, offset: number, length: number, position: number): Promise<{ readonly bytesRead: number }>;
}

/** The file system operations of a partial batch. Tests replace them. */
export interface PartialFileSystem extends BatchFileSystem {
  openPartial(path: string): Promise<PartialFile>;
}

const PARTIAL_DISK: PartialFileSystem = { ...DISK, openPartial: (path) => open(path, "w+", permissions.file) };

/** A batch that is written to a partial file beside its own while it arrives. */
export class PartialBatch {
  readonly path: string;
  readonly #file: PartialFile;
  readonly #disk: PartialFileSystem;
  readonly #removeAtExit = () => rmSync(this.path, { force: true });
  /** Number of bytes that are known to be in the file. */
  #length = 0;

  private constructor(path: string, file: PartialFile, disk: PartialFileSystem) {
    this.path = path;
    this.#file = file;
    this.#disk = disk;
    // A second Ctrl-C may end the process at any time.
    process.once("exit", this.#removeAtExit);
  }

  /**
   * Creates the partial file of `file`.
   *
   * @param byteLength size of the batch, if it is known
   * @throws BatchWriteError if there is too little space, or it cannot be created
   */
  static async create(
    file: string,
    byteLength: number | undefined,
    disk: PartialFileSystem = PARTIAL_DISK,
  ): Promise<PartialBatch> {
    const path = partialPathOf(file);
    return describing(file, async () => {
      if (byteLength !== undefined) await requireBatchSpace(file, byteLength, disk);
      return new PartialBatch(path, await disk.openPartial(path), disk);
    });
  }

  get length(): number {
    return this.#length;
  }

  /**
   * Appends chunks and frees their memory. If this rejects, they are unchanged.
   *
   * V8 counts the memory of chunks as if it were part of its heap, and would mark the whole heap several times per batch.
   */
  async append(chunks: readonly Uint8Array[]): Promise<void> {
    await writeAll(this.#file, chunks, this.#length);
    // Imported late, because a job of a proxy elsewhere needs the addon only here.
    const { native } = await import("../../native/addon.js");
    for (const chunk of chunks) {
      this.#length += chunk.length;
      native.freeBytes(chunk);
    }
  }

  /** Returns what is in the file, also if the disk accepts no more. */
  async readBack(): Promise<Uint8Array> {
    const bytes = new Uint8Array(this.#length);
    for (let read = 0; read < bytes.length; ) {
      const { bytesRead } = await this.#file.read(bytes, read, bytes.length - read, read);
      if (bytesRead === 0) throw new Error(`${this.path} has become shorter`);
      read += bytesRead;
    }
    return bytes;
  }

  /** Waits until the bytes are on disk. If this rejects, what the file contains is unknown. */
  sync(): Promise<void> {
    return this.#file.sync();
  }

  /**
   * Renames the file, after {@link sync}. When this resolves, it survives a power failure. If it rejects, {@link readBack} still
   * works.
   *
   * @throws BatchWriteError
   */
  async commit(file: string): Promise<void> {
    await describing(file, async () => {
      await this.#disk.rename(this.path, file);
      await syncFolder(dirname(file), this.#disk);
    });
    await this.#close();
  }

  /** Removes the partial file, if it still has this name. */
  async discard(): Promise<void> {
    await this.#disk.rm(this.path).catch(() => undefined);
    await this.#close();
  }

  async #close(): Promise<void> {
    process.off("exit", this.#removeAtExit);
    // After a sync, or before the file is removed, an error says nothing.
    await this.#file.close().catch(() => undefined);
  }
}

/** A write may take only a part of the bytes, for example if the disk becomes full. */
async function writeAll(file: PartialFile, chunks: readonly Uint8Array[], position: number): Promise<void> {
  let rest = chunks;
  let at = position;
  while (rest.length > 0) {
    const { bytesWritten } = await file.writev(rest, at);
    if (bytesWritten === 0) throw new Error("the file takes no more bytes");
    at += bytesWritten;
    rest = skip(rest, bytesWritten);
  }
}

function skip(chunks: readonly Uint8Array[], bytes: number): readonly Uint8Array[] {
  let left = bytes;
  return chunks.flatMap((chunk) => {
    const skipped = Math.min(left, chunk.length);
    left -= skipped;
    return skipped === chunk.length ? [] : [chunk.subarray(skipped)];
  });
}

async function describing<T>(file: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof BatchWriteError ? error : new BatchWriteError(file, describeReason(error), { cause: error });
  }
}
