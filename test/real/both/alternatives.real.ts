import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, it, onTestFinished } from "vitest";
import { readSafetensors } from "../../helpers/safetensors.js";
import { openRealEngine } from "../support/real-engine.js";
import { openRig, type Rig, type RigSession } from "../support/rig.js";

/** The alternatives and the log probabilities of fixed tokens that an unmodified engine reports must be those of transformers. */

const engine = openRealEngine();
const SCRIPT = fileURLToPath(new URL("../support/alternatives.py", import.meta.url));
const TOLERANCE = 1e-4;
const TEMPERATURE = 0.8;
const WIDTH = 5;
const IDS = [7, 300, 5, 511];

const user = (content: string) => ({ role: "user", content });

async function send(session: RigSession, messages: readonly object[], fields: object = {}): Promise<readonly object[]> {
  const body = { messages, max_tokens: 24, temperature: TEMPERATURE, ...fields };
  const { status, text, choices } = await session.chat(body);
  expect({ status, text }).toMatchObject({ status: 200 });
  return [...messages, { role: "assistant", content: choices[0]?.message.content ?? "" }];
}

/** Records turns, a stream, a branch, two choices, and a call that is cut and resumed. Returns the session's id. */
async function recordTree(rig: Rig): Promise<string> {
  const session = await rig.session();
  const first = await send(session, [user("What is the sum of one and two?")]);
  await send(session, [...first, user("And of three and four?")]);
  await send(session, [...first, user("In other words, please.")], { stream: true });
  await send(session, [user("Twice, please.")], { n: 2 });
  const cut = send(session, [user("A long answer, please.")], { max_tokens: 200, ignore_eos: true });
  await new Promise((resolve) => setTimeout(resolve, 300));
  await control(rig, "/rl/engine/pause", { mode: "abort" });
  await control(rig, "/rl/engine/resume", {});
  await cut;
  await session.end();
  return session.id;
}

async function control(rig: Rig, path: string, body: object): Promise<void> {
  const headers = { authorization: `Bearer ${rig.adminKey}`, "content-type": "application/json" };
  const response = await fetch(`${rig.server.url}${path}`, { method: "POST", headers, body: JSON.stringify(body) });
  expect({ status: response.status, text: await response.text() }).toMatchObject({ status: 200 });
}

interface Row {
  readonly ids: readonly number[];
  /** The first output that the row trains on, to the end of the row. */
  readonly first: number;
  readonly top: readonly (readonly number[])[];
  readonly topLogprobs: readonly (readonly number[])[];
  readonly fixed: readonly (readonly number[])[];
}

async function exportRows(rig: Rig, id: string): Promise<Row[]> {
  const response = await fetch(`${rig.server.url}/export_batch`, {
    method: "POST",
    headers: { authorization: `Bearer ${rig.adminKey}`, "content-type": "application/json" },
    body: JSON.stringify({ session_ids: [id], layout: "packed", style: "individual" }),
  });
  const { tensors } = readSafetensors(Buffer.from(await response.arrayBuffer()));
  const data = (name: string) => tensors[name]?.data ?? [];
  const bounds = data("cu_seqlens");
  return bounds.slice(1).map((end, row) => {
    const start = bounds[row] ?? 0;
    const first = data("loss_mask").indexOf(1, start);
    const items = (name: string) => {
      const width = tensors[name]?.shape.at(-1) ?? 0;
      // Every output has an item.
      const mask = data("loss_mask").slice(start, end);
      expect(tensors[name] ? data(`${name}_mask`).slice(start, end) : mask).toEqual(mask);
      return Array.from({ length: end - first }, (_, i) =>
        data(name).slice((first + i) * width, (first + i + 1) * width),
      );
    };
    const [top, topLogprobs, fixed] = [items("top_ids"), items("top_logprobs"), items("token_ids_logprobs")];
    return { ids: data("input_ids").slice(start, end), first: first - start, top, topLogprobs, fixed };
  });
}

type Scores = Readonly<Record<"best" | "top" | "fixed", number[][]>>;

function score(rows: readonly Row[]): Scores[] {
  const claims = rows.map(({ ids, first, top }) => {
    const isRecorded = (top[0]?.length ?? 0) > 0;
    return { ids, first, temperature: TEMPERATURE, width: WIDTH, top: isRecorded ? top : [], fixed: IDS };
  });
  const input = JSON.stringify(claims);
  return JSON.parse(
    execFileSync(engine.python ?? "", [SCRIPT, engine.model], { input, encoding: "utf8", maxBuffer: 1 << 28 }),
  ) as Scores[];
}

function expectClose(values: readonly (readonly number[])[], wanted: readonly (readonly number[])[] = []): number {
  const [all, expected] = [values.flat(), wanted.flat()];
  expect(all).toHaveLength(expected.length);
  expect(all.length).toBeGreaterThan(0);
  const error = Math.max(...all.map((value, i) => Math.abs(value - (expected[i] ?? Number.NaN))));
  expect(error).toBeLessThan(TOLERANCE);
  return error;
}

async function openWith(settings: object): Promise<Rig> {
  const rig = await openRig(engine.name, engine, { ...settings });
  onTestFinished(() => rig[Symbol.asyncDispose]());
  return rig;
}

it("records the most likely tokens of transformers, with their log probabilities", async ({ skip }) => {
  if (engine.python === undefined) return skip("the engine at --url has no Python environment here");
  const rig = await openWith({ "engine.top_logprobs": WIDTH });
  const rows = await exportRows(rig, await recordTree(rig));
  const scores = score(rows);
  const errors = rows.map(({ topLogprobs }, i) =>
    // Equal in both ways: a tie may be in another order.
    Math.max(expectClose(topLogprobs, scores[i]?.top), expectClose(topLogprobs, scores[i]?.best)),
  );
  const tokens = rows.reduce((sum, { top }) => sum + top.length, 0);
  process.stdout.write(`${tokens} tokens with ${WIDTH} alternatives: largest difference ${Math.max(...errors)}\n`);
}, 300_000);

it("records the log probabilities of fixed tokens that transformers computes", async ({ skip }) => {
  if (engine.python === undefined) return skip("the engine at --url has no Python environment here");
  const rig = await openWith({ "engine.token_ids_logprob": IDS });
  const rows = await exportRows(rig, await recordTree(rig));
  const scores = score(rows);
  const errors = rows.map(({ fixed }, i) => expectClose(fixed, scores[i]?.fixed));
  const tokens = rows.reduce((sum, { fixed }) => sum + fixed.length, 0);
  process.stdout.write(`${tokens} tokens with ${IDS.length} fixed ones: largest difference ${Math.max(...errors)}\n`);
}, 300_000);
