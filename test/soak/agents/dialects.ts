import type { Api } from "../../../src/session/recorded-interaction.js";
import { readData } from "../../helpers/sse.js";

export interface Message {
  readonly role: "user" | "assistant";
  readonly content: string;
}

export interface CallRequest {
  readonly messages: readonly Message[];
  readonly seed: number;
  readonly maxTokens: number;
  readonly stream: boolean;
  /** Of the API `responses`: continues this stored response instead of sending its messages. */
  readonly previousId?: string | undefined;
}

export interface Answer {
  readonly id: string;
  readonly text: string;
}

/** How an agent writes a request and reads an answer in one protocol. */
export interface Dialect {
  readonly api: Api;
  path(request: CallRequest): string;
  body(request: CallRequest): object;
  /** Reads an answer that is not streamed. */
  read(answer: unknown): Answer;
  /** Reads a whole stream. Returns undefined if it has no end, and a failure if it ends with an error. */
  readStream(text: string): Answer | { readonly code: string } | undefined;
}

type Fields = Readonly<Record<string, unknown>>;
interface Text {
  readonly text: string;
}
interface Failure {
  readonly code?: string;
}

interface ChatBody {
  readonly id: string;
  readonly choices: readonly { readonly message: { readonly content: string | null } }[];
}
interface ChatChunk {
  readonly id: string;
  readonly choices?: readonly { readonly delta: { readonly content?: string } }[];
  readonly error?: Failure;
}

const chat: Dialect = {
  api: "chat.completions",
  path: () => "/v1/chat/completions",
  body: ({ messages, seed, maxTokens, stream }) => ({ model: "tiny", messages, seed, max_tokens: maxTokens, stream }),
  read: (answer) => {
    const { id, choices } = answer as ChatBody;
    return { id, text: choices[0]?.message.content ?? "" };
  },
  readStream: (stream) => {
    const chunks = readData<ChatChunk>(stream);
    const failure = chunks.find(({ error }) => error)?.error;
    if (failure) return { code: failure.code ?? "unknown" };
    if (!stream.endsWith("data: [DONE]\n\n")) return undefined;
    const text = chunks.map(({ choices }) => choices?.[0]?.delta.content ?? "").join("");
    return { id: chunks[0]?.id ?? "", text };
  },
};

interface ResponseBody {
  readonly id: string;
  readonly output: readonly { readonly type: string; readonly content?: readonly Text[] }[];
}
interface ResponseEvent {
  readonly type: string;
  readonly code?: string;
  readonly response?: ResponseBody;
}

const responses: Dialect = {
  api: "responses",
  path: () => "/v1/responses",
  body: ({ messages, seed, maxTokens, stream, previousId }) => ({
    model: "tiny",
    input: previousId === undefined ? messages : messages.slice(-1),
    ...(previousId === undefined ? {} : { previous_response_id: previousId }),
    seed,
    max_output_tokens: maxTokens,
    stream,
  }),
  read: (answer) => {
    const { id, output } = answer as ResponseBody;
    return { id, text: output.flatMap(({ content = [] }) => content.map(({ text }) => text)).join("") };
  },
  readStream: (stream) => {
    const events = readData<ResponseEvent>(stream);
    const failure = events.find(({ type }) => type === "error");
    if (failure) return { code: failure.code ?? "unknown" };
    const last = events.find(({ type }) => type === "response.completed" || type === "response.incomplete");
    return last?.response && responses.read(last.response);
  },
};

interface MessageBody {
  readonly id: string;
  readonly content: readonly Partial<Text>[];
}
interface MessageEvent {
  readonly type: string;
  readonly message?: MessageBody;
  readonly delta?: Partial<Text>;
  readonly error?: Failure;
}

const messages: Dialect = {
  api: "messages",
  path: () => "/v1/messages",
  body: ({ messages: history, seed, maxTokens, stream }) =>
    ({ model: "tiny", messages: history, seed, max_tokens: maxTokens, stream }) satisfies Fields,
  read: (answer) => {
    const { id, content } = answer as MessageBody;
    return { id, text: content.map(({ text = "" }) => text).join("") };
  },
  readStream: (stream) => {
    const events = readData<MessageEvent>(stream);
    const failure = events.find(({ type }) => type === "error")?.error;
    if (failure) return { code: failure.code ?? "unknown" };
    if (!events.some(({ type }) => type === "message_stop")) return undefined;
    const id = events.find(({ message }) => message)?.message?.id ?? "";
    return { id, text: events.map(({ delta }) => delta?.text ?? "").join("") };
  },
};

interface GeminiBody {
  readonly responseId: string;
  readonly candidates?: readonly {
    readonly content: { readonly parts: readonly Text[] };
    readonly finishReason?: string;
  }[];
  readonly error?: GoogleFailure;
}
interface GoogleFailure {
  readonly details: readonly { readonly metadata?: Failure }[];
}

const generateContent: Dialect = {
  api: "generate_content",
  path: ({ stream }) => `/v1beta/models/tiny:${stream ? "streamGenerateContent?alt=sse" : "generateContent"}`,
  body: ({ messages: history, seed, maxTokens }) => ({
    contents: history.map(({ role, content }) => ({
      role: role === "assistant" ? "model" : "user",
      parts: [{ text: content }],
    })),
    generationConfig: { seed, maxOutputTokens: maxTokens },
  }),
  read: (answer) => {
    const { responseId, candidates = [] } = answer as GeminiBody;
    return {
      id: responseId,
      text: candidates.flatMap(({ content }) => content.parts.map(({ text }) => text)).join(""),
    };
  },
  readStream: (stream) => {
    const chunks = readData<GeminiBody>(stream);
    const failure = chunks.find(({ error }) => error)?.error;
    if (failure) return { code: failure.details[0]?.metadata?.code ?? "unknown" };
    if (chunks.at(-1)?.candidates?.[0]?.finishReason === undefined) return undefined;
    const answers = chunks.map((chunk) => generateContent.read(chunk));
    return { id: answers[0]?.id ?? "", text: answers.map(({ text }) => text).join("") };
  },
};

export const DIALECTS: readonly [Dialect, ...Dialect[]] = [chat, responses, messages, generateContent];
