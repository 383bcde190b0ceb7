import { npyExperts } from "../routed-experts.js";
import { maskOf } from "../sampling-masks.js";
import type { Fault, FinishReason, OutputToken } from "../sglang/protocol.js";
import { alternativeTo, fixedLogprob, type ReplyState, versionSpans } from "../sglang/reply.js";
import { tokenText } from "../sglang/scheduler.js";
import type { VllmContext, VllmRequest } from "./context.js";

/** Members that the server writes although nothing of them was asked for. */
const NOTHING = {
  prompt_logprobs: null,
  prompt_token_id_logprobs: null,
  prompt_token_ids: null,
  mm_placeholders: null,
  metrics: null,
  kv_transfer_params: null,
  ec_transfer_params: null,
};

const CREATED = 1_760_000_000;
/** The double's end-of-sequence token, unless it is told another. */
export const EOS = 2;

const FINGERPRINT = "vllm-0.32.0-00000000";

/**
 * Returns the JSON text of a reply, or of a frame with the tokens from `from` on. Log probabilities are written without
 * JSON.stringify, so that a fault can replace them with any text.
 */
export function vllmReplyText(
  context: VllmContext,
  request: VllmRequest,
  state: ReplyState,
  fault?: Fault,
  from = 0,
): string {
  const choices = [choiceText(context, request, state, fault, from)];
  if (request.stream) {
    const first = from === 0 ? promptFields(request) : {};
    return envelope(context, request, choices, request.endpoint === "generate" ? { usage: null, ...first } : {});
  }
  const usage = countUsage(context, request, state);
  if (request.endpoint === "generate") {
    return envelope(context, request, choices, { usage, ...NOTHING, ...promptFields(request) });
  }
  const { kv_transfer_params, ec_transfer_params, metrics } = NOTHING;
  const last = { service_tier: null, system_fingerprint: FINGERPRINT, usage };
  return envelope(context, request, choices, { ...last, kv_transfer_params, ec_transfer_params, metrics });
}

function promptFields({ prompt, scheduled }: VllmRequest): object {
  if (!prompt) return {};
  return { prompt_token_ids: scheduled.inputIds, mm_placeholders: prompt.length > 0 ? { image: prompt } : null };
}

/** Returns the last frame of a stream for which token counts were requested. */
export function vllmUsageText(context: VllmContext, request: VllmRequest, state: ReplyState): string {
  const usage = countUsage(context, request, state);
  return envelope(context, request, [], {
    usage,
    ...(request.endpoint === "completions" && { system_fingerprint: FINGERPRINT }),
  });
}

function envelope(
  { model }: VllmContext,
  { endpoint, id, stream }: VllmRequest,
  choices: readonly string[],
  rest: object,
): string {
  const named = { model, created: CREATED };
  const head =
    endpoint === "generate"
      ? { request_id: `generate-tokens-${id}`, ...(!stream && named), output_mode: "tokens" }
      : { id: `cmpl-${id}`, object: "text_completion", ...named };
  return `{${JSON.stringify({ ...head, ...rest }).slice(1, -1)},"choices":[${choices.join(",")}]}`;
}

/** A stream's usage has only what is not null. */
function countUsage({ options }: VllmContext, { scheduled, stream }: VllmRequest, { tokens }: ReplyState) {
  const { cachedTokens } = options;
  const details = cachedTokens && {
    cached_tokens: cachedTokens(scheduled),
    ...(!stream && { created_cache_tokens: null, multimodal_tokens: null }),
  };
  return {
    prompt_tokens: scheduled.inputLength,
    total_tokens: scheduled.inputLength + tokens.length,
    completion_tokens: tokens.length,
    ...((details || !stream) && { prompt_tokens_details: details ?? null }),
    ...(!stream && { completion_tokens_details: null }),
  };
}

function choiceText(
  context: VllmContext,
  request: VllmRequest,
  state: ReplyState,
  fault: Fault | undefined,
  from: number,
): string {
  const { tokens: all, finish } = state;
  const tokens = all.slice(from);
  const fields = [
    '"index":0',
    `"finish_reason":${JSON.stringify(finish?.type ?? null)}`,
    `"stop_reason":${JSON.stringify(finish?.type === "stop" ? stopReason(finish, context) : null)}`,
    ...(request.tokenIds ? [`"token_ids":[${tokens.map(({ id }) => id).join(",")}]`] : []),
    ...(request.endpoint === "generate"
      ? generateFields(context, request, state, from)
      : completionFields(context, request, tokens, from)),
    `"logprobs":${request.logprobs === undefined ? "null" : logprobsText(context.options, request, all, fault, from)}`,
  ];
  return `{${fields.join(",")}}`;
}

