import type { App } from "../../http/app-type.js";
import { completionSchema, parseCompletion } from "../../protocols/completions/request.js";
import { completionResponseSchema, toCompletion } from "../../protocols/completions/response.js";
import { generateSchema, parseGenerate } from "../../protocols/generate/request.js";
import { generateResponseSchema, toGenerateResponse } from "../../protocols/generate/response.js";
import type { CallServices } from "../services.js";
import { answerModelCall } from "./model-route.js";

/** The calls whose prompt is token ids: POST /v1/completions, also without /v1, and POST /inference/v1/generate. */
export function tokenPromptRoutes(app: App, services: CallServices): void {
  for (const url of ["/v1/completions", "/completions"]) createCompletion(app, services, url);
  generate(app, services);
}

const readRequestedModel = ({ body }: { readonly body: unknown }) => String(Object(body)["model"] ?? "");

function createCompletion(app: App, services: CallServices, url: string): void {
  app.post(
    url,
    {
      config: { key: "session", admits: "model", readRequestedModel },
      schema: {
        summary: "Complete a prompt of token ids; it is recorded token by token",
        hide: !url.startsWith("/v1/"),
        body: completionSchema,
        response: { 200: completionResponseSchema },
      },
    },
    async (request, reply) =>
      answerModelCall(services, request, reply, {
        api: "completions",
        idPrefix: "cmpl-",
        request: parseCompletion(request.body, services.settings),
        toResponse: toCompletion,
      }),
  );
}

function generate(app: App, services: CallServices): void {
  app.post(
    "/inference/v1/generate",
    {
      config: { key: "session", admits: "model", readRequestedModel },
      schema: {
        summary: "Generate token ids from token ids; they are recorded",
        body: generateSchema,
        response: { 200: generateResponseSchema },
      },
    },
    async (request, reply) =>
      answerModelCall(services, request, reply, {
        api: "generate",
        idPrefix: "generate-",
        request: parseGenerate(request.body, services.settings),
        toResponse: toGenerateResponse,
      }),
  );
}
