import { randomUUID } from "node:crypto";
import type { WireReport, WireResult, WireSession } from "../rollout/lease/protocol.js";
import { Rejection } from "../rollout/rejection.js";
import type { DatabaseRow, JobDatabase, RunStatement, SqlValue } from "./database.js";
import { type BatchOrder, chooseBatch, freeSlots, type StalenessLimits, type StartedTask } from "./planning.js";
import {
  byIndex,
  discard,
  type EndedTask,
  findMisplaced,
  inChunks,
  insert,
  type JobCounts,
  type NewTask,
  noteSession,
  readCounts,
  readJob,
  rejectTask,
  type StoredTask,
  tasksOf,
  toEnded,
  toNewRow,
  toStored,
  updateTasks,
} from "./queries.js";
import { type CompleteBatchRow, FORMAT, type JobRow, SCHEMA, type SessionRow, type TaskRow } from "./schema.js";
import { seal } from "./sealed.js";

export interface JobStoreOptions {
  /** Digest of the tasks and of what decides how they run. */
  readonly digest: string;
  /** Weight version and number of the first batch of a new job. */
  readonly version: number;
  readonly firstBatch: number;
  /** Number of tasks that the trainer consumes per version. */
  readonly batchSize: number;
  /** Time after which a lease without a heartbeat is lost. */
  readonly leaseMilliseconds: number;
  /** Number of times that a task may run. A lease that its worker gives back does not count. */
  readonly maxAttempts: number;
  /** Keeps the sessions of rejected episodes until {@link JobStore.discard} is called with them. */
  readonly keepsRejected: boolean;
  /** Goes on with the job in the database, if there is one. */
  readonly resume: boolean;
  /** Called when a change could not be stored. The job cannot go on then. */
  readonly onFailure?: ((error: Error) => void) | undefined;
}

export interface ClaimedTask extends StoredTask {
  readonly leaseId: string;
  /** Number of this run of the task, from 1. */
  readonly attempt: number;
  /** Lost leases of the task, whose sessions this run may take over. */
  readonly cutLeases: readonly string[];
}

/** An attempt that did not count. */
export interface LostAttempt {
  readonly task: number;
  readonly attempt: number;
  readonly reason: string;
}

/** The changes of one transaction that somebody must act on. */
export interface JobChange {
  readonly ended: readonly EndedTask[];
  readonly lost: readonly LostAttempt[];
  /** Sessions that the proxy is to delete. */
  readonly unwanted: readonly string[];
  /** Leases whose sessions the proxy is to delete: those that were started with them and not announced. */
  readonly lostLeases: readonly string[];
}

/** The work that earlier processes of the job have finished. */
export interface EarlierWork {
  readonly ended: readonly EndedTask[];
  readonly batches: readonly CompleteBatchRow[];
}

export interface Claim {
  readonly worker: string;
  /** Maximum number of tasks. */
  readonly count: number;
  /** Maximum number of leases that the worker holds with these. */
  readonly maxHeld: number;
  /** Number of workers that share the tasks. */
  readonly workers: number;
  /** True if the worker's agent can go on with sessions of a lost lease. Default false. */
  readonly canResume?: boolean | undefined;
}

export interface Advance {
  /** Tasks that are added. Those that the database has are left as they are. */
  readonly added: readonly NewTask[];
  /** Undefined: no task may start. */
  readonly limits: StalenessLimits | undefined;
  /** The batch that somebody waits for. */
  readonly wanted?: WantedBatch | undefined;
}

export interface WantedBatch {
  readonly order: BatchOrder;
  readonly limits: StalenessLimits;
  /** Undefined: more tasks follow. */
  readonly last: Last | undefined;
}

/** Which tasks must have ended before the last batch, which may be smaller: all, or those that were started. */
export type Last = "all" | "started";

export interface Advanced {
  readonly counts: JobCounts;
  /** Number of tasks that wait for a worker since now. */
  readonly admitted: number;
  /** Tasks of the batch, in order: none if no batch follows, undefined if it is not complete yet. */
  readonly batch: readonly EndedTask[] | undefined;
}

/**
 * - `accepted`: the report counts. The task is done.
 * - `repeated`: the same report was accepted before.
 * - `refused`: the lease is not held any more, or the report is not about its task. Its sessions are deleted.
 */
export type ReportOutcome = "accepted" | "repeated" | "refused";

