import { z } from "zod";
import type { Tensor } from "../session/tensor.js";
import { ProxyError } from "./error.js";

/** `individual`: every interaction; `concat`: the leaves of the tree, with the outputs of their ancestors. */
export type ExportStyle = "individual" | "concat";

/**
 * One interaction's training tensors. All are [1, L] (input tokens, then output tokens) but `rewards`, which is [1].
 * `versions` is −1 at input positions.
 */
export type TensorDict = {
  readonly [name in "input_ids" | "loss_mask" | "logprobs" | "versions" | "attention_mask" | "rewards"]: Tensor;
};

const wireTensor = z.object({
  type: z.literal("tensor"),
  dtype: z.enum(["torch.int32", "torch.float32", "torch.bool"]),
  shape: z.array(z.int()),
  data: z.string(),
});

const wireInteraction = z.object({
  interaction_id: z.string(),
  parent_id: z.string().nullable(),
  token_exact: z.boolean(),
  reward: z.number(),
  own_reward: z.number().nullable(),
  api: z.string(),
  created_at: z.number(),
  finish_reason: z.string(),
  messages: z.array(z.unknown()).optional(),
  output_message_list: z.array(z.unknown()).optional(),
  tensor_dict: z.object({
    input_ids: wireTensor,
    loss_mask: wireTensor,
    logprobs: wireTensor,
    versions: wireTensor,
    attention_mask: wireTensor,
    rewards: wireTensor,
  }),
});

/** The answer of /export_trajectories in its JSON form. */
export const trajectoriesReply = z.object({
  session_id: z.string(),
  rewards_missing: z.boolean(),
  incomplete_calls: z.int(),
  interactions: z.record(z.string(), wireInteraction),
});

/** What a session recorded, by interaction id, in the order in which its calls completed. */
export interface Interactions extends ReadonlyMap<string, Interaction> {}

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
  /** Seconds since the epoch. */
  readonly createdAt: number;
  readonly finishReason: string;
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
    this.createdAt = wire.created_at;
    this.finishReason = wire.finish_reason;
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

type WireTensor = z.output<typeof wireTensor>;
export type WireInteraction = z.output<typeof wireInteraction>;

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
