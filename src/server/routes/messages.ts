import type { FastifyReply, FastifyRequest } from "fastify";
import { z } from "zod";
import type { App } from "../../http/app-type.js";
import {
  anthropicCountTokensSchema,
  messagesSchema,
  parseMessages,
  readAnthropicPrompt,
} from "../../protocols/messages/request.js";
import { messagesResponseSchema, toMessagesResponse } from "../../protocols/messages/response.js";
import { MessagesStream } from "../../protocols/messages/stream.js";
import { countPromptTokens } from "../call/prompt.js";
import { readWithImages } from "../image-urls/read-with-images.js";
import { signedReasoning } from "../memory/signed-reasoning.js";
import { servicesFor } from "../named-engines.js";
import { whileAdmitted } from "../plugins/admission.js";
import { requireSession } from "../plugins/auth.js";
import type { CallServices } from "../services.js";
import { answerModelCall } from "./model-route.js";

/** Anthropic's SDK appends /v1 to its base URL, which may already end in /v1. Other clients append only /messages. */
const PREFIXES = ["/v1", "/v1/v1", ""];

/** POST /v1/messages and /v1/messages/count_tokens. */
export function messagesRoutes(app: App, services: CallServices): void {
  for (const prefix of PREFIXES) {
    createMessage(app, services, `${prefix}/messages`);
    countTokens(app, services, `${prefix}/messages/count_tokens`);
  }
}

function createMessage(app: App, services: CallServices, url: string): void {
  app.post(
    url,
    {
      config: { key: "session", errors: "anthropic", admits: "model", upstream: "messages" },
      schema: {
        summary: "Create a message; it is recorded token by token",
        hide: !url.startsWith("/v1/m"),
        body: messagesSchema,
        response: { 200: messagesResponseSchema },
      },
    },
    async (request, reply) => {
      setRequestId(request, reply);
      const readReasoning = signedReasoning(requireSession(request), services.settings.maxPromptCharacters);
      const parsed = await readWithImages(services, request, reply, (policies) =>
        parseMessages(request.body, { ...policies, readReasoning }),
      );
      return answerModelCall(services, request, reply, {
        api: "messages",
        idPrefix: "msg_",
        request: parsed,
        encoder: () => new MessagesStream(),
        toResponse: toMessagesResponse,
      });
    },
  );
}

function countTokens(app: App, services: CallServices, url: string): void {
  app.post(
    url,
    {
      config: { key: "session", errors: "anthropic", admits: "count", upstream: "messages/count_tokens" },
      schema: {
        summary: "Count the tokens of a message's prompt",
        hide: !url.startsWith("/v1/m"),
        body: anthropicCountTokensSchema,
        response: { 200: z.object({ input_tokens: z.int() }) },
      },
    },
    async (request, reply) => {
      setRequestId(request, reply);
      const session = requireSession(request);
      const { maxPromptCharacters } = services.settings;
      const readReasoning = signedReasoning(session, maxPromptCharacters);
      const prompt = await readWithImages(services, request, reply, (policies) =>
        readAnthropicPrompt(request.body, { ...policies, readReasoning }),
      );
      const answering = servicesFor(services, { model: request.body.model, images: prompt.images });
      const tokens = await whileAdmitted(request, reply, () => countPromptTokens(answering, session, prompt));
      return { input_tokens: tokens };
    },
  );
}

function setRequestId(request: FastifyRequest, reply: FastifyReply): void {
  void reply.header("request-id", request.id);
}
