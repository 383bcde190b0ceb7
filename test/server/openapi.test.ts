import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { CATALOGUE } from "../../src/http/errors.js";
import { Proxy } from "../helpers/proxy.js";

interface Operation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly security: readonly object[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: object }>> };
  readonly responses: Readonly<
    Record<string, { readonly $ref?: string; readonly content?: Readonly<Record<string, { readonly schema: object }>> }>
  >;
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, object>>;
    readonly responses: Readonly<Record<string, object>>;
  };
  readonly tags: readonly { readonly name: string }[];
  readonly servers: readonly { readonly url: string }[];
}

let text: string;
let document: Document;
beforeAll(async () => {
  const proxy = await Proxy.start();
  const reply = await proxy.request({ url: "/openapi.json" }, null);
  await proxy.close();
  text = reply.raw.toString();
  document = JSON.parse(text) as Document;
});

const operations = () =>
  Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.values(methods).map((each) => ({ path, ...each })),
  );
/** The parts of the schema of an error body that a test reads. */
interface ErrorSchema {
  readonly required: readonly string[];
  readonly properties: { readonly error: { readonly required: readonly string[] } };
}

/** Returns the schema that a schema refers to, or the schema itself. */
function resolve(schema: object): ErrorSchema {
  const name = "$ref" in schema ? String(schema.$ref).split("/").at(-1) : undefined;
  return (name === undefined ? schema : document.components.schemas[name]) as ErrorSchema;
}

const find = (id: string) => operations().find(({ operationId }) => operationId === id);

describe("the OpenAPI description", () => {
  it("gives each call an id of its own and a tag that is described", () => {
    const ids = operations().map(({ operationId }) => operationId);
    expect(new Set(ids).size).toBe(ids.length);
    for (const id of ids) expect(id).toMatch(/^[a-z][A-Za-z]+$/);
    expect(ids).toContain("createChatCompletion");
    const tags = document.tags.map(({ name }) => name);
    for (const { tags: own } of operations()) expect(tags).toEqual(expect.arrayContaining([...own]));
    expect(document.servers).toHaveLength(1);
  });

  it("refers only to schemas and answers that it has", () => {
    const { schemas, responses } = document.components;
    const refs = [...text.matchAll(/"\$ref":"#\/components\/(\w+)\/(\w+)"/g)];
    expect(refs.length).toBeGreaterThan(100);
    for (const [ref, kind, name = ""] of refs) {
      expect([ref, Object.hasOwn(kind === "schemas" ? schemas : responses, name)]).toEqual([ref, true]);
    }
  });

  it("names the schema of each JSON body, and of records inside lists", () => {
    const bodies = operations().flatMap(({ requestBody }) => requestBody?.content["application/json"]?.schema ?? []);
    expect(bodies.length).toBeGreaterThan(20);
    for (const schema of bodies) expect(schema).toEqual({ $ref: expect.any(String) as string });
    const { schemas } = document.components;
    expect(schemas["SessionList"]).toMatchObject({
      properties: { sessions: { items: { $ref: "#/components/schemas/Session" } } },
    });
    expect(schemas["ChatCompletionRequest"]).toMatchObject({
      properties: { messages: { type: "array", minItems: 1 }, temperature: { maximum: 2 } },
    });
  });

  it("describes errors in the shape of each API, with every code", () => {
    expect(document.components.schemas["ErrorCode"]).toMatchObject({ enum: Object.keys(CATALOGUE) });
    for (const name of ["Error401", "AnthropicError401", "GoogleError401"]) {
      const schema = document.components.responses[name] as NonNullable<Operation["responses"][string]>;
      const errors = resolve(schema.content?.["application/json"]?.schema ?? {});
      expect([name, errors.required]).toEqual([name, expect.arrayContaining(["error"])]);
      expect([name, errors.properties.error.required]).toEqual([name, expect.arrayContaining(["message", "code"])]);
    }
    const refs = (id: string) => find(id)?.responses["401"]?.$ref;
    expect(refs("createChatCompletion")).toBe("#/components/responses/Error401");
    expect(refs("createMessage")).toBe("#/components/responses/AnthropicError401");
    expect(refs("generateContent")).toBe("#/components/responses/GoogleError401");
    expect(refs("getLiveness")).toBeUndefined();
    for (const { path, responses } of operations())
      expect([path, responses["500"]?.$ref]).toEqual([path, expect.any(String)]);
  });

  it("describes event streams, binary bodies and text", () => {
    const media = (id: string) => Object.keys(find(id)?.responses["200"]?.content ?? {});
    for (const id of ["createChatCompletion", "createResponse", "createMessage", "streamGenerateContent"]) {
      expect([id, media(id)]).toEqual([id, ["application/json", "text/event-stream"]]);
    }
    expect(media("exportBatch")).toEqual(["application/vnd.safetensors", "application/json"]);
    expect(find("exportBatch")?.responses["200"]?.content?.["application/vnd.safetensors"]?.schema).toMatchObject({
      format: "binary",
    });
    expect(media("getMetrics")).toEqual(["text/plain"]);
  });

  it("describes the media types that the server answers with", async () => {
    const proxy = await Proxy.start();
    onTestFinished(() => proxy.close());
    const session = await proxy.session();
    const whole = await proxy.chat(session, [{ role: "user", content: "hello" }]);
    await proxy.end(session);
    const exported = await proxy.export(session);
    const scraped = await proxy.request({ url: "/metrics" }, null);
    const type = (reply: { readonly headers: object }) =>
      String((reply.headers as Record<string, unknown>)["content-type"]).split(";")[0] ?? "";
    for (const [id, reply] of [
      ["createChatCompletion", whole],
      ["exportTrajectories", exported],
      ["getMetrics", scraped],
    ] as const) {
      expect(Object.keys(find(id)?.responses["200"]?.content ?? {})).toContain(type(reply));
    }
  });
});
