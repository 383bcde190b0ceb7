import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type WireExport } from "../../helpers/export-json.js";
import { ADMIN_KEY, Proxy, type Reply, type StartedSession } from "../../helpers/proxy.js";
import { readData } from "../../helpers/sse.js";

/** The routes of Gemini's API: paths, keys, forms of streams, and errors in Google's form. */

const contents = [{ role: "user", parts: [{ text: "hello" }] }];
const MODELS = "/v1beta/models";

let proxy: Proxy;
let session: StartedSession;
beforeAll(async () => {
  proxy = await Proxy.start();
});
afterAll(() => proxy.close());
beforeEach(async () => {
  session = await proxy.session();
});

interface Answer {
  readonly candidates: readonly { readonly content: { readonly parts: readonly { readonly text: string }[] } }[];
  readonly responseId: string;
}

const generate = (path: string, body: object = {}, key: string | null = session.key): Promise<Reply> =>
  proxy.post(`${MODELS}/${path}`, { contents, ...body }, key);

interface GoogleError {
  readonly code: number;
  readonly message: string;
  readonly status: string;
  readonly details: readonly [{ readonly reason: string; readonly metadata: Readonly<Record<string, string>> }];
}
const errorOf = (reply: Reply) => reply.json<{ error: GoogleError }>().error;

/** Returns status, Google's codes and Rolltape's code of a refusal. */
function refusedWith(reply: Reply): unknown[] {
  const { code, status, details } = errorOf(reply);
  return [reply.status, code, status, details[0].reason];
}

describe("the name of the model", () => {
  it.each([
    ["tiny:generateContent", "tiny"],
    ["org/tiny:8b:generateContent", "org/tiny:8b"],
    ["org%2Ftiny%20x:generateContent", "org/tiny x"],
    ["tiny%3AgenerateContent", "tiny"],
    ["tiny:generateContent?alt=json&prettyPrint=false", "tiny"],
  ])("is recorded, and any name is answered: %s", async (path, name) => {
    expect((await generate(path)).status).toBe(200);
    await proxy.end(session);
    const { interactions } = (await proxy.export(session)).json<WireExport>();
    const [only] = Object.values(interactions) as unknown as { api: string; requested_model: string }[];
    expect([only?.api, only?.requested_model]).toEqual(["generate_content", name]);
  });
});

it.each(["generateContent", "streamGenerateContent?alt=sse", "countTokens"])(
  "answers %s below /v1 too",
  async (method) => {
    const post = (url: string, body: object) => proxy.post(url, body, session.key);
    const [below, known] = [`/v1/models/org/tiny:${method}`, `${MODELS}/org/tiny:${method}`];
    const keys = async (url: string) => {
      const reply = await post(url, { contents });
      expect(reply.status).toBe(200);
      return Object.keys(
        method.includes("alt=sse") ? (readData<object>(reply.raw.toString())[0] ?? {}) : reply.json<object>(),
      );
    };
    expect(await keys(below)).toEqual(await keys(known));
    expect(refusedWith(await post(below, { contents: 1 }))).toEqual(refusedWith(await post(known, { contents: 1 })));
  },
);

describe("a stream", () => {
  const streamed = async (query: string) => generate(`tiny:streamGenerateContent${query}`);
  const texts = (chunks: readonly Answer[]) =>
    chunks.flatMap(({ candidates }) => candidates[0]?.content.parts.map(({ text }) => text) ?? []).join("");

  it("is server-sent events with alt=sse, and a JSON array without", async () => {
    const whole = (await generate("tiny:generateContent")).json<Answer>();
    const events = await streamed("?alt=sse");
    expect(events.headers["content-type"]).toBe("text/event-stream; charset=utf-8");
    const array = await streamed("");
    expect(array.headers["content-type"]).toBe("application/json; charset=utf-8");
    for (const chunks of [readData<Answer>(events.raw.toString()), array.json<Answer[]>()]) {
      expect(texts(chunks)).toBe(texts([whole]));
      expect(chunks.at(-1)).toMatchObject({ candidates: [{ finishReason: "STOP" }], usageMetadata: {} });
    }
    expect((await streamed("?alt=proto")).status).toBe(400);
  });

  it("sends the log probabilities of every token", async () => {
    const generationConfig = { responseLogprobs: true };
    const reply = await generate("tiny:streamGenerateContent?alt=sse", { generationConfig });
    const chunks = readData<{ candidates: [{ logprobsResult?: { chosenCandidates: { tokenId: number }[] } }] }>(
      reply.raw.toString(),
    );
    const ids = chunks.flatMap(({ candidates }) => candidates[0].logprobsResult?.chosenCandidates ?? []);
    expect(ids.map(({ tokenId }) => tokenId)).toEqual([300, 301, 302]);
  });
});

