import { z } from "zod";
import { type ChatMessage, chatMessagesSchema } from "../conversation/chat-message.js";
import { native } from "../native/addon.js";
import type { BatchTensorLayout, NativeSharedPool } from "../native/contract.js";
import { type Batch, packBatch, packShards } from "./batch/batch.js";
import { type BatchMemory, SharedMemory, type SharedMemoryOptions } from "./batch/batch-memory.js";
import { type BatchOptions, type BatchOptionsInput, batchOptionsSchema, shardFields } from "./batch/batch-options.js";
import { refuseConflicts } from "./batch/option-conflicts.js";
import { SessionError } from "./errors.js";
import type { RecordedSampling } from "./recorded-sampling.js";
import { samplingInputSchema, toRecordedSampling } from "./sampling-input.js";
import { Session } from "./session.js";

export interface RecordInput {
  /** The call's input messages, in the shape of OpenAI's chat completions. */
  readonly messages: readonly ChatMessage[];
  /** What the model answered. */
  readonly output: ChatMessage | readonly ChatMessage[];
  readonly promptIds: Int32Array;
  readonly outputIds: Int32Array;
  /** Natural log probability of each output token. */
  readonly logprobs: Float32Array;
  /** Weight version of all output tokens, or of each. */
  readonly versions: number | Int32Array;
  readonly finishReason: string;
  /** Default: a random one. */
  readonly interactionId?: string;
  /** How the tokens were drawn. What is left out was off, and the temperature was 1. */
  readonly sampling?: Partial<RecordedSampling>;
  /** The model that the call asked for. */
  readonly model?: string;
  /** Milliseconds since the epoch, when the call began. */
  readonly startedAt?: number;
}

/** Of a task or a group. */
const nameSchema = z.string().min(1).optional();

/** A session of a {@link TrajectoryStore}: a trainer bridge records into it what its engine generated. */
export class StoredSession {
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

  /** Finds the parent, shares its prefix, stores the rest. Answers the interaction's id. */
  record(input: RecordInput): string {
    if (this.#session.state !== "active") {
      throw new SessionError(
        "session_ended",
        `Session ${this.id} is ${this.#session.state} and records no more calls.`,
      );
    }
    const finishReason = parse(z.string(), input.finishReason, "finishReason");
    const id = parse(z.string().min(1).optional(), input.interactionId, "interactionId");
    const sampling = parse(samplingInputSchema.optional(), input.sampling, "sampling");
    const requestedModel = parse(z.string().optional(), input.model, "model");
    const startedAt = parse(z.number().min(0).optional(), input.startedAt, "startedAt");
    const messages = parse(chatMessagesSchema, input.messages, "messages");
    const output = parse(chatMessagesSchema, [input.output].flat(), "output");
    requireInstance(input.promptIds, Int32Array, "promptIds");
    requireInstance(input.outputIds, Int32Array, "outputIds");
    requireInstance(input.logprobs, Float32Array, "logprobs");
    const generation = new native.Generation();
    generation.append(input.outputIds, input.logprobs, input.versions);
    return this.#session.record({
      prepared: this.#session.prepare({ messages }),
      output,
      prompt: this.#session.prompt([input.promptIds]),
      generation,
      finishReason,
      api: "chat.completions",
      id,
      sampling: sampling && toRecordedSampling(sampling, input.outputIds.length),
      requestedModel,
      startedAt,
    }).id;
  }

  /** Rewards one interaction, the last one where none is named. A later value replaces an earlier one. */
  setReward(reward: number, interactionId?: string): void {
    this.#session.setReward(reward, interactionId);
  }

  /** Rewards the session as a whole, beside rewards of its interactions; see docs/reference/http-api.md, "Rewards". */
  setSessionReward(reward: number): void {
    this.#session.setSessionReward(reward);
  }

  /** No more calls after this. Idempotent. */
  end(): void {
    this.#session.end();
  }
}

export interface CreateSessionOptions {
  readonly sessionId: string;
  /** Names the task in the rows of batches; default: the session's id. */
  readonly taskId?: string | undefined;
  /** Names in the rows of batches the samples that are compared with each other. */
  readonly groupId?: string | undefined;
  readonly messageFilters?: readonly RegExp[];
}

export type StoreExportOptions = BatchOptionsInput & {
  /** Where the batch lives; default "heap". */
  readonly memory?: BatchMemory;
  /** Frees the sessions once the batch is packed (default). False keeps them: exporting again starts anew. */
  readonly release?: boolean;
};

/**
 * Sessions in this process, for trainer bridges that record and export without a server. Shared files that no batch used
 * for a minute are given back; {@link TrajectoryStore.close} gives back all.
 */
export class TrajectoryStore {
  readonly #sessions = new Map<string, Session>();
  readonly #shared: SharedMemory;
  #closed = false;

  constructor({ sharedMemory }: { readonly sharedMemory?: SharedMemoryOptions } = {}) {
    this.#shared = new SharedMemory(sharedMemory);
  }

  createSession({ sessionId, taskId, groupId, messageFilters }: CreateSessionOptions): StoredSession {
    this.#requireOpen();
    if (typeof sessionId !== "string" || sessionId === "") {
      throw new SessionError("invalid_value", "sessionId must be a text that is not empty.", { param: "sessionId" });
    }
    if (this.#sessions.has(sessionId)) {
      throw new SessionError("invalid_value", `There is a session "${sessionId}" already.`, { param: "sessionId" });
    }
    const session = new Session({
      id: sessionId,
      taskId: parse(nameSchema, taskId, "taskId") ?? sessionId,
      groupId: parse(nameSchema, groupId, "groupId"),
      ...(messageFilters ? { messageFilters } : {}),
    });
    this.#sessions.set(sessionId, session);
    return new StoredSession(session);
  }

