import { z } from "zod";
import { InsertedJson, RawJson } from "./raw-json.js";
const tokenLogprob = z.object({
    token: z.string(),
    logprob: z.number().describe("Natural logarithm."),
    bytes: z.array(z.int()).describe("UTF-8 bytes. A token may hold only a part of a character."),
});
/** `logprobs` of a choice or of a text part: one entry per recorded token. Answers have it as {@link InsertedJson}. */
export const tokenLogprobs = z.array(tokenLogprob.extend({ top_logprobs: z.array(tokenLogprob) }));
/** Entries of tokens and alternatives that take about a millisecond to write. */
const ENTRIES_PER_SLICE = 4096;
/** Typical number of characters of an entry. */
const ENTRY_LENGTH = 75;
/** Returns how many tokens may be written without letting the event loop run. */
export function sliceLength(topWidth) {
    return Math.max(1, Math.floor(ENTRIES_PER_SLICE / (1 + topWidth)));
}
/** Returns one entry per recorded token, including the end-of-turn token. They are written when the answer is sent. */
export function toLogprobs(logprobs) {
    return logprobs instanceof RawJson ? logprobs : new LogprobsJson(logprobs);
}
/** Returns the memory of recorded tokens, in bytes. */
export function measureLogprobs(logprobs) {
    if (logprobs instanceof RawJson)
        return logprobs.text.length;
    return logprobs.reduce((bytes, run) => bytes + RUN_BYTES + 8 * countEntries(run), 0);
}
/** Memory of the objects of one run, in bytes. */
const RUN_BYTES = 1024;
const countEntries = ({ ids, top }) => ids.length * (1 + (top?.width ?? 0));
/** Log probabilities whose JSON has a piece for each recorded token. */
class LogprobsJson extends InsertedJson {
    #runs;
    constructor(runs) {
        super();
        this.#runs = runs;
    }
    get size() {
        return ENTRY_LENGTH * this.#runs.reduce((sum, run) => sum + countEntries(run), 0);
    }
    get memory() {
        return measureLogprobs(this.#runs);
    }
    *pieces() {
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
function writeToken({ ids, logprobs, top, tokenJson }, index) {
    let text = `${tokenJson.writeEntry(ids[index] ?? 0, logprobs[index] ?? 0)},"top_logprobs":[`;
    const { width = 0 } = top ?? {};
    let separator = "";
    for (let i = index * width; i < (index + 1) * width; i++) {
        const id = top?.ids[i] ?? -1;
        if (id < 0)
            continue;
        text += `${separator}${tokenJson.writeEntry(id, top?.logprobs[i] ?? 0)}}`;
        separator = ",";
    }
    return `${text}]}`;
}
//# sourceMappingURL=logprobs.js.map