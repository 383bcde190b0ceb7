import type { WireResult } from "../rollout/lease/protocol.js";
import { toWire } from "../rollout/lease/wire-result.js";
import type { Rejection } from "../rollout/rejection.js";
import type { RunStatement, SqlValue } from "./database.js";
import type { JobRow, SessionRow, TaskRow } from "./schema.js";
import { unseal } from "./sealed.js";

export interface NewTask {
  readonly index: number;
  readonly taskId: string;
  readonly groupId: string;
}

/** A task with what is stored of it. */
export interface StoredTask extends NewTask {
  /** The weight version when it began. */
  readonly version: number;
}

/** The end of a task. */
export interface EndedTask extends StoredTask {
  readonly result: WireResult;
  /** The batch that has it. */
  readonly batch?: number | undefined;
}

export interface JobCounts {
  readonly version: number;
  readonly submitted: number;
  readonly waiting: number;
  readonly queued: number;
  readonly leased: number;
  /** Includes {@link earlier}. */
  readonly accepted: number;
  /** Those that the trainer consumed before the job's first version. */
  readonly earlier: number;
  readonly rejected: number;
  readonly lost: number;
}

export async function readJob(query: RunStatement): Promise<JobRow> {
  const [job] = await query<JobRow>("select * from job");
  if (!job) throw new Error("the job was removed from its database");
  return job;
}

const STARTED_STATES = ["queued", "leased", "accepted", "taken"] as const;

/**
 * Reads the counts of a job. Only tasks that have started and are not over are counted one by one: the job has the numbers of those that are
 * over, and all others wait.
 */
export async function readCounts(query: RunStatement, job?: JobRow): Promise<JobCounts> {
  const { version, earlier, consumed, rejected, lost } = job ?? (await readJob(query));
  const states = STARTED_STATES.map((state) => `'${state}'`).join(", ");
  const text = `select state, count(*) as tasks from tasks where state in (${states}) group by state`;
  const rows = await query<{ state: string; tasks: SqlValue }>(text);
  const tasks = new Map(rows.map(({ state, tasks }) => [state, Number(tasks)]));
  const count = (state: (typeof STARTED_STATES)[number]) => tasks.get(state) ?? 0;
  const started = STARTED_STATES.reduce((sum, state) => sum + count(state), 0);
  const [last] = await query<{ id: number | null }>("select max(id) as id from tasks");
  const submitted = (last?.id ?? -1) + 1;
  return {
    version,
    submitted,
    waiting: submitted - started - consumed - rejected,
    queued: count("queued"),
    leased: count("leased"),
    accepted: earlier + consumed + count("accepted") + count("taken"),
    earlier,
    rejected,
    lost,
  };
}

/** Returns a session that belongs to another task, or is listed twice. A batch can have it only once. */
export async function findMisplaced(
  query: RunStatement,
  task: number,
  sessions: readonly string[],
): Promise<string | undefined> {
  const twice = sessions.find((id, i) => sessions.indexOf(id) !== i);
  if (twice !== undefined) return twice;
  const rows = await inChunks(sessions, (list, ids) =>
    query<SessionRow>(
      `select * from sessions where state = 'accepted' and task <> ? and id in (${list})`,
      task,
      ...ids,
    ),
  );
  return rows[0]?.id;
}

export async function noteSession(
  query: RunStatement,
  { id, task, lease, state }: Pick<SessionRow, "id" | "task" | "lease" | "state">,
) {
  await query(
    "insert into sessions values (?, ?, ?, ?) on conflict (id) do update set task = excluded.task, lease = excluded.lease, " +
      "state = excluded.state where sessions.state <> 'accepted' or sessions.task = excluded.task",
    id,
    task,
    lease,
    state,
  );
}

/** Notes sessions that the proxy is to delete, except for accepted ones, and returns them. */
export async function discard(query: RunStatement, sessions: readonly string[]): Promise<string[]> {
  const unwanted: string[] = [];
  for (const id of new Set(sessions)) {
    const [row] = await query(
      "insert into sessions values (?, -1, '', 'unwanted') on conflict (id) do update set state = 'unwanted' " +
        "where sessions.state <> 'accepted' returning id",
      id,
    );
    if (row) unwanted.push(id);
  }
  return unwanted;
}

export async function tasksOf(query: RunStatement, leases: readonly string[]): Promise<TaskRow[]> {
  return inChunks(leases, (list, ids) => query<TaskRow>(`select * from tasks where lease in (${list})`, ...ids));
}

/** @param values those of the change */
export async function updateTasks(
  query: RunStatement,
  change: string,
  tasks: readonly number[],
  ...values: readonly SqlValue[]
): Promise<TaskRow[]> {
  return inChunks(tasks, (list, ids) =>
    query<TaskRow>(`update tasks set ${change} where id in (${list}) returning *`, ...values, ...ids),
  );
}

/** Number of values of a statement. Lists are filled up to it, so that a statement with a list has one text. */
const CHUNK = 64;

export async function inChunks<R>(
  values: readonly SqlValue[],
  run: (list: string, chunk: readonly SqlValue[]) => Promise<R[]>,
): Promise<R[]> {
  const list = Array.from({ length: CHUNK }, () => "?").join(", ");
  const results: R[] = [];
  for (let at = 0; at < values.length; at += CHUNK) {
    const chunk = values.slice(at, at + CHUNK);
    const filler = Array.from({ length: CHUNK - chunk.length }, () => null);
    results.push(...(await run(list, [...chunk, ...filler])));
  }
  return results;
}

/** Number of rows of an `insert`. */
const ROWS = 100;

/** Adds rows, many with one statement. Those whose key exists are left as they are. */
export async function insert(
  query: RunStatement,
  table: string,
  columns: readonly string[],
  rows: readonly SqlValue[][],
): Promise<void> {
  const one = `(${columns.map(() => "?").join(", ")})`;
  for (let at = 0; at < rows.length; at += ROWS) {
    const some = rows.slice(at, at + ROWS);
    const text = `insert into ${table} (${columns.join(", ")}) values ${some.map(() => one).join(", ")}`;
    await query(`${text} on conflict do nothing`, ...some.flat());
  }
}

export function toNewRow({ index, taskId, groupId }: NewTask): SqlValue[] {
  return [index, taskId, groupId, "waiting", "[]", 0];
}

/** @param row of a task that has begun, so that it has a version */
export function toStored({ id, task_id, group_id, version }: TaskRow): StoredTask {
  return { index: id, taskId: task_id, groupId: group_id, version: version as number };
}

/** @param row of a task that has ended, so that it has a result */
export function toEnded(row: TaskRow): EndedTask {
  return {
    ...toStored(row),
    result: unseal<WireResult>(row.result as string, `task ${row.id}`),
    batch: row.batch ?? undefined,
  };
}

export function rejectTask({ group_id }: TaskRow, reason: Rejection): WireResult {
  return toWire({ accepted: [], rejected: [{ groupId: group_id, reason }] });
}

export function byIndex(a: EndedTask, b: EndedTask): number {
  return a.index - b.index;
}
