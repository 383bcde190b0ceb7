import { z } from "zod";
import { exportedFields } from "../facts/call-facts.js";
import { samplingFromJson } from "../facts/recorded-sampling.js";

const wireTensor = z.object({
  type: z.literal("tensor"),
  dtype: z.enum(["torch.int32", "torch.float32", "torch.bool"]),
  shape: z.array(z.int()),
  data: z.string(),
});

/** Untrusted text in the shape of OpenAI's chat messages. */
const recordedMessage = z.looseObject({ role: z.string() });

/** Older proxies answer without the optional fields. */
const wireInteraction = z.object({
  interaction_id: z.string(),
  parent_id: z.string().nullable(),
  compacted_from: z.string().nullish(),
  token_exact: z.boolean(),
  reward: z.number(),
  own_reward: z.number().nullable(),
  ...exportedFields,
  sampling: samplingFromJson.optional(),
  prompt_tokens: z.int().optional(),
  completion_tokens: z.int().optional(),
  forced_tokens: z.int().optional(),
  messages: z.array(recordedMessage).optional(),
  output_message_list: z.array(recordedMessage).optional(),
  tensor_dict: z.object({
    input_ids: wireTensor,
    loss_mask: wireTensor,
    logprobs: wireTensor,
    versions: wireTensor,
    attention_mask: wireTensor,
    rewards: wireTensor,
  }),
});

const wireLeftOut = z.object({
  interaction_id: z.string(),
  reason: z.string(),
  parent_id: z.string().nullable(),
  created_at: z.number(),
  finish_reason: z.string(),
});

/** The JSON answer of /export_trajectories. */
export const trajectoriesReply = z.object({
  session_id: z.string(),
  model: z.string().nullish(),
  session_reward: z.number().nullish(),
  rewards_missing: z.boolean(),
  unrewarded_roots: z.array(z.string()).optional(),
  uncounted_rewards: z.array(z.string()).optional(),
  left_out: z.array(wireLeftOut).optional(),
  filtered: z.int().optional(),
  rewards_filtered: z.boolean().optional(),
  incomplete_calls: z.int(),
  aborted_calls: z.int().optional(),
  interactions: z.record(z.string(), wireInteraction),
});

export type TrajectoriesReply = z.output<typeof trajectoriesReply>;
export type RecordedMessage = Readonly<z.output<typeof recordedMessage>>;
export type WireTensor = z.output<typeof wireTensor>;
export type WireInteraction = z.output<typeof wireInteraction>;