export interface WrittenBatch {
  readonly number: number;
  readonly file: string;
  readonly tasks: readonly number[];
  readonly trained: boolean;
  /** Id of the outbox that its files will be put into. Undefined: they are not archived. */
  readonly outbox?: string | undefined;
  /** Undefined: none was written. */
  readonly sessionsFile?: string | undefined;
}

/** A change that is being made. */
interface Draft {
  readonly ended: EndedTask[];
  readonly lost: LostAttempt[];
  readonly unwanted: string[];
  readonly lostLeases: string[];
}

/** The name of this process as a worker, in jobs that run agents in it. */
export const OWN_WORKER = "this process";

/**
 * The state of a job. Each method is one transaction. What it changed is told to the listener that was given to {@link begin}.
 *
 * A task runs at least once, and exactly one report of it is accepted: that of the lease that holds the task when the report comes.
 */
export class JobStore implements AsyncDisposable {
  readonly #database: JobDatabase;
  readonly #options: JobStoreOptions;
  /** The job as it was when this process opened it. */
  readonly opened: JobRow;
  /** True if an earlier process has worked on the job. */
  readonly isResumed: boolean;
  #onChange: (change: JobChange) => void = () => undefined;
  #hasFailed = false;
  /** Number of queued and leased tasks after the last {@link advance}. It decides the share of a worker, which need not be exact. */
  #running: number | undefined;

  private constructor(database: JobDatabase, options: JobStoreOptions, { job, isResumed }: OpenedJob) {
    this.#database = database;
    this.#options = options;
    this.opened = job;
    this.isResumed = isResumed;
  }

  /**
   * Opens the job of a database, or begins one.
   *
   * @throws JobStoreError if the database has a job that does not fit the options
   */
  static async open(database: JobDatabase, options: JobStoreOptions): Promise<JobStore> {
    const opened = await database.transaction(async (query) => {
      for (const statement of SCHEMA) await query(statement);
      const [found] = await query<JobRow>("select * from job");
      const refusal = found && findMismatch(found, options);
      if (refusal) throw new JobStoreError(refusal, found, (await readCounts(query)).submitted);
      if (!found || !options.resume) return { job: await begin(query, options), isResumed: false };
      await goOn(query, found, options.leaseMilliseconds);
      return { job: found, isResumed: true };
    });
    return new JobStore(database, options, opened);
  }

