import { describe, expect, it } from "vitest";
import { writeModelFolder } from "../../model/support/model-folder.js";
import { type EngineServerOptions, openRealEngine, startEngineServer } from "../support/real-engine.js";
import { openRig, type RigTarget } from "../support/rig.js";

/** The ready line names each wrong or missing flag of a vLLM server. */

const engine = openRealEngine();
const REASONS = { "rollout.agent.reasoning_parser": "qwen3" };
const CHATML =
  "{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content }}<|im_end|>\n{% endfor %}" +
  "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}";

async function listWarnings(server: RigTarget, settings: Readonly<Record<string, unknown>> = {}): Promise<string[]> {
  await using rig = await openRig("vllm", server, settings);
  const { problems, warnings } = await rig.server.readiness();
  expect(problems).toEqual([]);
  return warnings.map(({ key, message }) => `${key} ${message}`);
}

async function withServer(options: EngineServerOptions, run: (server: RigTarget) => Promise<void>): Promise<void> {
  const server = await startEngineServer("vllm", options);
  try {
    await run(server);
  } finally {
    await server.stop();
  }
}

const text = (pattern: RegExp) => expect.stringMatching(pattern) as unknown;

describe("a vLLM server", () => {
  it("has no warning with every flag", async () => {
    expect(await listWarnings(engine)).toEqual([]);
  });

  it("has one for thinking budgets, one for its context and one for another model's tokenizer", async () => {
    const model = writeModelFolder(CHATML, ["<|im_end|>"]);
    expect(await listWarnings({ ...engine, model }, { ...REASONS, "engine.context_length": 8192 })).toEqual([
      text(/^engine\.urls http.*`--reasoning-parser`/),
      text(/^model\.path http.*tokenizer differs/),
      text(/^engine\.context_length http.*at most 4096 tokens/),
    ]);
  });

  it.skipIf(engine.quick)("has one for each of its flags", async () => {
    const without = ["--enable-scale-out", "--logprobs-mode", "--max-logprobs"];
    const flags = ["--logprobs-mode", "raw_logits", "--max-logprobs", "5"];
    await withServer({ without, flags, env: { VLLM_SERVER_DEV_MODE: "0" } }, async (server) => {
      expect(await listWarnings(server)).toEqual([
        text(/`--enable-scale-out`/),
        text(/reports logits instead of log probabilities/),
        text(/more than 5 `top_logprobs`/),
        text(/`VLLM_SERVER_DEV_MODE=1`/),
      ]);
    });
  });

  it.skipIf(engine.quick)("has one for --tokens-only and one for raw log probabilities", async () => {
    await withServer({ without: ["--logprobs-mode"], flags: ["--tokens-only"] }, async (server) => {
      expect(await listWarnings(server)).toEqual([text(/recorded as `raw`/), text(/`--tokens-only`/)]);
    });
  });
});
