import { STATUS_CODES } from "node:http";
import { CATALOGUE, type ErrorCode } from "../../http/errors.js";
import { type Document, type DocumentedAnswer, type Operation, schemaRef } from "./document.js";
import type { OperationFacts } from "./operations.js";

const codes = Object.keys(CATALOGUE) as ErrorCode[];

/** The shapes of error bodies, by the prefix of their names. */
const SHAPES = ["", "Anthropic", "Google"] as const;
type Shape = (typeof SHAPES)[number];

const text = { type: "string" };

/** OpenAI's error body. Errors may have further fields. */
const openaiError = {
  type: "object",
  properties: {
    error: {
      type: "object",
      properties: {
        message: text,
        type: { ...text, enum: [...new Set(codes.map((code) => CATALOGUE[code][1]))] },
        param: { type: ["string", "null"], description: "The field at fault." },
        code: schemaRef("ErrorCode"),
      },
      required: ["message", "type", "param", "code"],
    },
  },
  required: ["error"],
};

const anthropicError = {
  type: "object",
  properties: {
    type: { const: "error", ...text },
    error: {
      type: "object",
      properties: {
        type: text,
        message: text,
        code: schemaRef("ErrorCode"),
        param: { type: ["string", "null"], description: "The field at fault." },
      },
      required: ["type", "message", "code", "param"],
    },
  },
  required: ["type", "error"],
};

const googleError = {
  type: "object",
  properties: {
    error: {
      type: "object",
      properties: {
        code: { type: "integer", description: "The HTTP status." },
        message: text,
        status: text,
        details: {
          type: "array",
          items: { type: "object", additionalProperties: true },
          description: "`metadata.code` of the first detail is Rolltape's error code.",
        },
      },
      required: ["code", "message", "status", "details"],
    },
  },
  required: ["error"],
};

export const ERROR_SCHEMAS = {
  ErrorCode: { ...text, enum: codes },
  Error: openaiError,
  AnthropicError: anthropicError,
  GoogleError: googleError,
};

/** Returns the answers that the operations of a document refer to, by their names. */
export function errorAnswers({ paths }: Document): Record<string, object> {
  const operations = Object.values(paths).flatMap((methods) => Object.values(methods));
  const used = new Set(
    operations.flatMap(({ responses }) => Object.values(responses).flatMap(({ $ref }) => $ref ?? [])),
  );
  const statuses = [...new Set(codes.map((code) => CATALOGUE[code][0]))];
  const answers = statuses.flatMap((status) =>
    SHAPES.map((shape) => [answerName(status, shape), describeAnswer(status, shape)] as const),
  );
  return Object.fromEntries(answers.filter(([name]) => used.has(answerRef(name))));
}

const answerName = (status: number, shape: Shape): string => `${shape}Error${status}`;
const answerRef = (name: string): string => `#/components/responses/${name}`;

const RETRY_AFTER = { "retry-after": { description: "Seconds until the next attempt.", schema: { type: "integer" } } };

/** The headers of answers, by status, that say whether and when the call may be repeated. */
const RETRY_HEADERS: Readonly<Record<number, DocumentedAnswer["headers"]>> = {
  429: RETRY_AFTER,
  500: {
    "x-should-retry": { description: "`false` if repeating the call does not help.", schema: { type: "string" } },
  },
  503: RETRY_AFTER,
};

function describeAnswer(status: number, shape: Shape): DocumentedAnswer {
  const names = codes.filter((code) => CATALOGUE[code][0] === status).map((code) => `\`${code}\``);
  const headers = RETRY_HEADERS[status];
  return {
    description: `${STATUS_CODES[status]}: ${names.join(", ")}`,
    ...(headers ? { headers } : {}),
    content: { "application/json": { schema: schemaRef(`${shape}Error`) } },
  };
}

/** Adds the error answers of an operation. Answers that its route describes itself stay. */
export function addErrors(path: string, operation: Operation, facts: OperationFacts): void {
  const shape: Shape = path.startsWith("/v1/messages") ? "Anthropic" : path.startsWith("/v1beta/") ? "Google" : "";
  const needsKey = (operation.security ?? []).length > 0;
  const statuses = [
    400,
    431,
    500,
    503,
    ...(needsKey ? [401, 403] : []),
    ...(operation.requestBody ? [408, 413, 415] : []),
    ...(facts.errors ?? []),
  ];
  for (const status of statuses.sort((a, b) => a - b)) {
    operation.responses[status] ??= { $ref: answerRef(answerName(status, shape)) };
  }
}
