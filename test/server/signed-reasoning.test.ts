import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { StartedSession } from "../helpers/proxy.js";
import { ServedAgents } from "../helpers/served-agents.js";

/** A signature of 60 characters stands for reasoning of any length, and a request can have it often. */

const LIMIT = 10_000;

let agents: ServedAgents;
let session: StartedSession;
let signature: string;
beforeAll(async () => {
  agents = await ServedAgents.start({
    model: { reasoningParser: "qwen3" },
    settings: { maxPromptCharacters: LIMIT },
  });
  session = await agents.session();
  await agents.say(`<think>${"so ".repeat(1000)}</think>yes`);
  const body = { model: "m", max_tokens: 4000, messages: [{ role: "user", content: "hello" }] };
  const reply = await agents.proxy.post("/v1/messages", body, session.key);
  signature = reply.json<{ content: { signature: string }[] }>().content[0]?.signature ?? "";
});
afterAll(() => agents.close());

const turns = <T>(count: number, user: T, model: T): T[] => [
  ...Array.from({ length: count }, () => [user, model]).flat(),
  user,
];

type Body = (count: number) => object;

const forms: [path: string, body: Body][] = [
  [
    "/v1/messages",
    (count) => ({
      model: "m",
      max_tokens: 5,
      messages: turns<object>(
        count,
        { role: "user", content: "go on" },
        {
          role: "assistant",
          content: [
            { type: "thinking", thinking: "", signature },
            { type: "text", text: "yes" },
          ],
        },
      ),
    }),
  ],
  [
    "/v1/responses",
    (count) => ({
      model: "m",
      input: [
        ...Array.from({ length: count }, () => [
          { role: "user", content: "go on" },
          { type: "reasoning", summary: [], encrypted_content: signature },
          { role: "assistant", content: "yes" },
        ]).flat(),
        { role: "user", content: "go on" },
      ],
    }),
  ],
  [
    "/v1beta/models/m:generateContent",
    (count) => ({
      contents: turns<object>(
        count,
        { role: "user", parts: [{ text: "go on" }] },
        { role: "model", parts: [{ text: "yes", thoughtSignature: signature }] },
      ),
    }),
  ],
];

describe.each(forms)("signatures in %s", (path, body) => {
  it("are read up to max_prompt_characters together", async () => {
    expect((await agents.proxy.post(path, body(2), session.key)).status).toBe(200);
  });

  it("are refused with 413 beyond it, before their reasoning is joined", async () => {
    const reply = await agents.proxy.post(path, body(4), session.key);
    expect(reply.status).toBe(413);
    expect(reply.error.message).toContain("The reasoning that the signatures name has too many characters");
  });
});
