import { BadRequest, integers, isObject, parseObject } from "../sglang/request.js";
import type { VllmContext, VllmRequest } from "./context.js";

/** A refusal of vLLM's engine, which checks a request after its server has sent the status of a stream. */
export class LateRefusal extends BadRequest {}

/** A refusal whose reason vLLM names only in streams. Other requests get status 500 without a message. */
export class HiddenRefusal extends LateRefusal {}

/** Refuses what vLLM 0.32 refuses because of its flags, with its messages. */
function checkFlags(
  { tokensOnly, samplingMask }: VllmContext["options"],
  sampling: Readonly<Record<string, unknown>>,
): void {
  const { stop, structured_outputs, temperature, top_k } = sampling;
  if (tokensOnly && Array.isArray(stop) && stop.length > 0) {
    throw new BadRequest(
      "stop strings are not supported on a --tokens-only server because detokenization is disabled. Check stop strings on the coordinator, or use stop_token_ids.",
    );
  }
  if (tokensOnly && structured_outputs !== undefined) {
    throw new LateRefusal("Structured outputs requires a tokenizer so it can't be used with 'skip_tokenizer_init'");
  }
  if (samplingMask && temperature === 0) {
    throw new HiddenRefusal("sampling distribution replay requires temperature > 0");
  }
  if (samplingMask && !(typeof top_k === "number" && top_k > 0)) {
    throw new HiddenRefusal(
      "sampling distribution replay requires top_k > 0 to bound sampling mask size, reduce transfer overhead, and avoid potential OOMs",
    );
  }
}

/** Reads the body of `/inference/v1/generate` or `/v1/completions`. */
export function readVllmRequest(context: VllmContext, endpoint: VllmRequest["endpoint"], body: Buffer): VllmRequest {
  const { model, contextLength } = context;
  const { maxLogprobs = Number.POSITIVE_INFINITY } = context.options;
  const fields = parseObject(body.toString("utf8"));
  const generate = endpoint === "generate";
  const inputIds = integers(fields[generate ? "token_ids" : "prompt"], generate ? "token_ids" : "prompt");
  const sampling = generate && isObject(fields["sampling_params"]) ? fields["sampling_params"] : fields;
  const maxTokens = typeof sampling["max_tokens"] === "number" ? sampling["max_tokens"] : 16;
  if (inputIds.length === 0) throw new BadRequest("Either prompt or prompt_embeds must be provided and non-empty.");
  if (fields["model"] !== model) throw new BadRequest(`The model \`${String(fields["model"])}\` does not exist.`);
  if (inputIds.length + maxTokens > contextLength) {
    throw new BadRequest(
      `This model's maximum context length is ${contextLength} tokens. However, you requested ${maxTokens} output tokens and your prompt contains ${inputIds.length} input tokens.`,
    );
  }
  checkFlags(context.options, sampling);
  if (sampling["thinking_token_budget"] !== undefined && context.options.reasoningParser !== true) {
    throw new LateRefusal(
      "thinking_token_budget is set but reasoning_config is not configured. Please set --reasoning-parser and/or --reasoning-config to use thinking_token_budget.",
    );
  }
  const id = typeof fields["request_id"] === "string" ? fields["request_id"] : crypto.randomUUID();
  const logprobs = sampling["logprobs"];
  if (typeof logprobs === "number" && logprobs > maxLogprobs) {
    throw new LateRefusal(
      `Requested sample logprobs of ${logprobs}, which is greater than max allowed: ${maxLogprobs} (parameter=logprobs, value=${logprobs})`,
    );
  }
  const streamOptions = fields["stream_options"];
  return {
    endpoint,
    id,
    stream: fields["stream"] === true,
    includeUsage: isObject(streamOptions) && streamOptions["include_usage"] === true,
    logprobs: typeof logprobs === "number" ? logprobs : undefined,
    topK: typeof sampling["top_k"] === "number" ? sampling["top_k"] : 0,
    tokenIds: generate || fields["return_token_ids"] === true,
    tokenNames: generate || fields["return_tokens_as_token_ids"] === true,
    scheduled: {
      rid: id,
      stream: fields["stream"] === true,
      inputIds,
      inputLength: inputIds.length,
      sampling: {
        max_new_tokens: maxTokens,
        stop_token_ids: integers(sampling["stop_token_ids"] ?? [], "stop_token_ids"),
        stop: Array.isArray(sampling["stop"]) ? sampling["stop"].map(String) : [],
      },
      returnLogprob: true,
      topLogprobs: 0,
    },
  };
}
