import type { EngineReply, TopLogprobs } from "./reply.js";

/**
 * The content of the log probabilities that an engine reports:
 *
 * - `temperature`: log_softmax(logits / temperature) over the whole vocabulary, after penalties and grammar.
 * - `truncated`: the same, renormalized over the tokens that top-k, top-p and min-p keep.
 * - `raw`: log_softmax(logits), before temperature and penalties.
 * - `unknown`: the engine could not be asked, or its servers differ.
 */
export type LogprobContent = "temperature" | "truncated" | "raw" | "unknown";

/** How an engine ends reasoning that has used up its budget: it writes `end`, maybe after a fixed phrase. */
export interface BudgetRule {
  /**
   * The ids with which reasoning begins, in the prompt or in the output, also several times. Undefined: it begins with the
   * output, once.
   */
  readonly begin: Int32Array | undefined;
  /** The ids with which reasoning ends; at least one. */
  readonly end: Int32Array;
  /** Maximum number of tokens of one piece of reasoning. */
  readonly budget: number;
  /**
   * The log probability of a forced token is 0. If false, it is the model's own: then only `end` itself is recognized, right
   * where the budget is used up.
   */
  readonly isCertain: boolean;
}

/**
 * Limits of a call's output. A generation with limits throws `ERR_REPLY_IMPOSSIBLE` for output beyond them, and for log probabilities
 * above 0.001: exact ones are at most 0.
 */
export interface OutputLimits {
  /** Ids are less than this. Default: any int32. */
  readonly vocabularySize?: number | undefined;
  /** Maximum number of tokens of the whole output. */
  readonly maxTokens: number;
}

/**
 * A channel: values that an engine gives for tokens in addition to ids and log probabilities. An item is `shape` values. Each token has
 * one item, or any number of items if `offsets` is set.
 */
export interface ChannelSpec {
  /** Name of the tensor in batches: a letter, then letters a to z, digits and `_`, at most 64. No other tensor may have it or `<name>_mask`. */
  readonly name: string;
  readonly dtype: "I32" | "F32" | "U16" | "U8" | "BOOL";
  /** Extents of an item, at most four. Empty: one value. An item has at most 65,536 bytes. */
  readonly shape: readonly number[];
  /** Name of the tensor with the number of items before each token; see `BatchTensorLayout`. */
  readonly offsets?: string | undefined;
  /** The tokens that may have values: sampled outputs, or all tokens of the sequence. */
  readonly of: "output" | "sequence";
  /** The token ids that the values of an item belong to. Default: the values belong to no fixed tokens. */
  readonly tokenIds?: Int32Array | undefined;
  /** The ids of the prompt, if the reply must contain the same ones. Only for vLLM. */
  readonly promptIds?: Int32Array | undefined;
}

/** The experts of a mixture-of-experts model. */
export interface ExpertModel {
  /** All layers of the model, also those without experts. */
  readonly layers: number;
  /** Number of experts of a layer that a token goes through. */
  readonly topK: number;
  /** Number of experts of a layer. */
  readonly experts: number;
}

/**
 * The routed experts that a request asked for: those that each token went through. The reply's rows become the channel `routed_experts`,
 * U8 or for more than 256 experts U16, of shape [layers, topK], of the sequence.
 */
export interface AskedExperts extends ExpertModel {
  /** Number of tokens of the prompt that was sent, with the partial output that it ends with. */
  readonly promptLength: number;
  /** The first token whose row was asked for. Rows before it are left out. */
  readonly start: number;
}

/**
 * The sampling masks that a request asked for: the ids that each token was sampled from, after top-k, top-p, min-p and a grammar. They
 * become the ragged channel `kept_ids` of outputs, I32 with the offsets `kept_offsets`.
 *
 * In an SGLang reply with masks, the log probability of a token is normalized over its mask. Without masks, it is normalized over the
 * whole vocabulary.
 */
export interface AskedMasks {
  /** The longest mask that is recorded. */
  readonly maxIds: number;
  /** Ids are less than this. A mask of the whole vocabulary is not recorded: nothing was left out. */
  readonly vocabularySize: number;
}

/**
 * The values of tokens that a request asked for, beside their ids and log probabilities. Other values in a reply are skipped.
 */
export interface AskedValues {
  readonly experts?: AskedExperts | undefined;
  readonly masks?: AskedMasks | undefined;
  /** Tokens whose log probabilities were asked for at each position. They become the channel `token_ids_logprobs`. */
  readonly tokenIds?: Int32Array | undefined;
}

