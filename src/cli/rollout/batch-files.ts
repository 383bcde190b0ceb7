import { readRows } from "../../batch-file/batch-rows.js";
import { TensorFile } from "../../support/safetensors/tensor-file.js";
import { addBatchNumber } from "../../transcript/batch-number.js";
import { addFindings, type BatchFindings, NO_FINDINGS, readFindings } from "../inspect/batch-findings.js";
import type { BatchWriter, SavedBatch } from "./batch-writer.js";
import type { BatchContent } from "./receive-batch.js";

/** The files that a job writes. */
export class BatchFiles {
  readonly #writer: BatchWriter;
  readonly #out: string;
  readonly #isNumbered: boolean;
  #next: number;
  readonly files: string[] = [];
  bytes = 0;
  rows = 0;
  tokens = 0;
  /** Number of interactions that the filters of the exports removed. */
  filtered = 0;
  findings: BatchFindings = NO_FINDINGS;

  /**
   * @param writer writes each file
   * @param out the file of the batch, or the base name if there are several batches
   * @param first number of the first batch if there may be several, which is part of the name:
   * `batch-00000.safetensors`. Undefined if there is only one batch
   */
  constructor(writer: BatchWriter, out: string, first: number | undefined) {
    this.#writer = writer;
    this.#out = out;
    this.#isNumbered = first !== undefined;
    this.#next = first ?? 0;
  }

  /** Number of the batch whose file {@link nextFile} returned last. */
  get number(): number {
    return this.#next - 1;
  }

  /** The file that {@link nextFile} returns next. */
  get upcomingFile(): string {
    return this.#isNumbered ? addBatchNumber(this.#out, this.#next) : this.#out;
  }

  /** Returns the path of another file of a batch. It has the batch's number if batches are numbered. */
  addNumber(file: string, number: number): string {
    return this.#isNumbered ? addBatchNumber(file, number) : file;
  }

  /** Returns the file of the next batch. Call it once per batch, even if the batch is not written. */
  nextFile(): string {
    const file = this.upcomingFile;
    this.#next++;
    return file;
  }

  /** Counts a batch that an earlier process wrote. */
  async restore(file: string): Promise<void> {
    await this.#count(file);
    this.files.push(file);
  }

  /**
   * Writes a batch. The file appears when it is complete.
   *
   * @throws BatchWriteError if no folder took it
   */
  async write(file: string, batch: BatchContent): Promise<SavedBatch> {
    const written = await this.#writer.write(file, batch);
    await this.#count(written.file);
    this.files.push(written.file);
    return written;
  }

  async #count(path: string): Promise<void> {
    await using file = await TensorFile.open(path);
    const rows = readRows(file.header);
    this.bytes += file.byteLength;
    this.rows += rows.length;
    this.filtered += Number(file.header.metadata["filtered"] ?? 0);
    this.tokens += rows.reduce((total, { length }) => total + length, 0);
    this.findings = addFindings(this.findings, await readFindings(file, rows));
  }
}
