import { randomBytes } from "node:crypto";
import { constants } from "node:fs";
import { copyFile, link, open, readdir, readFile, rename, rm, stat, statfs, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { backoffMilliseconds } from "../../support/async/backoff.js";
import { createDeferred } from "../../support/async/deferred.js";
import { Semaphore } from "../../support/async/semaphore.js";
import { sleep } from "../../support/async/sleep.js";
import { makeFolder } from "../../support/make-folder.js";
import { permissions } from "../../support/private-files.js";
import { syncPath } from "../file-system.js";
import { describeFailure } from "./errors.js";
import { ObjectStore } from "./object-store.js";
import { uploadFile } from "./upload-file.js";

/** The kinds of files of an archive. Each has a folder of its own. */
const KINDS = ["sessions", "batches"] as const;

export type ArchiveKind = (typeof KINDS)[number];

export interface OutboxOptions {
  /** Folder of files that wait for their upload. Only one process may use it. */
  readonly directory: string;
  /** `s3://bucket/prefix` */
  readonly address: string;
  /** Maximum size of these files. Above it, {@link Outbox.hasRoom} is false. */
  readonly maxBytes: number;
  /** Called with the reason when an upload failed after one that did not, and with undefined when one succeeds again. */
  readonly onFailure?: (reason: string | undefined, waiting: ArchiveCounts) => void;
  /** Pauses between attempts. */
  readonly backoff?: { readonly firstMilliseconds: number; readonly longestMilliseconds: number };
}

/** Counts since the start of the process, and what waits. */
export interface ArchiveCounts {
  readonly uploaded: Readonly<Record<ArchiveKind, number>>;
  /** Bytes that were sent. */
  readonly uploadedBytes: number;
  /** Bytes of interrupted uploads that the store had already. */
  readonly reusedBytes: number;
  readonly failures: number;
  readonly waiting: number;
  readonly waitingBytes: number;
}

const BACKOFF = { firstMilliseconds: 1000, longestMilliseconds: 60_000 };
/** Uploads at the same time. Each holds at most one part in memory. */
const UPLOADS_AT_ONCE = 4;
/** Share of the file system that is left to the storage, whose writes answers wait for. */
const FREE_SHARE = 0.05;
/** Ends the names of files that are not complete. */
const PARTIAL = ".partial";
const ID_FILE = "id";

interface Waiting {
  readonly bytes: number;
  /** The store may have the file, or parts of it. */
  readonly mayExist: boolean;
}

/**
 * Files that wait in a folder until they are in an S3 store. They survive the process. Uploads are repeated until they succeed, and nothing
 * waits for them.
 *
 * In memory, it has the names and sizes of the files, and one part of each upload in progress.
 */
export class Outbox {
  /** Random. Part of each key, so that several outboxes can share a prefix. */
  readonly id: string;
  readonly #options: OutboxOptions;
  readonly #store: ObjectStore;
  readonly #waiting = new Map<string, Waiting>();
  readonly #uploading = new Set<string>();
  readonly #stopping = new AbortController();
  readonly #uploaded: Record<ArchiveKind, number> = { sessions: 0, batches: 0 };
  #uploadedBytes = 0;
  #reusedBytes = 0;
  #failures = 0;
  #failedInARow = 0;
  #waitingBytes = 0;
  #loops: Promise<void>[] = [];
  /** Held while a file appears, is replaced or removed, so that a file is never removed in place of the one that it was. */
  readonly #files = new Semaphore(1);
  #wake = createDeferred<void>();
  #idle = createDeferred<void>();

  private constructor(id: string, options: OutboxOptions, store: ObjectStore) {
    this.id = id;
    this.#options = options;
    this.#store = store;
  }

  /**
   * Opens the folder and begins to upload what is in it.
   *
   * @throws ArchiveError `invalid_address` or `package_missing`, or an error of the file system. It does not contact the store
   */
  static async open(options: OutboxOptions): Promise<Outbox> {
    const { directory, address } = options;
    const store = await ObjectStore.open(address, { attempts: 1 });
    for (const kind of KINDS) await makeFolder(join(directory, kind));
    const outbox = new Outbox(await readId(directory), options, store);
    await outbox.#restore();
    outbox.#loops = Array.from({ length: UPLOADS_AT_ONCE }, () => outbox.#run());
    return outbox;
  }

  get counts(): ArchiveCounts {
    return {
      uploaded: { ...this.#uploaded },
      uploadedBytes: this.#uploadedBytes,
      reusedBytes: this.#reusedBytes,
      failures: this.#failures,
      waiting: this.#waiting.size,
      waitingBytes: this.#waitingBytes,
    };
  }

  /** Returns true if more files can wait: neither their limit is reached nor is the disk almost full. */
  async hasRoom(): Promise<boolean> {
    if (this.#waitingBytes >= this.#options.maxBytes) return false;
    const { blocks, bavail } = await statfs(this.#options.directory);
    // File systems that do not know their size report 0 blocks.
    return blocks === 0 || bavail > blocks * FREE_SHARE;
  }

  /**
   * Writes a file that is then uploaded. When this resolves, it is on disk. It replaces a waiting file of the same name.
   *
   * @param name of the object. May contain slashes
   * @param isComplete false: the file is dropped, because what it was made from has changed
   */
  async write(
    kind: ArchiveKind,
    name: string,
    chunks: AsyncIterable<Uint8Array>,
    isComplete: () => boolean = () => true,
  ): Promise<boolean> {
    const entry = toEntry(kind, name);
    const partial = this.#pathOf(entry) + PARTIAL;
    try {
      const file = await open(partial, "w", permissions.file);
      try {
        // Not `write`, which may write less than the chunk, without an error, when the disk becomes full.
        for await (const chunk of chunks) await file.appendFile(chunk);
        await file.sync();
      } finally {
        await file.close();
      }
      if (!isComplete()) return false;
      await this.#publish(partial, entry, false);
      return true;
    } finally {
      await rm(partial, { force: true });
    }
  }

  /**
   * Uploads a file of another folder, also if it is removed or replaced there. What is appended to it before its upload begins is uploaded
   * too. A file that the store has is not uploaded again. When this resolves, the file waits on disk, if it was on disk before.
   */
  async link(kind: ArchiveKind, name: string, file: string): Promise<void> {
    const entry = toEntry(kind, name);
    const partial = this.#pathOf(entry) + PARTIAL;
    await rm(partial, { force: true });
    // Links take neither space nor time, but not every file system has them, and none links to another one.
    await link(file, partial).catch(() => copySynced(file, partial));
    await this.#publish(partial, entry, true);
    // Renaming a link to another link of the same file does nothing, and leaves both.
    await rm(partial, { force: true });
  }

  /** Resolves when nothing waits, or when the signal aborts. */
  async whenEmpty(signal: AbortSignal): Promise<void> {
    while (this.#waiting.size > 0 && !signal.aborted) {
      const aborted = createDeferred<void>();
      signal.addEventListener("abort", () => aborted.resolve(), { once: true });
      await Promise.race([this.#idle.promise, aborted.promise]);
    }
  }

  /** Stops uploads. What waits is uploaded after the next start. */
  async close(): Promise<void> {
    this.#stopping.abort(new Error("the archive was closed"));
    this.#wake.resolve();
    // Requests in progress fail, so that the loops end.
    this.#store.close();
    await Promise.all(this.#loops);
  }

  async #restore(): Promise<void> {
    for (const kind of KINDS) {
      const names = await readdir(join(this.#options.directory, kind));
      for (const name of names.toSorted()) {
        const entry = `${kind}/${name}`;
        if (name.endsWith(PARTIAL)) await rm(this.#pathOf(entry), { force: true });
        else await this.#add(entry, true);
      }
    }
  }

  async #publish(partial: string, entry: string, mayExist: boolean): Promise<void> {
    using _files = await this.#files.acquire();
    const path = this.#pathOf(entry);
    await rename(partial, path);
    await syncPath(dirname(path));
    await this.#add(entry, mayExist);
  }

  #pathOf(entry: string): string {
    return join(this.#options.directory, entry);
  }

  async #add(entry: string, mayExist: boolean): Promise<void> {
    const { size } = await stat(this.#pathOf(entry));
    const before = this.#remove(entry);
    this.#waiting.set(entry, { bytes: size, mayExist: mayExist || before !== undefined });
    this.#waitingBytes += size;
    this.#wake.resolve();
    this.#wake = createDeferred();
  }

  #remove(entry: string): Waiting | undefined {
    const before = this.#waiting.get(entry);
    this.#waitingBytes -= before?.bytes ?? 0;
    this.#waiting.delete(entry);
    return before;
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      const next = this.#next();
      if (next === undefined) await this.#wake.promise;
      // Another loop may upload the file meanwhile: the one whose pause is the shortest finds out first that the store is back.
      else await this.#pause(await this.#upload(next));
    }
  }

  #next(): string | undefined {
    for (const entry of this.#waiting.keys()) if (!this.#uploading.has(entry)) return entry;
    return undefined;
  }

  /** Returns the milliseconds before the next upload: 0, unless this one failed. */
  async #upload(entry: string): Promise<number> {
    const { signal } = this.#stopping;
    const waiting = this.#waiting.get(entry);
    if (!waiting) return 0;
    this.#uploading.add(entry);
    try {
      const path = this.#pathOf(entry);
      const [kind, file] = entry.split("/") as [ArchiveKind, string];
      const name = `${kind}/${this.id}/${decodeURIComponent(file)}`;
      const sent = await uploadFile(this.#store, path, name, { signal, mayExist: waiting.mayExist });
      this.#uploadedBytes += sent ? sent.bytes - sent.reused : 0;
      this.#reusedBytes += sent?.reused ?? 0;
      if (sent) this.#uploaded[kind]++;
      this.#noteSuccess();
      await this.#finish(entry, waiting);
    } catch (error) {
      // A process that had the folder before, and was still ending, has uploaded and removed it.
      if (isMissingFile(error, this.#pathOf(entry))) await this.#finish(entry, waiting);
      else if (!signal.aborted) return this.#noteFailure(entry, waiting, error);
    } finally {
      this.#uploading.delete(entry);
      if (this.#waiting.size === 0) {
        this.#idle.resolve();
        this.#idle = createDeferred();
      }
    }
    return 0;
  }

  /** Forgets a file that is in the store, unless a newer one has taken its place and still has to be uploaded. */
  async #finish(entry: string, waiting: Waiting): Promise<void> {
    using _files = await this.#files.acquire();
    if (this.#waiting.get(entry) !== waiting) return;
    await rm(this.#pathOf(entry), { force: true });
    this.#remove(entry);
  }

  #noteSuccess(): void {
    if (this.#failedInARow > 0) this.#options.onFailure?.(undefined, this.counts);
    this.#failedInARow = 0;
  }

  /** Returns the pause after it. */
  #noteFailure(entry: string, waiting: Waiting, error: unknown): number {
    this.#failures++;
    if (this.#waiting.get(entry) === waiting) {
      // At the end, so that a file that cannot be uploaded does not hold up the others.
      this.#waiting.delete(entry);
      this.#waiting.set(entry, { ...waiting, mayExist: true });
    }
    if (this.#failedInARow === 0) this.#options.onFailure?.(describeFailure(error), this.counts);
    const pause = backoffMilliseconds(this.#failedInARow++, this.#options.backoff ?? BACKOFF);
    // At random, so that the servers of a cluster do not come back to a store at the same moment.
    return pause * (0.5 + Math.random() / 2);
  }

  async #pause(milliseconds: number): Promise<void> {
    if (milliseconds > 0) await sleep(milliseconds, this.#stopping.signal).catch(() => undefined);
  }
}

/** Returns the name of a waiting file in the folder of the outbox. The folders of an object become a part of its name. */
const toEntry = (kind: ArchiveKind, name: string): string =>
  `${kind}/${name.replaceAll("%", "%25").replaceAll("/", "%2F")}`;

/** Returns the id of an outbox, which is created with its folder. */
async function readId(directory: string): Promise<string> {
  const path = join(directory, ID_FILE);
  const known = await readFile(path, "utf8").catch(() => "");
  if (/^[0-9a-f]{16}$/.test(known)) return known;
  const id = randomBytes(8).toString("hex");
  const partial = path + PARTIAL;
  await writeFile(partial, id, { mode: permissions.file, flush: true });
  await rename(partial, path);
  await syncPath(directory);
  return id;
}

/** Other files can be missing too, such as one with credentials of the store. */
function isMissingFile(error: unknown, path: string): boolean {
  const { code, path: missing } = error as NodeJS.ErrnoException;
  return code === "ENOENT" && missing === path;
}

async function copySynced(from: string, to: string): Promise<void> {
  await copyFile(from, to, constants.COPYFILE_FICLONE);
  await syncPath(to);
}
