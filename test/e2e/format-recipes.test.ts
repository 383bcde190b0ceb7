import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Engine } from "../../src/engine/engine.js";
import { createEmbeddedEngine } from "../../src/engine/index.js";
import { column, rowsOf } from "../helpers/batch-rows.js";
import { type Scorer, startScorer } from "../helpers/embedded-scorer.js";
import { pythonBlocks, readPage } from "../helpers/page.js";
import { Proxy } from "../helpers/proxy.js";
import { readSafetensors, type SafeTensors } from "../helpers/safetensors.js";

/**
 * The recipes of docs/guides/recipes.md and docs/guides/start.md run as they are printed there, on batches of the embedded engine. docs/reference/batch-format.md has the code that loads a batch.
 */

const PROGRAM = fileURLToPath(new URL("../helpers/run_recipe.py", import.meta.url));
const VOCABULARY = 512;
/** Tolerance of ratios, which are 1 for the weights that sampled the tokens. */
const TOLERANCE = 3e-3;

const blocks = new Map(pythonBlocks(readPage("reference/batch-format.md")).map(({ name, code }) => [name, code]));
const START = "The batch in Python 1";
const TRAINER = "The shortest trainer 1";
/** Recipes that load the batch themselves. */
const WHOLE_PROGRAMS = [START, TRAINER];
for (const page of ["guides/recipes.md", "guides/start.md"]) {
  for (const { name, code } of pythonBlocks(readPage(page))) blocks.set(name, code);
}
const LOAD = "The batch format 1";
const AT_TURNS = "Values per turn 1";

const noTorch =
  spawnSync("python3", ["-c", "import torch, safetensors.torch"]).status === 0
    ? undefined
    : "python3 finds no torch and safetensors";

const OPTIONS = {
  padded: { layout: "padded", pad_side: "left", pad_to_multiple_of: 16 },
  packed: { layout: "packed" },
  tree: { layout: "tree" },
  "padded turns": { layout: "padded", pad_side: "left", style: "concat", turns: true, discount: 0.5 },
  "packed turns": { layout: "packed", style: "concat", turns: true, discount: 0.5 },
} as const;
type Kind = keyof typeof OPTIONS;

type Results = Readonly<Record<string, readonly number[]>>;

/** A recipe and its expected results, which are computed from the batch by an independent reader. */
interface Recipe {
  readonly name: string;
  readonly kinds: readonly Kind[];
  readonly results: readonly string[];
  readonly check: (results: Results, batch: SafeTensors) => void;
}

function expectOnes(ratios: readonly number[], mask: readonly number[]): void {
  expect(ratios).toHaveLength(mask.length);
  const trained = ratios.filter((_, index) => mask[index] === 1);
  expect(trained.length).toBeGreaterThan(50);
  const worst = trained.reduce((most, ratio) => Math.max(most, Math.abs(ratio - 1)), 0);
  expect(worst).toBeLessThan(TOLERANCE);
}

/** Returns the loss mask without the first token of each line of the tensor, because no logits predict that token. */
function predictedMask(batch: SafeTensors): number[] {
  const length = batch.tensors["input_ids"]?.shape.at(-1) ?? 0;
  return column(batch, "loss_mask").filter((_, index) => index % length !== 0);
}

function valuesAtTurns(batch: SafeTensors, values: readonly number[], otherwise: number): number[] {
  const tokens = column(batch, "input_ids").map(() => otherwise);
  const [turns, starts, ends] = ["cu_turns", "turn_start", "turn_end"].map((name) => column(batch, name));
  for (const [row, { at }] of rowsOf(batch).entries()) {
    for (let turn = turns?.[row] ?? 0; turn < (turns?.[row + 1] ?? 0); turn++) {
      for (const place of at.slice(starts?.[turn], ends?.[turn])) tokens[place] = values[turn] ?? Number.NaN;
    }
  }
  return tokens;
}

