import { z } from "zod";
import { type MediaPart } from "./media.js";
import type { Message } from "./message.js";
declare const chatMessageShape: z.ZodDiscriminatedUnion<[z.ZodObject<{
    name: z.ZodOptional<z.ZodNullable<z.ZodPipe<z.ZodString, z.ZodTransform<string, string>>>>;
    role: z.ZodLiteral<"system">;
    content: z.ZodUnion<readonly [z.ZodPipe<z.ZodString, z.ZodTransform<string, string>>, z.ZodPipe<z.ZodPipe<z.ZodArray<z.ZodUnknown>, z.ZodTransform<({
        text: string;
    } | {
        refusal: string;
    })[], unknown[]>>, z.ZodTransform<string, ({
        text: string;
    } | {
        refusal: string;
    })[]>>]>;
}, z.core.$strip>, z.ZodObject<{
    name: z.ZodOptional<z.ZodNullable<z.ZodPipe<z.ZodString, z.ZodTransform<string, string>>>>;
    role: z.ZodLiteral<"developer">;
    content: z.ZodUnion<readonly [z.ZodPipe<z.ZodString, z.ZodTransform<string, string>>, z.ZodPipe<z.ZodPipe<z.ZodArray<z.ZodUnknown>, z.ZodTransform<({
        text: string;
    } | {
        refusal: string;
    })[], unknown[]>>, z.ZodTransform<string, ({
        text: string;
    } | {
        refusal: string;
    })[]>>]>;
}, z.core.$strip>, z.ZodObject<{
    name: z.ZodOptional<z.ZodNullable<z.ZodPipe<z.ZodString, z.ZodTransform<string, string>>>>;
    role: z.ZodLiteral<"user">;
    content: z.ZodUnion<readonly [z.ZodPipe<z.ZodString, z.ZodTransform<string, string>>, z.ZodPipe<z.ZodPipe<z.ZodArray<z.ZodUnknown>, z.ZodTransform<({
        text: string;
    } | {
        refusal: string;
    })[], unknown[]>>, z.ZodTransform<string, ({
        text: string;
    } | {
        refusal: string;
    })[]>>]>;
}, z.core.$strip>, z.ZodObject<{
    name: z.ZodOptional<z.ZodNullable<z.ZodPipe<z.ZodString, z.ZodTransform<string, string>>>>;
    role: z.ZodLiteral<"assistant">;
    content: z.ZodOptional<z.ZodNullable<z.ZodUnion<readonly [z.ZodPipe<z.ZodString, z.ZodTransform<string, string>>, z.ZodPipe<z.ZodPipe<z.ZodArray<z.ZodUnknown>, z.ZodTransform<({
        text: string;
    } | {
        refusal: string;
    })[], unknown[]>>, z.ZodTransform<string, ({
        text: string;
    } | {
        refusal: string;
    })[]>>]>>>;
    refusal: z.ZodOptional<z.ZodNullable<z.ZodPipe<z.ZodString, z.ZodTransform<string, string>>>>;
    reasoning_content: z.ZodOptional<z.ZodNullable<z.ZodPipe<z.ZodString, z.ZodTransform<string, string>>>>;
    reasoning: z.ZodOptional<z.ZodNullable<z.ZodPipe<z.ZodString, z.ZodTransform<string, string>>>>;
    tool_calls: z.ZodOptional<z.ZodNullable<z.ZodPipe<z.ZodArray<z.ZodUnknown>, z.ZodTransform<{
        id: string;
        type?: "function" | null | undefined;
        function: {
            name: string;
            arguments: string;
        };
    }[], unknown[]>>>>;
    audio: z.ZodOptional<z.ZodNull>;
    function_call: z.ZodOptional<z.ZodNull>;
}, z.core.$strip>, z.ZodObject<{
    name: z.ZodOptional<z.ZodNullable<z.ZodPipe<z.ZodString, z.ZodTransform<string, string>>>>;
    role: z.ZodLiteral<"tool">;
    content: z.ZodOptional<z.ZodNullable<z.ZodUnion<readonly [z.ZodPipe<z.ZodString, z.ZodTransform<string, string>>, z.ZodPipe<z.ZodPipe<z.ZodArray<z.ZodUnknown>, z.ZodTransform<({
        text: string;
    } | {
        refusal: string;
    })[], unknown[]>>, z.ZodTransform<string, ({
        text: string;
    } | {
        refusal: string;
    })[]>>]>>>;
    tool_call_id: z.ZodPipe<z.ZodString, z.ZodTransform<string, string>>;
}, z.core.$strip>], "role">;
/** Messages of text only. */
export declare const chatMessagesSchema: z.ZodPipe<z.ZodArray<z.ZodUnknown>, z.ZodTransform<Message[], unknown[]>>;
/** A message in which placeholders stand for the parts that are not text. */
export interface ShownMessage {
    readonly message: Message;
    readonly media: readonly MediaPart[];
}
/** Messages of users and tools may have images, files and audio. */
export declare const shownMessagesSchema: z.ZodPipe<z.ZodArray<z.ZodUnknown>, z.ZodTransform<ShownMessage[], unknown[]>>;
/** One message that {@link chatMessagesSchema} accepts. */
export type ChatMessage = z.input<typeof chatMessageShape>;
/** Returns a message in the shape of answers and exports. */
export declare function toChatMessage(message: Message): ChatMessage;
export {};
