import { z } from "zod";
import type { RecordedTokens } from "./logprobs.js";
import { InsertedJson } from "./raw-json.js";

export const tokenNames = z.array(z.string()) as unknown as z.ZodType<InsertedJson, InsertedJson>;

/** Typical number of characters of a name. */
const NAME_LENGTH = 8;

/** JSON of the texts of tokens, or of their ids, as log probabilities name them. */
export class TokenNamesJson extends InsertedJson {
  readonly #tokens: RecordedTokens;

  constructor(tokens: RecordedTokens) {
    super();
    this.#tokens = tokens;
  }

  override get size(): number {
    return NAME_LENGTH * this.#tokens.ids.length;
  }

  override get memory(): number {
    return this.#tokens.ids.byteLength;
  }

  override *pieces(): Generator<string, void, void> {
    const { ids, tokenJson } = this.#tokens;
    let opening = "[";
    for (const id of ids) {
      yield opening + tokenJson.writeName(id);
      opening = ",";
    }
    yield opening === "[" ? "[]" : "]";
  }
}
