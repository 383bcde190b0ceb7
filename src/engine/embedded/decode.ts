import type { LlamaContextSequence, Token } from "node-llama-cpp";
import type { Finish, SamplingParams } from "../engine.js";
import type { OutputWriter } from "./output-writer.js";
import type { SampledToken, Sampler } from "./sampler.js";
import type { Slot } from "./sequence-pool.js";
import { StopStringSearch } from "./stop-string-search.js";

/** Prompt tokens that are evaluated between two checks for an abort. */
const PREFILL_CHUNK = 1024;

export type LlamaSlot = Slot<LlamaContextSequence>;

/**
 * Cuts the slot's cache to a prefix of the prompt.
 *
 * @returns number of cached prompt tokens. The last prompt token is never cached, because sampling needs its logits.
 */
export async function reuseCache({ sequence, cached }: LlamaSlot, prompt: readonly Token[], shared: number) {
  const keep = Math.min(shared, prompt.length - 1);
  if (keep < cached.length) {
    await sequence.adaptStateToTokens(prompt.slice(0, keep), false);
    // Some models cannot cut their cache at any place; they keep less.
    cached.truncate(sequence.nextTokenIndex);
  }
  return cached.length;
}

/** Evaluates the prompt tokens that are not cached, and returns the last of them for the first sampling step. */
export async function prefill(slot: LlamaSlot, prompt: readonly Token[], throwIfStopped: () => void): Promise<Token[]> {
  const { sequence, cached } = slot;
  while (prompt.length - cached.length > PREFILL_CHUNK) {
    throwIfStopped();
    const chunk = prompt.slice(cached.length, cached.length + PREFILL_CHUNK);
    await sequence.evaluateWithoutGeneratingNewTokens(chunk);
    cached.append(chunk);
  }
  return prompt.slice(cached.length);
}

/**
 * Samples until a stop token, a stop string or the token limit.
 *
 * @param rest prompt tokens that {@link prefill} left for the first step
 */
export async function decode(
  slot: LlamaSlot,
  rest: readonly Token[],
  sampler: Sampler,
  sampling: SamplingParams,
  writer: OutputWriter,
  throwIfStopped: () => void,
): Promise<Finish> {
  const { model } = slot.sequence;
  const stopTokenIds = new Set<number>(sampling.stopTokenIds);
  const stopStrings = new StopStringSearch<Token>(sampling.stop, (ids) => model.detokenize(ids, true));
  const output: Token[] = [];
  let feed = rest;
  for (;;) {
    throwIfStopped();
    const sampled = await sampleNext(slot, feed, sampler, output);
    output.push(sampled.id);
    writer.push(sampled);
    if (stopTokenIds.has(sampled.id)) return { reason: "stop", matched: sampled.id };
    const matched = stopStrings.find(output);
    if (matched !== undefined) return { reason: "stop", matched };
    if (output.length >= sampling.maxTokens) return { reason: "length" };
    feed = [sampled.id];
  }
}

async function sampleNext(
  { sequence, cached }: LlamaSlot,
  feed: readonly Token[],
  sampler: Sampler,
  output: readonly Token[],
): Promise<SampledToken> {
  const last = feed.length - 1;
  const generateNext = sampler.request(output);
  const results = await sequence.controlledEvaluate(
    feed.map((token, index) => (index === last ? [token, { generateNext }] : token)),
  );
  cached.append(feed);
  const result = results[last];
  if (!result) throw new Error("llama.cpp returned no result for the last token");
  return sampler.read(result, output.length);
}
