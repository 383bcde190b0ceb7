import { z } from "zod";
import type { TopLogprobs } from "../native/contract.js";
import { InsertedJson, RawJson } from "./raw-json.js";
import type { TokenJson } from "./token-json.js";

/** Recorded output tokens. */
export interface RecordedTokens {
  readonly ids: Int32Array;
  readonly logprobs: Float32Array;
  readonly top: TopLogprobs | undefined;
  /** Writes entries of the model's tokens. */
  readonly tokenJson: TokenJson;
}

/**
 * Log probabilities of a text: its tokens in one or more runs, or their JSON. As objects they would take about 30 times the memory
 * of the runs, and one long answer would stall the event loop for seconds.
 */
export type Logprobs = readonly RecordedTokens[] | RawJson;

const tokenLogprob = z.object({
  token: z.string(),
  token_id: z
    .int()
    .optional()
    .describe("Only if tokens are named by their ids. `token` is then `token_id:` followed by the id."),
  logprob: z.number().describe("Natural logarithm."),
  bytes: z.array(z.int()).describe("UTF-8 bytes. A token may hold only a part of a character."),
});

/** `logprobs` of a choice or of a text part: one entry per recorded token. Answers have it as {@link InsertedJson}. */
export const tokenLogprobs = z.array(
  tokenLogprob.extend({ top_logprobs: z.array(tokenLogprob) }),
) as unknown as z.ZodType<InsertedJson, InsertedJson>;

/** Entries of tokens and alternatives that take about a millisecond to write. */
const ENTRIES_PER_SLICE = 4096;

/** Typical number of characters of an entry. */
const ENTRY_LENGTH = 75;

/** Returns how many tokens may be written without letting the event loop run. */
export function sliceLength(topWidth: number): number {
  return Math.max(1, Math.floor(ENTRIES_PER_SLICE / (1 + topWidth)));
}

/** Returns one entry per recorded token, including the end-of-turn token. They are written when the answer is sent. */
export function toLogprobs(logprobs: Logprobs): InsertedJson {
  return logprobs instanceof RawJson ? logprobs : new LogprobsJson(logprobs);
}

/** Returns the memory of recorded tokens, in bytes. */
export function measureLogprobs(logprobs: Logprobs): number {
  if (logprobs instanceof RawJson) return logprobs.text.length;
  return logprobs.reduce((bytes, run) => bytes + RUN_BYTES + 8 * countEntries(run), 0);
}

/** Memory of the objects of one run, in bytes. */
const RUN_BYTES = 1024;

const countEntries = ({ ids, top }: RecordedTokens) => ids.length * (1 + (top?.width ?? 0));

/** Log probabilities whose JSON has a piece for each recorded token. */
class LogprobsJson extends InsertedJson {
  readonly #runs: readonly RecordedTokens[];

  constructor(runs: readonly RecordedTokens[]) {
    super();
    this.#runs = runs;
  }

  override get size(): number {
    return ENTRY_LENGTH * this.#runs.reduce((sum, run) => sum + countEntries(run), 0);
  }

  override get memory(): number {
    return measureLogprobs(this.#runs);
  }

  override *pieces(): Generator<string, void, void> {
    let opening = "[";
    for (const run of this.#runs) {
      for (let i = 0; i < run.ids.length; i++) {
        yield opening + writeToken(run, i);
        opening = ",";
      }
    }
    yield opening === "[" ? "[]" : "]";
  }
}

/** Writes the entry of a recorded token with its alternatives. A negative id marks an unused place. */
function writeToken({ ids, logprobs, top, tokenJson }: RecordedTokens, index: number): string {
  let text = `${tokenJson.writeEntry(ids[index] ?? 0, logprobs[index] ?? 0)},"top_logprobs":[`;
  const { width = 0 } = top ?? {};
  let separator = "";
  for (let i = index * width; i < (index + 1) * width; i++) {
    const id = top?.ids[i] ?? -1;
    if (id < 0) continue;
    text += `${separator}${tokenJson.writeEntry(id, top?.logprobs[i] ?? 0)}}`;
    separator = ",";
  }
  return `${text}]}`;
}
