import { execFileSync } from "node:child_process";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type EngineServer, openRealEngine, startEngineServer } from "../support/real-engine.js";
import { type ChatAnswer, openRig, type Rig, type RigSession } from "../support/rig.js";

/** What real vLLM servers refuse, and what they do because of their flags. Each `describe` but the first starts a server. */

const engine = openRealEngine();

const SAY = [{ role: "user", content: "Name three rivers." }];
const UNCOMPILABLE = { type: "object", properties: { n: { type: "string", pattern: "((" } }, required: ["n"] };
const SCHEMA = {
  type: "object",
  properties: { n: { type: "string", maxLength: 3000, minLength: 2000 } },
  required: ["n"],
};

const formatted = (schema: object) => ({
  response_format: { type: "json_schema", json_schema: { name: "n", schema } },
});

async function ask(rig: Rig, path: string, init: RequestInit = {}): Promise<{ status: number; json: unknown }> {
  const headers = { authorization: `Bearer ${rig.adminKey}`, "content-type": "application/json" };
  const response = await fetch(`${rig.server.url}${path}`, { headers, ...init });
  return { status: response.status, json: await response.json() };
}

interface ListedServer {
  readonly url: string;
  readonly state: string;
  readonly healthy: boolean;
  readonly logprobs: string;
}

async function listServers(rig: Rig): Promise<readonly ListedServer[]> {
  const { json } = await ask(rig, "/rl/engine");
  return (json as { servers: readonly ListedServer[] }).servers;
}

/** Sends a message in Anthropic's form. */
async function message(rig: Rig, { key }: RigSession, body: object): Promise<Pick<ChatAnswer, "status" | "text">> {
  const response = await fetch(`${rig.server.url}/v1/messages`, {
    method: "POST",
    headers: { "x-api-key": key, "content-type": "application/json" },
    body: JSON.stringify({ model: "m", max_tokens: 20, messages: SAY, ...body }),
  });
  return { status: response.status, text: await response.text() };
}

/** Shows the error of an answer with another status. */
function expectOk({ status, text }: Pick<ChatAnswer, "status" | "text">): void {
  expect(status === 200 ? status : `${status} ${text}`).toBe(200);
}

const generations = (rig: Rig) => rig.referee.calls.filter(({ path }) => path === "/inference/v1/generate");

describe("a request that the engine refuses", () => {
  let rig: Rig;
  beforeAll(async () => {
    rig = await openRig("vllm", engine);
  });
  afterAll(() => rig?.[Symbol.asyncDispose]());

  it.each([true, false])("rejects a grammar that it cannot compile with 400, streamed: %s", async (stream) => {
    const session = await rig.session();
    const chat = await session.chat({ messages: SAY, max_tokens: 20, stream, ...formatted(UNCOMPILABLE) });
    expect(chat.text).toContain("engine_rejected_request");
    expect(chat.status).toBe(400);
    const format = { type: "json_schema", schema: UNCOMPILABLE };
    const anthropic = await message(rig, session, { stream, output_config: { format } });
    expect(anthropic.text).toContain("engine_rejected_request");
    expect(anthropic.status).toBe(400);
  });
});

