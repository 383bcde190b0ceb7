import { z } from "zod";
import { CodedError } from "../support/coded-error.js";
import { type AddedToken } from "./tokenizer/added-token.js";
export type ModelFolderErrorCode = 
/** A required file does not exist or cannot be read. */
"model_file_missing"
/** The content of a file is invalid. */
 | "model_file_invalid"
/** No chat template in the folder. */
 | "chat_template_missing"
/** The chat template does not parse, or refuses a single user message. */
 | "chat_template_invalid";
/** A Hugging Face model folder that cannot be used. The message names the file. */
export declare class ModelFolderError extends CodedError<ModelFolderErrorCode> {
    readonly name = "ModelFolderError";
}
declare const tokenizerSchema: z.ZodObject<{
    added_tokens: z.ZodDefault<z.ZodArray<z.ZodObject<{
        id: z.ZodInt;
        content: z.ZodString;
        lstrip: z.ZodDefault<z.ZodBoolean>;
        rstrip: z.ZodDefault<z.ZodBoolean>;
        single_word: z.ZodDefault<z.ZodBoolean>;
        special: z.ZodDefault<z.ZodBoolean>;
        normalized: z.ZodOptional<z.ZodBoolean>;
    }, z.core.$strip>>>;
    model: z.ZodObject<{}, z.core.$loose>;
    normalizer: z.ZodOptional<z.ZodUnknown>;
}, z.core.$loose>;
declare const tokenizerConfigSchema: z.ZodObject<{
    chat_template: z.ZodOptional<z.ZodNullable<z.ZodUnion<readonly [z.ZodString, z.ZodArray<z.ZodObject<{
        name: z.ZodString;
        template: z.ZodString;
    }, z.core.$strip>>]>>>;
    added_tokens_decoder: z.ZodOptional<z.ZodNullable<z.ZodRecord<z.ZodString, z.ZodObject<{
        content: z.ZodString;
        lstrip: z.ZodDefault<z.ZodBoolean>;
        rstrip: z.ZodDefault<z.ZodBoolean>;
        single_word: z.ZodDefault<z.ZodBoolean>;
        special: z.ZodDefault<z.ZodBoolean>;
        normalized: z.ZodOptional<z.ZodBoolean>;
    }, z.core.$strip>>>>;
    bos_token: z.ZodOptional<z.ZodNullable<z.ZodUnion<readonly [z.ZodString, z.ZodPipe<z.ZodObject<{
        content: z.ZodString;
    }, z.core.$strip>, z.ZodTransform<string, {
        content: string;
    }>>]>>>;
    eos_token: z.ZodOptional<z.ZodNullable<z.ZodUnion<readonly [z.ZodString, z.ZodPipe<z.ZodObject<{
        content: z.ZodString;
    }, z.core.$strip>, z.ZodTransform<string, {
        content: string;
    }>>]>>>;
    pad_token: z.ZodOptional<z.ZodNullable<z.ZodUnion<readonly [z.ZodString, z.ZodPipe<z.ZodObject<{
        content: z.ZodString;
    }, z.core.$strip>, z.ZodTransform<string, {
        content: string;
    }>>]>>>;
    unk_token: z.ZodOptional<z.ZodNullable<z.ZodUnion<readonly [z.ZodString, z.ZodPipe<z.ZodObject<{
        content: z.ZodString;
    }, z.core.$strip>, z.ZodTransform<string, {
        content: string;
    }>>]>>>;
}, z.core.$loose>;
declare const generationConfigSchema: z.ZodObject<{
    eos_token_id: z.ZodOptional<z.ZodNullable<z.ZodUnion<readonly [z.ZodInt, z.ZodArray<z.ZodInt>]>>>;
}, z.core.$loose>;
declare const configSchema: z.ZodObject<{
    eos_token_id: z.ZodOptional<z.ZodNullable<z.ZodUnion<readonly [z.ZodInt, z.ZodArray<z.ZodInt>]>>>;
    max_position_embeddings: z.ZodOptional<z.ZodNullable<z.ZodInt>>;
    model_type: z.ZodOptional<z.ZodNullable<z.ZodString>>;
    text_config: z.ZodOptional<z.ZodNullable<z.ZodObject<{
        eos_token_id: z.ZodOptional<z.ZodNullable<z.ZodUnion<readonly [z.ZodInt, z.ZodArray<z.ZodInt>]>>>;
        max_position_embeddings: z.ZodOptional<z.ZodNullable<z.ZodInt>>;
    }, z.core.$loose>>>;
}, z.core.$loose>;
/** The content of a model folder, file by file. */
export interface ModelFiles {
    readonly tokenizer: z.infer<typeof tokenizerSchema> & {
        readonly added_tokens: readonly AddedToken[];
    };
    readonly tokenizerConfig: z.infer<typeof tokenizerConfigSchema>;
    readonly generationConfig: z.infer<typeof generationConfigSchema>;
    readonly config: z.infer<typeof configSchema>;
    /** chat_template.jinja, which takes precedence over the templates of tokenizer_config.json. */
    readonly chatTemplate: string | undefined;
    /** See {@link modelDigest}. */
    readonly digest: string;
}
/**
 * Reads a Hugging Face model folder: tokenizer.json and tokenizer_config.json, and if they exist chat_template.jinja,
 * generation_config.json and config.json.
 *
 * @throws ModelFolderError if a file is missing or invalid
 */
export declare function readModelFiles(folder: string): Promise<ModelFiles>;
export {};