describe("a key", () => {
  const models = (path: string, headers: Record<string, string> = {}) =>
    proxy.request({ url: `${MODELS}${path}`, headers }, null);

  it("comes in x-goog-api-key, in the query, or as for the other APIs", async () => {
    const { key } = session;
    for (const reply of [
      await models("", { "x-goog-api-key": key }),
      await models(`?key=${encodeURIComponent(key)}`),
      await models("", { "x-api-key": key }),
      await models("", { authorization: `Bearer ${key}` }),
      await models(`?key=sk-of-another-service`, { "x-goog-api-key": key }),
    ]) {
      expect(reply.status).toBe(200);
    }
  });

  it("is not read from the query of other paths", async () => {
    for (const url of [`/rl/sessions?key=${ADMIN_KEY}`, `/v1/models?key=${session.key}`]) {
      expect((await proxy.request({ url }, null)).refusal).toBe("401 missing_api_key");
    }
  });
});

describe("an error has Google's form", () => {
  it.each([
    ["without a key", "tiny:generateContent", {}, null, [401, 401, "UNAUTHENTICATED", "MISSING_API_KEY"]],
    ["with an unknown key", "tiny:generateContent", {}, "sk-x", [401, 401, "UNAUTHENTICATED", "INVALID_API_KEY"]],
    ["with the admin key", "tiny:generateContent", {}, ADMIN_KEY, [403, 403, "PERMISSION_DENIED", "WRONG_KEY_KIND"]],
    ["for an unknown method", "tiny:embedContent", {}, undefined, [404, 404, "NOT_FOUND", "NOT_FOUND"]],
    ["for a path without a method", "tiny", {}, undefined, [404, 404, "NOT_FOUND", "NOT_FOUND"]],
    ["for a malformed path", "%zz:generateContent", {}, undefined, [404, 404, "NOT_FOUND", "NOT_FOUND"]],
    [
      "for a long name of a model",
      `${"x".repeat(1025)}:generateContent`,
      {},
      undefined,
      [400, 400, "INVALID_ARGUMENT", "INVALID_VALUE"],
    ],
    [
      "for a wrong value",
      "tiny:generateContent",
      { generationConfig: { temperature: 3 } },
      undefined,
      [400, 400, "INVALID_ARGUMENT", "INVALID_VALUE"],
    ],
    [
      "for an unknown field",
      "tiny:generateContent",
      { content: [] },
      undefined,
      [400, 400, "INVALID_ARGUMENT", "UNKNOWN_PARAMETER"],
    ],
  ])("%s", async (_, path, body, key, expected) => {
    expect(refusedWith(await generate(path, body, key))).toEqual(expected);
  });

  it.each(["/v1%62eta/models/tiny:generateContent", "/%76%31beta/nothing"])("on the path %s", async (url) => {
    const reply = await proxy.post(url, { contents });
    expect(errorOf(reply)).toMatchObject({ code: reply.status, details: [{ domain: "rolltape" }] });
  });

  it.each(["/v1%2562eta/nothing", "/v1beta%2Fmodels", "/v1beta%3F/models"])("not on the path %s", async (url) => {
    expect((await proxy.post(url, { contents })).json()).toMatchObject({ error: { code: "not_found", param: null } });
  });

  it("for a body that is too large or not JSON", async () => {
    const small = await Proxy.start({ settings: { maxBodyBytes: 100 } });
    const { key } = await small.session();
    const url = `${MODELS}/tiny:generateContent`;
    const large = await small.post(url, { contents: [{ parts: [{ text: "x".repeat(200) }] }] }, key);
    expect(refusedWith(large)).toEqual([413, 413, "INVALID_ARGUMENT", "BODY_TOO_LARGE"]);
    const headers = { "content-type": "application/json" };
    const broken = await small.request({ method: "POST", url, payload: "{", headers }, key);
    expect(refusedWith(broken)).toEqual([400, 400, "INVALID_ARGUMENT", "INVALID_JSON"]);
    await small.close();
  });

  it("with retry-after for a session at its limits and a server that stops", async () => {
    const limits = { tokens: Infinity, calls: 2, bytes: Infinity, concurrentCalls: 1 };
    const limited = await Proxy.start({ settings: { sessionLimits: limits } });
    const started = await limited.session();
    const send = () => limited.post(`${MODELS}/tiny:generateContent`, { contents }, started.key);
    const release = limited.engine.hold();
    const first = send();
    await expect.poll(() => limited.engine.calls.length).toBe(1);
    const second = await send();
    expect([refusedWith(second), second.headers["retry-after"]]).toEqual([
      [429, 429, "RESOURCE_EXHAUSTED", "TOO_MANY_CALLS"],
      "1",
    ]);
    expect(second.json()).toMatchObject({ error: { details: [{}, { retryDelay: "1s" }] } });
    release();
    await first;
    expect((await send()).status).toBe(200);
    expect(refusedWith(await send())).toEqual([403, 403, "PERMISSION_DENIED", "SESSION_LIMIT"]);
    const { key } = await limited.session();
    limited.context.draining = true;
    const stopping = await limited.post(`${MODELS}/tiny:generateContent`, { contents }, key);
    expect(stopping.headers["retry-after"]).toBe("5");
    expect(refusedWith(stopping)).toEqual([503, 503, "UNAVAILABLE", "SERVER_DRAINING"]);
    await limited.close();
  });

  it("for a failing engine", async () => {
    proxy.engine.replies.push(new Error("broken"));
    expect(refusedWith(await generate("tiny:generateContent"))).toEqual([500, 500, "INTERNAL", "INTERNAL_ERROR"]);
  });

  it("for a prompt that does not fit, with Google's message", async () => {
    proxy.engine.context = 40;
    const reply = await generate("tiny:generateContent", { contents: [{ parts: [{ text: "word ".repeat(100) }] }] });
    proxy.engine.context = 16_384;
    const { message, details } = errorOf(reply);
    expect(message).toMatch(/^The input token count \(\d+\) exceeds the maximum number of tokens allowed \(39\)\.$/);
    expect(details[0].metadata).toMatchObject({
      code: "context_length_exceeded",
      param: "contents",
      context_length: "40",
    });
  });
});

