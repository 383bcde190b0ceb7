import type { AnswerStart, GenerationAnswer } from "../generation-answer.js";
import type { RecordedTokens } from "../logprobs.js";
import { concat, type JsonText, LongJson } from "../long-json.js";
import type { AnswerEvent } from "../output-parts.js";
import { writeJson } from "../raw-json.js";
import { signReasoning } from "../reasoning-signature.js";
import { dataLine, KEEP_ALIVE_COMMENT } from "../sse.js";
import type { StreamEncoder, StreamFailure } from "../stream-encoder.js";
import { toGoogleError } from "./google-error.js";
import { AverageLogprob, toLogprobsResult } from "./logprobs-result.js";
import { toOneLine } from "./one-line.js";
import {
  endOfText,
  type ResponsePart,
  readArgs,
  toCallPart,
  toCandidate,
  toEnd,
  toResponse,
  type WrittenCall,
} from "./response.js";

/** How chunks follow each other: as server-sent events, or as the elements of one JSON array. */
export type Framing = "sse" | "array";

/**
 * Writes the chunks of a streamed answer, each a response with the next parts. The last one has the finish reason, the usage and a
 * signed, empty text. As in Gemini's API, a function call is always complete in one chunk.
 */
export class GenerateContentStream implements StreamEncoder {
  readonly contentType: string;
  readonly keepAlive: string;
  readonly #framing: Framing;
  readonly #includeThoughts: boolean;
  readonly #average = new AverageLogprob();
  #start: Pick<AnswerStart, "interactionId" | "model"> = { interactionId: "", model: "" };
  #signature = "";
  #hasChunks = false;
  /** A call whose arguments are incomplete. */
  #call: WrittenCall | undefined;
  /** True if the last part was reasoning. Only the first of consecutive reasoning parts is signed. */
  #thinking = false;
  /** Tokens whose log probabilities were not sent yet. */
  #tokens: RecordedTokens[] = [];

  constructor(framing: Framing, includeThoughts: boolean) {
    this.#framing = framing;
    this.#includeThoughts = includeThoughts;
    this.contentType = framing === "sse" ? "text/event-stream; charset=utf-8" : "application/json; charset=utf-8";
    this.keepAlive = framing === "sse" ? KEEP_ALIVE_COMMENT : "\n";
  }

  start({ interactionId, model }: AnswerStart): JsonText {
    this.#start = { interactionId, model };
    this.#signature = signReasoning(interactionId);
    return this.#framing === "sse" ? "" : "[";
  }

  push(events: readonly AnswerEvent[], tokens: RecordedTokens | undefined): JsonText {
    if (tokens) this.#addTokens(tokens);
    const parts: ResponsePart[] = [];
    for (const event of events) this.#addEvent(parts, event);
    return parts.length === 0 ? "" : this.#chunk({ ...toCandidate(parts), ...this.#takeLogprobs() });
  }

  finish(answer: GenerationAnswer): JsonText {
    const parts: ResponsePart[] = [];
    this.#endCall(parts);
    parts.push(endOfText(this.#signature));
    const { value: avgLogprobs } = this.#average;
    const last = this.#chunk({
      ...toCandidate(parts),
      ...toEnd(answer),
      ...(avgLogprobs === undefined ? {} : { avgLogprobs }),
      ...this.#takeLogprobs(),
    });
    return concat(last, this.#closing);
  }

  fail(failure: StreamFailure): JsonText {
    return concat(this.#frame(toGoogleError(failure)), this.#closing);
  }

  get #closing(): string {
    return this.#framing === "sse" ? "" : "]";
  }

  /** Adds an event to the parts of a chunk: extends the last part or appends a new one. */
  #addEvent(parts: ResponsePart[], event: AnswerEvent): void {
    switch (event.type) {
      case "text":
        this.#endCall(parts);
        this.#thinking = false;
        addText(parts, { text: event.text });
        break;
      case "reasoning":
        this.#endCall(parts);
        if (this.#includeThoughts) addText(parts, { text: event.text, thought: true, ...this.#signFirstThought() });
        break;
      case "tool_call":
        this.#endCall(parts);
        this.#thinking = false;
        this.#call = { id: event.id, name: event.name, arguments: "" };
        break;
      case "tool_call_arguments":
        if (this.#call) this.#call = { ...this.#call, arguments: this.#call.arguments + event.text };
        // An incomplete object is never valid JSON, so these arguments are complete.
        if (this.#call && readArgs(this.#call.arguments)) this.#endCall(parts);
        break;
    }
  }

  #signFirstThought(): Pick<ResponsePart, "thoughtSignature"> {
    if (this.#thinking) return {};
    this.#thinking = true;
    return { thoughtSignature: this.#signature };
  }

  #endCall(parts: ResponsePart[]): void {
    if (this.#call) parts.push(toCallPart(this.#call, this.#signature));
    this.#call = undefined;
  }

  #addTokens(tokens: RecordedTokens): void {
    this.#average.add(tokens);
    this.#tokens.push(tokens);
  }

  #takeLogprobs() {
    const tokens = this.#tokens;
    this.#tokens = [];
    return tokens.length === 0 ? {} : { logprobsResult: toLogprobsResult(tokens) };
  }

  #chunk(fields: Parameters<typeof toResponse>[1]): JsonText {
    return this.#frame(toResponse(this.#start, fields));
  }

  #frame(value: object): JsonText {
    const json = writeJson(value);
    if (this.#framing === "sse") return dataLine(toOneLine(json));
    const separator = this.#hasChunks ? ",\r\n" : "";
    this.#hasChunks = true;
    return json instanceof LongJson ? json.between(separator, "") : separator + json;
  }
}

/** Joins consecutive texts of the same kind into one part. */
function addText(parts: ResponsePart[], added: ResponsePart & { readonly text: string }): void {
  const last = parts.at(-1);
  if (last?.text === undefined || last.thought !== added.thought) parts.push(added);
  else parts[parts.length - 1] = { ...last, text: `${last.text}${added.text}` };
}
