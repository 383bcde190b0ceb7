import { expect, it, onTestFinished } from "vitest";
import { createSglangEngine } from "../../src/engine/sglang/create-sglang-engine.js";
import { Proxy } from "../helpers/proxy.js";
import { type SglangServer, startSglangServer } from "../helpers/sglang/sglang-server.js";

/** What a request to the engine begins with is not written again. The engine must receive the same ids as without that. */

interface Message {
  readonly role: string;
  readonly content: string;
}

const user = (content: string): Message => ({ role: "user", content });
const LONG = "the quick brown fox jumps over the lazy dog, ".repeat(800);

async function start(knownRequestBytes: number, concat: boolean) {
  const server = await startSglangServer({ contextLength: 1 << 20 });
  const engine = createSglangEngine({ urls: [server.url], timeoutSeconds: 0, maxInflight: 8 });
  const chatTemplateType = concat ? "concat" : "hf";
  const proxy = await Proxy.start({ engine, settings: { knownRequestBytes, chatTemplateType } });
  onTestFinished(async () => {
    await proxy.close();
    await engine.close();
    await server.close();
  });
  return { proxy, server, session: await proxy.session() };
}

type Started = Awaited<ReturnType<typeof start>>;

async function send({ proxy, session }: Started, messages: readonly Message[], fields: object = {}): Promise<Message> {
  const payload = { model: "tiny", messages, ...fields };
  const reply = await proxy.post("/v1/chat/completions", payload, session.key);
  expect(reply.refusal).toBe("200");
  return reply.json<{ choices: { message: Message }[] }>().choices[0]?.message ?? user("");
}

/** The ids of all generations, as the engine received them. */
const sentIds = (server: SglangServer): number[][] =>
  server.to("/generate").map(({ json }) => json["input_ids"] as number[]);

async function converse(started: Started): Promise<void> {
  const first = [user(`${LONG} one`)];
  const second = [...first, await send(started, first), user("two")];
  const third = [...second, await send(started, second), user("three")];
  await send(started, third);
  // A branch of the first turn, a rewritten turn, several choices, a call that fails, one that is cut, and a turn after these.
  await send(started, [...second.slice(0, 2), user("two, but otherwise")]);
  await send(started, [user(`${LONG} other`), ...second.slice(1)]);
  await send(started, third, { n: 3 });
  started.server.fault({ kind: "truncated-json" });
  const failed = await started.proxy.post(
    "/v1/chat/completions",
    { model: "tiny", messages: third },
    started.session.key,
  );
  expect(failed.status).toBe(502);
  started.server.fault({ kind: "abort", after: 3 });
  await send(started, [...third, await send(started, third), user("four")]);
}

it.each([false, true])("gives the engine the same ids with and without known texts (concat: %s)", async (concat) => {
  const sent = [];
  for (const bytes of [0, 64 << 20]) {
    const started = await start(bytes, concat);
    await converse(started);
    expect(started.proxy.context.conversations.promptTexts.bytes > 10_000).toBe(bytes > 0);
    sent.push(sentIds(started.server));
  }
  expect(sent[0]?.length).toBeGreaterThan(9);
  expect(sent[1]).toEqual(sent[0]);
});

it("counts the memory of the texts, and frees it with the session", async () => {
  const started = await start(64 << 20, false);
  const { proxy, session } = started;
  await send(started, [user(LONG)]);
  const { conversations: known } = proxy.context;
  const promptTokens = sentIds(started.server)[0]?.length ?? 0;
  expect(promptTokens).toBeGreaterThan(8192);
  expect(known.promptTexts.bytes).toBeGreaterThan(2 * promptTokens);
  expect(known.bytes).toBe(known.bodies.bytes + known.prompts.bytes + known.promptTexts.bytes);
  await proxy.end(session);
  proxy.context.registry.get(session.id).free("exported");
  known.sweep();
  expect(known.bytes).toBe(0);
});

it("keeps no text of a short prompt", async () => {
  const started = await start(64 << 20, false);
  await send(started, [user("hello")]);
  expect(started.proxy.context.conversations.promptTexts.bytes).toBe(0);
});