  /**
   * Reads what there was before, and tells `onChange` of every later change. The first one has the sessions and leases that are still to
   * be deleted.
   */
  async begin(onChange: (change: JobChange) => void): Promise<EarlierWork> {
    return this.#change(async (query, draft) => {
      const ended = await query<TaskRow>("select * from tasks where result is not null order by id");
      const batches = await query<CompleteBatchRow>("select * from batches order by number");
      const unwanted = await query<{ id: string }>("select id from sessions where state = 'unwanted'");
      const lostLeases = await query<{ id: string }>("select id from lost_leases");
      draft.unwanted.push(...unwanted.map(({ id }) => id));
      draft.lostLeases.push(...lostLeases.map(({ id }) => id));
      this.#onChange = onChange;
      return { ended: ended.map(toEnded), batches };
    });
  }

  /** Adds tasks, lets waiting ones start as the limits allow, and takes the next batch if it is complete. */
  async advance({ added, limits, wanted }: Advance): Promise<Advanced> {
    return this.#change(async (query) => {
      await insert(query, "tasks", ["id", "task_id", "group_id", "state", "losses", "lost"], added.map(toNewRow));
      const job = await readJob(query);
      const before = await readCounts(query, job);
      const admitted = limits ? await this.#admit(query, job, before, limits) : 0;
      const batch = wanted && (await this.#take(query, job, wanted));
      // A batch that is taken changes none of them.
      const counts = { ...before, waiting: before.waiting - admitted, queued: before.queued + admitted };
      this.#running = counts.queued + counts.leased;
      return { counts, admitted, batch };
    });
  }

  async #admit(
    query: RunStatement,
    job: JobRow,
    { queued, leased, accepted }: JobCounts,
    limits: StalenessLimits,
  ): Promise<number> {
    const free = freeSlots(limits, { version: job.version, extra: job.extra, running: queued + leased, accepted });
    if (free === 0) return 0;
    const next = "select id from tasks where state = 'waiting' order by id limit ?";
    const text = `update tasks set state = 'queued', version = ? where id in (${next}) returning id`;
    return (await query(text, job.version, free)).length;
  }

  async #take(
    query: RunStatement,
    job: JobRow,
    { order, limits, last }: WantedBatch,
  ): Promise<EndedTask[] | undefined> {
    const list = (states: string) =>
      query<StartedTask & DatabaseRow>(
        `select id as "index", version from tasks where state in (${states}) order by id`,
      );
    const accepted = await list("'accepted'");
    // There may be many thousands of running tasks, so they are read only when a batch may be complete.
    const isFull = accepted.length >= limits.consumerBatchSize;
    if (!isFull && (last === undefined || (await hasRunning(query)))) return undefined;
    const running = await list("'queued', 'leased'");
    const [waiting] = last === "all" ? await query("select 1 from tasks where state = 'waiting' limit 1") : [];
    const chosen = chooseBatch({
      order,
      count: limits.consumerBatchSize,
      dueVersion: job.version - limits.maxStaleness,
      last: last !== undefined && waiting === undefined && running.length === 0,
      accepted,
      running,
    });
    if (chosen === undefined) return undefined;
    return (await updateTasks(query, "state = 'taken'", chosen)).map(toEnded).toSorted(byIndex);
  }

  /**
   * Gives queued tasks to a worker, those with the lowest numbers first, at most its share. A task that runs again is therefore among
   * the first.
   *
   * A worker has at most one task in its last attempt, if earlier ones were lost. A task that kills its worker, for example by its
   * memory, takes others with it, but not to their end.
   */
  async claim({ worker, count, maxHeld, workers, canResume = false }: Claim): Promise<ClaimedTask[]> {
    return this.#change(async (query) => {
      const running = this.#running ?? (await this.#countRunning(query));
      const held = await query<TaskRow>("select * from tasks where worker = ?", worker);
      const share = Math.max(1, Math.ceil(running / workers) - held.length);
      const most = Math.min(count, maxHeld - held.length, share);
      if (most <= 0) return [];
      const last = this.#options.maxAttempts - 1;
      const choose = (condition: string, limit: number) =>
        query<TaskRow>(`select * from tasks where state = 'queued' and ${condition} order by id limit ?`, last, limit);
      const hasLast = held.some(({ lost }) => lost > 0 && lost >= last);
      const chosen = await choose("(lost = 0 or lost < ?)", most);
      if (!hasLast) chosen.push(...(await choose("lost > 0 and lost >= ?", 1)));
      const claimed: ClaimedTask[] = [];
      for (const row of chosen.toSorted((a, b) => a.id - b.id).slice(0, most)) {
        const leaseId = `lease-${randomUUID()}`;
        const text =
          "update tasks set state = 'leased', lease = ?, worker = ?, expires_at = (select clock from job) + ?, resumable = ? where id = ?";
        await query(text, leaseId, worker, this.#options.leaseMilliseconds, Number(canResume), row.id);
        claimed.push({ ...toStored(row), leaseId, attempt: row.lost + 1, cutLeases: readCutLeases(row) });
      }
      return claimed;
    });
  }

  async #countRunning(query: RunStatement): Promise<number> {
    const { queued, leased } = await readCounts(query);
    return queued + leased;
  }

  /** Prolongs leases. Returns those that are not held any more. */
  async renew(leases: readonly string[]): Promise<string[]> {
    return this.#change(async (query) => {
      const held = await inChunks(leases, (list, ids) =>
        query<{ lease: string }>(
          `update tasks set expires_at = (select clock from job) + ? where lease in (${list}) returning lease`,
          this.#options.leaseMilliseconds,
          ...ids,
        ),
      );
      const known = new Set(held.map(({ lease }) => lease));
      return leases.filter((id) => !known.has(id));
    });
  }

  /** Notes sessions of leases, before their agents run. Returns the leases that are not held any more; these sessions are deleted. */
  async announce(sessions: readonly WireSession[]): Promise<string[]> {
    if (sessions.length === 0) return [];
    return this.#change((query, draft) => this.#announce(query, draft, sessions));
  }

  async #announce(query: RunStatement, draft: Draft, sessions: readonly WireSession[]): Promise<string[]> {
    const lost: WireSession[] = [];
    for (const session of sessions) {
      const [task] = await query<TaskRow>("select * from tasks where lease = ?", session.lease_id);
      if (task)
        await noteSession(query, { id: session.session_id, task: task.id, lease: session.lease_id, state: "held" });
      else lost.push(session);
    }
    await this.#discard(
      query,
      draft,
      lost.map(({ session_id }) => session_id),
    );
    return lost.map(({ lease_id }) => lease_id);
  }

  /** Notes sessions, and ends the tasks of reports that count. */
  async update(
    sessions: readonly WireSession[],
    reports: readonly WireReport[],
  ): Promise<{ readonly lost: string[]; readonly refused: string[] }> {
    return this.#change(async (query, draft) => {
      const lost = await this.#announce(query, draft, sessions);
      const refused: string[] = [];
      for (const report of reports) {
        if ((await this.#report(query, draft, report)) !== "refused") continue;
        refused.push(report.lease_id);
        await this.#discard(
          query,
          draft,
          report.result.accepted.map(({ session_id }) => session_id),
        );
      }
      return { lost, refused };
    });
  }

  async #report(
    query: RunStatement,
    draft: Draft,
    { lease_id, task: id, attempt, result }: WireReport,
  ): Promise<ReportOutcome> {
    const [task] = await query<TaskRow>("select * from tasks where id = ?", id);
    if (task === undefined || attempt !== task.lost + 1) return "refused";
    if (task.accepted_lease === lease_id) return "repeated";
    if (task.lease !== lease_id) return "refused";
    const accepted = result.accepted.map(({ session_id }) => session_id);
    const misplaced = await findMisplaced(query, id, accepted);
    if (misplaced !== undefined) {
      const reason = `rollout worker ${task.worker} reported session ${misplaced.slice(0, 200)} twice, or it belongs to another task`;
      await this.#lose(query, draft, task, reason);
      return "refused";
    }
    const rejected = result.rejected.flatMap(({ session_id }) => session_id ?? []);
    for (const session of accepted)
      await noteSession(query, { id: session, task: id, lease: lease_id, state: "accepted" });
    const others = await query<SessionRow>("select * from sessions where task = ? and state = 'held'", id);
    const kept = this.#options.keepsRejected ? new Set(rejected) : new Set<string>();
    for (const session of kept) await noteSession(query, { id: session, task: id, lease: lease_id, state: "kept" });
    // Usually the worker has deleted them. If it could not, only the job knows them.
    await this.#discard(
      query,
      draft,
      [...others.map(({ id: other }) => other), ...rejected].filter((each) => !kept.has(each)),
    );
    await this.#end(query, draft, task, result, lease_id);
    return "accepted";
  }

  /** Ends leases whose tasks did not run, or were stopped in order. They wait for a worker again. Returns their number. */
  async giveBack(leases: readonly string[]): Promise<number> {
    if (leases.length === 0) return 0;
    return this.#change(async (query, draft) => this.#giveBack(query, draft, await tasksOf(query, leases)));
  }

  /** Gives the leases of a worker back that it does not know. */
  async returnUnknown(worker: string, known: readonly string[]): Promise<number> {
    return this.#change(async (query, draft) => {
      const held = await query<TaskRow>("select * from tasks where worker = ?", worker);
      return this.#giveBack(
        query,
        draft,
        held.filter(({ lease }) => lease !== null && !known.includes(lease)),
      );
    });
  }

  async #giveBack(query: RunStatement, draft: Draft, tasks: readonly TaskRow[]): Promise<number> {
    for (const task of tasks) await this.#release(query, draft, task);
    return tasks.length;
  }

  /** Notes that a worker has ended: its attempts are lost. */
  async loseWorker(worker: string, reason: string): Promise<void> {
    await this.#change(async (query, draft) => {
      for (const task of await query<TaskRow>("select * from tasks where worker = ?", worker))
        await this.#lose(query, draft, task, reason);
    });
  }

  /**
   * Moves the clock of the leases, and ends those without a heartbeat in time.
   *
   * @param nameOf returns the name of a worker in messages
   * @returns the workers of these leases
   */
  async tick(milliseconds: number, nameOf: (worker: string) => string): Promise<string[]> {
    const why = `sent no heartbeat for ${this.#options.leaseMilliseconds / 1000} s`;
    return this.#change(async (query, draft) => {
      await query("update job set clock = clock + ?", milliseconds);
      const text = "select * from tasks where expires_at <= (select clock from job)";
      const late = await query<TaskRow>(text);
      for (const task of late)
        await this.#lose(query, draft, task, `rollout worker ${nameOf(task.worker ?? "")} ${why}`);
      return [...new Set(late.flatMap(({ worker }) => worker ?? []))];
    });
  }

  /**
   * Runs tasks of a batch again, because their sessions were lost, as one more attempt. The other tasks of the batch go into the next
   * one.
   *
   * @param lost the tasks, each with its sessions that were not lost, which are deleted
   */
  async rerun(batch: readonly number[], lost: ReadonlyMap<number, readonly string[]>, reason: string): Promise<void> {
    await this.#change(async (query, draft) => {
      const again = batch.filter((index) => lost.has(index));
      await updateTasks(
        query,
        "state = 'accepted'",
        batch.filter((index) => !lost.has(index)),
      );
      for (const task of await updateTasks(query, "state = 'queued', result = null, accepted_lease = null", again)) {
        await query("delete from sessions where task = ?", task.id);
        await this.#discard(query, draft, lost.get(task.id) ?? []);
        await this.#countLoss(query, draft, task, reason);
      }
    });
  }

  /** Puts the tasks of a batch back that nobody received. */
  async putBack(tasks: readonly number[]): Promise<void> {
    await this.#change((query) => updateTasks(query, "state = 'accepted'", tasks));
  }

  /** Rejects tasks whose sessions were lost with their proxy. */
  async reject(tasks: readonly number[], reason: Rejection): Promise<void> {
    await this.#change(async (query) => {
      for (const task of await updateTasks(query, "state = 'rejected'", tasks))
        await query("update tasks set result = ? where id = ?", seal(rejectTask(task, reason)), task.id);
      await query("update job set rejected = rejected + ?", tasks.length);
    });
  }

  /** Lets no task run any more: those that run or wait for a worker begin again when the job goes on. Returns them. */
  async stop(): Promise<StoredTask[]> {
    return this.#change(async (query, draft) => {
      const running = await query<TaskRow>("select * from tasks where state in ('queued', 'leased') order by id");
      for (const task of running) await this.#release(query, draft, task, "stopped");
      return running.map(toStored);
    });
  }

  /** Stores a batch whose file is complete. From now on, no other batch has its tasks. */
  async saveBatch({ number, file, tasks, trained, outbox, sessionsFile }: WrittenBatch): Promise<void> {
    await this.#change(async (query) => {
      const row = {
        number,
        file,
        tasks: tasks.length,
        trained: Number(trained),
        freed: 0,
        outbox: outbox ?? null,
        sessions_file: sessionsFile ?? null,
      };
      await insert(query, "batches", Object.keys(row), [Object.values(row)]);
      await updateTasks(query, "state = 'consumed', batch = ?", tasks, number);
      await query("update job set next_batch = ?, consumed = consumed + ?", number + 1, tasks.length);
    });
  }

  /** Notes that the files of a batch are in its outbox. */
  async inOutbox(batch: number): Promise<void> {
    await this.#change((query) => query("update batches set outbox = null where number = ?", batch));
  }

  /** Notes that the proxy has freed the sessions of a batch. */
  async freed(batch: number): Promise<void> {
    await this.#change(async (query) => {
      await query("update batches set freed = 1 where number = ?", batch);
      await query(
        "delete from sessions where state = 'accepted' and task in (select id from tasks where batch = ?)",
        batch,
      );
    });
  }

  /** Returns the sessions of a batch that the proxy may still have. */
  async sessionsOf(batch: number): Promise<string[]> {
    const text = "select id from sessions where state = 'accepted' and task in (select id from tasks where batch = ?)";
    return this.#change(async (query) => (await query<{ id: string }>(text, batch)).map(({ id }) => id));
  }

  async trained(batch: number): Promise<void> {
    await this.#change((query) => query("update batches set trained = 1 where number = ?", batch));
  }

  async setVersion(version: number): Promise<void> {
    await this.#change((query) => query("update job set version = ?", version));
  }

  /** Lets more or fewer tasks run ahead of the trainer. */
  async addExtra(tasks: number): Promise<void> {
    await this.#change((query) => query("update job set extra = extra + ?", tasks));
  }

  /** Has sessions deleted that no task needs. Accepted ones stay, because a broken worker may name those of another task. */
  async discard(sessions: readonly string[]): Promise<void> {
    await this.#change((query, draft) => this.#discard(query, draft, sessions));
  }

  /** Forgets sessions and leases that the proxy has deleted. */
  async removed({ session, lease }: { readonly session?: string; readonly lease?: string }): Promise<void> {
    await this.#change(async (query) => {
      if (session !== undefined) await query("delete from sessions where id = ? and state = 'unwanted'", session);
      if (lease !== undefined) await query("delete from lost_leases where id = ?", lease);
    });
  }

  /** Notes how the job ended. A later process then begins another one, unless it resumes this one. */
  async end(state: "done" | "stopped"): Promise<void> {
    await this.#change((query) => query("update job set state = ?", state));
  }

  async readCounts(): Promise<JobCounts> {
    return this.#change((query) => readCounts(query));
  }

  /** Returns the number of leases of each worker that holds any. */
  async readLeases(): Promise<ReadonlyMap<string, number>> {
    const text = "select worker, count(*) as leases from tasks where worker is not null group by worker";
    const rows = await this.#change((query) => query<{ worker: string; leases: SqlValue }>(text));
    return new Map(rows.map(({ worker, leases }) => [worker, Number(leases)]));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#database[Symbol.asyncDispose]();
  }

  /** True if a change could not be stored. */
  get hasFailed(): boolean {
    return this.#hasFailed;
  }

  async #change<T>(work: (query: RunStatement, draft: Draft) => Promise<T>): Promise<T> {
    const draft: Draft = { ended: [], lost: [], unwanted: [], lostLeases: [] };
    const committed = () => {
      if (Object.values(draft).some((list: unknown[]) => list.length > 0)) this.#onChange(draft);
    };
    try {
      return await this.#database.transaction((query) => work(query, draft), committed);
    } catch (error) {
      if (!this.#hasFailed) this.#options.onFailure?.(error as Error);
      this.#hasFailed = true;
      throw error;
    }
  }

  async #discard(query: RunStatement, draft: Draft, sessions: readonly string[]): Promise<void> {
    draft.unwanted.push(...(await discard(query, sessions)));
  }

  /** Ends a lease whose report cannot count. Its task runs again, unless it ran too often. */
  async #lose(query: RunStatement, draft: Draft, task: TaskRow, reason: string): Promise<void> {
    await this.#countLoss(query, draft, await this.#release(query, draft, task, "lost"), reason);
  }

  async #countLoss(query: RunStatement, draft: Draft, task: TaskRow, reason: string): Promise<void> {
    const losses = [...(JSON.parse(task.losses) as string[]), reason];
    await query("update tasks set losses = ?, lost = ? where id = ?", JSON.stringify(losses), losses.length, task.id);
    await query("update job set lost = lost + 1");
    draft.lost.push({ task: task.id, attempt: losses.length, reason });
    const { maxAttempts } = this.#options;
    if (losses.length < maxAttempts) return;
    const reasons = losses.map((each, i) => `attempt ${i + 1}: ${each}`).join("; ");
    const message = `Every attempt was lost (rollout.max_attempts: ${maxAttempts}): ${reasons}.`;
    await this.#end(query, draft, task, rejectTask(task, new Rejection("worker_lost", message)), null);
  }

  /**
   * Takes a task from its worker and has the sessions of the attempt deleted. Keeps them if the attempt was lost and the next one can go
   * on with them.
   *
   * @param why absent: the lease was given back
   */
  async #release(query: RunStatement, draft: Draft, task: TaskRow, why?: "stopped" | "lost"): Promise<TaskRow> {
    const { lease, resumable } = task;
    const keepsSessions = why === "lost" && resumable === 1;
    const known = keepsSessions ? addOwnLease(task) : readCutLeases(task);
    const cutLeases = why === "stopped" ? [] : known;
    const released = { ...task, lease: null, worker: null, cut_leases: JSON.stringify(cutLeases) };
    await query(
      "update tasks set state = ?, lease = null, worker = null, expires_at = null, cut_leases = ? where id = ?",
      why === "stopped" ? "waiting" : "queued",
      released.cut_leases,
      task.id,
    );
    if (why === "stopped") await this.#loseLeases(query, draft, readCutLeases(task));
    if (lease !== null) {
      const held = await query<SessionRow>("select * from sessions where task = ? and state = 'held'", task.id);
      await this.#discard(
        query,
        draft,
        held.map(({ id }) => id),
      );
      // Most sessions are started with the lease and not announced, so only the proxy knows them.
      if (!keepsSessions) await this.#loseLeases(query, draft, [lease]);
    }
    return released;
  }

  /** Marks the sessions of leases for deletion. */
  async #loseLeases(query: RunStatement, draft: Draft, leases: readonly string[]): Promise<void> {
    for (const lease of leases) await query("insert into lost_leases values (?)", lease);
    draft.lostLeases.push(...leases);
  }

  async #end(
    query: RunStatement,
    draft: Draft,
    task: TaskRow,
    result: WireResult,
    lease: string | null,
  ): Promise<void> {
    const state = result.accepted.length > 0 ? "accepted" : "rejected";
    const text =
      "update tasks set state = ?, result = ?, accepted_lease = ?, lease = null, worker = null, expires_at = null, cut_leases = '[]' where id = ?";
    await query(text, state, seal(result), lease, task.id);
    await this.#loseLeases(query, draft, readCutLeases(task));
    if (state === "rejected") await query("update job set rejected = rejected + 1");
    draft.ended.push({ ...toStored(task), result });
  }
}

