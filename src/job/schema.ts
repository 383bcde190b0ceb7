import type { DatabaseRow } from "./database.js";

/** Version of the tables. */
export const FORMAT = 7;

/**
 * The tables of a job. The statements are those that SQLite and PostgreSQL both know.
 *
 * A task goes from state to state like this:
 *
 * ```
 *            admit()            claim()           report()            take()          written
 *  waiting ──────────▶ queued ──────────▶ leased ──────────▶ accepted ──────────▶ taken ────────▶ consumed
 *                        ▲                  │ │                  ▲                  │ │
 *                        │ giveBack()       │ │                  └──────────────────┘ │ its sessions were lost
 *                        ├──────────────────┤ └────────▶ rejected     not exported    │ with their proxy
 *                        │                  ▼                ▲                        │
 *                        └──────────── attempt lost ─────────┘◀───────────────────────┘
 *                                              after max_attempts
 * ```
 */
export const SCHEMA: readonly string[] = [
  `create table if not exists job (
    one integer primary key check (one = 1),
    format integer not null,
    job_id text not null,
    digest text not null,
    state text not null check (state in ('running', 'done', 'stopped')),
    version integer not null,
    next_batch integer not null,
    earlier integer not null,
    extra integer not null,
    consumed integer not null,
    rejected integer not null,
    lost integer not null,
    clock double precision not null
  )`,
  `create table if not exists tasks (
    id integer primary key,
    task_id text not null,
    group_id text not null,
    state text not null check (state in ('waiting', 'queued', 'leased', 'accepted', 'taken', 'consumed', 'rejected')),
    version integer,
    losses text not null,
    lost integer not null,
    lease text unique,
    worker text,
    expires_at double precision,
    resumable integer not null default 0,
    cut_leases text not null default '[]',
    accepted_lease text,
    result text,
    batch integer
  )`,
  "create index if not exists tasks_by_state on tasks (state, id)",
  "create index if not exists tasks_by_worker on tasks (worker)",
  "create index if not exists tasks_by_batch on tasks (batch)",
  `create table if not exists sessions (
    id text primary key,
    task integer not null,
    lease text not null,
    state text not null check (state in ('held', 'accepted', 'kept', 'unwanted'))
  )`,
  "create index if not exists sessions_by_task on sessions (task)",
  "create index if not exists sessions_by_state on sessions (state)",
  "create table if not exists lost_leases (id text primary key)",
  `create table if not exists batches (
    number integer primary key,
    file text not null,
    tasks integer not null,
    trained integer not null,
    freed integer not null,
    outbox text,
    sessions_file text
  )`,
];

export interface JobRow extends DatabaseRow {
  readonly format: number;
  readonly job_id: string;
  /** Digest of the tasks and of what decides how they run. */
  readonly digest: string;
  /** `stopped`: by its user, after everything that was finished was written. */
  readonly state: "running" | "done" | "stopped";
  /** The weight version. */
  readonly version: number;
  /** Number of the next batch. */
  readonly next_batch: number;
  /** Number of tasks that the trainer consumed before the first version of this job. */
  readonly earlier: number;
  /** See `Progress.extra`. */
  readonly extra: number;
  readonly consumed: number;
  readonly rejected: number;
  /** Number of attempts that were lost. */
  readonly lost: number;
  /** Milliseconds of a clock for leases. It stands still while nobody works on the job. */
  readonly clock: number;
}

export interface TaskRow extends DatabaseRow {
  /** Position in the order of submission, from 0. */
  readonly id: number;
  readonly task_id: string;
  readonly group_id: string;
  readonly state: "waiting" | "queued" | "leased" | "accepted" | "taken" | "consumed" | "rejected";
  /** The weight version when it began. */
  readonly version: number | null;
  /** Why attempts were lost: a list in JSON. */
  readonly losses: string;
  /** Number of lost attempts. */
  readonly lost: number;
  /** The lease that a worker holds. */
  readonly lease: string | null;
  readonly worker: string | null;
  /** On the job's clock. */
  readonly expires_at: number | null;
  /** 1 if the agent of the lease can go on with its sessions after its worker has died. */
  readonly resumable: number;
  /**
   * Lost leases whose sessions the next attempt may take over, as a JSON list. When the task ends, they are added to `lost_leases`.
   */
  readonly cut_leases: string;
  /** The lease whose report ended the task. */
  readonly accepted_lease: string | null;
  /** A `WireResult`, sealed. */
  readonly result: string | null;
  /** The batch that has the task. */
  readonly batch: number | null;
}

export interface SessionRow extends DatabaseRow {
  readonly id: string;
  readonly task: number;
  readonly lease: string;
  /**
   * `held`: a worker has announced it. `kept`: its episode was rejected, and the transcript reads it. `unwanted`: the proxy is to delete
   * it.
   */
  readonly state: "held" | "accepted" | "kept" | "unwanted";
}

/** A batch whose file is complete. */
export interface CompleteBatchRow extends DatabaseRow {
  readonly number: number;
  readonly file: string;
  /** Number of its tasks. */
  readonly tasks: number;
  /** 1 if the trainer has consumed it, or there is no trainer. */
  readonly trained: number;
  /** 1 if the proxy has freed its sessions. */
  readonly freed: number;
  /** Id of the outbox that its files are still to be put into; null if they are in it, or are not archived. */
  readonly outbox: string | null;
  /** The file with its sessions, if the job wrote one. */
  readonly sessions_file: string | null;
}
