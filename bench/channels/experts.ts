import type { ChannelSpec, ExpertModel } from "../../src/native/contract.js";

/** The shape of Qwen3-30B-A3B. */
export const MODEL: ExpertModel = { layers: 48, topK: 8, experts: 128 };
export const ROW_BYTES = MODEL.layers * MODEL.topK;

export const CHANNEL: ChannelSpec = {
  name: "routed_experts",
  dtype: "U8",
  shape: [MODEL.layers, MODEL.topK],
  of: "sequence",
};

/** Returns experts of so many tokens that are the same in every run. */
export function makeExperts(tokens: number): Uint8Array {
  let state = 20_240_229;
  return Uint8Array.from({ length: tokens * ROW_BYTES }, () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return (state >>> 16) % MODEL.experts;
  });
}
