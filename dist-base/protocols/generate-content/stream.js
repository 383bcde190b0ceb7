import { concat, LongJson } from "../long-json.js";
import { writeJson } from "../raw-json.js";
import { signReasoning } from "../reasoning-signature.js";
import { dataLine, KEEP_ALIVE_COMMENT } from "../sse.js";
import { CandidateParts } from "./candidate-parts.js";
import { toGoogleError } from "./google-error.js";
import { toOneLine } from "./one-line.js";
import { sumUsage, toCandidate, toFinishReason, toResponse } from "./response.js";
/**
 * Writes the chunks of a streamed answer. Each chunk is a response with the next parts of a candidate. The last chunk has the usage,
 * and for each candidate the finish reason, the interaction and a signed, empty text. As in Gemini's API, a function call is always
 * complete in one chunk.
 */
export class GenerateContentStream {
    contentType;
    keepAlive;
    #framing;
    #includeThoughts;
    #start = { interactionId: "", model: "" };
    #candidates = [];
    #hasChunks = false;
    constructor(framing, includeThoughts) {
        this.#framing = framing;
        this.#includeThoughts = includeThoughts;
        this.contentType = framing === "sse" ? "text/event-stream; charset=utf-8" : "application/json; charset=utf-8";
        this.keepAlive = framing === "sse" ? KEEP_ALIVE_COMMENT : "\n";
    }
    start(start, others = []) {
        this.#start = start;
        this.#candidates = [start, ...others].map(({ interactionId }) => new CandidateParts(signReasoning(interactionId), this.#includeThoughts));
        return this.#framing === "sse" ? "" : "[";
    }
    push(events, tokens, choice = 0) {
        const candidate = this.#candidates[choice];
        const parts = candidate?.push(events, tokens) ?? [];
        if (!candidate || parts.length === 0)
            return "";
        return this.#chunk([{ ...toCandidate(parts, choice), ...candidate.takeLogprobs() }]);
    }
    finish(answer, others = []) {
        const answers = [answer, ...others];
        const ends = this.#candidates.map((candidate, index) => endCandidate(candidate, answers[index] ?? answer, index));
        return concat(this.#chunk(ends, sumUsage(answer, others)), this.#closing);
    }
    fail(failure) {
        return concat(this.#frame(toGoogleError(failure)), this.#closing);
    }
    get #closing() {
        return this.#framing === "sse" ? "" : "]";
    }
    #chunk(candidates, usage) {
        return this.#frame(toResponse(this.#start, candidates, usage));
    }
    #frame(value) {
        const json = writeJson(value);
        if (this.#framing === "sse")
            return dataLine(toOneLine(json));
        const separator = this.#hasChunks ? ",\r\n" : "";
        this.#hasChunks = true;
        return json instanceof LongJson ? json.between(separator, "") : separator + json;
    }
}
function endCandidate(candidate, answer, index) {
    return {
        finishReason: toFinishReason(answer),
        interactionId: answer.interactionId,
        ...toCandidate(candidate.finish(), index),
        ...candidate.average,
        ...candidate.takeLogprobs(),
    };
}
//# sourceMappingURL=stream.js.map