import { z } from "zod";
import type { Message } from "../../conversation/message.js";
import { type MediaField } from "../image-policy.js";
import { type ReadReasoning } from "../reasoning-signature.js";
declare const reference: z.ZodObject<{
    type: z.ZodLiteral<"item_reference">;
    id: z.ZodString;
}, z.core.$strip>;
declare const item: z.ZodPreprocess<z.ZodDiscriminatedUnion<[z.ZodObject<{
    type: z.ZodLiteral<"message">;
    id: z.ZodOptional<z.ZodUnknown>;
    role: z.ZodEnum<{
        assistant: "assistant";
        developer: "developer";
        system: "system";
        user: "user";
    }>;
    content: z.ZodUnion<readonly [z.ZodPipe<z.ZodString, z.ZodTransform<string, string>>, z.ZodPipe<z.ZodPipe<z.ZodArray<z.ZodUnknown>, z.ZodTransform<({
        type: "input_text";
        text: string;
    } | {
        type: "output_text";
        text: string;
    } | {
        type: "text";
        text: string;
    } | {
        type: "refusal";
        refusal: string;
    } | {
        type: "input_image";
    } | {
        type: "computer_screenshot";
    } | {
        type: "input_file";
    } | {
        type: "input_audio";
    })[], unknown[]>>, z.ZodTransform<string | import("../../conversation/media.js").ContentWithMedia, ({
        type: "input_text";
        text: string;
    } | {
        type: "output_text";
        text: string;
    } | {
        type: "text";
        text: string;
    } | {
        type: "refusal";
        refusal: string;
    } | {
        type: "input_image";
    } | {
        type: "computer_screenshot";
    } | {
        type: "input_file";
    } | {
        type: "input_audio";
    })[]>>]>;
}, z.core.$strip>, z.ZodObject<{
    type: z.ZodLiteral<"function_call">;
    id: z.ZodOptional<z.ZodUnknown>;
    call_id: z.ZodPipe<z.ZodString, z.ZodTransform<string, string>>;
    name: z.ZodString;
    namespace: z.ZodOptional<z.ZodNullable<z.ZodString>>;
    arguments: z.ZodPipe<z.ZodString, z.ZodTransform<string, string>>;
}, z.core.$strip>, z.ZodObject<{
    type: z.ZodLiteral<"function_call_output">;
    call_id: z.ZodPipe<z.ZodString, z.ZodTransform<string, string>>;
    output: z.ZodOptional<z.ZodNullable<z.ZodUnion<readonly [z.ZodPipe<z.ZodString, z.ZodTransform<string, string>>, z.ZodPipe<z.ZodPipe<z.ZodArray<z.ZodUnknown>, z.ZodTransform<({
        type: "input_text";
        text: string;
    } | {
        type: "output_text";
        text: string;
    } | {
        type: "text";
        text: string;
    } | {
        type: "refusal";
        refusal: string;
    } | {
        type: "input_image";
    } | {
        type: "computer_screenshot";
    } | {
        type: "input_file";
    } | {
        type: "input_audio";
    })[], unknown[]>>, z.ZodTransform<string | import("../../conversation/media.js").ContentWithMedia, ({
        type: "input_text";
        text: string;
    } | {
        type: "output_text";
        text: string;
    } | {
        type: "text";
        text: string;
    } | {
        type: "refusal";
        refusal: string;
    } | {
        type: "input_image";
    } | {
        type: "computer_screenshot";
    } | {
        type: "input_file";
    } | {
        type: "input_audio";
    })[]>>]>>>;
}, z.core.$strip>, z.ZodObject<{
    type: z.ZodLiteral<"computer_call_output">;
    call_id: z.ZodPipe<z.ZodString, z.ZodTransform<string, string>>;
    output: z.ZodObject<{
        type: z.ZodLiteral<"computer_screenshot">;
    }, z.core.$strip>;
}, z.core.$strip>, z.ZodObject<{
    type: z.ZodLiteral<"reasoning">;
    id: z.ZodOptional<z.ZodUnknown>;
    content: z.ZodOptional<z.ZodNullable<z.ZodPipe<z.ZodArray<z.ZodUnknown>, z.ZodTransform<{
        type: "reasoning_text";
        text: string;
    }[], unknown[]>>>>;
    summary: z.ZodOptional<z.ZodNullable<z.ZodPipe<z.ZodArray<z.ZodUnknown>, z.ZodTransform<{
        type: "summary_text";
        text: string;
    }[], unknown[]>>>>;
    encrypted_content: z.ZodOptional<z.ZodUnknown>;
}, z.core.$strip>, z.ZodObject<{
    type: z.ZodLiteral<"item_reference">;
    id: z.ZodString;
}, z.core.$strip>], "type">, unknown>;
/** A list of items. A text is short for one user message. */
export declare const responseInput: z.ZodUnion<readonly [z.ZodPipe<z.ZodPipe<z.ZodString, z.ZodTransform<string, string>>, z.ZodTransform<({
    type: "message";
    id?: unknown;
    role: "assistant" | "developer" | "system" | "user";
    content: string | import("../../conversation/media.js").ContentWithMedia;
} | {
    type: "function_call";
    id?: unknown;
    call_id: string;
    name: string;
    namespace?: string | null | undefined;
    arguments: string;
} | {
    type: "function_call_output";
    call_id: string;
    output?: string | import("../../conversation/media.js").ContentWithMedia | null | undefined;
} | {
    type: "computer_call_output";
    call_id: string;
    output: {
        type: "computer_screenshot";
    };
} | {
    type: "reasoning";
    id?: unknown;
    content?: {
        type: "reasoning_text";
        text: string;
    }[] | null | undefined;
    summary?: {
        type: "summary_text";
        text: string;
    }[] | null | undefined;
    encrypted_content?: unknown;
} | {
    type: "item_reference";
    id: string;
})[], string>>, z.ZodPipe<z.ZodArray<z.ZodUnknown>, z.ZodTransform<({
    type: "message";
    id?: unknown;
    role: "assistant" | "developer" | "system" | "user";
    content: string | import("../../conversation/media.js").ContentWithMedia;
} | {
    type: "function_call";
    id?: unknown;
    call_id: string;
    name: string;
    namespace?: string | null | undefined;
    arguments: string;
} | {
    type: "function_call_output";
    call_id: string;
    output?: string | import("../../conversation/media.js").ContentWithMedia | null | undefined;
} | {
    type: "computer_call_output";
    call_id: string;
    output: {
        type: "computer_screenshot";
    };
} | {
    type: "reasoning";
    id?: unknown;
    content?: {
        type: "reasoning_text";
        text: string;
    }[] | null | undefined;
    summary?: {
        type: "summary_text";
        text: string;
    }[] | null | undefined;
    encrypted_content?: unknown;
} | {
    type: "item_reference";
    id: string;
})[], unknown[]>>]>;
export type InputItem = z.output<typeof item>;
export type InputReference = z.output<typeof reference>;
/** Returns the parts of items that are not text. */
export declare function listMediaFields(items: readonly InputItem[]): MediaField[];
/**
 * Translates items into messages. Reasoning, a message and calls that follow each other form one turn of the assistant,
 * as in a response's own output.
 *
 * @param resolve returns the item that a reference names
 */
export declare function toMessages(items: readonly InputItem[], resolve: (item: InputReference) => InputItem, readReasoning: ReadReasoning): Message[];
export {};
