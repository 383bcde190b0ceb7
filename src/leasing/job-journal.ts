import { randomUUID } from "node:crypto";
import type { EpisodeResult } from "../rollout/contract.js";
import type { WireResult } from "../rollout/lease/protocol.js";
import type { HeldLease } from "../rollout/lease/task-leases.js";
import { fromWire } from "../rollout/lease/wire-result.js";
import { type Change, type Durability, peekValue, Storage, type Table, unusableFolderError } from "../storage/index.js";
import type { AcceptedReport, LeaseRecords, RestoredLeases } from "./lease-records.js";

/** Version of the records. */
const FORMAT = 3;
/**
 * The oldest format that this version reads. The storage of format 1 has no write-ahead log, and the log of format 2 does not say whether it is open,
 * so older versions would miss changes or take the log for damaged.
 */
const OLDEST_FORMAT = 1;

/** The record of the job as a whole. */
interface JobRecord {
  readonly format: number;
  readonly jobId: string;
  /** Digest of the tasks and of what decides how they run. */
  readonly digest: string;
  readonly tasks: number;
  readonly version: number;
  /** Number of the next batch. */
  readonly nextBatch: number;
  /** `stopped`: by its user, after everything that was finished was written. */
  readonly state: "running" | "done" | "stopped";
}

/** A batch whose file is complete. */
export interface WrittenBatchRecord {
  readonly number: number;
  readonly file: string;
  readonly tasks: readonly number[];
  /** Sessions that the proxy may still have. Empty once they are freed. */
  readonly sessionIds: readonly string[];
  /** True if the trainer has consumed it, or there is no trainer. */
  readonly trained: boolean;
}

interface ReportRecord {
  readonly result: WireResult;
  readonly version: number;
  readonly leaseId: string | null;
}

/** The end of a task in an earlier process. */
export interface EndedTask {
  readonly result: EpisodeResult;
  /** The weight version when it began. */
  readonly version: number;
  /** True if it is in a batch that was written. */
  readonly consumed: boolean;
}

export interface JournalOptions {
  readonly directory: string;
  readonly durability: Durability;
  readonly intervalMilliseconds: number;
  readonly digest: string;
  readonly tasks: number;
  /** Weight version and number of the first batch of a new job. */
  readonly version: number;
  readonly firstBatch: number;
  /** Goes on with the job in the folder, if there is one. */
  readonly resume: boolean;
}

const KINDS = { report: "r", losses: "l", unwanted: "u", lost: "x", batch: "b" } as const;

/** The records of one rollout job on disk, from which a later process goes on. */
export class JobJournal implements LeaseRecords, AsyncDisposable {
  /** True if an earlier process has worked on the job. */
  readonly isResumed: boolean;
  readonly ended = new Map<number, EndedTask>();
  readonly batches: WrittenBatchRecord[] = [];
  readonly restored: RestoredLeases;
  readonly #storage: Storage;
  #job: JobRecord;

  private constructor(storage: Storage, job: JobRecord, isResumed: boolean) {
    this.#storage = storage;
    this.#job = job;
    this.isResumed = isResumed;
    this.restored = this.#restore();
  }

  /**
   * Opens the journal in a folder.
   *
   * @throws StorageError `storage_unusable` if the folder has a job that does not fit the options
   */
  static async open(options: JournalOptions): Promise<JobJournal> {
    const { directory, durability, intervalMilliseconds, digest, tasks, version, firstBatch, resume } = options;
    requireReadableFormat(peekValue(directory, "meta", "job"), directory);
    const storage = await Storage.open({ directory, durability, intervalMilliseconds });
    try {
      const stored = storage.get("meta", Buffer.from("job"));
      requireReadableFormat(stored, directory);
      const found = readJson<JobRecord>(stored);
      if (found?.state === "running" && !resume) throw unfinished(directory, found);
      if (found && resume) {
        if (found.digest !== digest) throw otherJob(directory, found);
        const journal = new JobJournal(storage, { ...found, format: FORMAT, state: "running" }, true);
        journal.#saveJob({});
        await storage.committed();
        return journal;
      }
      const job: JobRecord = {
        format: FORMAT,
        jobId: `job-${randomUUID()}`,
        digest,
        tasks,
        version,
        nextBatch: firstBatch,
        state: "running",
      };
      storage.write(listAll(storage).map(({ table, key }) => ({ table, key, value: undefined })));
      await storage.committed();
      const journal = new JobJournal(storage, job, false);
      journal.#saveJob({});
      await storage.committed();
      return journal;
    } catch (error) {
      await storage.close();
      throw error;
    }
  }

  get jobId(): string {
    return this.#job.jobId;
  }

  /** The weight version at the start of this process. */
  get version(): number {
    return this.#job.version;
  }

  get nextBatch(): number {
    return this.#job.nextBatch;
  }

  saveLease(lease: HeldLease): void {
    this.#put("leases", lease.id, lease);
  }

  removeLease(leaseId: string): void {
    this.#put("leases", leaseId, undefined);
  }

