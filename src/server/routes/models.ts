import { z } from "zod";
import { isAnthropicClient } from "../../admin-api/anthropic-client.js";
import type { App } from "../../http/app-type.js";
import { readContextLimit } from "../call/prompt.js";
import { servicesFor } from "../named-engines.js";
import type { CallServices } from "../services.js";
import type { UpstreamRules } from "../upstreams/upstream-rules.js";

const openaiModel = z.object({
  id: z.string(),
  object: z.literal("model"),
  created: z.int(),
  owned_by: z.string(),
  max_model_len: z.int().optional().describe("Tokens of prompt and output together. Absent for models of upstreams."),
});

/** Anthropic's model record: `ModelInfo` of @anthropic-ai/sdk 1.11. */
const anthropicModel = z.object({
  type: z.literal("model"),
  id: z.string(),
  display_name: z.string(),
  created_at: z.iso.datetime(),
  max_input_tokens: z.int().nullable(),
  max_tokens: z.int().nullable(),
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
export function modelsRoutes(app: App, services: CallServices, rules: UpstreamRules): void {
  for (const prefix of PREFIXES) {
    listModels(app, services, rules, `${prefix}/models`);
    retrieveModel(app, services, rules, `${prefix}/models/*`);
  }
}

function listModels(app: App, services: CallServices, rules: UpstreamRules, url: string): void {
  const response = { 200: z.union([openaiList, anthropicList]) };
  app.get(
    url,
    {
      config: { key: "any", errors: "client" },
      schema: {
        summary: "List the served models, and models that upstreams answer",
        hide: !url.startsWith("/v1/m"),
        response,
      },
    },
    async (request) => {
      const all = services.engines?.all.map((engine) => engine.services) ?? [services];
      const served = await Promise.all(all.map(servedModel));
      const models = [...served, ...rules.listNames().map(upstreamModel)];
      if (!isAnthropicClient(request)) return { object: "list" as const, data: models.map(toOpenai) };
      const ids = { first_id: models.at(0)?.id ?? "", last_id: models.at(-1)?.id ?? "" };
      return { data: models.map(toAnthropic), has_more: false as const, ...ids };
    },
  );
}

/**
 * Returns the served model for any name that no upstream answers, because model calls accept any name. If the server answers several
 * models, only their names are known. A name may contain slashes.
 */
function retrieveModel(app: App, services: CallServices, rules: UpstreamRules, url: string): void {
  const response = { 200: z.union([openaiModel, anthropicModel]) };
  app.get(
    url,
    {
      config: { key: "any", errors: "client" },
      schema: {
        summary: "Describe a served model, or a model that an upstream answers",
        hide: !url.startsWith("/v1/m"),
        params: z.object({ "*": z.string() }),
        response,
      },
    },
    async (request) => {
      const name = request.params["*"];
      const isUpstream = rules.find(name)?.refuse === false;
      const model = isUpstream ? upstreamModel(name) : await servedModel(servicesFor(services, { model: name }));
      return isAnthropicClient(request) ? toAnthropic(model) : toOpenai(model);
    },
  );
}

interface ListedModel {
  readonly id: string;
  readonly owner: "rolltape" | "upstream";
  /** Context length in tokens; undefined if it is unknown. */
  readonly tokens: number | undefined;
}

async function servedModel(services: CallServices): Promise<ListedModel> {
  return { id: services.settings.modelName, owner: "rolltape", tokens: await readContextLimit(services) };
}

const upstreamModel = (id: string): ListedModel => ({ id, owner: "upstream", tokens: undefined });

function toOpenai({ id, owner, tokens }: ListedModel): z.input<typeof openaiModel> {
  const created = Math.floor(STARTED.getTime() / 1000);
  return { id, object: "model", created, owned_by: owner, ...(tokens === undefined ? {} : { max_model_len: tokens }) };
}

function toAnthropic({ id, tokens: known }: ListedModel): z.input<typeof anthropicModel> {
  const tokens = known ?? null;
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
