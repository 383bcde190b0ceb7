import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ensureTinyModel } from "../../../src/engine/index.js";
import { installEngine } from "../support/install-engine.js";
import { type EngineServer, openRealEngine, startEngineServer, V2_RUNNER } from "../support/real-engine.js";
import { exportPacked, openRig, type Rig, type RigSession } from "../support/rig.js";

/** The experts that an unmodified engine reports must be those that transformers chooses. */

const SCRIPT = fileURLToPath(new URL("../support/experts.py", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "rolltape-experts-"));

const { name } = openRealEngine();
const { flags, env } = name === "vllm" ? V2_RUNNER : { flags: [], env: {} };
/** Tokens of an answer that is cut. vLLM's V2 runner takes 0.1 s for each here. */
const LONG = name === "vllm" ? 60 : 300;

let engine: EngineServer;
let rig: Rig;

const python = (args: readonly string[], input = "") =>
  execFileSync(installEngine(name).python, [SCRIPT, ...args], { input, encoding: "utf8", maxBuffer: 1 << 28 });

const settings = (storage: string) => ({ "engine.routed_experts": true, "storage.directory": storage });

afterAll(() => rmSync(folder, { recursive: true }));

const user = (content: string) => ({ role: "user", content });

async function send(session: RigSession, messages: readonly object[], fields: object = {}): Promise<object[]> {
  const answer = await session.chat({ messages, max_tokens: 24, ...fields });
  expect({ status: answer.status, text: answer.text }).toMatchObject({ status: 200 });
  return [...messages, { role: "assistant", content: answer.choices[0]?.message.content ?? "" }];
}

async function control(path: string, body: object): Promise<void> {
  const headers = { authorization: `Bearer ${rig.adminKey}`, "content-type": "application/json" };
  const response = await fetch(`${rig.server.url}${path}`, { method: "POST", headers, body: JSON.stringify(body) });
  expect({ status: response.status, text: await response.text() }).toMatchObject({ status: 200 });
}

interface Row {
  readonly ids: readonly number[];
  /** By token; undefined for a token without experts. */
  readonly experts: readonly (readonly (readonly number[])[] | undefined)[];
}

async function exportRows(sessionIds: readonly string[]): Promise<Row[]> {
  const tensors = await exportPacked(rig, sessionIds);
  const [ids = [], experts = [], mask = [], bounds = []] = [
    "input_ids",
    "routed_experts",
    "routed_experts_mask",
    "cu_seqlens",
  ].map((name) => tensors[name]?.data);
  const [, layers = 0, topK = 0] = tensors["routed_experts"]?.shape ?? [];
  const item = (token: number) =>
    Array.from({ length: layers }, (_, layer) => {
      const first = (token * layers + layer) * topK;
      return experts.slice(first, first + topK);
    });
  return bounds.slice(1).map((end, row) => {
    const start = bounds[row] ?? 0;
    const tokens = Array.from({ length: end - start }, (_, index) => start + index);
    return {
      ids: tokens.map((token) => ids[token] ?? -1),
      experts: tokens.map((token) => (mask[token] === 1 ? item(token) : undefined)),
    };
  });
}

/** Returns how many tokens were compared. */
function expectRoutes(model: string, rows: readonly Row[]): number {
  const routes = JSON.parse(python(["route", model], JSON.stringify(rows.map(({ ids }) => ids)))) as number[][][][];
  for (const [row, { experts }] of rows.entries()) {
    expect(experts.slice(0, -1)).toEqual(routes[row]?.slice(0, -1));
    // The model did not run on the last token.
    expect(experts.at(-1)).toBeUndefined();
  }
  return rows.reduce((sum, { ids }) => sum + ids.length - 1, 0);
}

describe.each(["qwen3_moe", "mixtral"])("the experts of a model of type %s", (type) => {
  const model = join(folder, type);
  const storage = join(folder, `${type}-storage`);

  beforeAll(async () => {
    python(["make", type, (await ensureTinyModel()).folder, model]);
    engine = await startEngineServer(name, { model, env, flags: [...flags, "--enable-return-routed-experts"] });
    rig = await openRig(name, engine, settings(storage));
  }, 600_000);
  afterAll(async () => {
    await rig[Symbol.asyncDispose]();
    await engine.stop();
  });

  it("are those of transformers: turns, streams, branches, cut calls, cached prefixes, a restart", async () => {
    const sessions = [await rig.session(), await rig.session()];
    for (const session of sessions) {
      const first = await send(session, [user("What is the sum of one and two, and why is it so?")]);
      const second = await send(session, [...first, user("And of three and four?")]);
      await send(session, [...second, user("Thank you. Say it again.")]);
      await session.chat({ messages: [...first, user("In other words, please.")], max_tokens: 24, stream: true });
      const cut = send(session, [user("A long answer, please.")], { max_tokens: LONG, ignore_eos: true });
      await new Promise((resolve) => setTimeout(resolve, 500));
      await control("/rl/engine/pause", { mode: "abort" });
      await control("/rl/engine/resume", {});
      await cut;
      await session.end();
    }
    const resumed = rig.referee.calls.filter(({ path }) => path.endsWith("/generate")).length;
    expect(resumed).toBeGreaterThan(10);
    const ids = sessions.map(({ id }) => id);
    const rows = await exportRows(ids);
    expect(rows).toHaveLength(10);
    expect(expectRoutes(model, rows)).toBeGreaterThan(500);

    await rig[Symbol.asyncDispose]();
    rig = await openRig(name, engine, settings(storage));
    expect(await exportRows(ids)).toEqual(rows);
  }, 600_000);
});