/** The output of one model call while it arrives: ids, log probabilities, versions, and optionally top alternatives. */
export interface NativeGeneration {
  readonly length: number;
  /**
   * Adds sampled tokens. Lengths must be equal, log probabilities finite (`ERR_REPLY_NOT_FINITE`), and ids at least 0.
   */
  append(ids: Int32Array, logprobs: Float32Array, versions: number | Int32Array): void;
  /**
   * Adds alternatives for the last tokens: `width` (id, logprob) pairs per token. `ids.length` is a multiple of
   * `width`. Unused entries have id -1 and log probability 0.
   */
  appendTop(ids: Int32Array, logprobs: Float32Array, width: number): void;
  /**
   * Makes the first `width` alternatives of each token the channels `top_ids` (I32) and `top_logprobs` (F32) of outputs, and removes
   * all alternatives. A place without an alternative gets id -1 and log probability -Infinity.
   */
  recordTop(width: number): void;
  /**
   * Adds the items of consecutive tokens. Add items of earlier tokens first.
   *
   * @param first first of these tokens, counted from the first output token, or from the start of the prompt if the channel is of
   *   `sequence`. A session does not store items again that an earlier interaction has
   * @param values items of one token after the other, in native byte order
   * @param counts number of items of each token, if the channel has `offsets`
   * @throws `ERR_INVALID_ARG` if an item is incomplete, if a BOOL is not 0 or 1, if a token at or after `first` has items already, if a
   *   channel of this name was added with another dtype, shape, `of`, `offsets` or token ids, or if the call has 64 others
   */
  addChannel(channel: ChannelSpec, first: number, values: Uint8Array, counts?: Uint32Array): void;
  /**
   * Returns true if a channel of outputs with this name covers all tokens from index `from` on. In a ragged channel, a token may have no
   * items.
   */
  hasOutputs(channel: string, from: number): boolean;
  /**
   * Reads a complete reply of SGLang's `/generate` and adds its tokens. Adds nothing if it throws (`ERR_REPLY_…`).
   *
   * @param version for tokens for which the reply names none
   */
  appendSglangReply(body: Uint8Array, version: number, asked?: AskedValues): EngineReply;
  /**
   * The same on a worker thread, for large bodies, which are read in place. Until it settles, the generation must not
   * be used, and the body must not be changed or transferred. Its buffer must have a fixed size.
   */
  appendSglangReplyAsync(body: Uint8Array, version: number, asked?: AskedValues): Promise<EngineReply>;
  /**
   * Reads a complete reply of vLLM's `/inference/v1/generate` or `/v1/completions`, like {@link appendSglangReply}.
   *
   * @param topLogprobs number of alternatives per token to keep
   */
  appendVllmReply(body: Uint8Array, version: number, topLogprobs: number, asked?: AskedValues): EngineReply;
  /** The same on a worker thread, like {@link appendSglangReplyAsync}. */
  appendVllmReplyAsync(
    body: Uint8Array,
    version: number,
    topLogprobs: number,
    asked?: AskedValues,
  ): Promise<EngineReply>;
  /**
   * Marks the tokens that a budget for the reasoning forced, and no others. Batches do not train on marked tokens: they have
   * loss mask 0, log probability 0 and version -1, like those of a prompt.
   *
   * @param prompt the call's `NativePrompt`, in which the reasoning may begin
   * @returns true if the output ends in reasoning
   */
  markForced(prompt: { readonly tokens: () => Int32Array }, rule: BudgetRule): boolean;
  /** Gives versions to the labels of a reply: the version -2 - i becomes `versions[i]`. */
  nameVersions(versions: Int32Array): void;
  /**
   * Removes the tokens from index `length` on, for a generation that is restarted. Of a channel of `sequence`, also the item of the last
   * token that is left, as if the generation had ended there.
   */
  truncate(length: number, promptLength: number): void;
  /** Return copies of the tokens so far, from index `from` (default 0). */
  ids(from?: number): Int32Array;
  logprobs(from?: number): Float32Array;
  versions(from?: number): Int32Array;
  /**
   * Returns the alternatives of the tokens from index `from`, at most `width` entries per token; undefined if none are
   * recorded.
   */
  top(from?: number, width?: number): TopLogprobs | undefined;
}
