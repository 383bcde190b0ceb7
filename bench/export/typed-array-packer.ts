import { type Conversation, DISCOUNT } from "./load.js";

/** The tensors of a padded batch in memory that is reused from batch to batch. */
export interface PaddedTensors {
  readonly input_ids: Int32Array;
  readonly loss_mask: Int32Array;
  readonly logprobs: Float32Array;
  readonly versions: Int32Array;
  readonly attention_mask: Uint8Array;
  readonly rewards: Float32Array;
}

export function allocatePadded(rows: number, width: number): PaddedTensors {
  const size = rows * width;
  return {
    input_ids: new Int32Array(size),
    loss_mask: new Int32Array(size),
    logprobs: new Float32Array(size),
    versions: new Int32Array(size),
    attention_mask: new Uint8Array(size),
    rewards: new Float32Array(rows),
  };
}

/**
 * What the export does, in JavaScript alone and as fast as that goes: `individual` rows, right padding, every element
 * written once by `set`, `fill` or `copyWithin`, nothing allocated. A row's input is its parent's row, copied within
 * the tensor while it is still in the cache: one long move instead of one per turn.
 */
export function packTypedArrays(load: readonly Conversation[], width: number, out: PaddedTensors): void {
  let row = 0;
  for (const conversation of load) {
    writeRewards(out.rewards.subarray(row, row + conversation.length));
    let shared = 0;
    for (const turn of conversation) {
      const start = row * width;
      const inputEnd = start + shared + turn.tail.length;
      const end = inputEnd + turn.output.length;
      const next = start + width;
      if (shared > 0) out.input_ids.copyWithin(start, start - width, start - width + shared);
      out.input_ids.set(turn.tail, start + shared);
      out.input_ids.set(turn.output, inputEnd);
      out.input_ids.fill(0, end, next);
      out.loss_mask.fill(0, start, inputEnd).fill(1, inputEnd, end).fill(0, end, next);
      out.logprobs.fill(0, start, inputEnd).fill(0, end, next).set(turn.logprobs, inputEnd);
      out.versions.fill(-1, start, inputEnd).fill(turn.version, inputEnd, end).fill(-1, end, next);
      out.attention_mask.fill(1, start, end).fill(0, end, next);
      shared = end - start;
      row++;
    }
  }
}

/** Only the last call of a linear conversation has a reward of its own: each earlier one has a discounted share. */
function writeRewards(rewards: Float32Array): void {
  let reward = 1;
  for (let turn = rewards.length - 1; turn >= 0; turn--) {
    rewards[turn] = reward;
    reward *= DISCOUNT;
  }
}
