import { describe, expect, it } from "vitest";
import type { GenerateCall } from "../../../src/engine/engine.js";
import { TokenValues } from "../../../src/engine/servers/call/token-values.js";
import type { ServerReply } from "../../../src/engine/servers/engine-server.js";
import type { EngineServerOptions } from "../../../src/engine/servers/engine-server-options.js";
import { makeCall } from "../generate-call.js";

/** The values beside tokens that a request asks for, and the warnings if a reply lacks one. */

const EXPERTS = { layers: 2, topK: 4, experts: 64 };
const ALL = { routedExperts: EXPERTS, maxKeptTokens: 20, vocabularySize: 512, tokenIdsLogprob: [7, 9] };

function makeValues(options: Partial<EngineServerOptions> = ALL) {
  const warnings: string[] = [];
  const onWarning = (message: string) => void warnings.push(message);
  const values = new TokenValues("http://a", { urls: [], timeoutSeconds: 0, maxInflight: 1, onWarning, ...options });
  return { values, warnings };
}

const call = (rest: Partial<GenerateCall> = {}): GenerateCall => ({ ...makeCall([1, 2, 3], { topK: 50 }), ...rest });

describe("a request", () => {
  it("asks for what the options say", () => {
    expect(makeValues().values.ask(call(), true)).toEqual({
      experts: { ...EXPERTS, promptLength: 3, start: 0 },
      masks: { maxIds: 20, vocabularySize: 512 },
      tokenIds: Int32Array.of(7, 9),
    });
    expect(makeValues({}).values.ask(call(), true)).toEqual({});
    expect(makeValues({ tokenIdsLogprob: [] }).values.ask(call(), true).tokenIds).toBeUndefined();
    expect(makeValues({ maxKeptTokens: 5 }).values.ask(call(), true).masks).toEqual({
      maxIds: 5,
      vocabularySize: 2 ** 31 - 1,
    });
  });

  it("asks for no masks if its endpoint has none", () => {
    expect(makeValues().values.ask(call(), false).masks).toBeUndefined();
  });

  it.each([
    ["routed_experts", "experts"],
    ["kept_ids", "masks"],
    ["token_ids_logprobs", "tokenIds"],
  ] as const)("asks for nothing that its session does without: %s", (channel, field) => {
    const asked = makeValues().values.ask(call({ withoutChannels: [channel] }), true);
    const missing = (["experts", "masks", "tokenIds"] as const).filter((name) => asked[name] === undefined);
    expect(missing).toEqual([field]);
  });

  it("asks for the experts of the output so far too", () => {
    const resumed = call();
    resumed.generation.append(Int32Array.of(7, 8), Float32Array.of(-1, -1), 0);
    expect(makeValues().values.ask(resumed, true).experts?.promptLength).toBe(5);
  });
});

describe("a reply", () => {
  const WHOLE: ServerReply = { tokens: 2, hasExperts: true, hasMasks: true, hasTokenIds: true };

  function note(
    reply: ServerReply,
    sampling: object = { topK: 50 },
    options: Partial<EngineServerOptions> = ALL,
  ): string[] {
    const { values, warnings } = makeValues(options);
    const subject = makeCall([1, 2, 3], sampling);
    for (const _ of ["once", "again"]) values.note(values.ask(subject, true), reply, subject, "do this");
    return warnings;
  }

  const lacking = (values: string) => `http://a sends no ${values}, so its tokens are recorded without them: `;

  it("with everything causes no warning", () => {
    expect(note(WHOLE)).toEqual([]);
    expect(note({ ...WHOLE, longestMask: 0 })).toEqual([]);
    expect(note({ tokens: 2 }, {}, {})).toEqual([]);
  });

  it.each<[string, Partial<ServerReply>, string]>([
    [
      "experts",
      { hasExperts: false },
      `${lacking("routed experts")}start it with \`--enable-return-routed-experts\`, or set \`engine.routed_experts=false\`.`,
    ],
    ["masks", { hasMasks: false }, `${lacking("sampling masks")}do this, or set \`engine.sampling_masks=false\`.`],
    [
      "fixed tokens",
      { hasTokenIds: false },
      `${lacking("log probabilities of the tokens of `engine.token_ids_logprob`")}update it, or set \`engine.token_ids_logprob=[]\`.`,
    ],
    [
      "short masks",
      { longestMask: 31 },
      "http://a sampled a token from 31 ids. Masks with more than 20 are not recorded: raise `engine.max_kept_tokens`, or lower `top_k`.",
    ],
  ])("without %s causes one warning", (_, changes, warning) => {
    expect(note({ ...WHOLE, ...changes })).toEqual([warning]);
  });

  it("without a token says nothing", () => {
    expect(note({ tokens: 0 })).toEqual([]);
  });

  it("of a call whose tokens are not truncated may have long masks", () => {
    expect(note({ ...WHOLE, longestMask: 31 }, { topK: 0 })).toEqual([]);
  });

  it("with the only token of a conversation whose experts are known has none to send", () => {
    const { values, warnings } = makeValues({ routedExperts: EXPERTS });
    const subject = call();
    const asked = values.ask(subject, true);
    const known = { ...asked, experts: { ...EXPERTS, promptLength: 3, start: 3 } };
    values.note(known, { tokens: 1 }, subject, "");
    expect(warnings).toEqual([]);
    values.note(known, { tokens: 2 }, subject, "");
    expect(warnings).toHaveLength(1);
  });
});
