import type { RecordedSampling } from "../session/recorded-sampling.js";
import type { Tensor } from "../session/tensor.js";
import { ProxyError } from "./error.js";
import type { WireInteraction, WireTensor } from "./wire-interaction.js";

/** `individual`: every interaction; `concat`: the leaves of the tree, with the outputs of their ancestors. */
export type ExportStyle = "individual" | "concat";

/**
 * One interaction's training tensors. All are [1, L] (input tokens, then output tokens) but `rewards`, which is [1].
 * `versions` is −1 at input positions.
 */
export type TensorDict = {
  readonly [name in "input_ids" | "loss_mask" | "logprobs" | "versions" | "attention_mask" | "rewards"]: Tensor;
};

/** One recorded model call as it is exported. */
export class Interaction {
  readonly id: string;
  /** Undefined for a root of the tree. */
  readonly parentId: string | undefined;
  /** The parent's tokens are a prefix of this interaction's. */
  readonly tokenExact: boolean;
  /** After the discount. */
  readonly reward: number;
  /** What was set for this interaction itself; undefined where nothing was. */
  readonly ownReward: number | undefined;
  readonly api: string;
  /** `model` of the request: untrusted text. Undefined if it had none. */
  readonly requestedModel: string | undefined;
  /** How often the client had sent this request before. */
  readonly attempt: number | undefined;
  /** Seconds since the epoch, when the call completed. */
  readonly createdAt: number;
  /** Seconds from the request to the end of the call; undefined if not recorded. */
  readonly latency: number | undefined;
  readonly finishReason: string;
  /** Why the prompt does not begin with the parent's tokens: a cause of docs/prompts.md. */
  readonly cause: string | undefined;
  /** How the tokens were drawn, and what `logprobs` are of. Undefined if the proxy is too old to say. */
  readonly sampling: RecordedSampling | undefined;
  /** Untrusted text; undefined unless it was asked for. */
  readonly messages: readonly unknown[] | undefined;
  readonly outputMessageList: readonly unknown[] | undefined;
  readonly #tensors: WireInteraction["tensor_dict"];

  constructor(wire: WireInteraction) {
    this.id = wire.interaction_id;
    this.parentId = wire.parent_id ?? undefined;
    this.tokenExact = wire.token_exact;
    this.reward = wire.reward;
    this.ownReward = wire.own_reward ?? undefined;
    this.api = wire.api;
    this.requestedModel = wire.requested_model ?? undefined;
    this.attempt = wire.attempt;
    this.createdAt = wire.created_at;
    this.latency = wire.latency ?? undefined;
    this.finishReason = wire.finish_reason;
    this.cause = wire.cause ?? undefined;
    this.sampling = wire.sampling;
    this.messages = wire.messages;
    this.outputMessageList = wire.output_message_list;
    this.#tensors = wire.tensor_dict;
  }

  /** The tensors, decoded anew with every call. */
  toTensorDict(): TensorDict {
    const { input_ids, loss_mask, logprobs, versions, attention_mask, rewards } = this.#tensors;
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

/** Base64 of little-endian numbers, as typed arrays of their own memory. */
function decode({ dtype, shape, data }: WireTensor): Tensor {
  const bytes = Uint8Array.from(Buffer.from(data, "base64"));
  const size = dtype === "torch.bool" ? 1 : 4;
  const expected = shape.reduce((product, dimension) => product * dimension, size);
  if (bytes.byteLength !== expected) {
    const message = `A tensor of shape [${shape.join(", ")}] came with ${bytes.byteLength} bytes, not ${expected}.`;
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