/** Expects some values to be true and some to be false. Otherwise, a recipe without effect would pass. */
function expectSome(values: readonly (number | boolean)[]): void {
  expect(new Set(values.map(Boolean)).size).toBe(2);
}

function expectTurnRatios({ ratio = [], temperature = [] }: Results, batch: SafeTensors): void {
  expect(temperature).toEqual(valuesAtTurns(batch, column(batch, "turn_temperature"), 1));
  expectOnes(ratio, predictedMask(batch));
}

const RECIPES: readonly Recipe[] = [
  {
    name: START,
    kinds: ["padded"],
    results: ["ratio"],
    check: ({ ratio = [] }, batch) => expectOnes(ratio, predictedMask(batch)),
  },
  {
    name: TRAINER,
    kinds: ["padded"],
    results: ["ratio", "norm"],
    check({ ratio = [], norm = [] }, batch) {
      expectOnes(ratio, predictedMask(batch));
      expect(norm[0]).toBeGreaterThan(0);
    },
  },
  ...(["padded", "packed"] as const).map(
    (kind, index): Recipe => ({
      name: `Log probabilities at the recorded temperature ${index + 1}`,
      kinds: [kind],
      results: ["ratio"],
      check: ({ ratio = [] }, batch) => expectOnes(ratio, predictedMask(batch)),
    }),
  ),
  {
    name: "Log probabilities at the recorded temperature 3",
    kinds: ["tree"],
    results: ["ratio", "predicted"],
    check({ ratio = [], predicted = [] }, batch) {
      const mask = column(batch, "loss_mask");
      expect(predicted.filter((place) => mask[place] === 1)).toHaveLength(mask.filter((value) => value === 1).length);
      expectOnes(
        ratio,
        predicted.map((place) => mask[place] ?? Number.NaN),
      );
    },
  },
  {
    name: "Rows whose ratio is 1 1",
    kinds: ["padded", "packed", "tree"],
    results: ["comparable"],
    check({ comparable = [] }, batch) {
      expect(comparable).toEqual(column(batch, "row_top_p").map((topP) => topP === 1));
      expectSome(comparable);
    },
  },
  ...(["padded turns", "packed turns"] as const).map(
    (kind, index): Recipe => ({
      name: `Values per turn ${index + 2}`,
      kinds: [kind],
      results: ["ratio", "temperature"],
      check: expectTurnRatios,
    }),
  ),
];

let sessions: readonly string[];
interface BatchFile {
  readonly bytes: Buffer;
  readonly batch: SafeTensors;
}
const files = new Map<Kind, BatchFile>();

function findBatchFile(kind: Kind): BatchFile {
  const file = files.get(kind);
  if (!file) throw new Error(`There is no batch ${kind}.`);
  return file;
}

const CASES = RECIPES.flatMap(({ kinds, ...recipe }) => kinds.map((kind) => ({ ...recipe, kind })));

/** Runs every recipe in one process, since importing torch takes longer than all of them. */
function runRecipes(directory: string): Map<string, Results> {
  const jobs = CASES.map(({ name, kind, results }) => {
    const before = WHOLE_PROGRAMS.includes(name) ? [] : kind.endsWith("turns") ? [LOAD, AT_TURNS] : [LOAD];
    const code = [...before, name].map((block) => blocks.get(block));
    return JSON.stringify({ code: code.join("\n"), directory: join(directory, kind), names: results });
  });
  const { stdout, stderr } = spawnSync("python3", [PROGRAM], {
    input: jobs.join("\n"),
    encoding: "utf8",
    maxBuffer: 1 << 28,
  });
  const lines = stdout.split("\n").filter((line) => line !== "");
  if (lines.length !== jobs.length)
    throw new Error(`The recipes ended after ${lines.length} of ${jobs.length}: ${stderr}`);
  return new Map(CASES.map(({ name, kind }, index) => [`${name}, ${kind}`, JSON.parse(lines[index] ?? "") as Results]));
}

