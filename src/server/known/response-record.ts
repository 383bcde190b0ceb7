import type { GenerationAnswer } from "../../protocols/generation-answer.js";
import type { Logprobs, RecordedTokens } from "../../protocols/logprobs.js";
import type { JsonText } from "../../protocols/long-json.js";
import type { OutputPart } from "../../protocols/output-parts.js";
import { RawJson, writeJson } from "../../protocols/raw-json.js";
import type { RequestEcho } from "../../protocols/responses/response.js";
import type { TokenJson } from "../../protocols/token-json.js";
import { parseSpelled, stringifySpelled } from "../../support/json/spelled.js";
import { Base64Json } from "./base64-json.js";

/** A response, and the fields of its request that it repeats. */
export interface StoredResponse {
  readonly answer: GenerationAnswer;
  readonly echo: RequestEcho;
}

/** Tokens as base64 of their int32 ids and float32 log probabilities: {@link Base64Json} when written, a string when read. */
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

/** The text form of a stored response. Tools are long and seldom change, so most responses refer to those of an earlier one. */
interface ResponseFields<Base64> {
  readonly answer: Omit<GenerationAnswer, "tokens" | "parts">;
  readonly parts: readonly StoredPart<Base64>[];
  /** JSON that keeps the spelling of the request. */
  readonly echo: string;
  /** JSON of the tools, or the index of the interaction whose response has this JSON. */
  readonly tools: string | number;
}

/**
 * Returns the text form of a response, and the JSON of its tools.
 *
 * @param earlier the tools of an earlier response of the session, and the index of its interaction
 */
export function encodeResponse(
  { answer, echo }: StoredResponse,
  earlier: { readonly tools: string; readonly index: number } | undefined,
): { readonly text: JsonText; readonly tools: string } {
  const { tokens: _, parts, ...answerFields } = answer;
  const { tools: toolList, ...echoFields } = echo;
  const tools = stringifySpelled(toolList);
  const fields: ResponseFields<Base64Json> = {
    answer: answerFields,
    parts: parts.map(encodePart),
    echo: stringifySpelled(echoFields),
    tools: tools === earlier?.tools ? earlier.index : tools,
  };
  return { text: writeJson(fields), tools };
}

/** @param readEarlier returns the text of another response of the session */
export function decodeResponse(
  text: string,
  readEarlier: (index: number) => string | undefined,
  tokenJson: TokenJson,
): StoredResponse {
  const { answer, parts: storedParts, echo, tools } = JSON.parse(text) as ResponseFields<string>;
  const parts = storedParts.map((part) => decodePart(part, tokenJson));
  const toolText = typeof tools === "string" ? tools : readTools(readEarlier(tools));
  const spelled = { ...(parseSpelled(echo) as Omit<RequestEcho, "tools">), tools: parseSpelled(toolText) as unknown[] };
  return { answer: { ...answer, parts, tokens: undefined }, echo: spelled };
}

function readTools(text: string | undefined): string {
  const tools = text === undefined ? undefined : (JSON.parse(text) as ResponseFields<string>).tools;
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

function decodePart(part: StoredPart<string>, tokenJson: TokenJson): OutputPart {
  if (part.type !== "text" || part.logprobs === undefined) return part as OutputPart;
  const { logprobs } = part;
  const decoded: Logprobs =
    "json" in logprobs ? new RawJson(logprobs.json) : logprobs.runs.map((run) => decodeRun(run, tokenJson));
  return { ...part, logprobs: decoded };
}

function encodeRun({ ids, logprobs, top }: RecordedTokens): StoredTokens<Base64Json> {
  const alternatives = top && {
    width: top.width,
    ids: new Base64Json(top.ids),
    logprobs: new Base64Json(top.logprobs),
  };
  return { ids: new Base64Json(ids), logprobs: new Base64Json(logprobs), top: alternatives };
}

function decodeRun({ ids, logprobs, top }: StoredTokens<string>, tokenJson: TokenJson): RecordedTokens {
  const alternatives = top && {
    width: top.width,
    ids: new Int32Array(fromBase64(top.ids)),
    logprobs: new Float32Array(fromBase64(top.logprobs)),
  };
  return {
    ids: new Int32Array(fromBase64(ids)),
    logprobs: new Float32Array(fromBase64(logprobs)),
    top: alternatives,
    tokenJson,
  };
}

const fromBase64 = (text: string): ArrayBuffer => new Uint8Array(Buffer.from(text, "base64")).buffer;
