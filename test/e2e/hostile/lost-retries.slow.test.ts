import { expect, it, onTestFinished } from "vitest";
import type { Reply } from "../../helpers/proxy.js";
import { readSafetensors } from "../../helpers/safetensors.js";
import { startSglangServer } from "../../helpers/sglang/sglang-server.js";
import { readData } from "../../helpers/sse.js";
import { startVictim } from "./victim.js";

const CALLS = 300;
const PROMPTS = 3;

interface Message {
  readonly role: string;
  readonly content: string;
}

/** Returns id and text of an answer, streamed or not. */
function readAnswer(reply: Reply, stream: boolean): { readonly id: string; readonly content: string } {
  interface Choice {
    readonly delta?: { readonly content?: string };
    readonly message?: { readonly content: string };
  }
  interface Completion {
    readonly id: string;
    readonly choices: readonly Choice[];
  }
  const parts = stream ? readData<Completion>(reply.raw.toString()) : [reply.json<Completion>()];
  const content = parts.map(({ choices: [choice] }) => choice?.delta?.content ?? choice?.message?.content ?? "");
  return { id: parts[0]?.id ?? "", content: content.join("") };
}

it("exports each answer that its client read, while the same prompts are sampled, fail and are retried in both ways", async () => {
  const engine = await startSglangServer();
  onTestFinished(() => engine.close());
  const victim = await startVictim(["engine.type=sglang", `engine.urls=[${engine.url}]`]);
  onTestFinished(async () => void (await victim.stop()));
  const { id: session, key } = await victim.session();
  const pick = (count: number) => Math.floor(Math.random() * count);
  const conversations: Message[][] = Array.from({ length: PROMPTS }, (_, n) => [{ role: "user", content: `${n}` }]);
  const read: string[] = [];
  for (let n = 0, failed: Message[] | undefined; n < CALLS; n++) {
    const isRetry = failed !== undefined;
    const messages = failed ?? conversations[pick(conversations.length)] ?? [];
    const stream = Math.random() < 0.5;
    if (Math.random() < 0.3) engine.fault({ kind: "status", status: 500 });
    const headers = { "content-type": "application/json", ...(isRetry && { "x-stainless-retry-count": "1" }) };
    const body = JSON.stringify({ messages, stream, max_tokens: 8 });
    const reply = await victim.send("/v1/chat/completions", { method: "POST", headers, body }, key);
    failed = undefined;
    if (reply.status === 200 && !reply.raw.includes('"error"')) {
      const { id, content } = readAnswer(reply, stream);
      read.push(id);
      if (Math.random() < 0.3) {
        const next = [...messages, { role: "assistant", content }, { role: "user", content: `next ${n}` }];
        conversations[pick(PROMPTS)] = next;
      }
    } else failed = messages;
  }
  await victim.post("/rl/end_session", {}, key);
  const batch = await victim.post("/export_batch", { session_ids: [session], style: "individual" });
  const rows = JSON.parse(readSafetensors(batch.raw).metadata["rows"] ?? "[]") as { interaction_id: string }[];
  const exported = new Set(rows.map(({ interaction_id: id }) => id));
  expect(read.length).toBeGreaterThan(CALLS / 2);
  expect(read.filter((id) => !exported.has(id))).toEqual([]);
}, 120_000);
