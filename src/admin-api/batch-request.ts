import { z } from "zod";
import { controlBody } from "../http/control-body.js";
import { ApiError } from "../http/errors.js";
import type { ShardOptions } from "../session/batch/batch.js";
import { type BatchOptions, batchFields, batchOptionsSchema, shardFields } from "../session/batch/batch-options.js";
import { refuseConflicts } from "../session/batch/option-conflicts.js";
import { splitSchema } from "../session/session-summary.js";
import { eventLoop } from "../support/async/event-loop.js";
import { listOf } from "../support/schema/list-of.js";
import { arealExportFields } from "./areal-fields.js";
import { type Selected, selectionFields } from "./run-sessions.js";

export const SAFETENSORS = "application/vnd.safetensors";
const MAX_WAIT_SECONDS = 86_400;

export const waitSeconds = z.number().min(0).max(MAX_WAIT_SECONDS);
export const holdSeconds = waitSeconds
  .max(3600)
  .default(60)
  .describe("Time after which an unsettled export is dropped; its sessions are then not exported.");

/** Fields that select the sessions of an export by their split, and limit the wait for them. */
export const exportRuleFields = {
  split: splitSchema.describe("Exports sessions of this split, and refuses others."),
  wait_seconds: waitSeconds.default(0).describe("How long to wait for active sessions to end."),
  drain_seconds: waitSeconds
    .optional()
    .describe("How long to wait for calls in flight of ended sessions. Default: `rollout.agent.drain_seconds`."),
};

/** From this number of sessions on, each pass over all of them has an iteration of the event loop of its own. */
const MANY_SESSIONS = 1000;

/** The sessions of a batch. {@link refuseDuplicates} checks that no session is named twice. */
export const sessionIds = listOf(z.string(), { min: 1, max: 100_000 });

/** Fields that decide the contents and the layout of a batch. */
export const optionFields = {
  style: batchFields.style,
  discount: batchFields.discount,
  concat_reward: batchFields.concatReward,
  on_mismatch: batchFields.onMismatch,
  include_undelivered: batchFields.includeUndelivered,
  models: batchFields.models,
  exclude_models: batchFields.excludeModels,
  tags: batchFields.tags,
  roots: batchFields.roots,
  overlong: batchFields.overlong,
  layout: batchFields.layout,
  pad_token_id: batchFields.padTokenId,
  pad_side: batchFields.padSide,
  pad_to_multiple_of: batchFields.padToMultipleOf,
  max_length: batchFields.maxLength,
  overflow: batchFields.overflow,
  row_tensors: batchFields.rowTensors,
  turns: batchFields.turns,
  shared_turns: batchFields.sharedTurns,
  image_bytes: batchFields.imageBytes.describe("`tensor`. An answer cannot have `files`, because they need a path."),
};

export const leaseSeconds = z
  .number()
  .gt(0)
  .max(MAX_WAIT_SECONDS)
  .default(300)
  .describe("With `shm` or `acknowledge`: seconds in which the reader must acknowledge the batch.");

export const batchBody = controlBody({
  ...selectionFields,
  ...optionFields,
  ...shardFields,
  shard_by: z
    .enum(["tokens", "workers"])
    .default("tokens")
    .describe(
      "How a gateway splits the batch. `tokens`: as one server with all sessions would. `workers`: each shard has sessions of one worker, which packs it. Without a gateway, both are the same.",
    ),
  reader_hosts: z
    .array(z.string().min(1).max(200))
    .min(1)
    .max(4096)
    .optional()
    .describe(
      "With `shm` or `shard_by: workers`: the machine of this reader, or of the reader of each shard. If the batch is on another machine, the response is the batch.",
    ),
  transport: z
    .enum(["body", "shm"])
    .default("body")
    .describe(
      "`body`: the response is the batch. `shm`: the batch is in a shared-memory file; the response has its path.",
    ),
  acknowledge: z
    .boolean()
    .default(false)
    .describe(
      "Keep the sessions until the batch is acknowledged. If it is not acknowledged in time, they can be exported again.",
    ),
  lease_seconds: leaseSeconds,
  reader_pid: z
    .int32()
    .min(1)
    .optional()
    .describe("With `shm` or `acknowledge`: process id of the reader. When that process ends, the lease ends."),
  ...exportRuleFields,
  ...arealExportFields,
});

export type BatchOptionFields = z.output<z.ZodObject<typeof optionFields>>;
export type BatchRequest = Selected<z.output<typeof batchBody>>;

/** Returns the fields that decide the contents and the layout of a batch. */
export function pickOptions(body: BatchOptionFields): BatchOptionFields {
  const names = Object.keys(optionFields) as (keyof typeof optionFields)[];
  return Object.fromEntries(names.map((name) => [name, body[name]])) as BatchOptionFields;
}

