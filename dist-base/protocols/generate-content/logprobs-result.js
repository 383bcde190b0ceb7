import { z } from "zod";
import { InsertedJson } from "../raw-json.js";
const candidate = z.object({
    token: z.string(),
    tokenId: z.int(),
    logProbability: z.number().describe("Natural logarithm."),
});
/** `logprobsResult` of a candidate. Answers have the lists as {@link InsertedJson}. */
export const logprobsResult = z.object({
    chosenCandidates: inserted(z.array(candidate)).describe("One entry per recorded token."),
    topCandidates: inserted(z.array(z.object({ candidates: z.array(candidate) }))).optional(),
});
function inserted(schema) {
    return schema;
}
/** Returns the log probabilities of all recorded tokens, including the end-of-turn token. Their JSON is written when the answer is sent. */
export function toLogprobsResult(runs) {
    const hasTop = runs.some(({ top }) => (top?.width ?? 0) > 0);
    return {
        chosenCandidates: new CandidateList(runs, writeChosen, 1),
        ...(hasTop ? { topCandidates: new CandidateList(runs, writeTop, runs[0]?.top?.width ?? 1) } : {}),
    };
}
/** The average log probability of runs of tokens. */
export class AverageLogprob {
    #sum = 0;
    #count = 0;
    add({ logprobs }) {
        for (const logprob of logprobs)
            this.#sum += logprob;
        this.#count += logprobs.length;
    }
    /** Undefined if the list of tokens is empty. */
    get value() {
        return this.#count === 0 ? undefined : this.#sum / this.#count;
    }
}
/** Typical length of an entry, in characters. */
const ENTRY_LENGTH = 55;
/** Memory of the objects of one run, in bytes. */
const RUN_BYTES = 1024;
/** A list whose JSON has a piece for each recorded token. */
class CandidateList extends InsertedJson {
    #runs;
    #write;
    #width;
    /** @param width approximate number of candidates of an entry */
    constructor(runs, write, width) {
        super();
        this.#runs = runs;
        this.#write = write;
        this.#width = width;
    }
    get #entries() {
        return this.#width * this.#runs.reduce((sum, { ids }) => sum + ids.length, 0);
    }
    get size() {
        return ENTRY_LENGTH * this.#entries;
    }
    get memory() {
        return RUN_BYTES * this.#runs.length + 8 * this.#entries;
    }
    *pieces() {
        let opening = "[";
        for (const run of this.#runs) {
            for (let i = 0; i < run.ids.length; i++) {
                yield opening + this.#write(run, i);
                opening = ",";
            }
        }
        yield opening === "[" ? "[]" : "]";
    }
}
function writeChosen({ ids, logprobs, tokenJson }, index) {
    return tokenJson.writeCandidate(ids[index] ?? 0, logprobs[index] ?? 0);
}
/** Writes the alternatives of one token. A negative id marks an unused place. */
function writeTop({ top, tokenJson }, index) {
    const { width = 0 } = top ?? {};
    const entries = [];
    for (let i = index * width; i < (index + 1) * width; i++) {
        const id = top?.ids[i] ?? -1;
        if (id >= 0)
            entries.push(tokenJson.writeCandidate(id, top?.logprobs[i] ?? 0));
    }
    return `{"candidates":[${entries.join(",")}]}`;
}
//# sourceMappingURL=logprobs-result.js.map