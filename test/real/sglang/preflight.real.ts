import { expect, it } from "vitest";
import { writeModelFolder } from "../../model/support/model-folder.js";
import { openRealEngine, startEngineServer } from "../support/real-engine.js";
import { openRig, type RigTarget } from "../support/rig.js";

/** The ready line names each wrong or missing flag of an SGLang server. */

const engine = openRealEngine();
const CHATML =
  "{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content }}<|im_end|>\n{% endfor %}" +
  "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}";

async function listWarnings(server: RigTarget, settings: Readonly<Record<string, unknown>> = {}): Promise<string[]> {
  await using rig = await openRig("sglang", server, settings);
  const { problems, warnings } = await rig.server.readiness();
  expect(problems).toEqual([]);
  return warnings.map(({ key, message }) => `${key} ${message}`);
}

const text = (pattern: RegExp) => expect.stringMatching(pattern) as unknown;

it("has one warning, for seeds, with the flags of these tests", async () => {
  expect(await listWarnings(engine)).toEqual([text(/^engine\.urls http.*`--enable-deterministic-inference`/)]);
});

it("has one for thinking budgets, one for its context and one for another model's tokenizer", async () => {
  const model = writeModelFolder(CHATML, ["<|im_end|>"]);
  const settings = { "rollout.agent.reasoning_parser": "qwen3", "engine.context_length": 8192 };
  expect(await listWarnings({ ...engine, model }, settings)).toEqual([
    text(/`--enable-strict-thinking`/),
    text(/`--enable-deterministic-inference`/),
    text(/^model\.path http.*tokenizer differs/),
    text(/^engine\.context_length http.*at most 40\d\d tokens/),
  ]);
});

it.skipIf(engine.quick)(
  "has one for each of its flags, until the key of its control endpoints is configured",
  async () => {
    const server = await startEngineServer("sglang", {
      flags: ["--grammar-backend", "none", "--skip-tokenizer-init", "--admin-api-key", "sk-a"],
    });
    const flags = [
      text(/`--grammar-backend none`/),
      text(/`--skip-tokenizer-init`/),
      text(/`--enable-deterministic-inf/),
    ];
    try {
      expect(await listWarnings(server)).toEqual([...flags, text(/^engine\.admin_api_key http.*HTTP 401/)]);
      expect(await listWarnings(server, { "engine.admin_api_key": "sk-a" })).toEqual(flags);
    } finally {
      await server.stop();
    }
  },
);