/** Returns the state of the job in a database; undefined if it has none. */
export function readJobState(database: JobDatabase): Promise<JobRow["state"] | undefined> {
  return database.transaction(async (query) => {
    for (const statement of SCHEMA) await query(statement);
    return (await query<JobRow>("select * from job"))[0]?.state;
  });
}

async function hasRunning(query: RunStatement): Promise<boolean> {
  return (await query("select 1 from tasks where state in ('queued', 'leased') limit 1")).length > 0;
}

function readCutLeases({ cut_leases }: TaskRow): string[] {
  return JSON.parse(cut_leases) as string[];
}

/** Returns the cut leases of a task whose lease is lost, for an agent that can go on with its sessions. */
function addOwnLease(task: TaskRow): string[] {
  return [...readCutLeases(task), ...(task.lease === null ? [] : [task.lease])];
}

interface OpenedJob {
  readonly job: JobRow;
  readonly isResumed: boolean;
}

/** The database has a job that cannot go on here. */
export class JobStoreError extends Error {
  override readonly name = "JobStoreError";
  readonly code: "format" | "unfinished" | "other_job";
  readonly job: JobRow;
  /** Number of its tasks. */
  readonly tasks: number;

  constructor(code: JobStoreError["code"], job: JobRow, tasks: number) {
    super(`The database has a job of ${tasks} tasks that cannot go on here: ${code}.`);
    this.code = code;
    this.job = job;
    this.tasks = tasks;
  }
}

