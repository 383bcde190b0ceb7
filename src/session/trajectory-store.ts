import { z } from "zod";
import { type ChatMessage, chatMessagesSchema } from "../conversation/chat-message.js";
import type { MessageFilter } from "../conversation/text-filter.js";
import { TAG } from "../facts/call-facts.js";
import { fillRecordedSampling, type RecordedSampling, samplingInputSchema } from "../facts/recorded-sampling.js";
import { native } from "../native/addon.js";
import type { BatchTensorLayout, ChannelSpec, NativeSharedPool } from "../native/contract.js";
import { Slices } from "../support/async/run-steps.js";
import { runAtOnce, type Steps } from "../support/async/steps.js";
import { type Batch, type PackTarget, packBatch, packShards } from "./batch/batch.js";
import { type BatchMemory, SharedMemory, type SharedMemoryOptions } from "./batch/batch-memory.js";
import { type BatchOptions, type BatchOptionsInput, batchOptionsSchema, shardFields } from "./batch/batch-options.js";
import { refuseConflicts } from "./batch/option-conflicts.js";
import { SessionError } from "./errors.js";
import { type ImageInput, placeImages } from "./place-images.js";
import { Session } from "./session.js";
import { ImagePool } from "./session-images.js";
import type { PromptTokens, Turn } from "./turn/turn.js";

/** Items of consecutive tokens in a channel. */
export interface ChannelInput {
  readonly channel: ChannelSpec;
  /** First token: of the output, or of prompt and output if the channel is of `sequence`. */
  readonly first: number;
  /** Items of one token after the other, in native byte order. */
  readonly values: Uint8Array;
  /** Number of items of each token, if the channel has `offsets`. */
  readonly counts?: Uint32Array | undefined;
}

export interface RecordInput {
  /** The call's input messages, in the format of OpenAI's chat completions. */
  readonly messages: readonly ChatMessage[];
  /** The model's answer. */
  readonly output: ChatMessage | readonly ChatMessage[];
  readonly promptIds: Int32Array;
  readonly outputIds: Int32Array;
  /** Natural log probability of each output token. */
  readonly logprobs: Float32Array;
  /** Weight version of all output tokens, or one for each token. */
  readonly versions: number | Int32Array;
  /** Items of channels; those of one channel in the order of tokens. */
  readonly channels?: readonly ChannelInput[];
  /** All images of the prompt, in its order. */
  readonly images?: readonly ImageInput[];
  readonly finishReason: string;
  /** Default: a random id. */
  readonly interactionId?: string;
  /** How the tokens were sampled. Default of each parameter: off, and temperature 1. */
  readonly sampling?: Partial<RecordedSampling>;
  /** The model that the call named. */
  readonly model?: string;
  /** A name for calls of this kind, by which exports can choose rows: 1 to 64 characters of A-Z a-z 0-9 . _ : - */
  readonly tag?: string;
  /** Number of tools that the prompt showed. */
  readonly tools?: number;
  /** Milliseconds since the epoch, when the call began. */
  readonly startedAt?: number;
}

/** The id of a task, a group or an interaction. */
const nameSchema = z.string().min(1).optional();

/** The fields of {@link RecordInput} that are not arrays of tokens. */
const recordSchema = z.object({
  messages: chatMessagesSchema,
  output: z.preprocess((output) => [output].flat(), chatMessagesSchema),
  finishReason: z.string(),
  interactionId: nameSchema,
  sampling: samplingInputSchema.optional(),
  model: z.string().optional(),
  tag: z.string().regex(TAG).optional(),
  tools: z.int32().min(0).optional(),
  startedAt: z.number().min(0).optional(),
});

/** A session of a {@link TrajectoryStore}. A trainer bridge records into it the calls of its engine. */
export class LocalSession {
  readonly #session: Session;

  constructor(session: Session) {
    this.#session = session;
  }

  get id(): string {
    return this.#session.id;
  }

  get interactionCount(): number {
    return this.#session.interactionCount;
  }

  /** Records a call: finds its parent, shares the common prefix and stores the rest. Returns the interaction's id. */
  record(input: RecordInput): string {
    if (this.#session.state !== "active") {
      throw new SessionError(
        "session_ended",
        `Session ${this.id} is ${this.#session.state} and records no more calls.`,
      );
    }
    const { messages, output, interactionId, sampling, ...call } = parse(recordSchema, input);
    requireInstance(input.promptIds, Int32Array, "promptIds");
    requireInstance(input.outputIds, Int32Array, "outputIds");
    requireInstance(input.logprobs, Float32Array, "logprobs");
    const generation = new native.Generation();
    generation.append(input.outputIds, input.logprobs, input.versions);
    for (const { channel, first, values, counts } of input.channels ?? []) {
      generation.addChannel(channel, first, values, counts);
    }
    const { images, files } = placeImages(input.images ?? []);
    const turn = runAtOnce(this.#session.begin({ messages }));
    buildPrompt(turn, { pieces: [input.promptIds], images });
    const { id } = turn.record({
      output,
      generation,
      images: files,
      finishReason: call.finishReason,
      api: "chat.completions",
      id: interactionId,
      sampling: sampling && fillRecordedSampling(sampling, input.outputIds.length),
      requestedModel: call.model,
      tag: call.tag,
      toolCount: call.tools,
      startedAt: call.startedAt,
    });
    turn.releasePrompt();
    return id;
  }

