import { z } from "zod";
import type { GenerationAnswer } from "../generation-answer.js";
import { type Logprobs, tokenLogprobs, toLogprobs } from "../logprobs.js";
import type { OutputPart } from "../output-parts.js";
import { signReasoning } from "../reasoning-signature.js";
import { IdsJson, itemTokens, LogprobListJson } from "../token-ids.js";
import type { NamespacedNames } from "./namespaces.js";

/** Items of a response's output. An item's id contains its response and its index, so no table of ids is needed. */

const status = z.enum(["in_progress", "completed", "incomplete"]);

const outputText = z.object({
  type: z.literal("output_text"),
  text: z.string(),
  annotations: z.array(z.unknown()),
  logprobs: tokenLogprobs,
});

const reasoningText = z.object({ type: z.literal("reasoning_text"), text: z.string() });

export const outputItem = z.discriminatedUnion("type", [
  z.object({
    type: z.literal("message"),
    id: z.string(),
    role: z.literal("assistant"),
    status,
    content: z.array(outputText),
    ...itemTokens,
  }),
  z.object({
    type: z.literal("function_call"),
    id: z.string(),
    call_id: z.string(),
    name: z.string(),
    namespace: z.string().optional().describe("Of a tool that the request declares in a namespace."),
    arguments: z.string(),
    status,
    ...itemTokens,
  }),
  z.object({
    type: z.literal("reasoning"),
    id: z.string(),
    summary: z.array(z.unknown()),
    content: z.array(reasoningText),
    encrypted_content: z.string().describe("Sent back without `content`, it stands for it."),
    status,
    ...itemTokens,
  }),
]);

export type OutputItem = z.input<typeof outputItem>;
export type ItemStatus = z.input<typeof status>;
export type OutputText = z.input<typeof outputText>;
export type ReasoningText = z.input<typeof reasoningText>;

export const RESPONSE_PREFIX = "resp_";

const PREFIXES = { text: "msg_", reasoning: "rs_", tool_call: "fc_" } as const;
const ITEM_ID = /^(?:msg|rs|fc)_([0-9a-f]+)_(\d+)$/;

export function itemId(responseId: string, part: OutputPart, index: number): string {
  return `${PREFIXES[part.type]}${responseId.slice(RESPONSE_PREFIX.length)}_${index}`;
}

/** Returns the response id and the output index in an item's id; undefined if the text is not an item's id. */
export function parseItemId(id: string): { readonly responseId: string; readonly index: number } | undefined {
  const match = ITEM_ID.exec(id);
  return match ? { responseId: `${RESPONSE_PREFIX}${match[1]}`, index: Number(match[2]) } : undefined;
}

/** The place of a part in the output of its response. */
export interface ItemPlace {
  readonly responseId: string;
  readonly index: number;
  readonly status: ItemStatus;
}

export function toItem(
  part: OutputPart,
  { responseId, index, status: itemStatus }: ItemPlace,
  namespaced: NamespacedNames,
): OutputItem {
  const id = itemId(responseId, part, index);
  switch (part.type) {
    case "text":
      return {
        type: "message",
        id,
        role: "assistant",
        status: itemStatus,
        content: part.text === "" ? [] : [toOutputText(part)],
      };
    case "reasoning": {
      const content = part.text === "" ? [] : [toReasoningText(part.text)];
      return {
        type: "reasoning",
        id,
        summary: [],
        content,
        encrypted_content: signReasoning(responseId),
        status: itemStatus,
      };
    }
    case "tool_call": {
      const { id: callId, name, arguments: text } = part;
      const called = namespaced.get(name) ?? { name };
      return { type: "function_call", id, call_id: callId, ...called, arguments: text, status: itemStatus };
    }
  }
}

/** Returns the parts of an answer that become items. An answer without text has an empty one if an item must have its token ids. */
export function listItemParts({ parts, sampled }: GenerationAnswer): readonly OutputPart[] {
  return parts.length === 0 && sampled ? [{ type: "text", text: "" }] : parts;
}

/** Adds the token ids of an answer to its last item, if the request asks for them. Returns the item. */
export function addTokenIds(item: OutputItem, { promptIds, sampled }: GenerationAnswer): OutputItem {
  if (!promptIds || !sampled) return item;
  return Object.assign(item, {
    prompt_token_ids: new IdsJson(promptIds),
    generation_token_ids: new IdsJson(sampled.ids),
    generation_log_probs: new LogprobListJson(sampled.logprobs),
  });
}

interface ItemText {
  readonly text: string;
  readonly logprobs?: Logprobs;
}

export function toOutputText({ text, logprobs = [] }: ItemText): OutputText {
  return { type: "output_text", text, annotations: [], logprobs: toLogprobs(logprobs) };
}

export function toReasoningText(text: string): ReasoningText {
  return { type: "reasoning_text", text };
}
