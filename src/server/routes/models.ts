import { z } from "zod";
import { isAnthropicClient } from "../../control/anthropic-client.js";
import type { App } from "../../http/app-type.js";
import { readContextLimit } from "../call/context-limit.js";
import type { ServerContext } from "../context.js";

const openaiModel = z.object({
  id: z.string(),
  object: z.literal("model"),
  created: z.int(),
  owned_by: z.string(),
  max_model_len: z.int().describe("Tokens of prompt and output together."),
});

/** Anthropic's model record: `ModelInfo` of @anthropic-ai/sdk 1.11. */
const anthropicModel = z.object({
  type: z.literal("model"),
  id: z.string(),
  display_name: z.string(),
  created_at: z.iso.datetime(),
  max_input_tokens: z.int(),
  max_tokens: z.int(),
  lifecycle: z.literal("active"),
  deprecated_at: z.null(),
  retires_at: z.null(),
  line: z.null(),
  capabilities: z.null(),
});

const openaiList = z.object({ object: z.literal("list"), data: z.array(openaiModel) });

const anthropicList = z.object({
  data: z.array(anthropicModel),
  has_more: z.literal(false),
  first_id: z.string(),
  last_id: z.string(),
});

const STARTED = new Date();

/** The same prefixes as for model calls. Anthropic's SDK appends /v1 to its base URL, which may already end in /v1. */
const PREFIXES = ["/v1", "/v1/v1", ""];

/** GET /v1/models and /v1/models/{id}, in the shape of the client's API. */
export function modelsRoutes(app: App, context: ServerContext): void {
  for (const prefix of PREFIXES) {
    listModels(app, context, `${prefix}/models`);
    retrieveModel(app, context, `${prefix}/models/*`);
  }
}

function listModels(app: App, context: ServerContext, url: string): void {
  const response = { 200: z.union([openaiList, anthropicList]) };
  app.get(
    url,
    {
      config: { key: "any", errors: "client" },
      schema: { summary: "List the served model", hide: !url.startsWith("/v1/m"), response },
    },
    async (request) => {
      const { id, tokens } = await servedModel(context);
      if (!isAnthropicClient(request)) return { object: "list" as const, data: [toOpenai(id, tokens)] };
      return { data: [toAnthropic(id, tokens)], has_more: false as const, first_id: id, last_id: id };
    },
  );
}

/** Returns the served model for any name, because model calls accept any name. The name may contain slashes. */
function retrieveModel(app: App, context: ServerContext, url: string): void {
  const response = { 200: z.union([openaiModel, anthropicModel]) };
  app.get(
    url,
    {
      config: { key: "any", errors: "client" },
      schema: { summary: "Describe the served model, whatever the name", hide: !url.startsWith("/v1/m"), response },
    },
    async (request) => {
      const { id, tokens } = await servedModel(context);
      return isAnthropicClient(request) ? toAnthropic(id, tokens) : toOpenai(id, tokens);
    },
  );
}

async function servedModel(context: ServerContext): Promise<{ id: string; tokens: number }> {
  return { id: context.settings.modelName, tokens: await readContextLimit(context) };
}

function toOpenai(id: string, tokens: number): z.input<typeof openaiModel> {
  const created = Math.floor(STARTED.getTime() / 1000);
  return { id, object: "model", created, owned_by: "rolltape", max_model_len: tokens };
}

function toAnthropic(id: string, tokens: number): z.input<typeof anthropicModel> {
  return {
    type: "model",
    id,
    display_name: id,
    created_at: STARTED.toISOString(),
    max_input_tokens: tokens,
    max_tokens: tokens,
    lifecycle: "active",
    deprecated_at: null,
    retires_at: null,
    line: null,
    capabilities: null,
  };
}
