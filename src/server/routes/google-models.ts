import { z } from "zod";
import type { App } from "../../http/app-type.js";
import { readContextLimit } from "../call/prompt.js";
import { servicesFor } from "../named-engines.js";
import type { CallServices } from "../services.js";

/** Google's model record. */
const model = z.object({
  name: z.string().describe("The name with the prefix models/."),
  version: z.string(),
  displayName: z.string(),
  description: z.string(),
  inputTokenLimit: z.int().describe("Tokens of prompt and output together."),
  outputTokenLimit: z.int(),
  supportedGenerationMethods: z.array(z.string()),
  temperature: z.number(),
  maxTemperature: z.number(),
  topP: z.number(),
});

/** GET /v1beta/models and /v1beta/models/{model}, in Google's form. */
export function googleModelsRoutes(app: App, services: CallServices): void {
  app.get(
    "/v1beta/models",
    {
      config: { key: "any" },
      schema: {
        summary: "List the served models in Google's form",
        response: { 200: z.object({ models: z.array(model) }) },
      },
    },
    async () => {
      const all = services.engines?.all.map((engine) => engine.services) ?? [services];
      return { models: await Promise.all(all.map(describeModel)) };
    },
  );
  app.get(
    "/v1beta/models/*",
    {
      config: { key: "any", pattern: "/v1beta/models/{model}" },
      schema: {
        summary: "Describe a served model in Google's form",
        params: z.object({ "*": z.string() }),
        response: { 200: model },
      },
    },
    async ({ params }) => describeModel(servicesFor(services, { model: params["*"] })),
  );
}

async function describeModel(services: CallServices): Promise<z.input<typeof model>> {
  const { modelName } = services.settings;
  const tokens = await readContextLimit(services);
  return {
    name: `models/${modelName}`,
    version: "1",
    displayName: modelName,
    description: "The policy of this server.",
    inputTokenLimit: tokens,
    outputTokenLimit: tokens,
    supportedGenerationMethods: ["generateContent", "countTokens"],
    temperature: 1,
    maxTemperature: 2,
    topP: 1,
  };
}