/** @throws SessionError or ApiError `invalid_value` if options contradict each other, or need a path */
export function toBatchOptions(body: BatchOptionFields): BatchOptions {
  const options = batchOptionsSchema.parse({
    style: body.style,
    discount: body.discount,
    concatReward: body.concat_reward,
    onMismatch: body.on_mismatch,
    includeUndelivered: body.include_undelivered,
    models: body.models,
    excludeModels: body.exclude_models,
    tags: body.tags,
    roots: body.roots,
    overlong: body.overlong,
    layout: body.layout,
    padTokenId: body.pad_token_id,
    padSide: body.pad_side,
    padToMultipleOf: body.pad_to_multiple_of,
    maxLength: body.max_length,
    overflow: body.overflow,
    rowTensors: body.row_tensors,
    turns: body.turns,
    sharedTurns: body.shared_turns,
    imageBytes: body.image_bytes,
  });
  if (options.imageBytes === "files") throw noPath();
  refuseConflicts(options);
  return options;
}

function noPath(): ApiError {
  const message =
    "`image_bytes` must be tensor in an export of a server, because files need a path; received files. Write the batch to a file, then " +
    "move its images with `rolltape export --from <batch> --image-bytes files --out <file>`.";
  return new ApiError("invalid_value", message, { param: "image_bytes" });
}

/** @throws ApiError `invalid_value` if the shard does not exist, a response would have several, or the number of readers is wrong */
export function toShards({
  shards,
  shard,
  transport,
  shard_by,
  reader_hosts: hosts,
}: Pick<BatchRequest, "shards" | "shard" | "transport" | "shard_by" | "reader_hosts">): ShardOptions {
  if (shard !== undefined && shard >= shards) {
    const message = `\`shard\` must be less than \`shards\` (${shards}); received ${shard}. The first shard is 0.`;
    throw new ApiError("invalid_value", message, { param: "shard" });
  }
  if (transport === "body" && shards > 1 && shard === undefined) {
    const message =
      `\`shard\` is required if \`transport\` is \`body\` and \`shards\` is ${shards}, because a response body holds one ` +
      "shard. Set `shard`, or use `transport: shm`.";
    throw new ApiError("invalid_value", message, { param: "shard" });
  }
  if (shards > 1 && shard === undefined && (shard_by === "workers" || hosts)) {
    const message = `\`shard\` is required with \`${hosts ? "reader_hosts" : "shard_by: workers"}\` if \`shards\` is ${shards}, because each reader requests its own shard.`;
    throw new ApiError("invalid_value", message, { param: "shard" });
  }
  if (hosts && hosts.length !== 1 && hosts.length !== shards) {
    const message = `\`reader_hosts\` must have one entry, or one for each shard (${shards}); received ${hosts.length}.`;
    throw new ApiError("invalid_value", message, { param: "reader_hosts" });
  }
  return { shards, shard };
}

type Delivery = Pick<BatchRequest, "transport" | "reader_hosts" | "reader_pid" | "shard" | "shard_by">;

/**
 * Returns the request as a server on `machine` answers it: a reader on another machine cannot map a file, so it gets the batch as a body.
 *
 * @param machine undefined if it is unknown
 */
export function toDelivery<Body extends Delivery>(body: Body, machine: string | undefined): Body {
  const { reader_hosts: hosts, shard = 0 } = body;
  if (body.transport === "body" || (!hosts && body.shard_by === "tokens")) return body;
  const host = hosts?.length === 1 ? hosts[0] : hosts?.[shard];
  const isHere = machine !== undefined && host === machine;
  // A process id means nothing on another machine.
  return isHere ? body : { ...body, transport: "body", reader_pid: undefined };
}

/** @throws ApiError `invalid_value` if a session is named twice */
export async function refuseDuplicates(ids: readonly string[]): Promise<void> {
  // The body was validated in the same iteration of the event loop, and the sessions are looked up next.
  if (ids.length >= MANY_SESSIONS) return eventLoop.alone(async () => requireDistinct(ids));
  requireDistinct(ids);
}

function requireDistinct(ids: readonly string[]): void {
  const seen = new Set<string>();
  for (const id of ids) {
    if (seen.has(id)) {
      const message = `\`session_ids\` must name each session once; received "${id.slice(0, 200)}" twice.`;
      throw new ApiError("invalid_value", message, { param: "session_ids" });
    }
    seen.add(id);
  }
}

/** Response header with the id of an export. The id is used to settle a prepared export or to acknowledge a batch. */
export const EXPORT_ID = "x-rolltape-export-id";