describe("a refusal names the field", () => {
  it.each([
    [
      { generationConfig: { temperature: "hot" } },
      'generationConfig.temperature: must be a number from 0 to 2; received "hot"',
    ],
    [
      { generation_config: { max_output_tokens: 0 } },
      "generationConfig.maxOutputTokens: must be an integer from 1 to 2147483647; received 0",
    ],
    [
      { generationConfig: { maxOutputToken: 5 } },
      "Unrecognized request argument: `generationConfig.maxOutputToken`. Did you mean `generationConfig.maxOutputTokens`?",
    ],
    [{ contents: [{ role: "assistant", parts: [{ text: "a" }] }] }, "contents[0].role: "],
    [
      { contents: [{ parts: [{ inlineData: { mimeType: "image/png", data: "" } }] }] },
      'contents[0].parts[0].inlineData: "inlineData" is not supported. The server takes only text.',
    ],
    [{ cachedContent: "cachedContents/x" }, "cachedContent is not supported"],
    [
      { generationConfig: { candidateCount: 65 } },
      "generationConfig.candidateCount must be between 1 and 64; received 65.",
    ],
    [{ tools: [{ googleSearch: {} }] }, 'tools[0].googleSearch: the server-side tool "googleSearch" is not supported.'],
    [{ tools: [{ computerUse: {} }] }, "computerUse is not supported"],
    [
      { toolConfig: { functionCallingConfig: { mode: "ANY" } } },
      "toolConfig.functionCallingConfig requires a call, but tools is empty.",
    ],
  ])("%j", async (body, message) => {
    const reply = await generate("tiny:generateContent", body);
    expect(reply.status).toBe(400);
    expect(errorOf(reply).message).toContain(message);
  });

  it("for more functions than a request may have tools", async () => {
    const functionDeclarations = Array.from({ length: 513 }, (_, i) => ({ name: `f${i}` }));
    for (const path of ["tiny:generateContent", "tiny:countTokens"]) {
      const tools = [{ functionDeclarations }];
      const body = path.endsWith("s")
        ? { contents: undefined, generateContentRequest: { contents, tools } }
        : { tools };
      const { message, details } = errorOf(await generate(path, body));
      expect(message).toBe("`tools` has 513 functions; at most 512 are allowed.");
      expect(details[0].reason).toBe("BODY_TOO_COMPLEX");
    }
  });

  it("for more contents than a request may have messages", async () => {
    const many = Array.from({ length: 4097 }, () => contents[0]);
    const counted = { contents: undefined, generateContentRequest: { contents: many } };
    for (const [path, body] of [
      ["tiny:generateContent", { contents: many }],
      ["tiny:countTokens", counted],
    ] as const) {
      const { details } = errorOf(await generate(path, body));
      expect(details[0].metadata).toMatchObject({ code: "body_too_complex", param: "contents" });
    }
  });
});

