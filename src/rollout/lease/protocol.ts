import { z } from "zod";

/**
 * The calls between rollout workers and their controller, all with the admin key.
 *
 * A worker registers, asks for leases, prolongs them, and reports results. It starts each session with the lease, by which the controller
 * finds it at the proxy; a session without one is announced before its agent runs. `updates` does in one call what a worker of many short episodes would need several for. Each call may be repeated.
 */
export const LEASE_PATHS = {
  workers: "/rollout/workers",
  leases: "/rollout/leases",
  sessions: "/rollout/sessions",
  heartbeats: "/rollout/heartbeats",
  reports: "/rollout/reports",
  updates: "/rollout/updates",
  returns: "/rollout/returns",
  status: "/rollout/status",
} as const;

/** Maximum seconds that a call for leases waits. */
export const MAX_WAIT_SECONDS = 60;
/** Maximum number of entries of one call. */
export const MAX_ENTRIES = 4096;

const id = z.string().min(1).max(200);
/** Three bytes a character must fit into a key of the storage. */
const sessionId = z.string().min(1).max(500);
const ids = z.array(id).max(MAX_ENTRIES);

export const workerFields = {
  worker_id: id.describe("Chosen by the worker at random: a worker that restarts has another one."),
  name: z.string().min(1).max(200).describe("Name in logs and reasons. Each living worker has its own."),
  replace: z
    .boolean()
    .default(false)
    .describe(
      "The former worker of this name has ended: its leases are lost at once. Otherwise a name is refused while it lives.",
    ),
} as const;

/** Settings that a worker needs to run tasks of the job. */
export const workerReply = z.object({
  job_id: z.string(),
  proxy_url: z.string().describe("Address of the proxy at which the worker starts sessions."),
  lease_seconds: z.number().describe("A lease without a heartbeat for this time is lost."),
  workflow: z
    .object({
      group_size: z.int(),
      drop_incomplete_group: z.boolean(),
      reward_scope: z.enum(["interaction", "session"]),
      timeout_seconds: z.number().nullable().describe("Maximum time of one episode."),
      rejected_sessions: z
        .enum(["delete", "keep"])
        .default("delete")
        .describe("`keep`: the worker ends the sessions of rejected episodes, and the controller deletes them."),
    })
    .describe("How the worker runs a task."),
});
export type JobSettings = z.output<typeof workerReply>;

const held = ids
  .optional()
  .describe(
    "Only if the answer to an earlier call may be lost: the leases that the worker knows. Others that it was given are returned.",
  );
const maxHeld = z.int().min(1).optional();

const canResume = z
  .boolean()
  .default(false)
  .describe(
    "The worker's agent can go on with sessions of a lost lease. If a lease of the answer is lost, its sessions are kept for the next attempt.",
  );

export const leasesFields = {
  worker_id: id,
  count: z.int().min(1).max(MAX_ENTRIES).describe("Number of tasks that the worker can start now."),
  max_held: maxHeld.describe(
    "Maximum number of leases that the worker holds with those of the answer. It keeps the answers to two calls from giving the same room twice.",
  ),
  held,
  can_resume: canResume,
  wait_seconds: z.number().min(0).max(MAX_WAIT_SECONDS).default(30).describe("How long to wait for a task."),
} as const;

const leasedTasks = z.array(
  z.object({
    lease_id: z.string(),
    task: z.int().describe("Number of the task, from 0."),
    attempt: z.int(),
    task_id: z.string(),
    group_id: z.string(),
    data: z.unknown(),
    cut_leases: z
      .array(z.string())
      .default([])
      .describe("Lost leases of the task. The worker may take over the active sessions that the proxy has of them."),
  }),
);

export const leasesReply = z.object({
  state: z.enum(["running", "done"]).describe("`done`: no more tasks follow, and the worker should end."),
  leases: leasedTasks,
});
export type Leases = z.output<typeof leasesReply>;
export type LeasedTask = Leases["leases"][number];

const wireSessions = z.array(z.strictObject({ lease_id: id, session_id: sessionId })).max(MAX_ENTRIES);
export type WireSession = z.output<typeof wireSessions>[number];

export const sessionsFields = { sessions: wireSessions.min(1) } as const;

export const heartbeatFields = { worker_id: id, lease_ids: ids } as const;

/** Leases that are not held any more. The worker stops their episodes and deletes their sessions. */
export const lostReply = z.object({ lost: z.array(z.string()) });

const text = z.string().max(1 << 20);

export const wireRejection = z.strictObject({
  session_id: sessionId.nullable(),
  group_id: z.string().nullable(),
  code: z.string().max(100),
  message: text,
  error: z
    .strictObject({
      class: text,
      message: text,
      code: text.nullable(),
      stack: text.nullable(),
      cause: text.nullable(),
      standard_error: text.nullable(),
      subprocess: z.boolean().describe("True if the agent's process failed, and not the agent."),
    })
    .nullable()
    .describe("What was thrown. Null if nothing was."),
});

export const wireAccepted = z.strictObject({
  session_id: sessionId,
  url: z.string(),
  group_id: z.string().nullable(),
  interaction_count: z.int().min(1),
  rewards: z.array(z.tuple([z.string(), z.number()])),
});

export const wireResult = z.strictObject({
  accepted: z.array(wireAccepted).max(MAX_ENTRIES),
  rejected: z.array(wireRejection).max(MAX_ENTRIES),
});
export type WireResult = z.output<typeof wireResult>;

const wireReports = z
  .array(z.strictObject({ lease_id: id, task: z.int().min(0), attempt: z.int().min(1), result: wireResult }))
  .max(MAX_ENTRIES);
export type WireReport = z.output<typeof wireReports>[number];

export const reportsFields = { reports: wireReports.min(1) } as const;

/** Reports that do not count. The worker deletes their sessions. */
export const reportsReply = z.object({ refused: z.array(z.string()) });

export const updatesFields = {
  worker_id: id,
  sessions: wireSessions.default([]),
  reports: wireReports.default([]),
  max_held: maxHeld.describe(
    "Maximum number of leases that the worker holds with those of the answer. Absent: the answer has none.",
  ),
  held,
  can_resume: canResume,
} as const;

export const updatesReply = z.object({
  lost: z.array(z.string()).describe("Leases of announced sessions that are not held any more."),
  refused: z.array(z.string()).describe("Leases whose reports do not count."),
  leases: leasedTasks.describe("Tasks that are there now. The call does not wait for any."),
});
export type Updates = z.output<typeof updatesReply>;

export const returnsFields = { worker_id: id, lease_ids: ids } as const;
export const returnsReply = z.object({ returned: z.int() });

export const statusReply = z.object({
  job_id: z.string(),
  state: z.enum(["running", "done"]),
  version: z.int().describe("Weight version."),
  tasks: z.object({
    submitted: z.int(),
    waiting: z
      .int()
      .describe("Tasks that may not start yet, because of staleness or the limit of concurrent rollouts."),
    queued: z.int().describe("Tasks that wait for a worker."),
    leased: z.int(),
    accepted: z.int(),
    rejected: z.int(),
  }),
  lost_attempts: z.int().describe("Leases that were lost since the controller started."),
  refused_reports: z.int(),
  sessions_to_delete: z.int().describe("Sessions of lost attempts that the proxy has not deleted yet."),
  workers: z.array(
    z.object({
      name: z.string(),
      worker_id: z.string(),
      leases: z.int(),
      seconds_since_call: z.number(),
    }),
  ),
});
export type RolloutStatus = z.output<typeof statusReply>;