/** Sampling parameters of each turn. Some calls end at a stop string, the others at their token limit. */
const TURNS = [
  { temperature: 0.3, max_tokens: 8 },
  { temperature: 0.7, max_tokens: 60, stop: ["e"] },
  { temperature: 0, max_tokens: 8 },
  { temperature: 1, top_p: 0.9, max_tokens: 8 },
];

async function converse(proxy: Proxy<Engine>, index: number, groupId: string | null): Promise<string> {
  const session = await proxy.session({ task_id: "recipe", group_id: groupId });
  const messages: object[] = [{ role: "user", content: `Tell me of topic ${index}.` }];
  for (const [turn, sampling] of TURNS.entries()) {
    const reply = await proxy.chat(session, messages, { ...sampling, seed: index });
    expect(reply.refusal).toBe("200");
    const { choices } = reply.json<{ choices: [{ message: object }] }>();
    if (turn === 1)
      await proxy.chat(session, [...messages, choices[0].message, { role: "user", content: "Or?" }], sampling);
    messages.push(choices[0].message, { role: "user", content: `And then, ${turn}?` });
    if (turn !== 2) await proxy.reward(session, index + turn / 4);
  }
  await proxy.end(session);
  return session.id;
}

async function exported(proxy: Proxy<Engine>, options: object): Promise<BatchFile> {
  const reply = await proxy.post("/export_batch", { session_ids: sessions, ...options });
  expect(reply.refusal).toBe("200");
  return { bytes: reply.raw, batch: readSafetensors(reply.raw) };
}

/** The logits at each token of a batch, of those tokens whose next one is trained on. */
async function computeLogits(scorer: Scorer, batch: SafeTensors): Promise<Float32Array> {
  const logits = new Float32Array(column(batch, "input_ids").length * VOCABULARY);
  for (const { ids, at, trained } of rowsOf(batch)) {
    const places = trained.map(({ place }) => place);
    const scored = places.length === 0 ? [] : await scorer.logitsAt(ids, places);
    places.forEach((place, index) => logits.set(scored[index] ?? [], (at[place - 1] ?? 0) * VOCABULARY));
  }
  return logits;
}

describe("the recipes of docs/guides/recipes.md, docs/guides/start.md and the README", () => {
  it("are all tested in this file", () => {
    const run = [LOAD, AT_TURNS, ...RECIPES.map(({ name }) => name)];
    expect([...blocks.keys()].toSorted()).toEqual(run.toSorted());
  });
});

describe("in PyTorch", () => {
  let directory: string;
  let answers: ReadonlyMap<string, Results>;

  beforeAll(async () => {
    if (noTorch !== undefined) return;
    directory = mkdtempSync(join(tmpdir(), "rolltape-recipes-"));
    const engine = await createEmbeddedEngine();
    const scorer = await startScorer();
    const proxy = await Proxy.start({ engine: engine as Engine, settings: { chatTemplateType: "concat" } });
    const groups = ["even", "odd", "even", "odd", null];
    sessions = await Promise.all(groups.map((group, index) => converse(proxy, index, group)));
    for (const kind of Object.keys(OPTIONS) as Kind[]) {
      const file = await exported(proxy, OPTIONS[kind]);
      files.set(kind, file);
      const folder = join(directory, kind);
      mkdirSync(join(folder, "out"), { recursive: true });
      writeFileSync(join(folder, "out", "batch.safetensors"), file.bytes);
      writeFileSync(join(folder, "logits.bin"), await computeLogits(scorer, file.batch));
    }
    await Promise.all([proxy.close(), scorer.close()]);
    await engine.close();
    answers = runRecipes(directory);
  }, 120_000);
  afterAll(() => {
    if (noTorch === undefined) rmSync(directory, { recursive: true });
  });
  beforeEach((context) => context.skip(noTorch !== undefined, noTorch));

  it.each(CASES)("$name computes what the page describes for $kind batches", ({ name, kind, check }) => {
    const answer = answers.get(`${name}, ${kind}`) ?? {};
    expect(answer).not.toHaveProperty("failed");
    check(answer, findBatchFile(kind).batch);
  });
});
