import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { resolveConfig } from "../../src/config/index.js";
import { ensureTinyModel } from "../../src/engine/index.js";
import { PLAIN_SAMPLING } from "../../src/facts/sampling.js";
import { openEngine } from "../../src/server/open-engine.js";

it("ends the threads of the model if the engine cannot be opened", async () => {
  const { folder } = await ensureTinyModel();
  const countThreads = () => process.getActiveResourcesInfo().filter((name) => name === "MessagePort").length;
  const before = countThreads();
  const overrides = ["engine.model=/nowhere/model.gguf", `model.path=${folder}`];
  await expect(openEngine(resolveConfig({ overrides }))).rejects.toThrow("/nowhere/model.gguf cannot be loaded");
  expect(countThreads()).toBe(before);
});

it.each([
  ["a model without experts", ["engine.type=vllm"], {}, "requires a mixture-of-experts model"],
  [
    "too many experts",
    ["engine.type=sglang"],
    { num_experts: 70_000 },
    "3 layers with 2 of 70000 experts are too many",
  ],
  ["items over 64 KiB", ["engine.type=sglang"], { num_experts: 300, num_hidden_layers: 17_000 }, "are too many"],
])("refuses routed experts of %s", async (_, overrides, fields, message) => {
  const { folder } = await ensureTinyModel();
  const copy = mkdtempSync(join(tmpdir(), "rolltape-experts-"));
  onTestFinished(() => rmSync(copy, { recursive: true }));
  cpSync(folder, copy, { recursive: true });
  const experts = Object.keys(fields).length > 0 ? { num_hidden_layers: 3, num_experts_per_tok: 2, ...fields } : {};
  const config = { ...JSON.parse(readFileSync(join(copy, "config.json"), "utf8")), ...experts };
  writeFileSync(join(copy, "config.json"), JSON.stringify(config));
  const keys = [...overrides, "engine.urls=http://127.0.0.1:1", "engine.routed_experts=true", `model.path=${copy}`];
  await expect(openEngine(resolveConfig({ overrides: keys }))).rejects.toThrow(message);
});

it("refuses sampling masks of the embedded engine", async () => {
  const config = resolveConfig({ overrides: ["engine.sampling_masks=true"] });
  await expect(openEngine(config)).rejects.toThrow("engine.sampling_masks: requires `engine.type=sglang` or `vllm`");
});

it("records sampling masks with at most engine.max_kept_tokens ids", async () => {
  const { folder } = await ensureTinyModel();
  const common = ["engine.type=sglang", "engine.urls=http://127.0.0.1:1", `model.path=${folder}`];
  const open = async (...overrides: string[]) => {
    const { engine, model } = await openEngine(resolveConfig({ overrides: [...common, ...overrides] }));
    onTestFinished(async () => {
      await engine.close();
      await model.close();
    });
    return engine;
  };
  const sampling = { ...PLAIN_SAMPLING, thinkingBudget: undefined, maxTokens: 9, topK: 100 };
  const plain = await open();
  expect([plain.recordsMasks, plain.refuseSampling?.(sampling)]).toEqual([false, undefined]);
  const masked = await open("engine.sampling_masks=true");
  expect([masked.recordsMasks, masked.refuseSampling?.(sampling)]).toEqual([true, undefined]);
  const few = await open("engine.sampling_masks=true", "engine.max_kept_tokens=99");
  expect(few.refuseSampling?.(sampling)).toMatchObject({ param: "top_k" });
});

it("refuses routed experts of the embedded engine", async () => {
  const config = resolveConfig({ overrides: ["engine.routed_experts=true"] });
  await expect(openEngine(config)).rejects.toThrow("the embedded engine has none");
});

it.each([
  ["of the embedded engine", [], "the embedded engine has none"],
  ["beside alternatives on vLLM", ["engine.type=vllm", "engine.top_logprobs=1"], "requires `engine.top_logprobs=0`"],
  ["beyond the vocabulary", ["engine.type=sglang", "engine.token_ids_logprob=[5,512]"], "below 512; received 512"],
])("refuses log probabilities of fixed tokens %s", async (_, keys, message) => {
  const { folder } = await ensureTinyModel();
  const servers = keys.length > 0 ? ["engine.urls=http://127.0.0.1:1", `model.path=${folder}`] : [];
  const overrides = ["engine.token_ids_logprob=[5]", ...servers, ...keys];
  await expect(openEngine(resolveConfig({ overrides }))).rejects.toThrow(message);
});
