import { z } from "zod";
import type { App } from "../../http/app-type.js";
import { ApiError } from "../../http/errors.js";
import { unsupported } from "../../protocols/fields.js";
import type { ModelRequest } from "../../protocols/model-request.js";
import { RESPONSE_PREFIX } from "../../protocols/responses/output-items.js";
import { listNamedResponses, parseResponses, responsesSchema } from "../../protocols/responses/request.js";
import { responseSchema, toEcho, toResponseBody } from "../../protocols/responses/response.js";
import { ResponsesStream } from "../../protocols/responses/stream.js";
import type { Session } from "../../session/session.js";
import { groupDigits } from "../../support/group-digits.js";
import { sendJson } from "../call/sending/json-stream.js";
import { tokenJsonFor } from "../call/token-slices.js";
import { readWithImages } from "../image-urls/read-with-images.js";
import { measureEcho, StoredResponses } from "../memory/stored-responses.js";
import { whileAdmitted } from "../plugins/admission.js";
import { requireSession } from "../plugins/auth.js";
import type { CallServices } from "../services.js";
import { answerModelCall } from "./model-route.js";

/** POST /v1/responses and GET /v1/responses/{id}, also without /v1. */
export function responsesRoutes(app: App, services: CallServices): void {
  const stored = new StoredResponses(({ requestedModel }) =>
    tokenJsonFor((services.engines?.lookUp(requestedModel)?.services ?? services).model),
  );
  for (const url of ["/v1/responses", "/responses"]) {
    createResponse(app, services, stored, url);
    retrieveResponse(app, stored, url);
  }
}

function createResponse(app: App, services: CallServices, stored: StoredResponses, url: string): void {
  app.post(
    url,
    {
      config: { key: "session", admits: "model", upstream: "responses" },
      schema: {
        summary: "Create a response; it is recorded token by token",
        hide: !url.startsWith("/v1/"),
        body: responsesSchema,
        response: { 200: responseSchema },
      },
    },
    async (request, reply) => {
      const session = requireSession(request);
      const echo = toEcho(request.body);
      // Tools can be long, so they are measured once.
      let echoBytes: number | undefined;
      const measureKept = () => (echoBytes ??= measureEcho(echo));
      await stored.load(session, listNamedResponses(request.body));
      const earlier = stored.forSession(session, services.settings.maxPromptCharacters);
      const parsed = await readWithImages(services, request, reply, (policies) =>
        parseResponses(request.body, earlier, policies),
      );
      if (request.body.previous_response_id !== undefined) requireFewMessages(parsed, services);
      return answerModelCall(services, request, reply, {
        api: "responses",
        idPrefix: RESPONSE_PREFIX,
        request: parsed,
        encoder: () => new ResponsesStream(echo),
        toResponse: (answer) => toResponseBody(answer, echo),
        measureKept,
        onRecorded: ({ interaction, answer }) => stored.keep(session, interaction, { answer, echo }, measureKept()),
      });
    },
  );
}

/**
 * Refuses a request that continues a conversation beyond the limit of messages. The limit of the body counts only its own input.
 *
 * @throws ApiError `body_too_complex`
 */
function requireFewMessages({ conversation: { messages } }: ModelRequest, { settings }: CallServices): void {
  const most = settings.jsonLimits.lists.input ?? Number.POSITIVE_INFINITY;
  if (messages.length <= most) return;
  const [counted, allowed] = [messages.length, most].map((count) => groupDigits(count));
  const message = `The earlier conversation and \`input\` have ${counted} messages together; at most ${allowed} are allowed.`;
  throw new ApiError("body_too_complex", message, { param: "previous_response_id" });
}

function retrieveResponse(app: App, stored: StoredResponses, url: string): void {
  app.get(
    `${url}/:id`,
    {
      // Clients that do not read large responses could fill the memory with them.
      config: { key: "session", admits: "count" },
      schema: {
        summary: "Retrieve a stored response of the session",
        hide: !url.startsWith("/v1/"),
        params: z.object({ id: z.string() }),
        querystring: z.object({ stream: unsupported("stream of a stored response", (value) => value === "false") }),
        response: { 200: responseSchema },
      },
    },
    async (request, reply) => {
      const response = await whileAdmitted(request, reply, async () => {
        const session = requireSession(request);
        const { id } = request.params;
        await stored.load(session, [id]);
        const found = stored.get(session, id, (bytes) => request.admitted?.addAnswer(bytes));
        if (!found) throw notFoundError(session, id);
        return found;
      });
      return sendJson(reply, response);
    },
  );
}

/** Ids do not show which server they are from, so requests for responses of upstreams are not forwarded. */
function notFoundError({ counts }: Session, id: string): ApiError {
  const message = `The session has no stored response "${id.slice(0, 100)}".`;
  const hint = " Responses of upstreams cannot be retrieved here. Retrieve them from the upstream itself.";
  return new ApiError("response_not_found", counts.upstreamCalls > 0 ? `${message}${hint}` : message);
}
