import { type MaskSampling, readMaskSampling } from "../sampling-masks.js";
import { isObject, parseObject } from "../sglang/request.js";
import type { VllmContext, VllmRequest } from "./context.js";
import { HiddenRefusal, LateRefusal, Refusal } from "./refusal.js";

type Fields = Readonly<Record<string, unknown>>;

/** Reads the body of `/inference/v1/generate` or `/v1/completions`. */
export function readVllmRequest(context: VllmContext, endpoint: VllmRequest["endpoint"], body: Buffer): VllmRequest {
  const fields = parseObject(body.toString("utf8"));
  const generate = endpoint === "generate";
  const sentIds = generate ? readTokenIds(fields) : readPrompt(fields);
  const { ids: inputIds, ranges } = context.options.vision?.expandForVllm(sentIds, fields) ?? {
    ids: sentIds,
    ranges: [],
  };
  const sampling: Fields = generate && isObject(fields["sampling_params"]) ? fields["sampling_params"] : fields;
  const { model, contextLength } = context;
  if (fields["model"] !== model && !context.adapters.has(String(fields["model"]))) {
    const message = `The model \`${String(fields["model"])}\` does not exist. Valid aliases: ${model}.`;
    throw new Refusal(message, { status: 404, type: "NotFoundError", param: "model" });
  }
  checkContext(endpoint, inputIds.length, contextLength);
  checkSampling(context, sampling, generate);
  const id = typeof fields["request_id"] === "string" ? fields["request_id"] : crypto.randomUUID();
  const { max_tokens: maxTokens = 16, logprobs, logprob_token_ids: ids, top_k: topK } = sampling;
  const streamOptions = fields["stream_options"];
  return {
    endpoint,
    id,
    stream: fields["stream"] === true,
    includeUsage: isObject(streamOptions) && streamOptions["include_usage"] === true,
    logprobs: typeof logprobs === "number" ? logprobs : undefined,
    fixedIds: ids === undefined ? undefined : integers(ids, "logprob_token_ids"),
    topK: typeof topK === "number" ? topK : 0,
    tokenIds: generate || fields["return_token_ids"] === true,
    // Answered by `/inference/v1/generate` with the prompt's ids and the places of its images.
    prompt: generate && fields["return_token_ids"] === true ? ranges : undefined,
    tokenNames: generate || fields["return_tokens_as_token_ids"] === true,
    scheduled: {
      rid: id,
      stream: fields["stream"] === true,
      inputIds,
      inputLength: inputIds.length,
      sampling: {
        // What the context has no room for is not sampled.
        max_new_tokens: Math.min(Number(maxTokens), contextLength - inputIds.length),
        stop_token_ids: integers(sampling["stop_token_ids"] ?? [], "stop_token_ids"),
        stop: Array.isArray(sampling["stop"]) ? sampling["stop"].map(String) : [],
        ignore_eos: sampling["ignore_eos"] === true,
      },
      returnLogprob: true,
      topLogprobs: 0,
      masks: samplingMaskOf(context, sampling),
      expertsFrom: Number(sampling["routed_experts_prompt_start"] ?? 0),
    },
  };
}

function samplingMaskOf({ options }: VllmContext, sampling: Fields): MaskSampling | undefined {
  return options.samplingMask ? readMaskSampling(sampling) : undefined;
}

function readTokenIds(fields: Fields): number[] {
  const missing = ["token_ids", "sampling_params"].filter((name) => fields[name] === undefined);
  if (missing.length > 0) throw invalid(missing.map((name) => ["missing", `body.${name}`]));
  const ids = integers(fields["token_ids"], "body.token_ids");
  if (ids.length === 0) throw invalid([["too_short", "body.token_ids"]]);
  return ids;
}

function readPrompt(fields: Fields): number[] {
  const ids = integers(fields["prompt"] ?? [], "body.prompt");
  if (ids.length === 0) throw new Refusal("You must pass at least one prompt");
  return ids;
}

