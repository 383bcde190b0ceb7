import type { AnswerStart, GenerationAnswer } from "../generation-answer.js";
import type { RecordedTokens } from "../logprobs.js";
import { toLogprobs } from "../logprobs.js";
import { concat, type JsonText, joinTexts } from "../long-json.js";
import type { AnswerEvent } from "../output-parts.js";
import { toRoutedExperts } from "../routed-experts.js";
import { dataEvent, KEEP_ALIVE_COMMENT } from "../sse.js";
import type { StreamEncoder, StreamFailure } from "../stream-encoder.js";
import { IdsJson, toAnswerVersions } from "../token-ids.js";
import { toPromptIds } from "./response.js";
import { sumUsage } from "./usage.js";

const DONE = "data: [DONE]\n\n";

type Delta = Readonly<Record<string, unknown>>;

interface ChunkChoice {
  readonly index: number;
  readonly delta: Delta;
  readonly logprobs?: unknown;
  readonly finish_reason?: string;
  readonly interaction_id?: string;
  readonly token_ids?: IdsJson;
}

export interface ChatStreamOptions {
  /** The stream ends with a chunk that reports the usage. */
  readonly includeUsage: boolean;
  /** Chunks have the log probabilities of their tokens. */
  readonly logprobs: boolean;
  /** Chunks have the ids of their tokens. */
  readonly tokenIds: boolean;
}

/**
 * Writes the chunks of a streamed chat completion in OpenAI's order: the role, the deltas, the finish reason, the usage
 * if the request asks for it, and [DONE]. The first chunk of each choice names its interaction. Reasoning is sent as
 * `reasoning_content`, like SGLang and vLLM do.
 *
 * Ids and log probabilities are sent when their tokens are read, with or before the text that the tokens become. Text that is
 * held back, such as a call, follows in a later chunk.
 */
export class ChatCompletionStream implements StreamEncoder {
  readonly keepAlive = KEEP_ALIVE_COMMENT;
  readonly #options: ChatStreamOptions;
  #start: AnswerStart | undefined;

  constructor(options: ChatStreamOptions) {
    this.#options = options;
  }

  start(start: AnswerStart, others: readonly AnswerStart[] = []): JsonText {
    this.#start = start;
    const delta = { role: "assistant", content: "", refusal: null };
    return joinTexts(
      [start, ...others].map(({ interactionId: id }, index) => {
        const prompt = index === 0 ? toPromptIds(start) : {};
        return this.#chunk({ index, delta, interaction_id: id }, prompt);
      }),
    );
  }

  push(events: readonly AnswerEvent[], tokens: RecordedTokens | undefined, index = 0): JsonText {
    const [first, ...rest] = events.map(toDelta);
    const fields = this.#tokenFields(tokens);
    if (!first && !fields) return "";
    return joinTexts([
      this.#chunk({ index, delta: first ?? {}, ...fields }),
      ...rest.map((delta) => this.#chunk({ index, delta })),
    ]);
  }

  finish(answer: GenerationAnswer, others: readonly GenerationAnswer[] = []): JsonText {
    const last = [answer, ...others].map(({ finishReason, sampled, experts }, index) =>
      this.#chunk({
        index,
        delta: {},
        finish_reason: finishReason,
        ...(sampled && toAnswerVersions(sampled)),
        ...toRoutedExperts(experts),
      }),
    );
    if (!this.#options.includeUsage) return concat(...last, DONE);
    return concat(...last, this.#event([], { usage: sumUsage(answer, others) }), DONE);
  }

  fail({ message, type, param, code }: StreamFailure): JsonText {
    return dataEvent({ error: { message, type, param, code } });
  }

  /** Returns undefined without tokens. */
  #tokenFields(tokens: RecordedTokens | undefined): Pick<ChunkChoice, "logprobs" | "token_ids"> | undefined {
    if (!tokens || tokens.ids.length === 0) return undefined;
    const { logprobs, tokenIds } = this.#options;
    return {
      ...(logprobs && { logprobs: { content: toLogprobs([tokens]), refusal: null } }),
      ...(tokenIds && { token_ids: new IdsJson(tokens.ids) }),
    };
  }

  #chunk({ index, delta, ...more }: ChunkChoice, fields: object = {}): JsonText {
    const choice = { index, delta, logprobs: null, finish_reason: null, ...more };
    return this.#event([choice], this.#options.includeUsage ? { usage: null, ...fields } : fields);
  }

  /** @param fields further fields of the chunk */
  #event(choices: readonly object[], fields: object): JsonText {
    return dataEvent({
      id: this.#start?.interactionId,
      object: "chat.completion.chunk",
      created: Math.floor((this.#start?.createdAt ?? 0) / 1000),
      model: this.#start?.model,
      choices,
      ...fields,
    });
  }
}

function toDelta(event: AnswerEvent): Delta {
  switch (event.type) {
    case "text":
      return { content: event.text };
    case "reasoning":
      return { reasoning_content: event.text };
    case "tool_call": {
      const { index, id, name } = event;
      return { tool_calls: [{ index, id, type: "function", function: { name, arguments: "" } }] };
    }
    case "tool_call_arguments":
      return { tool_calls: [{ index: event.index, function: { arguments: event.text } }] };
  }
}
