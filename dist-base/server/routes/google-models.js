import { z } from "zod";
import { readContextLimit } from "../call/context-limit.js";
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
export function googleModelsRoutes(app, context) {
    app.get("/v1beta/models", {
        config: { key: "any" },
        schema: {
            summary: "List the served model in Google's form",
            response: { 200: z.object({ models: z.array(model) }) },
        },
    }, async () => ({ models: [await describeModel(context)] }));
    app.get("/v1beta/models/*", {
        config: { key: "any", pattern: "/v1beta/models/{model}" },
        schema: { summary: "Describe the served model in Google's form, whatever the name", response: { 200: model } },
    }, async () => describeModel(context));
}
async function describeModel(context) {
    const { modelName } = context.settings;
    const tokens = await readContextLimit(context);
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
//# sourceMappingURL=google-models.js.map