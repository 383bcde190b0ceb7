import type { ChatModel } from "../../model/chat-model.js";
import type { NativeGeneration } from "../../native/contract.js";
import type { RecordedTokens } from "../../protocols/logprobs.js";
import { TokenJson } from "../../protocols/token-json.js";

/**
 * Reads the tokens of a generation in slices. The native generation returns a copy of everything from an index to its end. A
 * copy of the rest for each slice of a long output would take quadratic time, so one copy serves many slices.
 */
export class TokenSlices {
  readonly #tokenJson: TokenJson;
  readonly #generation: NativeGeneration;
  readonly #width: number;
  #copy: RecordedTokens | undefined;
  #copiedFrom = 0;

  /** @param width alternatives per token; the generation may have more */
  constructor(tokenJson: TokenJson, generation: NativeGeneration, width: number) {
    this.#tokenJson = tokenJson;
    this.#generation = generation;
    this.#width = width;
  }

  /** Returns the tokens `from` (inclusive) `to` (exclusive), as copies. */
  read(from: number, to: number): RecordedTokens {
    let copy = this.#copy;
    if (!copy || from < this.#copiedFrom || to > this.#copiedFrom + copy.ids.length) {
      copy = readRecordedTokens(this.#tokenJson, this.#generation, { from, width: this.#width });
      this.#copiedFrom = from;
    }
    const end = to - this.#copiedFrom;
    // The copy is not kept once it was read to its end.
    this.#copy = end === copy.ids.length ? undefined : copy;
    return cut(copy, from - this.#copiedFrom, end);
  }
}

/** Returns the tokens of a generation from an index to its end with at most `width` alternatives each, as copies. */
export function readRecordedTokens(
  tokenJson: TokenJson,
  generation: NativeGeneration,
  { from, width }: { readonly from: number; readonly width: number },
): RecordedTokens {
  return {
    ids: generation.ids(from),
    logprobs: generation.logprobs(from),
    top: generation.top(from, width),
    tokenJson,
  };
}

const textWriters = new WeakMap<ChatModel, TokenJson>();
const idWriters = new WeakMap<ChatModel, TokenJson>();

/**
 * Returns the writer of a model's log probabilities. All answers share it.
 *
 * @param asIds true: it names tokens by their ids
 */
export function tokenJsonFor(model: ChatModel, asIds = false): TokenJson {
  const writers = asIds ? idWriters : textWriters;
  let writer = writers.get(model);
  if (!writer) {
    const tokenText = (id: number) => model.decode(Int32Array.of(id), { skipSpecialTokens: false });
    writer = new TokenJson({ tokenText, tokenBytes: (id) => model.tokenBytes(id) }, asIds);
    writers.set(model, writer);
  }
  return writer;
}

/** Returns some of the tokens. Views would keep all of them in memory. */
function cut(tokens: RecordedTokens, from: number, to: number): RecordedTokens {
  const { ids, logprobs, top, tokenJson } = tokens;
  if (from === 0 && to === ids.length) return tokens;
  const width = top?.width ?? 0;
  return {
    ids: ids.slice(from, to),
    logprobs: logprobs.slice(from, to),
    top: top && {
      width,
      ids: top.ids.slice(from * width, to * width),
      logprobs: top.logprobs.slice(from * width, to * width),
    },
    tokenJson,
  };
}