  /** Packs ended sessions into one batch. All or nothing; nothing is freed when it fails. */
  async exportBatch<Layout extends BatchTensorLayout = "padded">(
    sessionIds: readonly string[],
    options: StoreExportOptions & { readonly layout?: Layout | undefined } = {},
  ): Promise<Batch<Layout>> {
    return this.#export<Layout, Batch<Layout>>(sessionIds, options, (sessions, batchOptions, memory) =>
      packBatch(sessions, batchOptions, { memory }),
    );
  }

  /**
   * The same as `shards` batches for as many data-parallel ranks, split by rows (trees of a tree batch) so that their
   * numbers of tokens are nearly equal. Each is complete on its own and padded to its own longest row. Throws
   * `too_few_rows` where one would be empty.
   */
  async exportShards<Layout extends BatchTensorLayout = "padded">(
    sessionIds: readonly string[],
    { shards, ...options }: StoreExportOptions & { readonly shards: number; readonly layout?: Layout | undefined },
  ): Promise<Batch<Layout>[]> {
    const count = parse(shardFields.shards, shards, "shards");
    return this.#export<Layout, Batch<Layout>[]>(sessionIds, options, (sessions, batchOptions, memory) =>
      packShards(sessions, batchOptions, { shards: count }, { memory }),
    );
  }

  async #export<Layout extends BatchTensorLayout, Packed>(
    sessionIds: readonly string[],
    { release, memory, ...rest }: StoreExportOptions & { readonly layout?: Layout | undefined },
    pack: (
      sessions: readonly Session[],
      options: BatchOptions & { readonly layout: Layout },
      memory: "heap" | "pinned" | NativeSharedPool,
    ) => Promise<Packed>,
  ): Promise<Packed> {
    this.#requireOpen();
    refuseBadList(sessionIds);
    const frees = parse(z.boolean().default(true), release, "release");
    const batchOptions = parse(batchOptionsSchema, rest) as BatchOptions & { readonly layout: Layout };
    refuseConflicts(batchOptions);
    const chosen = parse(z.enum(["heap", "shared", "pinned"]).default("heap"), memory, "memory");
    const sessions = sessionIds.map((id) => this.#ended(id));
    const target = chosen === "shared" ? this.#sharedPool() : chosen;
    for (const session of sessions) session.lifecycle.beginExport();
    try {
      const packed = await pack(sessions, batchOptions, target);
      if (frees) for (const session of sessions) this.#release(session);
      return packed;
    } finally {
      for (const session of sessions) session.lifecycle.endExport(false);
    }
  }

  /** Frees sessions without exporting them. Unknown ids are passed over. */
  release(sessionIds: readonly string[]): void {
    for (const id of sessionIds) {
      const session = this.#sessions.get(id);
      if (session) this.#release(session);
    }
  }

  /**
   * Frees all sessions, and the shared memory that no batch holds. Batches that are out go on as before, until they are
   * released; an export that has no memory yet fails with `ERR_RELEASED`. Creating and exporting throw `store_closed`
   * from now on. Idempotent.
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
    if (this.#closed) throw new SessionError("store_closed", "The store was closed.");
  }

  #sharedPool(): NativeSharedPool {
    this.#shared.trimByItself();
    return this.#shared.pool;
  }

  #release(session: Session): void {
    session.free("exported");
    if (this.#sessions.get(session.id) === session) this.#sessions.delete(session.id);
  }

  #ended(id: string): Session {
    const session = this.#sessions.get(id);
    if (!session) throw new SessionError("session_not_found", `There is no session "${id}".`);
    if (session.lifecycle.freed) throw new SessionError("session_not_found", `Session ${id} was released.`);
    if (session.state === "active") throw new SessionError("session_active", `Session ${id} is active: end it first.`);
    return session;
  }
}

function refuseBadList(sessionIds: readonly string[]): void {
  if (!Array.isArray(sessionIds) || sessionIds.length === 0) {
    throw new SessionError("invalid_value", "sessionIds must be a list of at least one session.", {
      param: "sessionIds",
    });
  }
  if (new Set(sessionIds).size < sessionIds.length) {
    throw new SessionError("invalid_value", "The list of sessions names one twice.", { param: "sessionIds" });
  }
}

function requireInstance(value: unknown, type: typeof Int32Array | typeof Float32Array, param: string): void {
  if (value instanceof type) return;
  throw new SessionError("invalid_value", `${param} must be a ${type.name}.`, { param });
}

/** @param at the value's own name; absent where its fields are what callers know */
function parse<T>(schema: z.ZodType<T>, value: unknown, at?: string): T {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const path = [...(at === undefined ? [] : [at]), ...wrongField(result.error)];
  throw new SessionError("invalid_value", z.prettifyError(result.error), { param: z.core.toDotPath(path) });
}

function wrongField({ issues: [issue] }: z.ZodError): PropertyKey[] {
  if (!issue) return [];
  return issue.code === "unrecognized_keys" ? [...issue.path, ...issue.keys.slice(0, 1)] : issue.path;
}
