import { z } from "zod";
import { type Logprobs } from "../logprobs.js";
import type { OutputPart } from "../output-parts.js";
import type { NamespacedNames } from "./namespaces.js";
/** Items of a response's output. An item's id contains its response and its index, so no table of ids is needed. */
declare const status: z.ZodEnum<{
    completed: "completed";
    in_progress: "in_progress";
    incomplete: "incomplete";
}>;
declare const outputText: z.ZodObject<{
    type: z.ZodLiteral<"output_text">;
    text: z.ZodString;
    annotations: z.ZodArray<z.ZodUnknown>;
    logprobs: z.ZodType<import("../raw-json.js").InsertedJson, import("../raw-json.js").InsertedJson, z.core.$ZodTypeInternals<import("../raw-json.js").InsertedJson, import("../raw-json.js").InsertedJson>>;
}, z.core.$strip>;
declare const reasoningText: z.ZodObject<{
    type: z.ZodLiteral<"reasoning_text">;
    text: z.ZodString;
}, z.core.$strip>;
export declare const outputItem: z.ZodDiscriminatedUnion<[z.ZodObject<{
    type: z.ZodLiteral<"message">;
    id: z.ZodString;
    role: z.ZodLiteral<"assistant">;
    status: z.ZodEnum<{
        completed: "completed";
        in_progress: "in_progress";
        incomplete: "incomplete";
    }>;
    content: z.ZodArray<z.ZodObject<{
        type: z.ZodLiteral<"output_text">;
        text: z.ZodString;
        annotations: z.ZodArray<z.ZodUnknown>;
        logprobs: z.ZodType<import("../raw-json.js").InsertedJson, import("../raw-json.js").InsertedJson, z.core.$ZodTypeInternals<import("../raw-json.js").InsertedJson, import("../raw-json.js").InsertedJson>>;
    }, z.core.$strip>>;
}, z.core.$strip>, z.ZodObject<{
    type: z.ZodLiteral<"function_call">;
    id: z.ZodString;
    call_id: z.ZodString;
    name: z.ZodString;
    namespace: z.ZodOptional<z.ZodString>;
    arguments: z.ZodString;
    status: z.ZodEnum<{
        completed: "completed";
        in_progress: "in_progress";
        incomplete: "incomplete";
    }>;
}, z.core.$strip>, z.ZodObject<{
    type: z.ZodLiteral<"reasoning">;
    id: z.ZodString;
    summary: z.ZodArray<z.ZodUnknown>;
    content: z.ZodArray<z.ZodObject<{
        type: z.ZodLiteral<"reasoning_text">;
        text: z.ZodString;
    }, z.core.$strip>>;
    encrypted_content: z.ZodString;
    status: z.ZodEnum<{
        completed: "completed";
        in_progress: "in_progress";
        incomplete: "incomplete";
    }>;
}, z.core.$strip>], "type">;
export type OutputItem = z.input<typeof outputItem>;
export type ItemStatus = z.input<typeof status>;
export type OutputText = z.input<typeof outputText>;
export type ReasoningText = z.input<typeof reasoningText>;
export declare const RESPONSE_PREFIX = "resp_";
export declare function itemId(responseId: string, part: OutputPart, index: number): string;
/** Returns the response id and the output index in an item's id; undefined if the text is not an item's id. */
export declare function parseItemId(id: string): {
    readonly responseId: string;
    readonly index: number;
} | undefined;
/** The place of a part in the output of its response. */
export interface ItemPlace {
    readonly responseId: string;
    readonly index: number;
    readonly status: ItemStatus;
}
export declare function toItem(part: OutputPart, { responseId, index, status: itemStatus }: ItemPlace, namespaced: NamespacedNames): OutputItem;
interface ItemText {
    readonly text: string;
    readonly logprobs?: Logprobs;
}
export declare function toOutputText({ text, logprobs }: ItemText): OutputText;
export declare function toReasoningText(text: string): ReasoningText;
export {};