  saveLosses(task: number, losses: readonly string[]): void {
    this.#put("records", numbered(KINDS.losses, task), losses);
  }

  saveReport({ task, result, leaseId }: AcceptedReport): void {
    const record: ReportRecord = { result, version: task.version, leaseId: leaseId ?? null };
    this.#put("records", numbered(KINDS.report, task.index), record);
  }

  removeReport(task: number): void {
    this.#put("records", numbered(KINDS.report, task), undefined);
  }

  saveUnwanted(sessionIds: readonly string[]): void {
    for (const id of sessionIds) this.#put("records", KINDS.unwanted + id, true);
  }

  removeUnwanted(sessionId: string): void {
    this.#put("records", KINDS.unwanted + sessionId, undefined);
  }

  saveLost(leaseId: string): void {
    this.#put("records", KINDS.lost + leaseId, true);
  }

  removeLost(leaseId: string): void {
    this.#put("records", KINDS.lost + leaseId, undefined);
  }

  /** Stores a batch whose file is complete. Its tasks are consumed. */
  async saveBatch(batch: WrittenBatchRecord): Promise<void> {
    this.#put("records", numbered(KINDS.batch, batch.number), batch);
    this.#saveJob({ nextBatch: batch.number + 1 });
    await this.#storage.committed();
  }

  /** Stores a change of a written batch, and the weight version. */
  async updateBatch(batch: WrittenBatchRecord, version = this.#job.version): Promise<void> {
    this.#put("records", numbered(KINDS.batch, batch.number), batch);
    this.#saveJob({ version });
    await this.#storage.committed();
  }

  /** Notes how the job ended. A later process then begins another one in the folder. */
  async end(state: "done" | "stopped"): Promise<void> {
    this.#saveJob({ state });
    await this.#storage.committed();
  }

  flushed(): Promise<void> {
    return this.#storage.flushed();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#storage.close();
  }

  #restore(): RestoredLeases {
    const read = <Value>(kind: string): [string, Value][] =>
      [...this.#storage.range("records", Buffer.from(kind))].map(({ key, value }) => [
        key.toString().slice(kind.length),
        JSON.parse(value.toString()) as Value,
      ]);
    this.batches.push(...read<WrittenBatchRecord>(KINDS.batch).map(([, batch]) => batch));
    const consumed = new Set(this.batches.flatMap(({ tasks }) => tasks));
    const done = new Map<number, string | undefined>();
    for (const [number, { result, version, leaseId }] of read<ReportRecord>(KINDS.report)) {
      const index = Number(number);
      this.ended.set(index, { result: fromWire(result), version, consumed: consumed.has(index) });
      done.set(index, leaseId ?? undefined);
    }
    const losses = new Map(read<string[]>(KINDS.losses).map(([task, reasons]) => [Number(task), reasons]));
    const unwanted = read(KINDS.unwanted).map(([id]) => id);
    const lost = read(KINDS.lost).map(([id]) => id);
    const leases = [...this.#storage.range("leases")].map(({ value }) => JSON.parse(value.toString()) as HeldLease);
    return { leases, losses, done, unwanted, lost };
  }

  #saveJob(changed: Partial<JobRecord>): void {
    this.#job = { ...this.#job, ...changed };
    this.#put("meta", "job", this.#job);
  }

  #put(table: Table, key: string, value: unknown): void {
    const bytes = value === undefined ? undefined : Buffer.from(JSON.stringify(value));
    this.#storage.write([{ table, key: Buffer.from(key), value: bytes }]);
  }
}

const DIGITS = 10;

/** Returns a key that sorts by its number. */
function numbered(kind: string, number: number): string {
  return kind + String(number).padStart(DIGITS, "0");
}

/** @throws StorageError `storage_unusable` if this build cannot read the records of a job */
function requireReadableFormat(job: Buffer | undefined, directory: string): void {
  const found = readJson<JobRecord>(job);
  if (!found || (found.format >= OLDEST_FORMAT && found.format <= FORMAT)) return;
  const reason =
    `has a job of format ${found.format}; this Rolltape reads the formats ${OLDEST_FORMAT} to ${FORMAT}. ` +
    "Use the Rolltape that wrote it, or another folder";
  throw unusableFolderError(directory, reason);
}

function readJson<Value>(bytes: Buffer | undefined): Value | undefined {
  return bytes && (JSON.parse(bytes.toString()) as Value);
}

function listAll(storage: Storage): Pick<Change, "table" | "key">[] {
  return (["meta", "records", "leases"] as const).flatMap((table) =>
    [...storage.range(table)].map(({ key }) => ({ table, key: Buffer.from(key) })),
  );
}

function unfinished(directory: string, { tasks }: JobRecord) {
  const advice = "Go on with it by `--resume`, or remove this folder to begin another job";
  return unusableFolderError(directory, `has an unfinished job of ${tasks} tasks. ${advice}`);
}

function otherJob(directory: string, { tasks }: JobRecord) {
  const why = "its tasks, group size, batch size or export options differ from those of this command";
  return unusableFolderError(directory, `has another job (${tasks} tasks): ${why}. Repeat the command that began it`);
}
