import { execFileSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ensureTinyModel } from "../../../src/engine/index.js";
import { dataUrl, makeExif, makeGradientPng, makePng, pngChunk, toBase64 } from "../../helpers/images.js";
import { readSafetensors } from "../../helpers/safetensors.js";
import { installEngine } from "../support/install-engine.js";
import { type EngineServer, openRealEngine, startEngineServer } from "../support/real-engine.js";
import { exportPackedFile, openRig, type Rig, type RigSession } from "../support/rig.js";

/** Prompts with images on an unmodified engine: its ids are those of the record, and transformers computes the recorded log probabilities. */

const SCRIPT = fileURLToPath(new URL("../support/vision.py", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "rolltape-images-"));
const { name } = openRealEngine();

/** Pictures of different sizes. The second one is larger than the tiny model's window. The third is transparent and turned. */
const CHART = makePng(100, 60, 200);
const PAGE = makePng(150, 230, 30);
const ICON = makeGradientPng(70, 40, [pngChunk("eXIf", makeExif(6))]);

let engine: EngineServer;
let rig: Rig;

const python = (args: readonly string[]) =>
  execFileSync(installEngine(name).python, [SCRIPT, ...args], { encoding: "utf8", maxBuffer: 1 << 28 });

afterAll(() => rmSync(folder, { recursive: true }));

const text = (value: string) => ({ type: "text", text: value });
const image = (file: Uint8Array) => ({ type: "image_url", image_url: { url: dataUrl(file) } });
const user = (...content: object[]) => ({ role: "user", content });

async function send(session: RigSession, messages: readonly object[], fields: object = {}): Promise<object[]> {
  const answer = await session.chat({ messages, max_tokens: 12, ...fields });
  expect({ status: answer.status, text: answer.text }).toMatchObject({ status: 200 });
  return [...messages, { role: "assistant", content: answer.choices[0]?.message.content ?? "" }];
}

interface Row {
  readonly ids: readonly number[];
  /** The files of its images in base64. */
  readonly images: readonly string[];
  readonly logprobs: readonly number[];
  readonly lossMask: readonly number[];
}

/** The part of processor_config.json about images. */
interface Processor {
  readonly image_processor: object;
}

function readRows(batch: Buffer): Row[] {
  const { tensors } = readSafetensors(batch);
  const data = (tensor: string) => tensors[tensor]?.data ?? [];
  const [files, bounds] = [data("image_file"), data("image_bytes_offsets")];
  const readFile = (file: number) => Uint8Array.from(data("image_bytes").slice(bounds[file], bounds[file + 1]));
  return data("cu_seqlens")
    .slice(1)
    .map((end, row) => {
      const cut = (tensor: string) => data(tensor).slice(data("cu_seqlens")[row], end);
      const shown = files.filter((_, index) => data("image_row")[index] === row);
      const images = shown.map((file) => toBase64(readFile(file)));
      return { ids: cut("input_ids"), images, logprobs: cut("logprobs"), lossMask: cut("loss_mask") };
    });
}

/** Returns the log probabilities of each row's tokens but the first. */
function score(model: string, batch: Buffer): number[][] {
  const file = join(folder, "batch.safetensors");
  writeFileSync(file, batch);
  return JSON.parse(python(["score", model, file])) as number[][];
}

/** Returns the largest difference of a log probability and the number of sampled tokens. */
function compare(rows: readonly Row[], scores: readonly (readonly number[])[]): { difference: number; tokens: number } {
  let difference = 0;
  let tokens = 0;
  for (const [row, { logprobs, lossMask }] of rows.entries()) {
    for (const [at, isSampled] of lossMask.entries()) {
      if (!isSampled) continue;
      tokens++;
      difference = Math.max(difference, Math.abs((scores[row]?.[at - 1] ?? Number.NaN) - (logprobs[at] ?? 0)));
    }
  }
  return { difference, tokens };
}

/** The tokens of LLaVA's images do not follow from their size, so only vLLM, which tells them, can be used. */
const TYPES = ["qwen2_5_vl", "qwen3_vl", ...(name === "vllm" ? ["glm4v", "llava"] : [])];

describe.each(TYPES)("images with a model of type %s", (type) => {
  const model = join(folder, type);
  const storage = join(folder, `${type}-storage`);
  const settings = { "rollout.agent.chat_template_type": "concat", "storage.directory": storage };

  beforeAll(async () => {
    python(["make", type, (await ensureTinyModel()).folder, model]);
    engine = await startEngineServer(name, { model });
    rig = await openRig(name, engine, settings);
  }, 600_000);
  afterAll(async () => {
    await rig[Symbol.asyncDispose]();
    await engine.stop();
  });

  it("have the engine's tokens, and its log probabilities in transformers: turns, a stream, a branch, a restart", async () => {
    const { warnings } = await rig.server.readiness();
    expect(warnings.filter(({ message }) => message.includes("image"))).toEqual([]);
    const session = await rig.session();
    const first = await send(session, [user(text("Compare "), image(CHART), text(" with "), image(PAGE))]);
    const second = await send(session, [...first, user(text("And why?"))]);
    await send(session, [...second, user(text("Now with "), image(ICON))]);
    await session.chat({ messages: [...first, user(image(ICON), text("?"))], max_tokens: 12, stream: true });
    await session.end();
    const batch = await exportPackedFile(rig, [session.id]);
    const rows = readRows(batch);
    const files = [CHART, PAGE, ICON].map(toBase64);
    expect(rows.map(({ images }) => images)).toEqual([files.slice(0, 2), files.slice(0, 2), files, files]);

    const scores = score(model, batch);
    const { difference, tokens } = compare(rows, scores);
    process.stdout.write(`${type}: ${tokens} sampled tokens, largest difference ${difference}\n`);
    expect(tokens).toBeGreaterThan(20);
    expect(difference).toBeLessThan(1e-4);

    await rig[Symbol.asyncDispose]();
    rig = await openRig(name, engine, settings);
    expect(readRows(await exportPackedFile(rig, [session.id]))).toEqual(rows);
  }, 600_000);

  it.runIf(name === "vllm" && type !== "llava")(
    "have the engine's tokens although the model's files have other limits",
    async () => {
      const other = `${model}-other-limits`;
      cpSync(model, other, { recursive: true });
      const { image_processor: own } = JSON.parse(
        readFileSync(join(model, "processor_config.json"), "utf8"),
      ) as Processor;
      const limits = { size: { shortest_edge: 28 * 28, longest_edge: 28 * 28 * 8 } };
      writeFileSync(join(other, "preprocessor_config.json"), JSON.stringify({ ...own, ...limits }));
      await using differing = await openRig(name, engine, { "model.path": other });
      const session = await differing.session();
      const first = await send(session, [user(text("Compare "), image(CHART), text(" with "), image(PAGE))]);
      await send(session, [...first, user(text("And why?"))]);
      await session.end();
      const batch = await exportPackedFile(differing, [session.id]);
      const rows = readRows(batch);
      const scores = score(model, batch);
      const { difference, tokens } = compare(rows, scores);
      process.stdout.write(`${type}, other limits: ${tokens} sampled tokens, largest difference ${difference}
`);
      expect(tokens).toBeGreaterThan(10);
      expect(difference).toBeLessThan(1e-4);
    },
    600_000,
  );
});
