import { STATUS_CODES } from "node:http";
import { CATALOGUE } from "../../http/errors.js";
import { schemaRef } from "./document.js";
const codes = Object.keys(CATALOGUE);
/** The shapes of error bodies, by the prefix of their names. */
const SHAPES = ["", "Anthropic", "Google"];
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
export function errorAnswers({ paths }) {
    const operations = Object.values(paths).flatMap((methods) => Object.values(methods));
    const used = new Set(operations.flatMap(({ responses }) => Object.values(responses).flatMap(({ $ref }) => $ref ?? [])));
    const statuses = [...new Set(codes.map((code) => CATALOGUE[code][0]))];
    const answers = statuses.flatMap((status) => SHAPES.map((shape) => [answerName(status, shape), describeAnswer(status, shape)]));
    return Object.fromEntries(answers.filter(([name]) => used.has(answerRef(name))));
}
const answerName = (status, shape) => `${shape}Error${status}`;
const answerRef = (name) => `#/components/responses/${name}`;
function describeAnswer(status, shape) {
    const names = codes.filter((code) => CATALOGUE[code][0] === status).map((code) => `\`${code}\``);
    const retry = status === 429 || status === 503;
    return {
        description: `${STATUS_CODES[status]}: ${names.join(", ")}`,
        ...(retry
            ? { headers: { "retry-after": { description: "Seconds until the next attempt.", schema: { type: "integer" } } } }
            : {}),
        content: { "application/json": { schema: schemaRef(`${shape}Error`) } },
    };
}
/** Adds the error answers of an operation. Answers that its route describes itself stay. */
export function addErrors(path, operation, facts) {
    const shape = path.startsWith("/v1/messages") ? "Anthropic" : path.startsWith("/v1beta/") ? "Google" : "";
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
//# sourceMappingURL=error-answers.js.map