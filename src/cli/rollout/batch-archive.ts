import { basename, join } from "node:path";
import type { Config } from "../../config/index.js";
import { Outbox } from "../../storage/archive/outbox.js";
import { countNoun } from "../count-noun.js";

/** Folder in `storage.directory` with the batches that wait for their upload. */
const FOLDER = "archive-batches";
/** Seconds for which the end of a job waits for its uploads. */
const WAIT_SECONDS = 60;

/** Uploads the batches of a job to `storage.archive`. The job never waits for an upload before its end, and does not fail if one fails. */
export class BatchArchive implements AsyncDisposable {
  readonly #outbox: Outbox;
  readonly #address: string;
  readonly #tell: (message: string) => void;

  private constructor(outbox: Outbox, address: string, tell: (message: string) => void) {
    this.#outbox = outbox;
    this.#address = address;
    this.#tell = tell;
  }

  /** Returns undefined if the configuration has no archive. Batches that an earlier process left are uploaded too. */
  static async open({ storage }: Config, tell: (message: string) => void): Promise<BatchArchive | undefined> {
    const { archive: address, directory, archive_backlog_bytes: maxBytes } = storage;
    if (address === null || directory === null) return undefined;
    const outbox = await Outbox.open({
      directory: join(directory, FOLDER),
      address,
      maxBytes,
      onFailure: (reason) =>
        tell(
          reason === undefined
            ? `${address} accepts uploads again`
            : `${address} refuses uploads; the job goes on and tries them again: ${reason}`,
        ),
    });
    return new BatchArchive(outbox, address, tell);
  }

  /** Keeps a file until it is uploaded, also if it is removed from its folder. */
  async add(file: string): Promise<void> {
    try {
      if (!(await this.#outbox.hasRoom())) throw new Error("too much waits for its upload");
      await this.#outbox.link("batches", basename(file), file);
    } catch (error) {
      this.#tell(`${file} is not archived: ${(error as Error).message}`);
    }
  }

  /** Waits for uploads for a while. What is left is uploaded by the next job with the same `storage.directory`. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#outbox.whenEmpty(AbortSignal.timeout(WAIT_SECONDS * 1000));
    await this.#outbox.close();
    const { waiting, uploaded } = this.#outbox.counts;
    if (uploaded.batches > 0) this.#tell(`${countNoun(uploaded.batches, "file")} uploaded to ${this.#address}`);
    if (waiting > 0)
      this.#tell(
        `${countNoun(waiting, "file")} not uploaded to ${this.#address} yet; the next job on this folder goes on`,
      );
  }
}