function findMismatch({ format, state, digest }: JobRow, options: JobStoreOptions): JobStoreError["code"] | undefined {
  if (format !== FORMAT) return "format";
  if (!options.resume) return state === "running" ? "unfinished" : undefined;
  return digest === options.digest ? undefined : "other_job";
}

async function begin(
  query: RunStatement,
  { digest, version, firstBatch, batchSize }: JobStoreOptions,
): Promise<JobRow> {
  for (const table of ["job", "tasks", "sessions", "lost_leases", "batches"]) await query(`delete from ${table}`);
  const job = {
    one: 1,
    format: FORMAT,
    job_id: `job-${randomUUID()}`,
    digest,
    state: "running",
    version,
    next_batch: firstBatch,
    earlier: version * batchSize,
    extra: 0,
    consumed: 0,
    rejected: 0,
    lost: 0,
    clock: 0,
  } as const;
  await insert(query, "job", Object.keys(job), [Object.values(job)]);
  return job;
}

/** Goes on with a job whose processes have ended. Its rollout workers may live and report. */
async function goOn(query: RunStatement, { clock }: JobRow, leaseMilliseconds: number): Promise<void> {
  await query("update job set state = 'running'");
  await query("update tasks set state = 'accepted' where state = 'taken'");
  // Workers have the whole lease time to send a heartbeat.
  await query("update tasks set expires_at = ? where state = 'leased'", clock + leaseMilliseconds);
  for (const task of await query<TaskRow>("select * from tasks where worker = ?", OWN_WORKER)) {
    const { id, lease, resumable } = task;
    const cut = resumable === 1 ? addOwnLease(task) : readCutLeases(task);
    if (resumable === 0) await query("insert into lost_leases values (?)", lease);
    const text =
      "update tasks set state = 'queued', lease = null, worker = null, expires_at = null, cut_leases = ? where id = ?";
    await query(text, JSON.stringify(cut), id);
  }
  await query("update sessions set state = 'unwanted' where state = 'kept'");
}
