import { z } from "zod";
import { bool, type Fact, type FactColumn, f32, i32, label } from "./fact.js";
import { type RecordedSampling, SAMPLING_FACTS } from "./recorded-sampling.js";

const APIS = ["chat.completions", "responses", "messages", "generate_content", "completions", "generate"] as const;

/** The API through which a call came. */
export type Api = (typeof APIS)[number];

/** Format of a call's tag. */
export const TAG = /^[A-Za-z0-9._:-]{1,64}$/;

/**
 * Hints of an agent program about a call. Each is 1 to 128 printable ASCII characters. They are untrusted: the agent chooses them.
 */
export interface AgentHints {
  /** The agent or thread that makes the call. Some programs send it only for sub-agents. */
  readonly agentId?: string | undefined;
  /** The agent that started this one. */
  readonly parentAgentId?: string | undefined;
  /** The user turn that the call belongs to. */
  readonly turnId?: string | undefined;
  /** Kind of the call, such as a turn or a compaction. */
  readonly requestKind?: string | undefined;
}

/** How a recorded call was made. Calls recorded by the library's store may lack some of these facts. */
export interface CallFacts {
  readonly sampling?: RecordedSampling | undefined;
  /**
   * The model that the request named, in at most 256 bytes of UTF-8. If the server answers several models, the one that answered.
   */
  readonly requestedModel?: string | undefined;
  /** Types of the server-side tools that the prompt left out, separated by commas, in at most 256 bytes. */
  readonly droppedTools?: string | undefined;
  /** Number of tools that the prompt showed. */
  readonly toolCount?: number | undefined;
  /** The caller's own name for calls of this kind; see {@link TAG}. */
  readonly tag?: string | undefined;
  /** Hints of the agent program. Undefined if it sent none. */
  readonly hints?: AgentHints | undefined;
  /** Number of images, files and audio that the prompt shows as placeholders. */
  readonly placeholders?: number | undefined;
  /** Index of the answer among those of its call. Absent: 0. */
  readonly choice?: number | undefined;
  /** Number of answers of its call, which were recorded one after the other. Absent: 1. */
  readonly choices?: number | undefined;
  /** How often the client had sent the request before, as its SDK reports. */
  readonly attempt?: number | undefined;
  /** How often a weight update cut the generation, which was then resumed. */
  readonly resumes?: number | undefined;
  /** Weights changed during the generation, and the versions of some tokens are not certain. Absent: false. */
  readonly versionsUncertain?: boolean | undefined;
  /** Milliseconds since the epoch, when the call began. */
  readonly startedAt?: number | undefined;
  /** The prompt adds text to the recorded answer that it continues; see extended-answers.ts. */
  readonly extended?: boolean | undefined;
  /** The stop string that ended the answer. It is not part of the answer's text. */
  readonly stopString?: string | undefined;
  /** The model that answered is not trained, such as an opponent. Absent: false. */
  readonly frozen?: boolean | undefined;
}

/** A recorded call, without its tokens and messages. */
export interface RecordedCall extends CallFacts {
  readonly api: Api;
  readonly finishReason: string;
  /** Milliseconds since the epoch, when the call completed. */
  readonly createdAt: number;
  /** Why the prompt does not continue its parent's tokens. Undefined if it does, or if the interaction is a root. */
  readonly fallback?: string | undefined;
  readonly tokenExact?: boolean;
}

/** A recorded call in an export. */
interface ExportedCall extends RecordedCall {
  /** Why exports leave the call out by default. */
  readonly leftOut?: string | undefined;
}

type FactValue = number | boolean | string | readonly string[] | undefined;

interface CallFact extends Fact {
  /** Returns the value in JSON; undefined is null. */
  readonly read: (call: ExportedCall) => FactValue;
  /** False: only its column is exported. */
  readonly exported?: false;
}

const text = z.string().nullish();
const count = z.int().optional();

