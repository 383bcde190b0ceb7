import { z } from "zod";
import type { App } from "../../http/app-type.js";
import { ApiError } from "../../http/errors.js";
import { unsupported } from "../../protocols/fields.js";
import { RESPONSE_PREFIX } from "../../protocols/responses/output-items.js";
import { parseResponses, responsesSchema } from "../../protocols/responses/request.js";
import { responseSchema, toEcho, toResponse } from "../../protocols/responses/response.js";
import { ResponsesStream } from "../../protocols/responses/stream.js";
import type { ServerContext } from "../context.js";
import { StoredResponses } from "../known/stored-responses.js";
import { requireSession } from "../plugins/auth.js";
import { answerModelCall } from "./model-route.js";

/** POST /v1/responses and GET /v1/responses/{id}, also without /v1. */
export function responsesRoutes(app: App, context: ServerContext): void {
  const stored = new StoredResponses();
  for (const url of ["/v1/responses", "/responses"]) {
    createResponse(app, context, stored, url);
    retrieveResponse(app, stored, url);
  }
}

function createResponse(app: App, context: ServerContext, stored: StoredResponses, url: string): void {
  app.post(
    url,
    {
      config: { key: "session", admits: "model" },
      schema: {
        summary: "Create a response; it is recorded token by token",
        body: responsesSchema,
        response: { 200: responseSchema },
      },
    },
    async (request, reply) => {
      const session = requireSession(request);
      const echo = toEcho(request.body);
      return answerModelCall(context, request, reply, {
        api: "responses",
        idPrefix: RESPONSE_PREFIX,
        request: parseResponses(request.body, stored.forSession(session)),
        encoder: () => new ResponsesStream(echo),
        toResponse: (answer) => toResponse(answer, echo),
        onRecorded: ({ interaction, answer }) => stored.keep(session, interaction, answer, echo),
      });
    },
  );
}

function retrieveResponse(app: App, stored: StoredResponses, url: string): void {
  app.get(
    `${url}/:id`,
    {
      config: { key: "session" },
      schema: {
        summary: "Retrieve a stored response of the session",
        params: z.object({ id: z.string() }),
        querystring: z.object({ stream: unsupported("stream of a stored response", (value) => value === "false") }),
        response: { 200: responseSchema },
      },
    },
    async (request) => {
      const response = stored.get(requireSession(request), request.params.id);
      if (response) return response;
      const message = `The session has no stored response "${request.params.id.slice(0, 100)}".`;
      throw new ApiError("response_not_found", message);
    },
  );
}
