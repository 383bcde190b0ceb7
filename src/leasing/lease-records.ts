import type { RunningTask } from "../rollout/controller/task-runner.js";
import type { WireResult } from "../rollout/lease/protocol.js";
import type { HeldLease } from "../rollout/lease/task-leases.js";

/** A report that was accepted, as it is stored. */
export interface AcceptedReport {
  readonly task: RunningTask;
  readonly result: WireResult;
  /** The lease whose report it was; undefined if the task ran in this process or ran too often. */
  readonly leaseId?: string | undefined;
}

/** Stores what {@link LeasedTasks} needs after a restart. Calls only queue the changes; {@link flushed} waits for them. */
export interface LeaseRecords {
  /** Stores a lease with its announced sessions. */
  saveLease(lease: HeldLease): void;
  removeLease(leaseId: string): void;
  /** Stores why attempts of a task were lost. */
  saveLosses(task: number, losses: readonly string[]): void;
  saveReport(report: AcceptedReport): void;
  /** Forgets the report of a task that runs again. */
  removeReport(task: number): void;
  /** Stores sessions that are to be deleted. */
  saveUnwanted(sessionIds: readonly string[]): void;
  removeUnwanted(sessionId: string): void;
  /** Stores a lease that was lost. The proxy may have sessions that were started with it. */
  saveLost(leaseId: string): void;
  /** Forgets a lost lease, because its sessions are deleted. */
  removeLost(leaseId: string): void;
  /** Resolves when all changes so far are on disk. */
  flushed(): Promise<void>;
}

/** Stores nothing: the job ends with its process. */
export const NO_RECORDS: LeaseRecords = {
  saveLease: () => undefined,
  removeLease: () => undefined,
  saveLosses: () => undefined,
  saveReport: () => undefined,
  removeReport: () => undefined,
  saveUnwanted: () => undefined,
  removeUnwanted: () => undefined,
  saveLost: () => undefined,
  removeLost: () => undefined,
  flushed: () => Promise.resolve(),
};

/** What {@link LeaseRecords} had stored. */
export interface RestoredLeases {
  readonly leases: readonly HeldLease[];
  readonly losses: ReadonlyMap<number, readonly string[]>;
  /** The accepted lease of each task that is done, undefined if it had none. */
  readonly done: ReadonlyMap<number, string | undefined>;
  readonly unwanted: readonly string[];
  /** Lost leases whose sessions may not be deleted. */
  readonly lost: readonly string[];
}

export const NOTHING_RESTORED: RestoredLeases = {
  leases: [],
  losses: new Map(),
  done: new Map(),
  unwanted: [],
  lost: [],
};
