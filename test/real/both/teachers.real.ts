import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, expect, it } from "vitest";
import { SessionClient } from "../../../src/client/session-client.js";
import { parseConfig } from "../../../src/config/index.js";
import { connectProxy } from "../../../src/rollout/connect.js";
import { startServer } from "../../../src/server/start.js";
import { type RecordingFront, startRecordingFront } from "../../helpers/recording-front.js";
import { readSafetensors } from "../../helpers/safetensors.js";
import { engineEnvironment } from "../support/install-engine.js";
import { openRealEngine, startEngineServer, V2_RUNNER } from "../support/real-engine.js";

/** The embedded engine samples, and the run's engine is the teacher. Its scores must be those of transformers with the same weights. */

const ADMIN_KEY = "sk-admin-of-the-real-tests";
const SCRIPT = fileURLToPath(new URL("../support/scores.py", import.meta.url));
const TOP = 3;

const engine = openRealEngine();
const folder = mkdtempSync(join(tmpdir(), "rolltape-teachers-"));

afterAll(() => rmSync(folder, { recursive: true }));

const requestsTo = ({ calls }: RecordingFront) => calls.filter(({ path }) => /generate|completions/.test(path));

async function open(teacher: RecordingFront, storage: string) {
  const server = await startServer(
    parseConfig({
      server: { port: 0 },
      storage: { directory: join(folder, storage) },
      teachers: [
        { name: "best", engine: engine.name, urls: [teacher.url], top_k: TOP },
        { name: "reference", engine: engine.name, urls: [teacher.url] },
      ],
    }),
    { adminKey: ADMIN_KEY },
  );
  const trainer = connectProxy({ url: server.url, adminKey: ADMIN_KEY });
  await trainer.admin.grantCapacity(100);
  const close = async () => {
    await trainer.close();
    await server.close();
  };
  return { server, trainer, [Symbol.asyncDispose]: close };
}

const user = (content: string) => ({ role: "user", content });

async function exportRows(url: string, session_ids: readonly string[]) {
  const response = await fetch(`${url}/export_batch`, {
    method: "POST",
    headers: { authorization: `Bearer ${ADMIN_KEY}`, "content-type": "application/json" },
    body: JSON.stringify({ session_ids, layout: "packed", style: "individual" }),
  });
  const { tensors, metadata } = readSafetensors(Buffer.from(await response.arrayBuffer()));
  const bounds = tensors["cu_seqlens"]?.data ?? [];
  const rowsOf = (name: string, width = 1) =>
    bounds.slice(1).map((end, row) => (tensors[name]?.data ?? []).slice((bounds[row] ?? 0) * width, end * width));
  return { rowsOf, teachers: metadata["teachers"] };
}

interface Recomputed {
  readonly logprobs: number[];
  readonly top_ids: number[][];
  readonly top_logprobs: number[][];
}

function recompute(rows: readonly (readonly number[])[]): Recomputed[] {
  const { python = "python3", model } = engine;
  const env = { ...engineEnvironment(), HF_HUB_OFFLINE: "1" };
  const input = JSON.stringify({ model, rows, top: TOP });
  return JSON.parse(
    execFileSync(python, [SCRIPT], { input, env, encoding: "utf8", maxBuffer: 1 << 28 }),
  ) as Recomputed[];
}

const distance = (a: readonly number[], b: readonly number[]): number =>
  Math.max(Math.abs(a.length - b.length), ...a.map((value, index) => Math.abs(value - (b[index] ?? Number.NaN))));

/**
 * Records conversations with branches, and compares the scores of their tokens. A server that is started again has the scores.
 *
 * @param words of a long prompt
 * @returns the requests to the teacher
 */
async function expectScores(url: string, words: number) {
  await using teacher = await startRecordingFront(url, true);
  const storage = `storage-${words}`;
  const ids: string[] = [];
  const before = { requests: 0 };
  {
    await using rig = await open(teacher, storage);
    for (const text of ["What is one and two?", "word ".repeat(words)]) {
      const session = await SessionClient.start(rig.trainer.admin);
      const chat = async (messages: object[]) => {
        const response = await fetch(`${rig.server.url}/v1/chat/completions`, {
          method: "POST",
          headers: { authorization: `Bearer ${session.sessionApiKey}`, "content-type": "application/json" },
          body: JSON.stringify({ messages, max_tokens: 24 }),
        });
        const { choices } = (await response.json()) as { choices: { message: { content: string } }[] };
        return [...messages, { role: "assistant", content: choices[0]?.message.content ?? "" }];
      };
      const first = await chat([user(text)]);
      const second = await chat([...first, user("And three and four?")]);
      await chat([...second, user("Thank you.")]);
      await chat([...first, user("In other words, please.")]);
      await session.end();
      ids.push(session.sessionId);
    }
    const batch = await exportRows(rig.server.url, ids);
    const rows = batch.rowsOf("input_ids");
    expect(rows).toHaveLength(8);
    expect(JSON.parse(batch.teachers ?? "")).toEqual({
      best: { logprobs: "raw", unscored: [] },
      reference: { logprobs: "raw", unscored: [] },
    });
    const expected = recompute(rows);
    let furthest = 0;
    for (const [row, { logprobs, top_ids, top_logprobs }] of expected.entries()) {
      const scored = (name: string, width = 1) => batch.rowsOf(name, width)[row]?.slice(width) ?? [];
      expect(batch.rowsOf("teacher_best_logprobs_mask")[row]).toEqual([0, ...logprobs.map(() => 1)]);
      const distances = [
        distance(scored("teacher_best_logprobs"), logprobs),
        distance(scored("teacher_reference_logprobs"), logprobs),
        distance(scored("teacher_best_top_logprobs", TOP), top_logprobs.flat()),
      ];
      furthest = Math.max(furthest, ...distances);
      expect(scored("teacher_best_top_ids", TOP)).toEqual(top_ids.flat());
    }
    expect(furthest, `${rows.flat().length} tokens`).toBeLessThan(1e-5);
    before.requests = requestsTo(teacher).length;
  }
  await using again = await open(teacher, storage);
  const batch = await exportRows(again.server.url, ids);
  expect(batch.rowsOf("teacher_best_logprobs_mask").flat()).toContain(1);
  // The scores were stored.
  expect(requestsTo(teacher)).toHaveLength(before.requests);
  return requestsTo(teacher);
}

it("scores every token as transformers does: turns, branches, a long prompt and a restart", async () => {
  await expectScores(engine.url, 300);
}, 300_000);

it.runIf(engine.name === "vllm" && !engine.quick)(
  "vLLM's V2 runner scores one id per token, and sends an array",
  async () => {
    const server = await startEngineServer("vllm", V2_RUNNER);
    try {
      const requests = await expectScores(server.url, 40);
      const arrays = requests.filter(({ body, status }) => status === 200 && body.includes("prompt_logprob_token_ids"));
      // The other teacher asks for the best tokens too.
      expect(arrays).toHaveLength(requests.length / 2);
      for (const { answer = "" } of arrays) expect(answer).toContain('"prompt_token_id_logprobs":"');
    } finally {
      await server.stop();
    }
  },
  1_200_000,
);