  /** Sets the reward of one interaction. Default: the last one. A later value replaces an earlier one. */
  setReward(reward: number, interactionId?: string): void {
    this.#session.setReward(reward, interactionId);
  }

  /**
   * Sets the reward of the whole session, in addition to rewards of its interactions. See "Rewards" in
   * docs/reference/http-api.md.
   */
  setSessionReward(reward: number): void {
    this.#session.setSessionReward(reward);
  }

  /** Ends the session, which then records no more calls. Idempotent. */
  end(): void {
    this.#session.end();
  }
}

/** @throws SessionError `invalid_value` if an image is not in the prompt */
function buildPrompt(turn: Turn, prompt: PromptTokens): void {
  try {
    turn.buildPrompt(prompt);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new SessionError("invalid_value", error.message, { param: "images", cause: error });
  }
}

export interface CreateSessionOptions {
  readonly sessionId: string;
  /** `task_id` in the rows of batches. Default: the session's id. */
  readonly taskId?: string | undefined;
  /** `group_id` in the rows of batches. Sessions with the same group are compared with each other. */
  readonly groupId?: string | undefined;
  readonly messageFilters?: readonly MessageFilter[];
}

export type StoreExportOptions = BatchOptionsInput & {
  /** Default "heap". */
  readonly memory?: BatchMemory;
  /**
   * Frees the sessions when the batch is packed. Default true. False keeps them, so that they can be exported again.
   */
  readonly release?: boolean;
};

/**
 * Sessions in this process, for trainer bridges that record and export without a server.
 *
 * Shared files are removed after a minute without a batch. {@link TrajectoryStore.close} removes all of them.
 */
export class TrajectoryStore {
  readonly #sessions = new Map<string, Session>();
  readonly #imagePool = new ImagePool();
  readonly #shared: SharedMemory;
  #closed = false;

  constructor({ sharedMemory }: { readonly sharedMemory?: SharedMemoryOptions } = {}) {
    this.#shared = new SharedMemory(sharedMemory);
  }

  createSession({ sessionId, taskId, groupId, messageFilters }: CreateSessionOptions): LocalSession {
    this.#requireOpen();
    if (typeof sessionId !== "string" || sessionId === "") {
      throw new SessionError("invalid_value", "sessionId must be a non-empty string.", { param: "sessionId" });
    }
    if (this.#sessions.has(sessionId)) {
      const message = `sessionId must be unique in the store; "${sessionId}" already exists.`;
      throw new SessionError("invalid_value", message, { param: "sessionId" });
    }
    const session = new Session({
      id: sessionId,
      taskId: parse(nameSchema, taskId, "taskId") ?? sessionId,
      groupId: parse(nameSchema, groupId, "groupId"),
      imagePool: this.#imagePool,
      ...(messageFilters ? { messageFilters } : {}),
    });
    this.#sessions.set(sessionId, session);
    return new LocalSession(session);
  }

  /** Packs ended sessions into one batch. If that fails, no session is exported and none is freed. */
  async exportBatch<Layout extends BatchTensorLayout = "padded">(
    sessionIds: readonly string[],
    options: StoreExportOptions & { readonly layout?: Layout | undefined } = {},
  ): Promise<Batch<Layout>> {
    return this.#export<Layout, Batch<Layout>>(sessionIds, options, (sessions, batchOptions, target) =>
      packBatch(sessions, batchOptions, target),
    );
  }

