import { describe, expect, it } from "vitest";
import { EngineError } from "../../src/engine/engine.js";
import { generationError } from "../../src/engine/servers/wire/errors.js";
import { jsonObject, versionNumber } from "../../src/engine/servers/wire/json.js";
import { readContextLength } from "../../src/engine/sglang/context-length.js";
import { findServedModel } from "../../src/engine/vllm/served-model.js";
import { type CapturedEngine, readCapture, readCaptures } from "../helpers/captures.js";

/** The readers of everything but generations, against answers of real servers. */

const body = (engine: CapturedEngine, script: string, name: string) => readCapture(engine, script, name).body;

describe("the context length", () => {
  it("is what SGLang takes as a prompt", () => {
    const info = body("sglang", "usual", "server-info");
    const { max_req_input_len: longest } = JSON.parse(info) as { max_req_input_len: number };
    expect(longest).toBe(506);
    expect(readContextLength(info)).toBe(longest);
  });

  it.each(["development", "plain", "tokens-only"])("is that of vLLM's model: %s", (script) => {
    const models = body("vllm", script, "models");
    expect(findServedModel(models, undefined)).toEqual({ name: "tiny", contextLength: 512 });
    expect(findServedModel(models, "tiny")).toEqual({ name: "tiny", contextLength: 512 });
    expect(findServedModel(models, "other")).toBeUndefined();
  });
});

describe("the version of the weights", () => {
  it.each([
    ["sglang", "usual", "model-info", undefined],
    ["sglang", "usual", "model-info-updated", 9],
    ["vllm", "development", "weight-info", 8],
  ] as const)("is read: %s, %s, %s", (engine, script, name, version) => {
    expect(versionNumber(jsonObject(body(engine, script, name))["weight_version"])).toBe(version);
  });
});

/** Answers to generations whose status is an error. */
const refusals = (["vllm", "sglang"] as const).flatMap((engine) =>
  (engine === "vllm"
    ? ["development", "plain", "tokens-only", "dead"]
    : ["usual", "incremental", "skip-tokenizer"]
  ).flatMap((script) =>
    readCaptures(engine, script)
      .filter(({ path, method, status }) => method === "POST" && /generate$|completions$/.test(path) && status !== 200)
      // The message of a refused key is ours.
      .filter(({ status }) => status !== 401)
      .map((capture) => ({ engine, script, name: capture.name, capture })),
  ),
);

describe.each(refusals)("the refusal $name of $engine, $script", ({ capture }) => {
  it("is an error with the server's message", () => {
    const error = generationError(capture.status, capture.body, "");
    expect(error).toBeInstanceOf(EngineError);
    expect(error.code === "engine_rejected_request").toBe(capture.status === 400);
    const { error: nested, message, detail } = JSON.parse(capture.body) as Record<string, unknown>;
    const said = message ?? (Object(nested) as { message?: string }).message ?? nested ?? detail;
    const [line = ""] = String(said).split("\n");
    expect(error.message).toContain(line.slice(0, 30));
  });
});
