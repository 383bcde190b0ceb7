import type { GenerateCall, SamplingParams } from "../../src/engine/engine.js";
import { PLAIN_SAMPLING } from "../../src/facts/sampling.js";
import { native } from "../../src/native/addon.js";

/** Temperature 1 without filters. */
export const PLAIN: SamplingParams = { ...PLAIN_SAMPLING, thinkingBudget: undefined, maxTokens: 16 };

/** Parameters that only the engines define, and that change what is sampled. */
export const ENGINE_SAMPLING = {
  repetitionPenalty: 1.3,
  minTokens: 4,
  ignoreEos: true,
  logitBias: [
    [7, -1.5],
    [9, 100],
  ],
} satisfies Partial<SamplingParams>;

/** Returns a call with a generation of its own. */
export function makeCall(
  prompt: ArrayLike<number>,
  sampling: Partial<SamplingParams> = {},
  rest: Partial<
    Pick<GenerateCall, "affinityKey" | "currentVersion" | "versionLabels" | "onTokens" | "tokenBytes" | "onIgnored">
  > = {},
): GenerateCall {
  return {
    prompt: new native.Session().prompt([Int32Array.from(prompt)]),
    generation: new native.Generation(),
    sampling: { ...PLAIN, ...sampling },
    affinityKey: "session",
    currentVersion: () => 0,
    ...rest,
  };
}

/** Returns ids of the tiny model that are ordinary text. */
export function makePrompt(length: number, start = 7): number[] {
  return Array.from({ length }, (_, index) => 258 + ((start + index * 31) % 240));
}
