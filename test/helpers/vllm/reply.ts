import type { Fault, FinishReason, OutputToken } from "../sglang/protocol.js";
import { type ReplyState, versionSpans } from "../sglang/reply.js";
import type { VllmContext, VllmRequest } from "./context.js";

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
  const whole = !request.stream;
  const head = JSON.stringify({
    ...(request.endpoint === "generate"
      ? { request_id: `generate-tokens-${request.id}` }
      : { id: `cmpl-${request.id}`, object: "text_completion" }),
    model: context.model,
    created: 1_760_000_000,
  }).slice(1, -1);
  const usage = whole ? `,"usage":${JSON.stringify(countUsage(context, request, state))}` : "";
  return `{${head},"choices":[${choiceText(context, request, state, fault, from)}]${usage}}`;
}

/** Returns the last frame of a stream for which token counts were requested. */
export function vllmUsageText(context: VllmContext, request: VllmRequest, state: ReplyState): string {
  return JSON.stringify({ id: request.id, choices: [], usage: countUsage(context, request, state) });
}

function countUsage({ options }: VllmContext, { scheduled }: VllmRequest, { tokens }: ReplyState) {
  const { cachedTokens } = options;
  return {
    prompt_tokens: scheduled.inputLength,
    completion_tokens: tokens.length,
    total_tokens: scheduled.inputLength + tokens.length,
    prompt_tokens_details: cachedTokens ? { cached_tokens: cachedTokens(scheduled) } : null,
  };
}

function choiceText(
  { options }: VllmContext,
  request: VllmRequest,
  { tokens: all, finish }: ReplyState,
  fault: Fault | undefined,
  from: number,
): string {
  const tokens = all.slice(from);
  const { endpoint } = request;
  const fields = [
    '"index":0',
    `"finish_reason":${JSON.stringify(finish?.type ?? null)}`,
    `"stop_reason":${JSON.stringify(finish?.type === "stop" ? stopReason(finish, request) : null)}`,
  ];
  if (endpoint === "completions") fields.push(`"text":${JSON.stringify(tokens.map(({ id }) => ` t${id}`).join(""))}`);
  if (request.tokenIds) fields.push(`"token_ids":[${tokens.map(({ id }) => id).join(",")}]`);
  if (request.tokenIds && endpoint === "completions" && from === 0) {
    fields.push(`"prompt_token_ids":[${request.scheduled.inputIds.join(",")}]`);
  }
  if (options.weightVersionSpans && endpoint === "generate" && finish) {
    fields.push(`"weight_versions":${JSON.stringify(versionSpans(all))}`);
  }
  if (options.samplingMask && endpoint === "generate") {
    fields.push(`"sampling_mask":${JSON.stringify(tokens.map(({ id }) => [id]))}`);
  }
  fields.push(
    `"logprobs":${request.logprobs === undefined ? "null" : logprobsText(options, request, all, fault, from)}`,
  );
  return `{${fields.join(",")}}`;
}

/** The first stop token of the request acts as the model's end-of-sequence token, which has no stop reason. */
function stopReason({ matched }: Extract<FinishReason, { type: "stop" }>, { scheduled }: VllmRequest) {
  return matched === scheduled.sampling.stop_token_ids[0] ? null : matched;
}

interface Entry {
  readonly id: number;
  readonly text: string;
  readonly top: readonly { readonly id: number; readonly logprob: number }[];
}

function logprobsText(
  { logprobShape = "token_ids", logprobsMode, sampledOutsideTop }: VllmContext["options"],
  { endpoint, logprobs = 0, tokenNames, topK }: VllmRequest,
  all: readonly OutputToken[],
  fault: Fault | undefined,
  from: number,
): string {
  const badAt = fault?.kind === "bad-logprob" ? (fault.index ?? 0) : -1;
  const shown = fault?.kind === "length-mismatch" ? all.slice(0, -1) : all;
  const entries = shown
    .map(({ id, logprob: invented }, index): Entry => {
      const logprob = logprobsMode === "processed_logprobs" && topK === 1 ? 0 : invented;
      const text = fault?.kind === "bad-logprob" && index === badAt ? fault.text : String(logprob);
      // The sampled token first, then the most likely ones. /inference/v1/generate lists the requested number in total.
      const length = endpoint === "generate" ? Math.max(logprobs, 1) : logprobs + 1;
      const likely = (rank: number) => (sampledOutsideTop && rank > 0 ? -rank / 1024 : logprob - rank);
      const top = Array.from({ length }, (_, rank) => ({ id: id + rank, logprob: likely(rank) }));
      return { id, text, top };
    })
    .slice(from);
  const name = (id: number) => JSON.stringify(tokenNames ? `token_id:${id}` : ` t${id}`);
  if (endpoint === "completions") return completionsText(entries, name);
  return `{"content":[${entries.map((entry) => contentText(entry, logprobShape, name)).join(",")}]}`;
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
  const token = (of: number) =>
    shape === "token_ids" ? `"token_id":${of},"rank":1` : `"token":${name(of)},"bytes":null`;
  const tops = top.map((entry) => `{${token(entry.id)},"logprob":${entry.logprob}}`);
  return `{${token(id)},"logprob":${text},"top_logprobs":[${tops.join(",")}]}`;
}
