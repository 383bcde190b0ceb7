import type { ExpertModel } from "../../../src/native/contract.js";
import { int32Experts } from "../routed-experts.js";
import { type MaskSampling, maskedLogprob, maskOf } from "../sampling-masks.js";
import type { Fault, FinishReason, GenerateOutcome, GenerateRequest, OutputToken } from "./protocol.js";
import { tokenText } from "./scheduler.js";

export interface ReplyOptions {
  /** True if the server has a tokenizer, so that replies have a text. */
  readonly text: boolean;
  /** False: an older server (of early 2026), whose replies do not list spans of weight versions. */
  readonly weightVersionSpans: boolean;
  readonly cachedTokens: (request: GenerateRequest) => number;
  /** The model has experts, which the server returns to requests that ask for them. */
  readonly experts?: ExpertModel | undefined;
  /** An older server, which returns the experts of every token. */
  readonly allExperts?: boolean | undefined;
  /** False: an older server, which returns no sampling masks. */
  readonly masks?: boolean | undefined;
}

/** The state of a generation. `finish` is null while it goes on. */
export interface ReplyState extends Omit<GenerateOutcome, "finish"> {
  readonly finish: FinishReason | null;
}

/** The part of a stream that a frame is. */
export interface FramePart {
  /** Index of the first token in the frame, for frames that contain only new tokens. */
  readonly from: number;
  readonly first: boolean;
}

const WHOLE: FramePart = { from: 0, first: true };

/**
 * Returns the JSON text of a reply of `/generate`. Logprobs are written without JSON.stringify, so that a fault can
 * replace them with any text.
 */
export function replyText(
  request: GenerateRequest,
  outcome: ReplyState,
  options: ReplyOptions,
  fault?: Fault,
  part = WHOLE,
): string {
  const { garbage } = outcome;
  const tokens = garbage ? [garbage] : outcome.tokens.slice(part.from);
  const parts = [`"output_ids":[${tokens.map(({ id }) => id).join(",")}]`];
  if (options.text) parts.unshift(`"text":${JSON.stringify(tokens.map(({ id }) => tokenText(id)).join(""))}`);
  const meta = metaFields(request, outcome, options, part);
  const metaText = JSON.stringify(meta).slice(1, -1);
  const logprobs = request.returnLogprob ? `,${logprobFields(request, outcome.tokens, part.from, fault)}` : "";
  const masks =
    request.masks && options.masks !== false ? `,${maskFields(request.masks, outcome.tokens, part.from)}` : "";
  return `{${parts.join(",")},"meta_info":{${metaText}${logprobs}${masks}}}`;
}

function metaFields(request: GenerateRequest, outcome: ReplyState, options: ReplyOptions, { first }: FramePart) {
  const { finish, weightVersion, neverRan, garbage, retractions = 0 } = outcome;
  const tokens = garbage ? [garbage] : outcome.tokens;
  const spans = tokens.length > 0 ? versionSpans(tokens) : [{ version: weightVersion, start: 0, end: 0 }];
  const common = {
    id: request.rid,
    finish_reason: finish,
    weight_version: weightVersion,
    completion_tokens: tokens.length,
    ...(finish && { e2e_latency: 0.01 }),
    ...(finish && options.weightVersionSpans && { weight_versions: spans }),
    ...(first && { response_sent_to_client_ts: 1_760_000_000.5 }),
  };
  if (neverRan) return common;
  const cached = garbage ? 0 : options.cachedTokens(request);
  const sequence = [...request.inputIds, ...tokens.map(({ id }) => id)];
  return {
    ...common,
    ...(finish &&
      options.experts &&
      request.expertsFrom !== undefined && {
        routed_experts: int32Experts(options.experts, sequence, options.allExperts ? 0 : request.expertsFrom),
      }),
    // A request that never ran because of its grammar has one token of everything.
    prompt_tokens: garbage ? 1 : request.inputLength,
    num_retractions: retractions,
    cached_tokens: cached,
    cached_tokens_details: cached > 0 ? { device: cached, host: 0 } : null,
    reasoning_tokens: 0,
    dp_rank: null,
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
    const lists = all.slice(from).map((token) => listTop(request, token));
    const field = request.flatTop ? flatTop(lists, request.topLogprobs) : `"output_top_logprobs":${entriesText(lists)}`;
    fields.push('"input_top_logprobs":[]', field);
  }
  if (request.tokenIds) {
    const ids = request.tokenIds;
    const lists = all.slice(from).map((token) => ids.map((id) => ({ id, logprob: fixedLogprob(token, id) })));
    fields.push('"input_token_ids_logprobs":[]', `"output_token_ids_logprobs":${entriesText(lists)}`);
  }
  return fields.join(",");
}

function maskFields(masks: MaskSampling, all: readonly OutputToken[], from: number): string {
  const tokens = all.slice(from);
  const fields = {
    // The likeliest id first.
    output_token_sampling_mask: tokens.map(({ id }) => maskOf(id, masks).reverse()),
    output_token_sampling_logprobs: tokens.map(({ logprob }) => maskedLogprob(logprob)),
    output_token_sampling_mask_length: all.length,
  };
  return JSON.stringify(fields).slice(1, -1);
}

interface Alternative {
  readonly id: number;
  readonly logprob: number;
}

/** Returns the sampled token, then other ids with decreasing log probabilities. */
function listTop({ topLogprobs }: GenerateRequest, { id, logprob }: OutputToken): Alternative[] {
  return Array.from({ length: topLogprobs }, (_, rank) => ({ id: alternativeTo(id, rank), logprob: logprob - rank }));
}

/** Vocabulary of the tiny model. */
const VOCABULARY = 512;

/** Returns the invented alternative of a rank: the following ids, within the tiny model's vocabulary if the token is in it. */
export function alternativeTo(id: number, rank: number): number {
  return id < VOCABULARY ? (id + rank) % VOCABULARY : id + rank;
}

/** Returns the invented log probability of a token in place of a sampled one. */
export function fixedLogprob({ id, logprob }: OutputToken, other: number): number {
  return other === id ? logprob : -1 - ((id * 7 + other) % 64) / 8;
}

function entriesText(lists: readonly (readonly Alternative[])[]): string {
  const texts = lists.map((list) => `[${list.map(({ id, logprob }) => `[${logprob},${id},null]`).join(",")}]`);
  return `[${texts.join(",")}]`;
}

function flatTop(lists: readonly (readonly Alternative[])[], width: number): string {
  const all = lists.flat();
  const base64 = (values: Float32Array | Int32Array) => Buffer.from(values.buffer).toString("base64");
  const fields = {
    output_top_logprobs_val_flat_b64: base64(Float32Array.from(all, ({ logprob }) => logprob)),
    output_top_logprobs_idx_flat_b64: base64(Int32Array.from(all, ({ id }) => id)),
    output_top_logprobs_val_flat_b64_dtype: "float32",
    output_top_logprobs_idx_flat_b64_dtype: "int32",
    output_top_logprobs_shape: [lists.length, width],
    output_top_logprobs_null_prefix: 0,
  };
  return JSON.stringify(fields).slice(1, -1);
}
