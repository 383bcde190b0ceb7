import { z } from "zod";
import { applyPolicies, countTokensSchema, messagesSchema, parseMessages, toConversation, } from "../../protocols/messages/request.js";
import { messagesResponseSchema, toMessagesResponse } from "../../protocols/messages/response.js";
import { MessagesStream } from "../../protocols/messages/stream.js";
import { countPromptTokens } from "../call/build-prompt.js";
import { signedReasoning } from "../known/signed-reasoning.js";
import { whileAdmitted } from "../plugins/admission.js";
import { requireSession } from "../plugins/auth.js";
import { answerModelCall } from "./model-route.js";
/** Anthropic's SDK appends /v1 to its base URL, which may already end in /v1. Other clients append only /messages. */
const PREFIXES = ["/v1", "/v1/v1", ""];
/** POST /v1/messages and /v1/messages/count_tokens. */
export function messagesRoutes(app, context) {
    for (const prefix of PREFIXES) {
        createMessage(app, context, `${prefix}/messages`);
        countTokens(app, context, `${prefix}/messages/count_tokens`);
    }
}
function createMessage(app, context, url) {
    app.post(url, {
        config: { key: "session", errors: "anthropic", admits: "model", upstream: "messages" },
        schema: {
            summary: "Create a message; it is recorded token by token",
            hide: !url.startsWith("/v1/m"),
            body: messagesSchema,
            response: { 200: messagesResponseSchema },
        },
    }, async (request, reply) => {
        setRequestId(request, reply);
        const { serverTools, images } = context.settings;
        const readReasoning = signedReasoning(requireSession(request), context.settings.maxPromptCharacters);
        return answerModelCall(context, request, reply, {
            api: "messages",
            idPrefix: "msg_",
            request: parseMessages(request.body, { serverTools, images, readReasoning }),
            encoder: () => new MessagesStream(),
            toResponse: toMessagesResponse,
        });
    });
}
function countTokens(app, context, url) {
    app.post(url, {
        config: { key: "session", errors: "anthropic", admits: "count", upstream: "messages/count_tokens" },
        schema: {
            summary: "Count the tokens of a message's prompt",
            hide: !url.startsWith("/v1/m"),
            body: countTokensSchema,
            response: { 200: z.object({ input_tokens: z.int() }) },
        },
    }, async (request, reply) => {
        setRequestId(request, reply);
        applyPolicies(request.body, context.settings);
        const session = requireSession(request);
        const conversation = toConversation(request.body, signedReasoning(session, context.settings.maxPromptCharacters));
        const tokens = await whileAdmitted(request, reply, () => countPromptTokens(context, session, conversation));
        return { input_tokens: tokens };
    });
}
function setRequestId(request, reply) {
    void reply.header("request-id", request.id);
}
//# sourceMappingURL=messages.js.map