it("accepts fields that cannot change the answer, and keeps none of them", async () => {
  const body = {
    safetySettings: [{ category: "HARM_CATEGORY_HARASSMENT", threshold: "BLOCK_NONE" }],
    labels: { team: "secret-label" },
    model: "models/tiny",
    store: false,
    serviceTier: "standard",
    generationConfig: { mediaResolution: "MEDIA_RESOLUTION_LOW", enableEnhancedCivicAnswers: true },
  };
  expect((await generate("tiny:generateContent", body)).status).toBe(200);
  await proxy.end(session);
  const exported = await proxy.export(session, { include: ["messages"] });
  expect(exported.raw.toString()).not.toContain("secret-label");
  for (const wrong of [{ safetySettings: [{ category: 1 }] }, { labels: { team: 1 } }]) {
    expect((await generate("tiny:generateContent", wrong, (await proxy.session()).key)).status).toBe(400);
  }
});

it("drops server-side tools if the configuration says so", async () => {
  const dropping = await Proxy.start({ settings: { serverTools: "drop" } });
  const { key } = await dropping.session();
  const tools = [{ functionDeclarations: [{ name: "f" }] }, { google_search: {}, code_execution: {} }];
  const reply = await dropping.post(`${MODELS}/tiny:generateContent`, { contents, tools }, key);
  expect([reply.status, reply.headers["x-rolltape-dropped-tools"]]).toEqual([200, "codeExecution, googleSearch"]);
  await dropping.close();
});

describe("a count of tokens", () => {
  const count = async (body: object) => {
    const reply = await proxy.post(`${MODELS}/tiny:countTokens`, body, session.key);
    return [reply.status, reply.json<{ totalTokens?: number }>().totalTokens];
  };

  it("is that of the same prompt, with its tools and system instruction", async () => {
    const request = {
      contents,
      systemInstruction: { parts: [{ text: "be brief" }] },
      tools: [{ functionDeclarations: [{ name: "f" }] }],
    };
    const { usageMetadata } = (await generate("tiny:generateContent", request)).json<{
      usageMetadata: { promptTokenCount: number };
    }>();
    expect(await count({ generateContentRequest: request })).toEqual([200, usageMetadata.promptTokenCount]);
    const [, fewer] = await count({ contents });
    expect(fewer).toBeLessThan(usageMetadata.promptTokenCount);
  });

  it("requires either contents or a whole request", async () => {
    expect((await count({}))[0]).toBe(400);
    expect((await count({ contents, generateContentRequest: { contents } }))[0]).toBe(400);
  });
});

it("describes each method in the OpenAPI description, and counts it by its path", async () => {
  const { paths } = (await proxy.request({ url: "/openapi.json" }, null)).json<{ paths: Record<string, object> }>();
  const described = Object.keys(paths).filter((path) => path.startsWith(MODELS));
  const methods = ["countTokens", "generateContent", "streamGenerateContent"].map(
    (name) => `${MODELS}/{model}:${name}`,
  );
  expect(described).toEqual(expect.arrayContaining([MODELS, `${MODELS}/{model}`, ...methods]));
  await generate("tiny:generateContent");
  const metrics = (await proxy.request({ url: "/metrics" })).raw.toString();
  expect(metrics).toContain(`route="${MODELS}/{model}:generateContent",status="200"`);
  expect(metrics).toContain('rolltape_calls_total{api="generate_content",outcome="recorded"}');
});