describe.skipIf(engine.quick)("a server with the default --max-logprobs", () => {
  let server: EngineServer;
  let rig: Rig;
  beforeAll(async () => {
    server = await startEngineServer("vllm", { without: ["--max-logprobs"], flags: ["--enable-log-requests"] });
    rig = await openRig("vllm", server);
  });
  afterAll(async () => {
    await rig?.[Symbol.asyncDispose]();
    await server?.stop();
  });

  it.each([true, false])("lists top_logprobs 20, streamed: %s", async (stream) => {
    const session = await rig.session();
    const body = { messages: SAY, max_tokens: 4, logprobs: true, top_logprobs: 20, stream };
    const { status, text } = await session.chat(body);
    expectOk({ status, text });
    const [interaction] = await session.exported();
    expect(interaction?.modelResponse.outputTokens.length).toBeGreaterThan(0);
    expect(text.match(/"top_logprobs":\[\{/g)?.length).toBeGreaterThan(0);
  });

  it("logs a call under its id, and restarts a call with a grammar that was aborted by it", async () => {
    const session = await rig.session();
    const before = generations(rig).length;
    const running = session.chat({ messages: SAY, max_tokens: 2500, ...formatted(SCHEMA) });
    await expect.poll(() => generations(rig).length).toBe(before + 1);
    const id = String(generations(rig)[before]?.headers["x-request-id"]);
    await expect.poll(() => server.log()).toContain(`generate-tokens-${id}`);
    const abort = (request: string) =>
      fetch(`${server.url}/inference/v1/abort_requests`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ request_ids: [request] }),
      });
    // Without the prefix it answers 200 and does nothing.
    await abort(id);
    await abort(`generate-tokens-${id}`);
    await expect.poll(() => generations(rig).length).toBe(before + 2);
    const { status, text } = await running;
    expectOk({ status, text });
    expect((JSON.parse(text) as { id: string }).id).toBe(id);
    const [interaction] = await session.exported();
    expect(interaction?.id).toBe(id);
    // The engine's last reply is the whole record.
    const reply = JSON.parse(generations(rig).at(-1)?.answer ?? "{}") as { choices: { token_ids: number[] }[] };
    expect(Array.from(interaction?.modelResponse.outputTokens ?? [])).toEqual(reply.choices[0]?.token_ids);
  });

  it("records the weight versions of its replies, whatever was told, and numbers a text", async () => {
    const set = (version: string) =>
      fetch(`${server.url}/update_weight_version`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ new_version: version }),
      });
    expect((await ask(rig, "/rl/set_version", { method: "POST", body: JSON.stringify({ version: 5 }) })).status).toBe(
      200,
    );
    const versions = [];
    for (const version of ["7", "step-8"]) {
      expect((await set(version)).status).toBe(200);
      const session = await rig.session();
      expect((await session.chat({ messages: SAY, max_tokens: 4 })).status).toBe(200);
      const [interaction] = await session.exported();
      versions.push(...new Set(interaction?.modelResponse.outputVersions));
    }
    expect(versions).toEqual([7, 8]);
  });

  it("whose engine dies loses no call that its agent has no tokens of, and gets no new session", async () => {
    await using pair = await openRig("vllm", server, { "engine.urls": [server.url, engine.url] });
    const sessions = await Promise.all(Array.from({ length: 8 }, () => pair.session()));
    const calls = sessions.map((session) => session.chat({ messages: SAY, max_tokens: 600, ignore_eos: true }));
    const onServer = async () =>
      (await listServers(pair)).map((each) => (each as unknown as { requests: number }).requests);
    await expect.poll(async () => Math.min(...(await onServer()))).toBeGreaterThan(0);
    execFileSync("kill", ["-9", findEngineCore(server.pid)]);
    for (const answer of await Promise.all(calls)) expectOk(answer);
    for (const session of sessions) {
      const [interaction] = await session.exported();
      expect(interaction?.modelResponse.outputTokens).toHaveLength(600);
    }
    // If the calls had ended before the kill, only the next check of its health finds the server down.
    const dead = { state: "down", healthy: false };
    await expect
      .poll(() => listServers(pair), { timeout: 30_000 })
      .toMatchObject([dead, { state: "up", healthy: true }]);
    const later = await Promise.all(Array.from({ length: 8 }, () => pair.session()));
    for (const session of later) expect((await session.chat({ messages: SAY, max_tokens: 4 })).status).toBe(200);
  });

  it("is not healthy after its engine has died, although it is the only server", async () => {
    expect((await ask(rig, "/health")).status).toBe(503);
    expect(await listServers(rig)).toMatchObject([{ state: "down", healthy: false }]);
  });
});

