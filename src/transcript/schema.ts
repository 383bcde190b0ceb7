import { z } from "zod";
import type { IndexLine, SessionTranscript, TranscriptLine } from "./format.js";
import { TRANSCRIPT_FORMAT } from "./format.js";

// A transcript is a file that anybody may have written, so each line is checked. Unknown fields are dropped: a later version may add
// some. JSON has no NaN and no infinity, but 1e999 is read as infinity, which z.number() refuses.

const count = z.int().min(0);
const text = z.string();
const versions = z.tuple([z.int(), z.int()]);

const toolCall = z.object({ id: text, name: text, arguments: text });

const part = z.discriminatedUnion("type", [
  z.object({ type: z.literal("text"), text }),
  z.object({ type: z.literal("image"), sha256: text, mediaType: text, width: count, height: count }),
]);

const message = z.object({
  role: z.enum(["system", "developer", "user", "assistant", "tool"]),
  content: z.union([text, z.array(part)]),
  reasoning: text.exactOptional(),
  hasUnknownReasoning: z.literal(true).exactOptional(),
  toolCalls: z.array(toolCall).exactOptional(),
  toolCallId: text.exactOptional(),
  name: text.exactOptional(),
});

const tool = z.looseObject({ type: z.literal("function"), function: z.looseObject({ name: text }) });

const interaction = z.object({
  id: text,
  parent: z.int().min(-1),
  kept: count,
  respelled: z.array(z.tuple([count, message])).exactOptional(),
  messages: z.array(message),
  tools: z.array(tool).exactOptional(),
  tools_of: count.exactOptional(),
  answer: message,
  finish_reason: text,
  api: text.exactOptional(),
  requested_model: text.exactOptional(),
  request_kind: text.exactOptional(),
  tag: text.exactOptional(),
  agent_id: text.exactOptional(),
  parent_agent_id: text.exactOptional(),
  compacted_from: text.exactOptional(),
  choice: count.exactOptional(),
  attempt: count.exactOptional(),
  left_out: text.exactOptional(),
  created_at: z.number(),
  latency: z.number().exactOptional(),
  prompt_tokens: count,
  completion_tokens: count,
  shared_tokens: count,
  versions: versions.exactOptional(),
  token_exact: z.boolean(),
  cause: text.exactOptional(),
  own_reward: z.number().exactOptional(),
  reward: z.number(),
  sampling: z.record(text, z.union([z.number(), z.boolean(), text, z.null()])).exactOptional(),
});

const run = z.object({
  type: z.literal("run"),
  format: z.literal(TRANSCRIPT_FORMAT),
  started_at: z.number(),
  model: text.exactOptional(),
  model_digest: text.exactOptional(),
  model_path: text.exactOptional(),
  tasks: count.exactOptional(),
  group_size: count.exactOptional(),
  discount: z.number().exactOptional(),
});

const batch = z.object({
  type: z.literal("batch"),
  number: count,
  file: text,
  version: z.int(),
  at: z.number(),
  session_ids: z.array(text),
});

const step = z.object({
  type: z.literal("step"),
  number: count,
  version: z.int(),
  at: z.number(),
  duration: z.number(),
});

const episodeHead = {
  type: z.literal("episode"),
  session_id: text.exactOptional(),
  task: count,
  task_id: text,
  group_id: text.exactOptional(),
  accepted: z.boolean(),
  version: z.int(),
  started_at: z.number().exactOptional(),
  duration: z.number().exactOptional(),
  session_reward: z.number().exactOptional(),
  incomplete: text.exactOptional(),
} as const;

/** Parents come before their children: whoever walks up from an interaction arrives at a root. */
const interactions = z
  .array(interaction)
  .refine((all) => all.every(({ parent }, index) => parent < index), "parents must come before their children");

const interactionsSummary = {
  reward: z.number().nullable(),
  calls: count,
  turns: count,
  prompt_tokens: count,
  completion_tokens: count,
  finish_reasons: z.record(text, count),
  broken: count,
  left_out: count,
  branches: count,
  versions: versions.exactOptional(),
} as const;

/** The answer of `GET /rl/sessions/{id}/transcript` before its interactions, which are its last field. */
export const sessionHead = z.object({
  session_id: text,
  task_id: text,
  group_id: text.exactOptional(),
  state: z.enum(["active", "ended", "exported", "expired"]),
  started_at: z.number().exactOptional(),
  duration: z.number().exactOptional(),
  session_reward: z.number().exactOptional(),
  summary: z.object(interactionsSummary),
});

/** The answer of `GET /rl/sessions/{id}/transcript`. */
export const sessionTranscript: z.ZodType<SessionTranscript> = sessionHead.extend({ interactions });

const error = z.object({ code: text, message: text, stack: text.exactOptional() });

const episode = z.object({ ...episodeHead, error: error.exactOptional(), interactions });

const summary = z.object({ ...episodeHead, error: text.exactOptional(), ...interactionsSummary });

const place = { offset: count, length: count } as const;

export const runLine = run;

export const episodeLine: z.ZodType<Extract<TranscriptLine, { type: "episode" }>> = episode;

export const transcriptLine: z.ZodType<TranscriptLine> = z.discriminatedUnion("type", [run, batch, step, episode]);

export const indexLine: z.ZodType<IndexLine> = z.discriminatedUnion("type", [
  run.extend(place),
  batch.extend(place),
  step.extend(place),
  summary.extend(place),
]);
