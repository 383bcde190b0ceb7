import { type MessageContent, type MessagePart, sameContent, toContent } from "../../conversation/content.js";
import type { Message, ToolCall } from "../../conversation/message.js";
import { stringifySpelled } from "../../support/json/spelled.js";
import type { MediaReader } from "../image-policy.js";
import { type ReadReasoning, SentReasoning } from "../reasoning-signature.js";
import { CallIds } from "./call-ids.js";
import type { GeminiContent, GeminiPart, SystemInstruction } from "./contents.js";
import { findMedia, type GeminiMediaPart } from "./media.js";

/** Reads what parts refer to. */
export interface PartReaders {
  readonly reasoning: ReadReasoning;
  readonly media: MediaReader;
}

/** One turn of the model, collected from its contents. */
interface Turn {
  content: string;
  readonly reasoning: SentReasoning;
  readonly toolCalls: ToolCall[];
  /** The first signature of its parts. All parts of an answer have the same one. */
  signature: string | undefined;
  /** True if its last content has a signed text, which ends every answer. */
  ended: boolean;
}

/**
 * Returns the conversation's messages, with the system prompt first.
 *
 * Clients that stream keep each chunk of an answer as a content of its own, so contents of the model that follow each other form one
 * turn. A signature shows where the next turn begins.
 */
export function readGeminiMessages(
  system: SystemInstruction | undefined,
  contents: readonly GeminiContent[],
  { reasoning, media }: PartReaders,
): Message[] {
  const messages = systemMessages(system);
  const ids = new CallIds();
  let turn: Turn | undefined;
  const endTurn = () => {
    if (turn) messages.push(toAssistant(turn, reasoning));
    turn = undefined;
  };
  contents.forEach(({ role, parts = [] }, index) => {
    if (role === "user" || (turn && beginsTurn(parts, turn))) endTurn();
    if (role === "model") turn = addToTurn(turn, parts, ids);
    else messages.push(...userMessages(parts, { ids, media }, `contents[${index}].parts`));
  });
  endTurn();
  return messages;
}

/** Returns the signature of the last part that has one: that of the answer that the request continues. */
export function findLastSignature(contents: readonly GeminiContent[]): string | undefined {
  for (const { role, parts = [] } of contents.toReversed()) {
    const signed = role === "model" ? parts.findLast((part) => part.thoughtSignature) : undefined;
    if (signed) return signed.thoughtSignature;
  }
  return undefined;
}

/** Each part of the system instruction is a paragraph. */
function systemMessages(system: SystemInstruction | undefined): Message[] {
  const content = (system?.parts ?? []).map(({ text = "" }) => text).join("\n");
  return content === "" ? [] : [{ role: "system", content }];
}

function beginsTurn(parts: readonly GeminiPart[], { ended, signature }: Turn): boolean {
  const own = parts.find((part) => part.thoughtSignature)?.thoughtSignature;
  return ended || (signature !== undefined && own !== undefined && own !== signature);
}

function addToTurn(turn: Turn | undefined, parts: readonly GeminiPart[], ids: CallIds): Turn {
  const current = turn ?? {
    content: "",
    reasoning: new SentReasoning(),
    toolCalls: [],
    signature: undefined,
    ended: false,
  };
  for (const { text = "", thought, thoughtSignature, functionCall } of parts) {
    const isThought = thought === true && functionCall === undefined;
    current.reasoning.add(isThought ? text : "", thoughtSignature);
    current.signature ??= thoughtSignature;
    if (!isThought) current.content += text;
    if (functionCall) {
      const { name, args = {} } = functionCall;
      current.toolCalls.push({ id: ids.addCall(functionCall), name, arguments: stringifySpelled(args) });
    } else if (!isThought && thoughtSignature !== undefined) current.ended = true;
  }
  return current;
}

function toAssistant({ content, reasoning, toolCalls }: Turn, readReasoning: ReadReasoning): Message {
  return {
    role: "assistant",
    content,
    ...reasoning.read(readReasoning),
    ...(toolCalls.length === 0 ? {} : { toolCalls }),
  };
}

interface UserReaders {
  readonly ids: CallIds;
  readonly media: MediaReader;
}

/**
 * Makes one message of each function response, and one of each run of other parts between them. Gemini CLI sends some responses of a resumed
 * conversation twice, so a response that repeats an earlier one of the same content, with its id, is left out.
 *
 * @param path path of the parts
 */
function userMessages(parts: readonly GeminiPart[], { ids, media }: UserReaders, path: string): Message[] {
  const messages: Message[] = [];
  const responses = new Map<string, MessageContent>();
  let run: MessagePart[] = [];
  const endRun = () => {
    if (run.length > 0) messages.push({ role: "user", content: toContent(run) });
    run = [];
  };
  parts.forEach((part, index) => {
    const { functionResponse: answer } = part;
    if (!answer) {
      run.push(readPart(part, media, `${path}[${index}]`));
      return;
    }
    endRun();
    const ownPath = `${path}[${index}].functionResponse`;
    const toolCallId = ids.findCall(answer, ownPath);
    const beside = (answer.parts ?? []).map((each, i) => readPart(each, media, `${ownPath}.parts[${i}]`));
    const content = toContent([{ type: "text", text: writeResponse(answer.response) }, ...beside]);
    const earlier = answer.id ? responses.get(answer.id) : undefined;
    if (earlier !== undefined && sameContent(earlier, content)) return;
    responses.set(toolCallId, content);
    messages.push({ role: "tool", content, toolCallId, name: answer.name });
  });
  endRun();
  return messages;
}

function readPart(
  part: GeminiMediaPart & { readonly text?: string | undefined },
  media: MediaReader,
  path: string,
): MessagePart {
  const found = findMedia(part);
  return found ? media.readPart(found, path, `${path}.${found.type}`) : { type: "text", text: part.text ?? "" };
}

/** Returns a response as text. As Google documents it, a response's `output` is the function's whole output. */
function writeResponse(response: Readonly<Record<string, unknown>> = {}): string {
  const [name, ...others] = Object.keys(response);
  const output = name === "output" && others.length === 0 ? response["output"] : response;
  return typeof output === "string" ? output.toWellFormed() : stringifySpelled(output);
}
