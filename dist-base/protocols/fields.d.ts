import { z } from "zod";
/** The limit exists because the name is part of the digest that finds retries. Only its beginning is recorded. */
export declare const MAX_MODEL_LENGTH = 1024;
export declare const TOO_DEEP = "nests deeper than 128 levels";
/** Text. Lone surrogates, which no tokenizer accepts, become U+FFFD. */
export declare const wellFormed: z.ZodPipe<z.ZodString, z.ZodTransform<string, string>>;
/** The id of a response or of an item of its output. */
export declare const responseId: z.ZodString;
/** The name of the requested model. Any name is answered by the served model. */
export declare const requestedModel: z.ZodString;
export declare const stopString: z.ZodPipe<z.ZodString, z.ZodTransform<string, string>>;
export declare const stopStrings: z.ZodPipe<z.ZodArray<z.ZodUnknown>, z.ZodTransform<string[], unknown[]>>;
export declare const toolName: z.ZodString;
/** A positive number of tokens. */
export declare const count: z.ZodInt32;
export declare const jsonObjectSchema: z.ZodRecord<z.ZodString, z.ZodUnknown>;
/**
 * A field that asks for something unsupported.
 *
 * @param name the unsupported field or value, for the error message
 * @param harmless returns true for values that ask for nothing; these are accepted, like null
 */
export declare const unsupported: (name: string, harmless?: (value: unknown) => boolean) => z.ZodOptional<z.ZodUnknown>;
/** A field that cannot change the result. Its value is dropped, so that no record of the call keeps it. */
export declare const noEffect: z.ZodOptional<z.ZodPipe<z.ZodUnknown, z.ZodTransform<undefined, unknown>>>;
/** Fields of tools that apply only to a server that runs or searches tools itself. */
export declare const toolAccess: {
    allowed_callers: z.ZodOptional<z.ZodUnknown>;
    defer_loading: z.ZodOptional<z.ZodUnknown>;
};
/** Returns the `type` of an item, a part or a block; undefined if it has none. */
export declare function readType(value: unknown): string | undefined;
export declare function isEmpty(value: unknown): boolean;
