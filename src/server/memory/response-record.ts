import type { Message } from "../../conversation/message.js";
import type { GenerationAnswer } from "../../protocols/generation-answer.js";
import type { RecordedTokens } from "../../protocols/logprobs.js";
import type { JsonText } from "../../protocols/long-json.js";
import type { OutputPart } from "../../protocols/output-parts.js";
import { RawJson, writeJson } from "../../protocols/raw-json.js";
import type { RequestEcho } from "../../protocols/responses/response.js";
import type { TokenJson } from "../../protocols/token-json.js";
import type { Steps } from "../../support/async/steps.js";
import { parseSpelled, stringifySpelled } from "../../support/json/spelled.js";
import { Base64Json } from "./base64-json.js";
import { decodeBase64, STEP_BYTES, splitBase64 } from "./split-base64.js";

/** A response, and the fields of its request that it repeats. */
export interface StoredResponse {
  readonly answer: GenerationAnswer;
  readonly echo: RequestEcho;
  /** True: the response has its token ids, which are read from the session. */
  readonly hasTokenIds: boolean;
}

/**
 * Tokens as base64 of their int32 ids and float32 log probabilities: {@link Base64Json} when written, an index of
 * what {@link splitBase64} takes out when read.
 */
interface StoredTokens<Base64> {
  readonly ids: Base64;
  readonly logprobs: Base64;
  readonly top?: { readonly width: number; readonly ids: Base64; readonly logprobs: Base64 } | undefined;
}

/** Log probabilities that are JSON already, or the tokens from which it is written. */
type StoredLogprobs<Base64> = { readonly json: string } | { readonly runs: readonly StoredTokens<Base64>[] };

type TextPart = Extract<OutputPart, { type: "text" }>;
type StoredPart<Base64> =
  | Exclude<OutputPart, TextPart>
  | (Omit<TextPart, "logprobs"> & { readonly logprobs?: StoredLogprobs<Base64> });

/**
 * The text form of a stored response, without the message, which the interaction has. Tools are long and seldom change, so most responses
 * refer to those of an earlier one.
 */
interface ResponseFields<Base64> {
  readonly answer: Omit<GenerationAnswer, "tokens" | "promptIds" | "sampled" | "parts" | "message">;
  readonly parts: readonly StoredPart<Base64>[];
  /** JSON that keeps the spelling of the request. */
  readonly echo: string;
  /** JSON of the tools, or the index of the interaction whose response has this JSON. */
  readonly tools: string | number;
  readonly hasTokenIds?: true | undefined;
}

/**
 * Returns the text form of a response, and the JSON of its tools.
 *
 * @param earlier the tools of an earlier response of the session, and the index of its interaction
 */
export function encodeResponse(
  { answer, echo, hasTokenIds }: StoredResponse,
  earlier: { readonly tools: string; readonly index: number } | undefined,
): { readonly text: JsonText; readonly tools: string } {
  const { tokens: _, promptIds: _prompt, sampled: _sampled, parts, message: _message, ...answerFields } = answer;
  const { tools: toolList, ...echoFields } = echo;
  const tools = stringifySpelled(toolList);
  const fields: ResponseFields<Base64Json> = {
    answer: answerFields,
    parts: parts.map(encodePart),
    echo: stringifySpelled(echoFields),
    tools: tools === earlier?.tools ? earlier.index : tools,
    hasTokenIds: hasTokenIds || undefined,
  };
  return { text: writeJson(fields), tools };
}

/**
 * Decodes the JSON of a response in steps.
 *
 * @param message the answer of its interaction
 * @param readEarlier returns the JSON of another response of the session
 */
export function* decodeResponse(
  bytes: Buffer,
  message: Message,
  readEarlier: (index: number) => Steps<Buffer | undefined>,
  tokenJson: TokenJson,
): Steps<StoredResponse> {
  const { fields, base64 } = yield* readFields(bytes);
  const { answer, parts: storedParts, echo, tools, hasTokenIds = false } = fields;
  const parts: OutputPart[] = [];
  for (const part of storedParts) parts.push(yield* decodePart(part, base64, tokenJson));
  const toolText = typeof tools === "string" ? tools : yield* readTools(yield* readEarlier(tools));
  const spelled = (yield* parseSpelled(echo)) as Omit<RequestEcho, "tools">;
  const spelledTools = (yield* parseSpelled(toolText)) as unknown[];
  return {
    answer: { ...answer, message, parts, tokens: undefined },
    echo: { ...spelled, tools: spelledTools },
    hasTokenIds,
  };
}

/** Parses all fields except base64, of which the fields have the index. */
function* readFields(bytes: Buffer): Steps<{ fields: ResponseFields<number>; base64: readonly Buffer[] }> {
  const { json, base64 } = yield* splitBase64(bytes);
  return { fields: JSON.parse(json) as ResponseFields<number>, base64 };
}

function* readTools(bytes: Buffer | undefined): Steps<string> {
  const tools = bytes && (yield* readFields(bytes)).fields.tools;
  return typeof tools === "string" ? tools : "[]";
}

function encodePart(part: OutputPart): StoredPart<Base64Json> {
  if (part.type !== "text" || part.logprobs === undefined) return part as StoredPart<Base64Json>;
  const { logprobs } = part;
  return {
    ...part,
    logprobs: logprobs instanceof RawJson ? { json: logprobs.text } : { runs: logprobs.map(encodeRun) },
  };
}

function* decodePart(part: StoredPart<number>, base64: readonly Buffer[], tokenJson: TokenJson): Steps<OutputPart> {
  if (part.type !== "text" || part.logprobs === undefined) return part as OutputPart;
  const { logprobs } = part;
  if ("json" in logprobs) return { ...part, logprobs: new RawJson(logprobs.json) };
  return { ...part, logprobs: yield* decodeRuns(logprobs.runs, base64, tokenJson) };
}

function encodeRun({ ids, logprobs, top }: RecordedTokens): StoredTokens<Base64Json> {
  const alternatives = top && {
    width: top.width,
    ids: new Base64Json(top.ids),
    logprobs: new Base64Json(top.logprobs),
  };
  return { ids: new Base64Json(ids), logprobs: new Base64Json(logprobs), top: alternatives };
}

function* decodeRuns(
  stored: readonly StoredTokens<number>[],
  base64: readonly Buffer[],
  tokenJson: TokenJson,
): Steps<RecordedTokens[]> {
  const runs: RecordedTokens[] = [];
  // Of a streamed answer there are many short runs, of which one step decodes several.
  let inStep = 0;
  function* decode(index: number): Steps<ArrayBuffer> {
    const text = base64[index] ?? Buffer.alloc(0);
    if (inStep > 0 && inStep + text.length > STEP_BYTES) {
      yield;
      inStep = 0;
    }
    inStep += text.length;
    return yield* decodeBase64(text);
  }
  for (const { ids, logprobs, top } of stored) {
    const alternatives = top && {
      width: top.width,
      ids: new Int32Array(yield* decode(top.ids)),
      logprobs: new Float32Array(yield* decode(top.logprobs)),
    };
    runs.push({
      ids: new Int32Array(yield* decode(ids)),
      logprobs: new Float32Array(yield* decode(logprobs)),
      top: alternatives,
      tokenJson,
    });
  }
  return runs;
}
