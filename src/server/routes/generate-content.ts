import type { FastifyReply, FastifyRequest } from "fastify";
import { z } from "zod";
import type { App } from "../../http/app-type.js";
import { ApiError } from "../../http/errors.js";
import {
  type GenerateContentRequest,
  geminiCountTokensSchema,
  generateContentSchema,
  type ParsedGenerateContent,
  parseGenerateContent,
  readGeminiPrompt,
  toCountedRequest,
} from "../../protocols/generate-content/request.js";
import { generateContentResponseSchema, toGenerateContentResponse } from "../../protocols/generate-content/response.js";
import { type Framing, GenerateContentStream } from "../../protocols/generate-content/stream.js";
import { countFunctions } from "../../protocols/generate-content/tools.js";
import { groupDigits } from "../../support/group-digits.js";
import { countPromptTokens } from "../call/prompt.js";
import { readWithImages } from "../image-urls/read-with-images.js";
import { signedReasoning } from "../memory/signed-reasoning.js";
import { servicesFor } from "../named-engines.js";
import { whileAdmitted } from "../plugins/admission.js";
import { requireSession } from "../plugins/auth.js";
import type { CallServices } from "../services.js";
import { addGoogleMethods, GOOGLE_METHOD, readModelName } from "./google-methods.js";
import { answerModelCall } from "./model-route.js";

/** Google's SDK for Python uses the second prefix since its version 3. The API description lists only the first. */
const VERSIONS = ["/v1beta", "/v1"] as const;
type Version = (typeof VERSIONS)[number];

/** Returns the options that select the route of a method. */
function methodOptions(version: Version, method: string, admits: "model" | "count") {
  const config = {
    key: "session",
    admits,
    pattern: `${version}/models/{model}:${method}`,
    readRequestedModel: ({ params: path }: FastifyRequest) => readModelName(String(Object(path)["*"])),
  } as const;
  return { constraints: { [GOOGLE_METHOD]: method }, config };
}

const params = z.object({ "*": z.string() });

const query = z.object({
  alt: z.enum(["json", "sse"]).optional().describe("sse: streams server-sent events. json: streams one JSON array."),
});

/** POST /v1beta/models/{model}:generateContent, :streamGenerateContent and :countTokens, also below /v1. */
export function generateContentRoutes(app: App, services: CallServices): void {
  addGoogleMethods(app);
  for (const version of VERSIONS) {
    generateContent(app, services, version);
    streamGenerateContent(app, services, version);
    countTokens(app, services, version);
  }
}

const isHidden = (version: Version): boolean => version !== VERSIONS[0];

function generateContent(app: App, services: CallServices, version: Version): void {
  app.post(
    `${version}/models/*`,
    {
      ...methodOptions(version, "generateContent", "model"),
      schema: {
        summary: "Generate an answer in Gemini's form; it is recorded token by token",
        hide: isHidden(version),
        params,
        body: generateContentSchema,
        response: { 200: generateContentResponseSchema },
      },
    },
    async (request, reply) => {
      const parsed = await parse(services, request, reply, {
        body: request.body,
        path: request.params["*"],
        stream: false,
      });
      return answer(services, request, reply, parsed, "sse");
    },
  );
}

function streamGenerateContent(app: App, services: CallServices, version: Version): void {
  app.post(
    `${version}/models/*`,
    {
      ...methodOptions(version, "streamGenerateContent", "model"),
      schema: {
        summary: "Generate an answer in Gemini's form as a stream of partial responses",
        hide: isHidden(version),
        params,
        querystring: query,
        body: generateContentSchema,
        response: { 200: generateContentResponseSchema },
      },
    },
    async (request, reply) => {
      const parsed = await parse(services, request, reply, {
        body: request.body,
        path: request.params["*"],
        stream: true,
      });
      return answer(services, request, reply, parsed, request.query.alt === "sse" ? "sse" : "array");
    },
  );
}

/** @param framing used only if the answer is streamed */
async function answer(
  services: CallServices,
  request: FastifyRequest,
  reply: FastifyReply,
  parsed: ParsedGenerateContent,
  framing: Framing,
): Promise<FastifyReply> {
  const { includeThoughts } = parsed;
  return answerModelCall(services, request, reply, {
    api: "generate_content",
    idPrefix: "gen_",
    request: parsed,
    encoder: () => new GenerateContentStream(framing, includeThoughts),
    toResponse: (complete, others) => toGenerateContentResponse(complete, includeThoughts, others),
  });
}

interface Call {
  readonly body: GenerateContentRequest;
  /** The part of the path that has the names of model and method. */
  readonly path: string;
  readonly stream: boolean;
}

async function parse(
  services: CallServices,
  request: FastifyRequest,
  reply: FastifyReply,
  { body, path, stream }: Call,
): Promise<ParsedGenerateContent> {
  checkCounts(body, services);
  const readReasoning = signedReasoning(requireSession(request), services.settings.maxPromptCharacters);
  const context = { model: readModelName(path), stream, readReasoning };
  return readWithImages(services, request, reply, (policies) =>
    parseGenerateContent(body, { ...context, ...policies }),
  );
}

/**
 * Applies the limits of messages and tools to contents and functions. The reader of the body counts only its top-level lists, not the
 * functions of a tool or the contents of `generateContentRequest`.
 *
 * @throws ApiError `body_too_complex`
 */
function checkCounts(body: GenerateContentRequest, { settings }: CallServices): void {
  const { contents: mostContents, tools: mostTools } = settings.jsonLimits.lists;
  refuseMore("contents", body.contents.length, mostContents, "contents");
  refuseMore("tools", countFunctions(body), mostTools, "functions");
}

function refuseMore(param: string, count: number, most: number | undefined, what: string): void {
  if (most === undefined || count <= most) return;
  const [counted, allowed] = [count, most].map((each) => groupDigits(each));
  const message = `\`${param}\` has ${counted} ${what}; at most ${allowed} are allowed.`;
  throw new ApiError("body_too_complex", message, { param });
}

function countTokens(app: App, services: CallServices, version: Version): void {
  app.post(
    `${version}/models/*`,
    {
      ...methodOptions(version, "countTokens", "count"),
      schema: {
        summary: "Count the tokens of a prompt in Gemini's form",
        hide: isHidden(version),
        params,
        body: geminiCountTokensSchema,
        response: { 200: z.object({ totalTokens: z.int() }) },
      },
    },
    async (request, reply) => {
      const body = toCountedRequest(request.body);
      checkCounts(body, services);
      const session = requireSession(request);
      const { maxPromptCharacters } = services.settings;
      const readReasoning = signedReasoning(session, maxPromptCharacters);
      const prompt = await readWithImages(services, request, reply, (policies) =>
        readGeminiPrompt(body, { ...policies, readReasoning }),
      );
      const model = readModelName(request.params["*"]);
      const answering = servicesFor(services, { model, images: prompt.images });
      const tokens = await whileAdmitted(request, reply, () => countPromptTokens(answering, session, prompt));
      return { totalTokens: tokens };
    },
  );
}
