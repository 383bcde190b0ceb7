import { describe, expect, it } from "vitest";
import { chatCompletionSchema } from "../../src/protocols/chat-completions/request.js";
import { generateContentSchema } from "../../src/protocols/generate-content/request.js";
import { messagesSchema } from "../../src/protocols/messages/request.js";
import { responsesSchema } from "../../src/protocols/responses/request.js";
import { chat, messages } from "./support/short-requests.js";

/** Limits of fields, and what an error says about them. */

const parse = (body: object) => chatCompletionSchema.safeParse({ messages, ...body });
const problems = (body: object) =>
  (parse(body).error?.issues ?? []).map(({ path, message }) => [path.join("."), message]);
const pairs = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, i) => [`k${i}`, "v"]));
const nested = (levels: number): object => (levels === 0 ? {} : { a: nested(levels - 1) });
const format = (schema: object) => ({ response_format: { type: "json_schema", json_schema: { schema } } });

describe("a field of chat completions", () => {
  it.each<[string, object]>([
    ["a model", { model: "m".repeat(1024) }],
    ["a stop string", { stop: "s".repeat(1024) }],
    ["stop strings", { stop: Array.from({ length: 16 }, (_, i) => `${i}`) }],
    ["the pairs of metadata", { metadata: pairs(16) }],
    ["a key of metadata", { metadata: { ["k".repeat(64)]: "v" } }],
    ["a value of metadata", { metadata: { k: "v".repeat(512) } }],
    ["levels of a schema", format(nested(128))],
    ["the name of a tool", { tools: [{ type: "function", function: { name: "a".repeat(128) } }] }],
  ])("is accepted up to its limit: %s", (_, body) => {
    expect(problems(body)).toEqual([]);
  });

  it.each<[string, object, string, string]>([
    ["a model", { model: "m".repeat(1025) }, "model", "must have at most 1024 characters"],
    ["the pairs of metadata", { metadata: pairs(17) }, "metadata", "must have at most 16 pairs; received 17"],
    [
      "a key of metadata",
      { metadata: { ["k".repeat(65)]: "v" } },
      "metadata",
      `keys must have at most 64 characters; received 65 ("${"k".repeat(64)}…")`,
    ],
    ["a value of metadata", { metadata: { k: "v".repeat(513) } }, "metadata.k", "must have at most 512 characters"],
    ["levels of a schema", format(nested(129)), "response_format.json_schema.schema", "nests deeper than 128 levels"],
    [
      "characters of a schema",
      format({ a: "x".repeat(262_144) }),
      "response_format.json_schema.schema",
      "must have at most 262144 characters, where each value counts 16 more",
    ],
    ["audio", { audio: {} }, "audio", "audio is not supported"],
    [
      "other modalities",
      { modalities: ["text", "audio"] },
      "modalities",
      "modalities other than text is not supported",
    ],
    ["verbosity", { verbosity: "low" }, "verbosity", "verbosity other than medium is not supported"],
  ])("is refused beyond its limit: %s", (_, body, path, message) => {
    expect(problems(body)).toEqual([[path, message]]);
  });

  it.each<[string, unknown, string]>([
    ["a long stop string", "s".repeat(1025), "a stop string must have at most 1024 characters"],
    ["an empty stop string", "", "a stop string must not be empty"],
  ])("is refused with the reason: %s", (_, stop, message) => {
    expect(JSON.stringify(parse({ stop }).error?.issues)).toContain(message);
    expect(
      JSON.stringify(messagesSchema.safeParse({ messages, max_tokens: 1, stop_sequences: [stop] }).error),
    ).toContain(message);
  });

  it("accepts what asks for nothing", () => {
    const unasked = { audio: null, modalities: ["text"], verbosity: "medium", user: "u", store: true, metadata: null };
    expect(problems(unasked)).toEqual([]);
    expect(parse(unasked).data).not.toHaveProperty("user", "u");
  });
});

it("a lone surrogate becomes the replacement character", () => {
  expect(chat({ stop: "a\ud800" }).sampling.stop).toEqual(["a\ufffd"]);
});

it("the id of a response has at most 1024 characters", () => {
  const read = (length: number) =>
    responsesSchema.safeParse({ previous_response_id: "r".repeat(length) }).error?.issues;
  expect(read(1024)).toBeUndefined();
  expect(read(1025)).toMatchObject([{ path: ["previous_response_id"], message: "must have at most 1024 characters" }]);
});

describe("a field of Gemini's generationConfig", () => {
  const refused = (generationConfig: object) =>
    generateContentSchema
      .safeParse({ contents: [{ parts: [{ text: "a" }] }], generationConfig })
      .error?.issues.map(({ path, message }) => [path.at(-1), message]);

  it.each<[string, unknown, string]>([
    ["responseModalities", ["TEXT", "AUDIO"], "responseModalities other than TEXT is not supported"],
    ["responseFormat", { a: 1 }, "responseFormat (use responseMimeType and responseJsonSchema) is not supported"],
    ["speechConfig", {}, "speechConfig is not supported"],
    ["imageConfig", {}, "imageConfig is not supported"],
    ["translationConfig", {}, "translationConfig is not supported"],
    ["enableAffectiveDialog", true, "enableAffectiveDialog: true is not supported"],
  ])("is refused if it changes the answer: %s", (name, value, message) => {
    expect(refused({ [name]: value })).toEqual([[name, message]]);
  });

  it("is accepted if it changes nothing", () => {
    expect(
      refused({
        responseModalities: ["TEXT"],
        responseFormat: {},
        enableAffectiveDialog: false,
        routingConfig: { a: 1 },
      }),
    ).toBeUndefined();
  });
});
