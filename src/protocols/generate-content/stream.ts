import type { AnswerStart, GenerationAnswer } from "../generation-answer.js";
import type { RecordedTokens } from "../logprobs.js";
import { concat, type JsonText, LongJson } from "../long-json.js";
import type { AnswerEvent } from "../output-parts.js";
import { writeJson } from "../raw-json.js";
import { signReasoning } from "../reasoning-signature.js";
import { dataLine, KEEP_ALIVE_COMMENT } from "../sse.js";
import type { StreamEncoder, StreamFailure } from "../stream-encoder.js";
import { CandidateParts } from "./candidate-parts.js";
import { toGoogleError } from "./google-error.js";
import { type Candidate, sumGeminiUsage, toCandidate, toFinishReason, toGeminiResponse } from "./response.js";

/** How chunks follow each other: as server-sent events, or as the elements of one JSON array. */
export type Framing = "sse" | "array";

/**
 * Writes the chunks of a streamed answer. Each chunk is a response with the next parts of a candidate. The last chunk has the usage,
 * and for each candidate the finish reason, the interaction and a signed, empty text. As in Gemini's API, a function call is always
 * complete in one chunk.
 */
export class GenerateContentStream implements StreamEncoder {
  readonly contentType: string;
  readonly keepAlive: string;
  readonly #framing: Framing;
  readonly #includeThoughts: boolean;
  #start: Pick<AnswerStart, "interactionId" | "model"> = { interactionId: "", model: "" };
  #candidates: readonly CandidateParts[] = [];
  #hasChunks = false;

  constructor(framing: Framing, includeThoughts: boolean) {
    this.#framing = framing;
    this.#includeThoughts = includeThoughts;
    this.contentType = framing === "sse" ? "text/event-stream; charset=utf-8" : "application/json; charset=utf-8";
    this.keepAlive = framing === "sse" ? KEEP_ALIVE_COMMENT : "\n";
  }

  start(start: AnswerStart, others: readonly AnswerStart[] = []): JsonText {
    this.#start = start;
    this.#candidates = [start, ...others].map(
      ({ interactionId }) => new CandidateParts(signReasoning(interactionId), this.#includeThoughts),
    );
    return this.#framing === "sse" ? "" : "[";
  }

  push(events: readonly AnswerEvent[], tokens: RecordedTokens | undefined, choice = 0): JsonText {
    const candidate = this.#candidates[choice];
    const parts = candidate?.push(events, tokens) ?? [];
    if (!candidate || parts.length === 0) return "";
    return this.#chunk([{ ...toCandidate(parts, choice), ...candidate.takeLogprobs() }]);
  }

  finish(answer: GenerationAnswer, others: readonly GenerationAnswer[] = []): JsonText {
    const answers = [answer, ...others];
    const ends = this.#candidates.map((candidate, index) => endCandidate(candidate, answers[index] ?? answer, index));
    return concat(this.#chunk(ends, sumGeminiUsage(answer, others)), this.#closing);
  }

  fail(failure: StreamFailure): JsonText {
    return concat(this.#frame(toGoogleError(failure)), this.#closing);
  }

  get #closing(): string {
    return this.#framing === "sse" ? "" : "]";
  }

  #chunk(candidates: Candidate[], usage?: ReturnType<typeof sumGeminiUsage>): JsonText {
    return this.#frame(toGeminiResponse(this.#start, candidates, usage));
  }

  #frame(value: object): JsonText {
    const json = writeJson(value);
    if (this.#framing === "sse") return dataLine(toOneLine(json));
    const separator = this.#hasChunks ? ",\r\n" : "";
    this.#hasChunks = true;
    return json instanceof LongJson ? json.between(separator, "") : separator + json;
  }
}

function endCandidate(candidate: CandidateParts, answer: GenerationAnswer, index: number): Candidate {
  return {
    finishReason: toFinishReason(answer),
    interactionId: answer.interactionId,
    ...toCandidate(candidate.finish(), index),
    ...candidate.average,
    ...candidate.takeLogprobs(),
  };
}

/**
 * Characters at which clients of Gemini's API end a line: many versions of Google's SDK for JavaScript match an event with `.`, the SDK
 * for Python splits events with `str.splitlines`. JSON strings may contain the last three unescaped.
 */
const LINE_ENDS = /[\n\r\u0085\u2028\u2029]/g;

/** Writes JSON in one line, as an event must have it. Arguments of calls are inserted as the model wrote them, in any number of lines. */
function toOneLine(json: JsonText): JsonText {
  return typeof json === "string" ? replaceLineEnds(json) : json.map(replaceLineEnds);
}

const replaceLineEnds = (json: string): string => json.replace(LINE_ENDS, replaceLineEnd);

/** Line breaks are white space: valid strings have none. The other characters occur in strings only. */
function replaceLineEnd(character: string): string {
  if (character === "\n" || character === "\r") return " ";
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
