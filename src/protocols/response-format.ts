import { z } from "zod";
import { valueLength } from "../conversation/size.js";
import { isShallow } from "./depth.js";
import { TOO_DEEP } from "./fields.js";
import type { OutputSchema } from "./request-sampling.js";

const ANY_OBJECT = JSON.stringify({ type: "object" });

/** The limit exists because the schema is written as text for the grammar and for the digest that finds retries. */
const MAX_SCHEMA_CHARACTERS = 262_144;

const schema = z
  .record(z.string(), z.unknown())
  .refine(isShallow, { error: TOO_DEEP, abort: true })
  .refine(
    (value) => valueLength(value) <= MAX_SCHEMA_CHARACTERS,
    `must have at most ${MAX_SCHEMA_CHARACTERS} characters, where each value counts 16 more`,
  );
const named = { name: z.string().nullish(), description: z.string().nullish(), strict: z.boolean().nullish() };

/** `response_format` of chat completions. Any schema is enforced, whether `strict` or not. */
export const chatResponseFormat = z
  .discriminatedUnion("type", [
    z.object({ type: z.literal("text") }),
    z.object({ type: z.literal("json_object") }),
    z.object({ type: z.literal("json_schema"), json_schema: z.object({ ...named, schema }) }),
  ])
  .transform((format) =>
    toStructure("response_format", format.type, format.type === "json_schema" ? format.json_schema.schema : undefined),
  );

/** `text.format` of responses: the same fields without the object `json_schema` around them. */
export const responsesTextFormat = z
  .discriminatedUnion("type", [
    z.object({ type: z.literal("text") }),
    z.object({ type: z.literal("json_object") }),
    z.object({ type: z.literal("json_schema"), ...named, schema }),
  ])
  .transform((format) => ({
    format,
    structure: toStructure("text.format", format.type, format.type === "json_schema" ? format.schema : undefined),
  }));

/** `output_config.format` of messages. */
export const messagesFormat = z
  .object({ type: z.literal("json_schema"), schema })
  .transform((format) => toStructure("output_config.format", format.type, format.schema));

/** `responseSchema` and `responseJsonSchema` of Gemini's generationConfig. */
export const geminiSchema = schema;

function toStructure(
  param: string,
  type: "text" | "json_object" | "json_schema",
  requestedSchema: unknown,
): OutputSchema | undefined {
  if (type === "text") return undefined;
  return { param, jsonSchema: type === "json_object" ? ANY_OBJECT : JSON.stringify(requestedSchema) };
}
