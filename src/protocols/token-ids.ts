import { z } from "zod";
import type { RecordedOutput } from "../native/contract.js";
import { unsupported } from "./fields.js";
import { InsertedJson } from "./raw-json.js";

/** Token ids in answers, for trainers that read their samples from the reply instead of an export. */

export const returnTokenIds = z
  .boolean()
  .describe("true: the answer contains the token ids of the prompt and of the output, as in vLLM.");

/** For APIs whose answers have no place for token ids. */
export const noTokenIds = unsupported(
  "return_token_ids (use chat completions or responses)",
  (value) => value === false,
);

/** A list of token ids. */
export const idList = z.array(z.int()) as unknown as z.ZodType<InsertedJson, InsertedJson>;
/** A list of log probabilities. */
export const numberList = z.array(z.number()) as unknown as z.ZodType<InsertedJson, InsertedJson>;

const ASKED = "If the request has `return_token_ids`.";

export const promptTokenIds = idList.optional().describe(`The ids that the engine received. ${ASKED}`);
export const tokenIds = idList.optional().describe(`All sampled ids in order. ${ASKED}`);

/** NeMo Gym's fields of an output item. All are present, or none. */
export const itemTokens = {
  prompt_token_ids: promptTokenIds,
  generation_token_ids: tokenIds,
  generation_log_probs: numberList.optional().describe(`One log probability per sampled id. ${ASKED}`),
};

const versionSpan = z.object({
  version: z.int(),
  start: z.int().describe("Index of the first token among the sampled ids."),
  end: z.int().describe("Index after the last token."),
});

/** An answer has one of the two. */
export const answerVersions = {
  weight_version: z.int().optional().describe(`The weight version that sampled all tokens. ${ASKED}`),
  weight_versions: z
    .array(versionSpan)
    .optional()
    .describe("Instead of `weight_version`, if the tokens are of several versions, or if there are none."),
};

export type AnswerVersions =
  | { readonly weight_version: number }
  | { readonly weight_versions: z.input<typeof versionSpan>[] };

/** Returns the weight version of an output, or its spans if it has not exactly one. */
export function toAnswerVersions({ versions }: RecordedOutput): AnswerVersions {
  const spans: z.input<typeof versionSpan>[] = [];
  versions.forEach((version, i) => {
    const last = spans.at(-1);
    if (last?.version === version) last.end = i + 1;
    else spans.push({ version, start: i, end: i + 1 });
  });
  const [first] = spans;
  return first && spans.length === 1 ? { weight_version: first.version } : { weight_versions: spans };
}

/** Numbers of a piece. Writing them takes less than a millisecond. */
const PIECE_NUMBERS = 4096;

/** JSON of a list of numbers, written when the answer is sent. */
abstract class NumbersJson<T extends Int32Array | Float32Array> extends InsertedJson {
  readonly #values: T;
  readonly #characters: number;

  /** @param characters approximate number of characters of one number */
  constructor(values: T, characters: number) {
    super();
    this.#values = values;
    this.#characters = characters;
  }

  override get size(): number {
    return this.#characters * this.#values.length;
  }

  override get memory(): number {
    return this.#values.byteLength;
  }

  override *pieces(): Generator<string, void, void> {
    const { length } = this.#values;
    for (let from = 0; from < length; from += PIECE_NUMBERS) {
      yield (from === 0 ? "[" : ",") + this.join(this.#values.subarray(from, from + PIECE_NUMBERS) as T);
    }
    yield length === 0 ? "[]" : "]";
  }

  /** Returns the numbers with commas between them. */
  protected abstract join(values: T): string;
}

/** Longest int32 and its comma, in characters. */
const MAX_ID_LENGTH = 12;

/** JSON of token ids, which are never negative. */
export class IdsJson extends NumbersJson<Int32Array> {
  constructor(ids: Int32Array) {
    super(ids, 6);
  }

  /** Writes the digits itself, which is three times as fast as `JSON.stringify` and four times as fast as `join`. */
  protected override join(ids: Int32Array): string {
    const text = Buffer.allocUnsafe(MAX_ID_LENGTH * ids.length);
    // From the last digit of the last id to the first, so that the number of digits need not be known.
    let at = text.length;
    for (let i = ids.length - 1; i >= 0; i--) {
      let rest = ids[i] ?? 0;
      do {
        const tenth = (rest / 10) | 0;
        text[--at] = 0x30 + rest - 10 * tenth;
        rest = tenth;
      } while (rest > 0);
      if (i > 0) text[--at] = 0x2c;
    }
    return text.toString("latin1", at);
  }
}

/** JSON of log probabilities, which are finite. */
export class LogprobListJson extends NumbersJson<Float32Array> {
  constructor(logprobs: Float32Array) {
    super(logprobs, 20);
  }

  protected override join(logprobs: Float32Array): string {
    return JSON.stringify(Array.from(logprobs)).slice(1, -1);
  }
}