/** @param problems type and place of each */
function invalid(problems: readonly (readonly [type: string, place: string])[]): Refusal {
  const list = problems.map(([type, place]) => `\n  {'type': '${type}', 'loc': '${place}'}`).join("");
  const count = `${problems.length} validation error${problems.length === 1 ? "" : "s"}`;
  return Refusal.ofField(problems[0]?.[1] ?? "", `${count}:${list}`);
}

/** Output is clipped to what the context has room for, but needs room for a token. */
function checkContext(endpoint: VllmRequest["endpoint"], length: number, limit: number): void {
  if (length < limit) return;
  if (endpoint === "completions" && length === limit) {
    throw new Refusal("max_tokens must be at least 1, got 0. (parameter=max_tokens, value=0)", { param: "max_tokens" });
  }
  if (endpoint === "completions") {
    throw new Refusal(
      `This model's maximum context length is ${limit} tokens. However, your prompt contains ${length} input tokens, ` +
        "which exceeds this limit even without any output tokens. Please reduce the length of the input prompt. " +
        `(parameter=input_tokens, value=${length})`,
      { param: "input_tokens" },
    );
  }
  if (length > limit) {
    throw new LateRefusal(
      `The decoder prompt (length ${length}) is longer than the maximum model length of ${limit}. ` +
        "Make sure that `max_model_len` is no smaller than the number of text tokens.",
    );
  }
  throw new LateRefusal(
    `The decoder prompt (length ${length}) plus the number of requested output tokens (at least 1) is longer than the ` +
      `maximum model length of ${limit}. Make sure that \`max_model_len\` is no smaller than the number of text tokens ` +
      "(prompt + requested output tokens).",
  );
}

function checkSampling({ options }: VllmContext, sampling: Fields, generate: boolean): void {
  const { maxLogprobs = Number.POSITIVE_INFINITY, reasoningParser, samplingMask, tokensOnly } = options;
  const { stop, structured_outputs: grammar, thinking_token_budget: budget, logprobs, temperature, top_k } = sampling;
  const { logprob_token_ids: fixed } = sampling;
  if (generate && tokensOnly && Array.isArray(stop) && stop.length > 0) {
    throw new Refusal(
      "stop strings are not supported on a --tokens-only server because detokenization is disabled. " +
        "Check stop strings on the coordinator, or use stop_token_ids.",
    );
  }
  if (tokensOnly && grammar !== undefined) {
    throw new LateRefusal("Structured outputs requires a tokenizer so it can't be used with 'skip_tokenizer_init'");
  }
  // The log says: sampling distribution replay requires temperature > 0, and top_k > 0 to bound the size of the mask.
  if (samplingMask && (temperature === 0 || !(typeof top_k === "number" && top_k > 0))) throw new HiddenRefusal();
  if (budget !== undefined && reasoningParser !== true) {
    throw new LateRefusal(
      "thinking_token_budget is set but reasoning_config is not configured. " +
        "Please set --reasoning-parser and/or --reasoning-config to use thinking_token_budget.",
    );
  }
  if (generate && Array.isArray(fixed) && logprobs !== fixed.length) {
    throw new LateRefusal(
      "When both logprobs and logprob_token_ids are set, logprobs must equal len(logprob_token_ids). " +
        `Got logprobs=${String(logprobs)}, len(logprob_token_ids)=${fixed.length}.`,
    );
  }
  if (typeof logprobs === "number" && logprobs > maxLogprobs) {
    throw new LateRefusal(
      `Requested sample logprobs of ${logprobs}, which is greater than max allowed: ${maxLogprobs} ` +
        `(parameter=logprobs, value=${logprobs})`,
      { param: "logprobs" },
    );
  }
}

function integers(value: unknown, name: string): number[] {
  if (!Array.isArray(value) || !value.every((item) => Number.isInteger(item))) {
    throw invalid([["list_type", name]]);
  }
  return value;
}
