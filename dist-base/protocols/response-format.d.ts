import { z } from "zod";
import type { OutputStructure } from "./request-sampling.js";
/** `response_format` of chat completions. Any schema is enforced, whether `strict` or not. */
export declare const chatResponseFormat: z.ZodPipe<z.ZodDiscriminatedUnion<[z.ZodObject<{
    type: z.ZodLiteral<"text">;
}, z.core.$strip>, z.ZodObject<{
    type: z.ZodLiteral<"json_object">;
}, z.core.$strip>, z.ZodObject<{
    type: z.ZodLiteral<"json_schema">;
    json_schema: z.ZodObject<{
        name: z.ZodOptional<z.ZodNullable<z.ZodString>>;
        description: z.ZodOptional<z.ZodNullable<z.ZodString>>;
        strict: z.ZodOptional<z.ZodNullable<z.ZodBoolean>>;
        schema: z.ZodRecord<z.ZodString, z.ZodUnknown>;
    }, z.core.$strip>;
}, z.core.$strip>], "type">, z.ZodTransform<OutputStructure | undefined, {
    type: "text";
} | {
    type: "json_object";
} | {
    type: "json_schema";
    json_schema: {
        name?: string | null | undefined;
        description?: string | null | undefined;
        strict?: boolean | null | undefined;
        schema: Record<string, unknown>;
    };
}>>;
/** `text.format` of responses: the same fields without the object `json_schema` around them. */
export declare const responsesTextFormat: z.ZodPipe<z.ZodDiscriminatedUnion<[z.ZodObject<{
    type: z.ZodLiteral<"text">;
}, z.core.$strip>, z.ZodObject<{
    type: z.ZodLiteral<"json_object">;
}, z.core.$strip>, z.ZodObject<{
    name: z.ZodOptional<z.ZodNullable<z.ZodString>>;
    description: z.ZodOptional<z.ZodNullable<z.ZodString>>;
    strict: z.ZodOptional<z.ZodNullable<z.ZodBoolean>>;
    type: z.ZodLiteral<"json_schema">;
    schema: z.ZodRecord<z.ZodString, z.ZodUnknown>;
}, z.core.$strip>], "type">, z.ZodTransform<{
    format: {
        type: "text";
    } | {
        type: "json_object";
    } | {
        name?: string | null | undefined;
        description?: string | null | undefined;
        strict?: boolean | null | undefined;
        type: "json_schema";
        schema: Record<string, unknown>;
    };
    structure: OutputStructure | undefined;
}, {
    type: "text";
} | {
    type: "json_object";
} | {
    name?: string | null | undefined;
    description?: string | null | undefined;
    strict?: boolean | null | undefined;
    type: "json_schema";
    schema: Record<string, unknown>;
}>>;
/** `output_config.format` of messages. */
export declare const messagesFormat: z.ZodPipe<z.ZodObject<{
    type: z.ZodLiteral<"json_schema">;
    schema: z.ZodRecord<z.ZodString, z.ZodUnknown>;
}, z.core.$strip>, z.ZodTransform<OutputStructure | undefined, {
    type: "json_schema";
    schema: Record<string, unknown>;
}>>;
/** `responseSchema` and `responseJsonSchema` of Gemini's generationConfig. */
export declare const geminiSchema: z.ZodRecord<z.ZodString, z.ZodUnknown>;