/** Returns the process id of a server's engine, a child of its first process. */
function findEngineCore(pid: number): string {
  const lines = execFileSync("ps", ["--ppid", String(pid), "-o", "pid=,args="], { encoding: "utf8" }).split("\n");
  const id = lines
    .find((line) => line.includes("EngineCore"))
    ?.trim()
    .split(/\s+/)[0];
  if (id === undefined) throw new Error(`No engine among:\n${lines.join("\n")}`);
  return id;
}

describe.skipIf(engine.quick)("a server without --enable-scale-out", () => {
  it("gets completions, and the ready line says what is missing", async () => {
    const server = await startEngineServer("vllm", { without: ["--enable-scale-out", "--logprobs-mode"] });
    try {
      await using rig = await openRig("vllm", server);
      const { problems, warnings } = await rig.server.readiness();
      expect(problems).toEqual([]);
      expect(warnings.map(({ message: text }) => text)).toContainEqual(expect.stringContaining("--enable-scale-out"));
      for (const stream of [true, false]) {
        const session = await rig.session();
        const { status, text } = await session.chat({ messages: SAY, max_tokens: 8, stream });
        expectOk({ status, text });
        expect((await session.exported())[0]?.sampling?.logprobs).toBe("raw");
      }
    } finally {
      await server.stop();
    }
  });
});

describe.skipIf(engine.quick)("a server with --tokens-only", () => {
  it("has its stop strings found by Rolltape, and refuses grammars with a sentence", async () => {
    const server = await startEngineServer("vllm", { flags: ["--tokens-only"] });
    try {
      await using rig = await openRig("vllm", server);
      const seeded = { messages: SAY, max_tokens: 60, seed: 7, ignore_eos: true };
      const whole = (await (await rig.session()).chat(seeded)).choices[0]?.message.content ?? "";
      // Random bytes are no characters, so not every part of the text is a stop string.
      const stop = /[ -~]{3}/.exec(whole.slice(10))?.[0] ?? "";
      expect(stop).not.toBe("");
      for (const stream of [true, false]) {
        const session = await rig.session();
        const { status, text } = await session.chat({ ...seeded, stop: [stop], stream });
        expectOk({ status, text });
        expect(text).toContain('"finish_reason":"stop"');
        expect(readContent(text)).toBe(whole.slice(0, whole.indexOf(stop)));
        const refused = await session.chat({ ...seeded, stream, ...formatted(SCHEMA) });
        expect(refused.status).toBe(400);
        expect(refused.text).toContain("The server was started with `--tokens-only`");
      }
      const stops = generations(rig).map(({ body }) => (JSON.parse(body) as WireRequest).sampling_params.stop);
      expect(stops.filter((each) => each.length > 0)).toEqual([[stop]]);
    } finally {
      await server.stop();
    }
  });
});

interface WireRequest {
  readonly sampling_params: { readonly stop: readonly string[] };
}

/** Returns the content of a chat completion, streamed or not. */
function readContent(text: string): string {
  if (text.startsWith("{"))
    return (JSON.parse(text) as { choices: { message: { content: string } }[] }).choices[0]?.message.content ?? "";
  const frames = text.split("\n").filter((line) => line.startsWith("data: {"));
  return frames
    .map((line) => JSON.parse(line.slice(6)) as { choices: { delta?: { content?: string } }[] })
    .map(({ choices }) => choices[0]?.delta?.content ?? "")
    .join("");
}

describe.skipIf(engine.quick)("a server that reports logits", () => {
  it("fails its calls with a sentence and records nothing", async () => {
    const server = await startEngineServer("vllm", { flags: ["--logprobs-mode", "processed_logits"] });
    try {
      await using rig = await openRig("vllm", server);
      const session = await rig.session();
      for (const stream of [true, false]) {
        const { text } = await session.chat({ messages: SAY, max_tokens: 8, stream });
        expect(text).toContain("The engine server reports logits");
      }
      expect(await session.exported()).toEqual([]);
    } finally {
      await server.stop();
    }
  });
});