/** The facts that exports have of a call beside its sampling, by the names of client objects, in the order of their JSON. */
export const CALL_FACTS = {
  api: {
    json: "api",
    schema: z.string(),
    read: ({ api }) => api,
    column: label(2, "API through which the call came.", APIS),
  },
  /** `model` of the request: untrusted text. */
  requestedModel: {
    json: "requested_model",
    schema: text,
    read: ({ requestedModel }) => requestedModel,
    column: label(3, "Field `model` of the request. If the server answers several models, the one that answered."),
  },
  droppedTools: {
    json: "dropped_tools",
    schema: z.array(z.string()).optional(),
    read: ({ droppedTools }) => droppedTools?.split(", ") ?? [],
    column: label(5, "Types of the server-side tools that the configuration left out of the prompt."),
  },
  /** Number of tools that the prompt showed. */
  tools: {
    json: "tools",
    schema: z.int().nullish(),
    read: ({ toolCount }) => toolCount,
    column: i32(18, "Number of tools that the prompt showed; -1: not recorded.", -1),
  },
  tag: {
    json: "tag",
    schema: text,
    read: ({ tag }) => tag,
    column: label(6, "Header `x-rolltape-tag` of the request."),
  },
  /** Like the ids below, untrusted text. */
  requestKind: {
    json: "request_kind",
    schema: text,
    read: ({ hints }) => hints?.requestKind,
    column: label(7, "Kind of the call that the agent program reports."),
  },
  /** The agent or thread that made the call. */
  agentId: { json: "agent_id", schema: text, read: ({ hints }) => hints?.agentId },
  /** The agent or thread that started `agentId`. */
  parentAgentId: { json: "parent_agent_id", schema: text, read: ({ hints }) => hints?.parentAgentId },
  turnId: { json: "turn_id", schema: text, read: ({ hints }) => hints?.turnId },
  placeholders: {
    json: "placeholders",
    schema: count,
    read: ({ placeholders = 0 }) => placeholders,
    column: i32(
      19,
      "Number of images, files and audio parts of the conversation that the prompt shows as `[image]`, `[file]` or `[audio]`.",
    ),
  },
  /** Index of the answer among those of its call. */
  choice: {
    json: "choice",
    schema: count,
    read: ({ choice = 0 }) => choice,
    column: i32(24, "Index of the answer among the `choices` of its call."),
  },
  choices: {
    json: "choices",
    schema: count,
    read: ({ choices = 1 }) => choices,
    column: i32(25, "Number of answers that the call asked for (`n`, `candidateCount`).", 1),
  },
  attempt: {
    json: "attempt",
    schema: count,
    read: ({ attempt = 0 }) => attempt,
    column: i32(0, "How often the client had sent this request before, as its SDK reports."),
  },
  resumes: {
    json: "resumes",
    schema: count,
    read: ({ resumes = 0 }) => resumes,
    column: i32(
      1,
      "How often a weight update cut the generation, which was then resumed. Penalties start from zero after each cut.",
    ),
  },
  /** Weights changed during the generation, and the versions of some tokens are not certain. */
  versionsUncertain: {
    json: "versions_uncertain",
    schema: z.boolean().default(false),
    read: ({ versionsUncertain = false }) => versionsUncertain,
    column: bool(
      28,
      "Weights changed during the generation of the turn, or of a turn of the row, and the versions of some tokens are not certain.",
    ),
  },
  /** Seconds since the epoch, when the call completed. */
  createdAt: {
    json: "created_at",
    schema: z.number(),
    read: ({ createdAt }) => createdAt / 1000,
    column: i32(2, "When the call completed, in seconds since the Unix epoch."),
  },
  createdAtMs: {
    json: "created_at_ms",
    schema: count,
    exported: false,
    read: ({ createdAt }) => Math.floor(createdAt) % 1000,
    column: i32(27, "Milliseconds after `created_at`, 0 to 999."),
  },
  /** Seconds from the request to the end of the call; undefined if not recorded. */
  latency: {
    json: "latency",
    schema: z.number().nullish(),
    read: ({ startedAt, createdAt }) => (startedAt === undefined ? undefined : (createdAt - startedAt) / 1000),
    column: f32(3, "Seconds from the request to the end of the call; 0: not recorded."),
  },
  finishReason: {
    json: "finish_reason",
    schema: z.string(),
    read: ({ finishReason }) => finishReason,
    column: label(0, "Why the generation ended; `length`: it reached its token limit.", [
      "stop",
      "length",
      "tool_calls",
    ]),
  },
  /** Why the export leaves the call out by default: `undelivered` or `retried`. */
  leftOut: { json: "left_out", schema: text, read: ({ leftOut }) => leftOut },
  /** Why the prompt does not begin with the parent's tokens: a cause of docs/explanation/prompts.md. */
  cause: {
    json: "cause",
    schema: text,
    read: ({ tokenExact, fallback }) => (tokenExact ? undefined : fallback),
    column: label(
      1,
      "Why the prompt does not begin with all tokens of its parent: a cause of docs/explanation/prompts.md.",
      [
        "history_rewritten",
        "system_changed",
        "no_answer",
        "tools_changed",
        "template_args_changed",
        "answer_among_new_messages",
        "template_moves_context",
        "system_message_moved",
        "template_refuses",
        "answer_opened_otherwise",
        "no_end_of_turn",
        "rerendered",
      ],
    ),
  },
  /** True if the prompt adds text to the answer of its parent, whose tokens it continues. */
  extended: {
    json: "extended",
    schema: z.boolean().optional(),
    read: ({ extended = false }) => extended,
    column: bool(
      29,
      "The prompt adds text to its parent's answer, whose tokens it continues. The added text is not trained on.",
    ),
  },
  /** True if the model that answered is not trained: see `engines` of the configuration. */
  frozen: {
    json: "frozen",
    schema: z.boolean().optional(),
    read: ({ frozen = false }) => frozen,
    column: bool(30, "The model that answered is not trained. Such rows are exported only if `models` names it."),
  },
} as const satisfies Record<string, CallFact>;