  /**
   * Packs ended sessions into one batch per data-parallel rank. The rows (of layout `tree`: the trees) are split so
   * that the batches have nearly equal numbers of tokens. Each batch is complete, and padded to its own longest row.
   *
   * @throws SessionError `too_few_rows` if a batch would be empty
   */
  async exportShards<Layout extends BatchTensorLayout = "padded">(
    sessionIds: readonly string[],
    { shards, ...options }: StoreExportOptions & { readonly shards: number; readonly layout?: Layout | undefined },
  ): Promise<Batch<Layout>[]> {
    const count = parse(shardFields.shards, shards, "shards");
    return this.#export<Layout, Batch<Layout>[]>(sessionIds, options, (sessions, batchOptions, target) =>
      packShards(sessions, batchOptions, { shards: count }, target),
    );
  }

  async #export<Layout extends BatchTensorLayout, Packed>(
    sessionIds: readonly string[],
    { release, memory, ...rest }: StoreExportOptions & { readonly layout?: Layout | undefined },
    pack: (
      sessions: readonly Session[],
      options: BatchOptions & { readonly layout: Layout },
      target: Pick<PackTarget, "memory" | "slices">,
    ) => Promise<Packed>,
  ): Promise<Packed> {
    this.#requireOpen();
    checkSessionIds(sessionIds);
    const releases = parse(z.boolean().default(true), release, "release");
    const batchOptions = parse(batchOptionsSchema, rest) as BatchOptions & { readonly layout: Layout };
    refuseConflicts(batchOptions);
    const memoryKind = parse(z.enum(["heap", "shared", "pinned"]).default("heap"), memory, "memory");
    const target = memoryKind === "shared" ? this.#openSharedPool() : memoryKind;
    const sessions: Session[] = [];
    const slices = new Slices();
    try {
      await slices.run(this.#beginExport(sessionIds, sessions));
      const packed = await pack(sessions, batchOptions, { memory: target, slices });
      if (releases) for (const session of sessions) this.#release(session);
      return packed;
    } finally {
      await slices.run(this.#endExport(sessions));
    }
  }

  /** Finds the sessions and adds them to `begun`. If one cannot be exported, `begun` has those before it. */
  *#beginExport(sessionIds: readonly string[], begun: Session[]): Steps<void> {
    for (const id of sessionIds) {
      this.#requireOpen();
      const session = this.#requireEnded(id);
      session.lifecycle.beginExport();
      begun.push(session);
      yield;
    }
  }

  /** Frees the sessions that were released, by this export or while it was packed. */
  *#endExport(sessions: readonly Session[]): Steps<void> {
    for (const session of sessions) {
      session.endExport("left");
      const { exporting, freed } = session.lifecycle;
      if (!this.#has(session) && !exporting && !freed) session.free("exported");
      yield;
    }
  }

  /** Frees sessions without exporting them. Unknown ids are ignored. */
  release(sessionIds: readonly string[]): void {
    for (const id of sessionIds) {
      const session = this.#sessions.get(id);
      if (session) this.#release(session);
    }
  }

  /**
   * Frees all sessions, and the shared memory that no batch uses. Existing batches stay valid until they are released.
   * An export that has no memory yet fails with `ERR_RELEASED`. Later calls that create or export throw `store_closed`.
   * Idempotent.
   */
  close(): void {
    this.#closed = true;
    this.#shared.close();
    for (const session of this.#sessions.values()) this.#release(session);
  }

  [Symbol.dispose](): void {
    this.close();
  }

  #requireOpen(): void {
    if (this.#closed) throw new SessionError("store_closed", "The store is closed.");
  }

  #openSharedPool(): NativeSharedPool {
    this.#shared.startTrimming();
    return this.#shared.pool;
  }

  #has(session: Session): boolean {
    return this.#sessions.get(session.id) === session;
  }

  /** Removes a session and frees its data. If an export is reading the data, the end of the export frees it. */
  #release(session: Session): void {
    if (this.#has(session)) this.#sessions.delete(session.id);
    if (!session.lifecycle.exporting) session.free("exported");
  }

  #requireEnded(id: string): Session {
    const session = this.#sessions.get(id);
    if (!session) throw new SessionError("session_not_found", `There is no session "${id}".`);
    if (session.state === "active") throw new SessionError("session_active", `Session ${id} is active. End it first.`);
    return session;
  }
}

function checkSessionIds(sessionIds: readonly string[]): void {
  const param = { param: "sessionIds" };
  if (!Array.isArray(sessionIds) || sessionIds.length === 0) {
    throw new SessionError("invalid_value", "sessionIds must be an array of at least one session id.", param);
  }
  if (new Set(sessionIds).size < sessionIds.length) {
    const repeated = sessionIds.find((id, i) => sessionIds.indexOf(id) < i);
    throw new SessionError(
      "invalid_value",
      `sessionIds must not repeat a session; received "${repeated}" twice.`,
      param,
    );
  }
}

function requireInstance(value: unknown, type: typeof Int32Array | typeof Float32Array, param: string): void {
  if (value instanceof type) return;
  throw new SessionError("invalid_value", `${param} must be an instance of ${type.name}.`, { param });
}

/** @param name name of the option that has the value; absent if each field of the value is an option */
function parse<T>(schema: z.ZodType<T>, value: unknown, name?: string): T {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const path = [...(name === undefined ? [] : [name]), ...findWrongField(result.error)];
  throw new SessionError("invalid_value", z.prettifyError(result.error), { param: z.core.toDotPath(path) });
}

function findWrongField({ issues: [issue] }: z.ZodError): PropertyKey[] {
  if (!issue) return [];
  return issue.code === "unrecognized_keys" ? [...issue.path, ...issue.keys.slice(0, 1)] : issue.path;
}
