import { stat } from "node:fs/promises";
import { basename, join } from "node:path";
import type { Config } from "../../config/index.js";
import { Outbox } from "../../storage/archive/outbox.js";
import { countNoun } from "../count-noun.js";

/** Folder in `storage.directory` with the batches that wait for their upload. */
const FOLDER = "archive-batches";
/** Seconds for which the end of a job waits for its uploads. */
const WAIT_SECONDS = 60;

/**
 * A file that grows with the job is uploaded again when it has grown by this factor, and at the end. All uploads of a file together are then
 * less than three times its size.
 */
const GROWTH = 2;

export interface ArchivedJob {
  readonly config: Config;
  /** Random. Jobs that use the same folder after each other may have batches of the same names. */
  readonly id: string;
  /** Files to which the job appends. They may be missing. */
  readonly growing: readonly string[];
  readonly tell: (message: string) => void;
}

/**
 * Uploads the batches of a job, and the files beside them, to `storage.archive`. The job never waits for an upload before its end, and does not
 * fail if one fails.
 */
export class BatchArchive implements AsyncDisposable {
  readonly #outbox: Outbox;
  readonly #address: string;
  readonly #job: ArchivedJob;
  /** Sizes of the growing files when they were last added. */
  readonly #sizes = new Map<string, number>();

  private constructor(outbox: Outbox, address: string, job: ArchivedJob) {
    this.#outbox = outbox;
    this.#address = address;
    this.#job = job;
  }

  /** Returns undefined if the configuration has no archive. Batches that an earlier process left are uploaded too. */
  static async open(job: ArchivedJob): Promise<BatchArchive | undefined> {
    const { archive: address, directory, archive_backlog_bytes: maxBytes } = job.config.storage;
    if (address === null || directory === null) return undefined;
    const outbox = await Outbox.open({
      directory: join(directory, FOLDER),
      address,
      maxBytes,
      onFailure: (reason) =>
        job.tell(
          reason === undefined
            ? `${address} accepts uploads again`
            : `${address} refuses uploads; the job goes on and tries them again: ${reason}`,
        ),
    });
    return new BatchArchive(outbox, address, job);
  }

  /** Names the folder in the store. Every `storage.directory` has its own. */
  get id(): string {
    return this.#outbox.id;
  }

  /**
   * Keeps the files of a batch until they are uploaded, also if they are removed from their folder.
   *
   * @returns false if there is no room for them, or they cannot be read
   */
  async add(files: readonly string[]): Promise<boolean> {
    let areKept = true;
    for (const file of files) areKept = (await this.#add(file)) && areKept;
    await this.#addGrowing(GROWTH);
    return areKept;
  }

  async #add(file: string): Promise<boolean> {
    try {
      if (!(await this.#outbox.hasRoom())) throw new Error("too much waits for its upload");
      await this.#outbox.link("batches", `${this.#job.id}/${basename(file)}`, file);
      return true;
    } catch (error) {
      this.#job.tell(`${file} is not archived: ${(error as Error).message}`);
      return false;
    }
  }

  /** Adds the growing files whose size is now this factor of their last one, or more. */
  async #addGrowing(factor: number): Promise<void> {
    for (const file of this.#job.growing) {
      const { size } = (await stat(file).catch(() => undefined)) ?? { size: 0 };
      const before = this.#sizes.get(file) ?? 0;
      if (size === before || size < before * factor) continue;
      this.#sizes.set(file, size);
      await this.#add(file);
    }
  }

  /** Waits for uploads for a while. What is left is uploaded by the next job with the same `storage.directory`. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#addGrowing(1);
    await this.#outbox.whenEmpty(AbortSignal.timeout(WAIT_SECONDS * 1000));
    await this.#outbox.close();
    const { waiting, uploaded } = this.#outbox.counts;
    if (uploaded.batches > 0) this.#job.tell(`${countNoun(uploaded.batches, "file")} uploaded to ${this.#address}`);
    if (waiting > 0)
      this.#job.tell(
        `${countNoun(waiting, "file")} not uploaded to ${this.#address} yet; the next job on this folder goes on`,
      );
  }
}