type Table = typeof CALL_FACTS;
type ExportedName = {
  [Name in keyof Table]: Table[Name] extends { exported: false } ? never : Name;
}[keyof Table];

/** The facts of an exported call, as client objects have them. */
export type ExportedFacts = {
  readonly [Name in ExportedName]: Exclude<z.output<Table[Name]["schema"]>, null>;
};

const EXPORTED = (Object.entries(CALL_FACTS) as [ExportedName, CallFact][]).filter(([, row]) => row.exported ?? true);

/** The fields of an exported call that are facts. Older proxies send some of them only. */
export const exportedFields = Object.fromEntries(EXPORTED.map(([, { json, schema }]) => [json, schema])) as {
  readonly [Name in ExportedName as Table[Name]["json"]]: Table[Name]["schema"];
};

/** Returns these fields of a call. */
export function writeExportedFields(call: ExportedCall): Readonly<Record<string, unknown>> {
  return Object.fromEntries(EXPORTED.map(([, { json, read }]) => [json, read(call) ?? null]));
}

/** Returns the facts of an exported call from these fields. */
export function readExportedFields(fields: Readonly<Record<string, unknown>>): ExportedFacts {
  return Object.fromEntries(EXPORTED.map(([name, { json }]) => [name, fields[json] ?? undefined])) as ExportedFacts;
}

/** A column with the name of its tensors. */
export interface NamedColumn extends FactColumn {
  readonly name: string;
  readonly read: (call: RecordedCall, sampling: RecordedSampling) => FactValue;
}

const OF_CALL = Object.values<CallFact>(CALL_FACTS).flatMap(({ json: name, read, column }): NamedColumn[] =>
  column ? [{ ...column, name, read }] : [],
);

const OF_SAMPLING = Object.entries<Fact>(SAMPLING_FACTS).flatMap(
  ([key, { json: name, missing, column }]): NamedColumn[] => {
    if (!column) return [];
    const none = column.labels || missing === undefined ? column.none : Number(missing);
    return [{ ...column, name, none, read: (_, sampling) => sampling[key as keyof RecordedSampling] }];
  },
);

/** Every column of a fact, in the order of its tensors among those of its kind: texts, numbers, flags. */
export const FACT_COLUMNS: readonly NamedColumn[] = [
  ...OF_CALL,
  ...OF_SAMPLING,
  { name: "seed", ...i32(12, "Lower 32 bits of the seed, if `seeded`."), read: (_, { seed = 0 }) => seed | 0 },
  {
    name: "seed_high",
    ...i32(13, "Upper 32 bits of the seed, if `seeded`."),
    read: (_, { seed = 0 }) => Math.floor(seed / 2 ** 32),
  },
  {
    name: "seeded",
    ...bool(16, "The engine sampled with a seed of the request."),
    read: (_, { seed }) => seed !== undefined,
  },
  {
    name: "sampling_overridden",
    ...bool(17, "The configuration replaced a sampling parameter of the request."),
    read: (_, { overridden }) => overridden,
  },
];
