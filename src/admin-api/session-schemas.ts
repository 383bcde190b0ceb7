import { z } from "zod";
import { withoutChannelsSchema } from "../facts/channels.js";
import { fixedValues } from "../facts/sampling-override.js";
import { controlBody } from "../http/control-body.js";
import { ApiError } from "../http/errors.js";
import { splitSchema } from "../session/session-summary.js";
import { listOf } from "../support/schema/list-of.js";
import { arealStartFields } from "./areal-fields.js";
import { sessionCursor } from "./session-page.js";
import { weightVersionSchema } from "./weight-version.js";

export const grantBody = controlBody({ slots: z.int32().min(1).max(1_000_000).default(1) });

const leaseId = z.string().min(1).max(200).optional();

/** Fields that start a session or a run. */
const startFields = {
  task_id: z
    .string()
    .regex(/^[A-Za-z0-9._:-]{1,128}$/, "must be 1 to 128 characters of A-Z a-z 0-9 . _ : -")
    .optional(),
  group_id: z.string().min(1).max(256).optional(),
  sampling_override: fixedValues
    .optional()
    .describe(
      "Sampling parameters of each call of the session, instead of those of requests and of the configuration.",
    ),
  without_channels: withoutChannelsSchema,
  split: splitSchema.describe("`eval`: an evaluation session, which exports of training sessions refuse."),
};

export const startBody = controlBody({
  ...startFields,
  lease_id: leaseId.describe("Set by rollout workers: the lease for which the session runs. It is not exported."),
  api_key: z
    .string()
    .regex(/^[\x21-\x7e]{16,4096}$/, "must be 16 to 4096 visible ASCII characters without spaces")
    .optional(),
  ...arealStartFields,
  weight_version: weightVersionSchema
    .optional()
    .describe("Set by gateways: the current weight version. It replaces this server's version if it was set later."),
});

/** All sessions of the run start as it says. */
export const startRunBody = controlBody(startFields);

export const takeOverBody = controlBody({
  from_lease_id: leaseId.describe(
    "The lease that the session must have, unless it has `lease_id` by an earlier call. Absent: any, or none.",
  ),
  lease_id: leaseId.describe("The lease for which the session runs from now on. Absent: the one that it has."),
});

const MAX_ENDED = 100_000;
const endedIds = listOf(z.string().min(1), { max: MAX_ENDED }).optional();

/** The sessions to end. {@link requireSelection} checks that there is a list. */
export const endBody = controlBody({
  group_ids: endedIds,
  session_ids: endedIds,
  run_ids: endedIds,
  abort: z
    .boolean()
    .default(false)
    .describe("Abort the calls in flight, which are then not recorded. False: they go on, as after `/rl/end_session`."),
});

/** @throws ApiError `invalid_value` if the body selects nothing */
export function requireSelection({ group_ids, session_ids, run_ids }: z.output<typeof endBody>): void {
  if (group_ids !== undefined || session_ids !== undefined || run_ids !== undefined) return;
  const message = "`group_ids`, `session_ids` or `run_ids` must be given: the sessions to end.";
  throw new ApiError("invalid_value", message, { param: "session_ids" });
}

export const endedSessions = z.object({
  sessions: z.array(
    z.object({
      session_id: z.string(),
      group_id: z.string().nullable(),
      state: z.enum(["active", "ended", "exported", "expired"]),
      interaction_count: z.int().describe("Number of recorded calls."),
      incomplete_calls: z.int().describe("Calls that were aborted because the session ended or was exported."),
      calls_in_flight: z.int(),
    }),
  ),
  not_found: z.array(z.string()).describe("Ids of `session_ids` that no session has."),
});

export const deleteQuery = z.object({
  lease_id: leaseId.describe("The session is deleted only if it has this lease. Absent: any, or none."),
});

const seconds = z.number().describe("Seconds since the epoch.");

export const listedSession = z.object({
  session_id: z.string(),
  task_id: z.string(),
  group_id: z.string().nullable(),
  split: z.enum(["train", "eval"]),
  run_id: z.string().nullable().describe("The run of the session."),
  x_session_id: z.string().nullable().describe("The header `X-Session-ID` of its calls, if it belongs to a run."),
  sampling_override: fixedValues.nullable().describe("Sampling parameters that the start of the session has fixed."),
  without_channels: z
    .array(z.string())
    .describe("Channels that the session does not record, although its server does."),
  lease_id: z.string().nullable().describe("Lease of the rollout job for which the session runs."),
  state: z.enum(["active", "ended", "exported", "expired"]),
  created_at: seconds,
  ended_at: seconds.nullable(),
  last_access_at: seconds,
  interaction_count: z.int(),
  prompt_tokens: z.int(),
  completion_tokens: z.int(),
  calls_in_flight: z.int(),
  aborted_calls: z.int().describe("Calls whose client disconnected before they were recorded."),
  upstream_calls: z.int().describe("Number of calls to upstreams. They are not recorded."),
  native_bytes: z.int().describe("Native memory of the session, in bytes."),
  stored_tokens: z.int().describe("Tokens of all calls. Tokens that a call shares with its parent count once."),
  stored_bytes: z.int().describe("Memory of the session, native and in JavaScript, in bytes."),
  holds_slot: z.boolean().describe("The session uses a slot of the granted capacity."),
});

const DEFAULT_LIMIT = 1000;

export const sessionsQuery = z.object({
  state: listedSession.shape.state.optional(),
  task_id: z.string().optional(),
  split: listedSession.shape.split.optional(),
  run_id: z.string().optional(),
  lease_id: z.string().optional(),
  limit: z.coerce.number().int().min(1).max(100_000).default(DEFAULT_LIMIT),
  after: sessionCursor.optional().describe("`next` of the previous page."),
});

const DISCOUNT_DESCRIPTION = "Share of a turn's reward that its parent turn receives.";

export const transcriptQuery = z.object({
  discount: z.coerce.number().min(0).max(1).default(1).describe(DISCOUNT_DESCRIPTION),
});

const MAX_TRANSCRIPTS = 256;

export const transcriptsBody = controlBody({
  session_ids: z.array(z.string().min(1)).min(1).max(MAX_TRANSCRIPTS),
  discount: z.number().min(0).max(1).default(1).describe(DISCOUNT_DESCRIPTION),
});
