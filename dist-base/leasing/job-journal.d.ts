import type { EpisodeResult } from "../rollout/contract.js";
import type { HeldLease } from "../rollout/lease/task-leases.js";
import { type Durability } from "../storage/index.js";
import type { AcceptedReport, LeaseRecords, RestoredLeases } from "./lease-records.js";
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
/** The records of one rollout job on disk, from which a later process goes on. */
export declare class JobJournal implements LeaseRecords, AsyncDisposable {
    #private;
    /** True if an earlier process has worked on the job. */
    readonly isResumed: boolean;
    readonly ended: Map<number, EndedTask>;
    readonly batches: WrittenBatchRecord[];
    readonly restored: RestoredLeases;
    private constructor();
    /**
     * Opens the journal in a folder.
     *
     * @throws StorageError `storage_unusable` if the folder has a job that does not fit the options
     */
    static open(options: JournalOptions): Promise<JobJournal>;
    get jobId(): string;
    /** The weight version at the start of this process. */
    get version(): number;
    get nextBatch(): number;
    saveLease(lease: HeldLease): void;
    removeLease(leaseId: string): void;
    saveLosses(task: number, losses: readonly string[]): void;
    saveReport({ task, result, leaseId }: AcceptedReport): void;
    removeReport(task: number): void;
    saveUnwanted(sessionIds: readonly string[]): void;
    removeUnwanted(sessionId: string): void;
    saveLost(leaseId: string): void;
    removeLost(leaseId: string): void;
    /** Stores a batch whose file is complete. Its tasks are consumed. */
    saveBatch(batch: WrittenBatchRecord): Promise<void>;
    /** Stores a change of a written batch, and the weight version. */
    updateBatch(batch: WrittenBatchRecord, version?: number): Promise<void>;
    /** Notes how the job ended. A later process then begins another one in the folder. */
    end(state: "done" | "stopped"): Promise<void>;
    flushed(): Promise<void>;
    [Symbol.asyncDispose](): Promise<void>;
}
