import { describe, expect, it } from "vitest";
import type { z } from "zod";
import { chatCompletionSchema } from "../../src/protocols/chat-completions/request.js";
import { completionSchema } from "../../src/protocols/completions/request.js";
import { generateSchema } from "../../src/protocols/generate/request.js";
import { generateContentSchema } from "../../src/protocols/generate-content/request.js";
import { messagesSchema } from "../../src/protocols/messages/request.js";
import { responsesSchema } from "../../src/protocols/responses/request.js";

/** The fields that cannot be served, and what the error says about each. Dots separate levels. */
const PROTOCOLS: [name: string, schema: z.ZodType, fields: Record<string, string>][] = [
  [
    "chat completions",
    chatCompletionSchema,
    {
      modalities: "modalities other than text",
      audio: "audio",
      functions: "functions (use tools)",
      function_call: "function_call (use tool_choice)",
      prediction: "prediction",
      verbosity: "verbosity other than medium",
    },
  ],
  [
    "completions",
    completionSchema,
    {
      best_of: "best_of other than 1",
      echo: "echo: true",
      stream: "stream: true (use chat completions)",
      stream_options: "stream_options",
      suffix: "suffix",
    },
  ],
  [
    "generate",
    generateSchema,
    {
      "sampling_params.prompt_logprobs": "sampling_params.prompt_logprobs",
      "sampling_params.routed_experts_prompt_start": "sampling_params.routed_experts_prompt_start",
      content_parts: "content_parts",
      features: "features",
      kv_transfer_params: "kv_transfer_params",
      stream: "stream: true",
      stream_options: "stream_options",
    },
  ],
  [
    "generateContent",
    generateContentSchema,
    {
      "generationConfig.responseModalities": "responseModalities other than TEXT",
      "generationConfig.responseFormat": "responseFormat (use responseMimeType and responseJsonSchema)",
      "generationConfig.speechConfig": "speechConfig",
      "generationConfig.imageConfig": "imageConfig",
      "generationConfig.translationConfig": "translationConfig",
      "generationConfig.enableAffectiveDialog": "enableAffectiveDialog: true",
      cachedContent: "cachedContent",
      continuationToken: "continuationToken",
      generationOutputConfig: "generationOutputConfig",
    },
  ],
  [
    "messages",
    messagesSchema,
    {
      "output_config.task_budget": "output_config.task_budget",
      return_token_ids: "return_token_ids (use chat completions or responses)",
      thread: "thread",
      container: "container",
      context_management: "context_management with edits other than clear_thinking_20251015",
      compaction: "compaction",
    },
  ],
  [
    "responses",
    responsesSchema,
    {
      "text.verbosity": "text.verbosity other than medium",
      "reasoning.context": "reasoning.context other than auto",
      "reasoning.mode": "reasoning.mode other than standard",
      return_routed_experts: "return_routed_experts (use chat completions)",
      background: "background: true",
      conversation: "conversation (use previous_response_id)",
      context_management: "context_management",
      max_tool_calls: "max_tool_calls",
      prompt: "prompt",
      truncation: "truncation other than disabled",
    },
  ],
];

describe.each(PROTOCOLS)("%s", (_, schema, fields) => {
  it.each(Object.entries(fields))("refuses %s", (field, named) => {
    const body: unknown = field.split(".").reduceRight<unknown>((value, name) => ({ [name]: value }), "unknown");
    const { issues = [] } = schema.safeParse(body).error ?? {};
    expect(issues.filter(({ path }) => path.join(".") === field).map(({ message }) => message)).toEqual([
      `${named} is not supported`,
    ]);
  });
});
