import type { App } from "../../http/app-type.js";
import {
  chatCompletionSchema,
  parseChatCompletion,
  toStreamOptions,
} from "../../protocols/chat-completions/request.js";
import { chatCompletionResponseSchema, toChatCompletion } from "../../protocols/chat-completions/response.js";
import { ChatCompletionStream } from "../../protocols/chat-completions/stream.js";
import { readWithImages } from "../image-urls/read-with-images.js";
import type { CallServices } from "../services.js";
import { answerModelCall } from "./model-route.js";

/** POST /v1/chat/completions, also without /v1. */
export function chatCompletionRoutes(app: App, services: CallServices): void {
  for (const url of ["/v1/chat/completions", "/chat/completions"]) {
    app.post(
      url,
      {
        config: { key: "session", admits: "model", upstream: "chat/completions" },
        schema: {
          summary: "Create a chat completion; it is recorded token by token",
          hide: !url.startsWith("/v1/"),
          body: chatCompletionSchema,
          response: { 200: chatCompletionResponseSchema },
        },
      },
      async (request, reply) => {
        const parsed = await readWithImages(services, request, reply, (policies) =>
          parseChatCompletion(request.body, policies),
        );
        return answerModelCall(services, request, reply, {
          api: "chat.completions",
          idPrefix: "chatcmpl-",
          request: parsed,
          encoder: () => new ChatCompletionStream(toStreamOptions(parsed)),
          toResponse: toChatCompletion,
        });
      },
    );
  }
}