function generateFields(
  { options }: VllmContext,
  { scheduled }: VllmRequest,
  { tokens, finish }: ReplyState,
  from: number,
): string[] {
  const sequence = [...scheduled.inputIds, ...tokens.map(({ id }) => id)];
  const rows = finish && options.experts ? npyExperts(options.experts, sequence, scheduled.expertsFrom ?? 0) : null;
  const { masks } = scheduled;
  const mask = masks ? JSON.stringify(tokens.slice(from).map(({ id }) => maskOf(id, masks))) : "null";
  const fields = [`"routed_experts":${JSON.stringify(rows)}`, `"sampling_mask":${mask}`];
  if (options.weightVersionSpans === false) return fields;
  return [...fields, `"weight_versions":${finish ? JSON.stringify(versionSpans(tokens)) : "null"}`];
}

/** The first frame of a stream has the prompt's ids. */
function completionFields(
  { options }: VllmContext,
  { stream, tokenIds, scheduled }: VllmRequest,
  tokens: readonly OutputToken[],
  from: number,
): string[] {
  const text = options.tokensOnly ? "" : tokens.map(({ id }) => (options.tokenText ?? tokenText)(id)).join("");
  const prompt = tokenIds && from === 0 ? `[${scheduled.inputIds.join(",")}]` : "null";
  return [
    `"text":${JSON.stringify(text)}`,
    ...(tokenIds || !stream ? [`"prompt_token_ids":${prompt}`] : []),
    ...(stream ? [] : ['"prompt_logprobs":null', '"routed_experts":null']),
  ];
}

/** The model's end-of-sequence token has no stop reason, even if the request names it, unless the server knows of none. */
function stopReason({ matched }: Extract<FinishReason, { type: "stop" }>, { options }: VllmContext) {
  return matched === (options.eosTokenId ?? EOS) && !options.tokensOnly ? null : matched;
}

interface Entry {
  readonly id: number;
  readonly text: string;
  readonly top: readonly { readonly id: number; readonly logprob: number }[];
}

function logprobsText(
  { logprobShape = "token_ids", logprobsMode, sampledOutsideTop }: VllmContext["options"],
  { endpoint, logprobs = 0, fixedIds, tokenNames, topK }: VllmRequest,
  all: readonly OutputToken[],
  fault: Fault | undefined,
  from: number,
): string {
  const badAt = fault?.kind === "bad-logprob" ? (fault.index ?? 0) : -1;
  const shown = fault?.kind === "length-mismatch" ? all.slice(0, -1) : all;
  const entries = shown
    .map((sampled, index): Entry => {
      const { id, logprob: invented } = sampled;
      const logprob = logprobsMode === "processed_logprobs" && topK === 1 ? 0 : invented;
      const text = fault?.kind === "bad-logprob" && index === badAt ? fault.text : String(logprob);
      // The sampled token first, then the most likely ones: as many as requested, which it is one of if it is likely.
      // /inference/v1/generate lists no more in total either way.
      const isExtra = sampledOutsideTop && endpoint === "completions";
      const length = Math.max(logprobs, 1) + (isExtra && logprobs > 0 ? 1 : 0);
      const likely = (rank: number) => (sampledOutsideTop && rank > 0 ? -rank / 1024 : logprob - rank);
      const top = fixedIds
        ? listFixed({ ...sampled, logprob }, fixedIds).slice(0, endpoint === "generate" ? length : undefined)
        : Array.from({ length }, (_, rank) => ({ id: alternativeTo(id, rank), logprob: likely(rank) }));
      return { id, text, top };
    })
    .slice(from);
  const name = (id: number) => JSON.stringify(tokenNames ? `token_id:${id}` : tokenText(id));
  if (endpoint === "completions") return completionsText(entries, name);
  return `{"content":[${entries.map((entry) => contentText(entry, logprobShape, name)).join(",")}]}`;
}

/** Lists the sampled token and the fixed ones, each of them once. */
function listFixed(sampled: OutputToken, ids: readonly number[]) {
  return [...new Set([sampled.id, ...ids])].map((id) => ({ id, logprob: fixedLogprob(sampled, id) }));
}

function completionsText(entries: readonly Entry[], name: (id: number) => string): string {
  const tops = entries.map(({ top }) => `{${top.map(({ id, logprob }) => `${name(id)}:${logprob}`).join(",")}}`);
  return (
    `{"text_offset":[${entries.map((_, index) => index * 4).join(",")}],"tokens":[${entries.map(({ id }) => name(id)).join(",")}],` +
    `"token_logprobs":[${entries.map(({ text }) => text).join(",")}],"top_logprobs":[${tops.join(",")}]}`
  );
}

function contentText(
  { id, text, top }: Entry,
  shape: "token_names" | "token_ids",
  name: (id: number) => string,
): string {
  if (shape === "token_names") {
    const tops = top.map((entry) => `{"token":${name(entry.id)},"logprob":${entry.logprob},"bytes":null}`);
    return `{"token":${name(id)},"logprob":${text},"bytes":null,"top_logprobs":[${tops.join(",")}]}`;
  }
  const tops = top.map((entry, rank) => `{"token_id":${entry.id},"logprob":${entry.logprob},"rank":${rank + 1}}`);
  return `{"token_id":${id},"logprob":${text},"rank":1,"top_logprobs":[${tops.join(",")}]}`;
}
