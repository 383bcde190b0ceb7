import type { Fault, FinishReason, GenerateOutcome, GenerateRequest, OutputToken } from "./protocol.js";

export interface ReplyOptions {
  /** True if the server has a tokenizer, so that replies have a text. */
  readonly text: boolean;
  /** True if replies list spans of weight versions, as those of recent servers do. */
  readonly weightVersionSpans: boolean;
  readonly cachedTokens: (request: GenerateRequest) => number;
}

/** The state of a generation. `finish` is null while it goes on. */
export interface ReplyState extends Omit<GenerateOutcome, "finish"> {
  readonly finish: FinishReason | null;
}

/**
 * Returns the JSON text of a reply of `/generate`. Logprobs are written without JSON.stringify, so that a fault can
 * replace them with any text.
 *
 * @param from index of the first token in the reply, for frames that contain only new tokens
 */
export function replyText(
  request: GenerateRequest,
  outcome: ReplyState,
  options: ReplyOptions,
  fault?: Fault,
  from = 0,
): string {
  const tokens = outcome.tokens.slice(from);
  const parts = [`"output_ids":[${tokens.map(({ id }) => id).join(",")}]`];
  if (options.text) parts.unshift(`"text":${JSON.stringify(tokens.map(({ id }) => ` t${id}`).join(""))}`);
  const meta = metaFields(request, outcome, options);
  const metaText = JSON.stringify(meta).slice(1, -1);
  const logprobs = request.returnLogprob ? `,${logprobFields(request, outcome.tokens, from, fault)}` : "";
  return `{${parts.join(",")},"meta_info":{${metaText}${logprobs}}}`;
}

function metaFields(request: GenerateRequest, outcome: ReplyState, options: ReplyOptions) {
  const { tokens, finish, weightVersion, neverRan } = outcome;
  const spans = options.weightVersionSpans ? { weight_versions: versionSpans(tokens) } : {};
  const common = {
    id: request.rid,
    finish_reason: finish,
    weight_version: weightVersion,
    completion_tokens: tokens.length,
    e2e_latency: 0.01,
    ...spans,
  };
  if (neverRan) return common;
  return {
    ...common,
    prompt_tokens: request.inputLength,
    num_retractions: 0,
    cached_tokens: options.cachedTokens(request),
    reasoning_tokens: 0,
    response_sent_to_client_ts: 1_760_000_000.5,
  };
}

export function versionSpans(tokens: readonly OutputToken[]): { version: string; start: number; end: number }[] {
  const spans: { version: string; start: number; end: number }[] = [];
  tokens.forEach(({ version }, index) => {
    const last = spans.at(-1);
    if (last?.version === version) last.end = index + 1;
    else spans.push({ version, start: index, end: index + 1 });
  });
  return spans;
}

function logprobFields(request: GenerateRequest, all: readonly OutputToken[], from: number, fault?: Fault): string {
  const shown = fault?.kind === "length-mismatch" ? all.slice(0, -1) : all;
  const badAt = fault?.kind === "bad-logprob" ? (fault.index ?? 0) : -1;
  const badText = fault?.kind === "bad-logprob" ? fault.text : "";
  const entries = shown.map(({ id, logprob }, index) => `[${index === badAt ? badText : logprob},${id},null]`);
  const fields = [
    '"input_token_logprobs":[]',
    `"output_token_logprobs":[${entries.slice(from).join(",")}]`,
    `"output_token_logprobs_length":${shown.length}`,
  ];
  if (request.topLogprobs > 0) {
    const lists = all.slice(from).map(topEntries(request)).join(",");
    fields.push('"input_top_logprobs":[]', `"output_top_logprobs":[${lists}]`);
  }
  return fields.join(",");
}

/** Lists the sampled token, then the following ids with decreasing log probabilities. */
function topEntries({ topLogprobs }: GenerateRequest) {
  return ({ id, logprob }: OutputToken) =>
    `[${Array.from({ length: topLogprobs }, (_, rank) => `[${logprob - rank},${id + rank},null]`).join(",")}]`;
}
