import { chatCompletionSchema, parseChatCompletion } from "../../protocols/chat-completions/request.js";
import { chatCompletionResponseSchema, toChatCompletion } from "../../protocols/chat-completions/response.js";
import type { App } from "../app-type.js";
import type { ServerContext } from "../context.js";
import { disconnectSignal } from "../disconnect.js";
import { runModelCall } from "../model-call.js";
import { sessionOf } from "../plugins/auth.js";

/** POST /v1/chat/completions, also without /v1. */
export function chatCompletionRoutes(app: App, context: ServerContext): void {
  for (const url of ["/v1/chat/completions", "/chat/completions"]) {
    app.post(
      url,
      {
        config: { key: "session" },
        schema: {
          summary: "Chat completion, recorded token by token",
          body: chatCompletionSchema,
          response: { 200: chatCompletionResponseSchema },
        },
      },
      async (request, reply) => {
        const { conversation, sampling, logprobs } = parseChatCompletion(request.body);
        const answer = await runModelCall(context, {
          session: sessionOf(request),
          api: "chat.completions",
          idPrefix: "chatcmpl-",
          conversation,
          sampling,
          wantsTokens: logprobs,
          retryCount: retryCount(request.headers["x-stainless-retry-count"]),
          disconnected: disconnectSignal(reply),
        });
        return toChatCompletion(answer);
      },
    );
  }
}

/** How often an SDK has sent this request before; OpenAI's and Anthropic's SDKs say so in this header. */
function retryCount(header: string | string[] | undefined): number {
  const count = typeof header === "string" ? Number.parseInt(header, 10) : 0;
  return Number.isNaN(count) ? 0 : count;
}
