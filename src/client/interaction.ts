import { type ExportedFacts, readExportedFields } from "../facts/call-facts.js";
import type { RecordedSampling } from "../facts/recorded-sampling.js";
import type { Tensor } from "../session/batch/tensor.js";
import { type Completion, rebuildCompletion } from "./completion.js";
import { ProxyError } from "./errors.js";
import { type ModelResponse, splitRow } from "./model-response.js";
import type { RecordedMessage, WireInteraction, WireTensor } from "./wire-interaction.js";

/**
 * `individual`: one row for every interaction. `concat`: one row for each leaf of the tree, with the outputs of its
 * ancestors.
 */
export type ExportStyle = "individual" | "concat";

/**
 * Training tensors of one interaction. All have shape [1, L] (input tokens, then output tokens), except `rewards` with
 * shape [1]. `versions` is −1 at input positions, and at tokens that a thinking budget forced.
 */
export type TensorDict = {
  readonly [name in "input_ids" | "loss_mask" | "logprobs" | "versions" | "attention_mask" | "rewards"]: Tensor;
};

/** The parts of an export that its interactions need. */
export interface ExportContext {
  /** The model that the proxy named in its answers; undefined if the proxy is too old to send it. */
  readonly model: string | undefined;
  /** All interactions of the export. */
  readonly all: ReadonlyMap<string, Interaction>;
}

/** Has the facts of {@link ExportedFacts}: its type says what the constructor assigns. */
const ExportedCall = class {
  constructor(wire: WireInteraction) {
    Object.assign(this, readExportedFields(wire));
  }
} as new (
  wire: WireInteraction,
) => ExportedFacts;

/** One recorded model call as it is exported. */
export class Interaction extends ExportedCall {
  readonly id: string;
  /** Undefined for a root of the tree. */
  readonly parentId: string | undefined;
  /** For a root: the earlier interaction that the client compacted this conversation from. */
  readonly compactedFromId: string | undefined;
  /** True if the parent's tokens are a prefix of this interaction's tokens. */
  readonly tokenExact: boolean;
  /** The reward after the discount. */
  readonly reward: number;
  /** The reward that was set for this interaction itself; undefined if none was set. */
  readonly ownReward: number | undefined;
  /** Number of output tokens that a thinking budget forced. Undefined if the proxy is an older version. */
  readonly forcedTokens: number | undefined;
  /** How the tokens were drawn, and what `logprobs` include. Undefined if the proxy is too old to send it. */
  readonly sampling: RecordedSampling | undefined;
  /** Input messages: untrusted text. Undefined unless the export includes messages. */
  readonly messages: readonly RecordedMessage[] | undefined;
  /** The model's answer: untrusted text. Undefined unless the export includes messages. */
  readonly outputMessages: readonly RecordedMessage[] | undefined;
  readonly #wire: WireInteraction;
  readonly #context: ExportContext;

  constructor(wire: WireInteraction, context: ExportContext) {
    super(wire);
    this.id = wire.interaction_id;
    this.parentId = wire.parent_id ?? undefined;
    this.compactedFromId = wire.compacted_from ?? undefined;
    this.tokenExact = wire.token_exact;
    this.reward = wire.reward;
    this.ownReward = wire.own_reward ?? undefined;
    this.forcedTokens = wire.forced_tokens;
    this.sampling = wire.sampling;
    this.messages = wire.messages;
    this.outputMessages = wire.output_message_list;
    this.#wire = wire;
    this.#context = context;
  }

  /**
   * The interaction that this one continues. Undefined for a root, and if the export does not contain the parent, as in style
   * `concat`, which exports leaves only. `parentId` names the parent in any case.
   */
  get parent(): Interaction | undefined {
    return this.parentId === undefined ? undefined : this.#context.all.get(this.parentId);
  }

  /** The engine's input and output, decoded on every access. */
  get modelResponse(): ModelResponse {
    return splitRow(this.toTensorDict(), this.#wire.completion_tokens, this.finishReason);
  }

  /**
   * The answer that the agent got, in the shape of OpenAI's chat completions. Undefined for calls of other APIs, and unless
   * the export includes messages.
   */
  get completion(): Completion | undefined {
    const message = this.outputMessages?.at(-1);
    if (this.api !== "chat.completions" || message === undefined) return undefined;
    const { inputTokens, outputTokens } = this.modelResponse;
    return rebuildCompletion({
      id: this.id,
      // Rounding to milliseconds removes the floating-point error of the difference.
      startedAt: Math.round((this.createdAt - (this.latency ?? 0)) * 1000) / 1000,
      model: this.#context.model ?? this.requestedModel ?? "",
      message,
      finishReason: this.finishReason,
      promptTokens: inputTokens.length,
      completionTokens: outputTokens.length,
    });
  }

  /** Returns the tensors, decoded on every call. */
  toTensorDict(): TensorDict {
    const { input_ids, loss_mask, logprobs, versions, attention_mask, rewards } = this.#wire.tensor_dict;
    return {
      input_ids: decode(input_ids),
      loss_mask: decode(loss_mask),
      logprobs: decode(logprobs),
      versions: decode(versions),
      attention_mask: decode(attention_mask),
      rewards: decode(rewards),
    };
  }
}

/** Decodes base64 of little-endian numbers to a typed array with its own memory. */
function decode({ dtype, shape, data }: WireTensor): Tensor {
  const bytes = Uint8Array.from(Buffer.from(data, "base64"));
  const size = dtype === "torch.bool" ? 1 : 4;
  const expected = shape.reduce((product, dimension) => product * dimension, size);
  if (bytes.byteLength !== expected) {
    const message = `A tensor of shape [${shape.join(", ")}] must have ${expected} bytes; received ${bytes.byteLength}.`;
    throw new ProxyError("invalid_reply", message);
  }
  switch (dtype) {
    case "torch.int32":
      return { dtype: "I32", shape, data: new Int32Array(bytes.buffer) };
    case "torch.float32":
      return { dtype: "F32", shape, data: new Float32Array(bytes.buffer) };
    case "torch.bool":
      return { dtype: "BOOL", shape, data: bytes };
  }
}
