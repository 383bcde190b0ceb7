import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Interaction } from "../../../src/client/interaction.js";
import type { EngineName } from "./install-engine.js";
import { type Claim, recompute } from "./recompute.js";
import { readOutputs } from "./referee.js";
import { openRig, type Rig, type RigTarget } from "./rig.js";
import { PROMPTS, type Setting, toRequest } from "./settings.js";

/** Largest difference to transformers if both compute in float32. */
const FLOAT32_TOLERANCE = 5e-5;

export interface ParityOptions {
  readonly engine: EngineName;
  readonly open: () => Promise<RigTarget & { readonly python?: string | undefined }>;
  readonly settings: readonly Setting[];
  readonly prompts?: readonly string[];
  /** Largest difference of a log probability to transformers in float32. */
  readonly tolerance?: number;
  /** Configuration of Rolltape. */
  readonly config?: Readonly<Record<string, unknown>>;
}

/**
 * Declares tests that send each setting, streamed and not, one at a time and 16 at once. What Rolltape records must be in the
 * engine's bytes, and transformers must compute the same log probabilities from what the record claims.
 */
export function testParity({
  engine,
  open,
  settings,
  prompts = PROMPTS,
  tolerance = FLOAT32_TOLERANCE,
  config = {},
}: ParityOptions): void {
  let rig: Rig;
  let target: Awaited<ReturnType<ParityOptions["open"]>>;
  const claims: { readonly claim: Claim; readonly recorded: readonly number[]; readonly name: string }[] = [];

  beforeAll(async () => {
    target = await open();
    rig = await openRig(engine, target, config);
  });
  afterAll(async () => {
    await rig[Symbol.asyncDispose]();
  });

  /** Runs one setting in a session of its own, and compares the session's export with the engine's bytes. */
  async function expectWire(setting: Setting, prompt: string, stream: boolean): Promise<void> {
    const session = await rig.session();
    const { status, text } = await session.chat(toRequest(setting, `${session.id}: ${prompt}`, stream));
    expect(status, text).toBe(200);
    const interactions = await session.exported();
    expect(interactions).toHaveLength(Number(setting.body["n"] ?? 1));
    for (const interaction of interactions) expectRecorded(interaction, setting.name);
  }

  /** Finds the engine's reply with this prompt and these ids. Its log probabilities must be the recorded ones, to the last bit. */
  function expectRecorded({ modelResponse, sampling }: Interaction, name: string): void {
    const prompt = [...modelResponse.inputTokens];
    const output = [...modelResponse.outputTokens];
    const recorded = [...modelResponse.outputLogprobs];
    const found = rig.referee.calls.flatMap((call) =>
      readOutputs([call]).flatMap((wire) =>
        startsWith(wire.ids, output) && equal(wire.prompt, prompt) ? [{ call, wire }] : [],
      ),
    );
    expect(found.length, "replies with the recorded ids").toBeGreaterThan(0);
    const match = found.find(({ wire }) => equal(wire.logprobs.slice(0, output.length), recorded));
    expect(match, `log probabilities ${recorded.join(", ")} in the engine's bytes`).toBeDefined();
    if (!match || !sampling) throw new Error("not recorded");
    const claim = {
      engine,
      model: target.model,
      prompt,
      output,
      sampling,
      request: match.call.body,
      recorded,
    };
    claims.push({ claim, recorded, name });
  }

  describe(`ids and log probabilities are those of ${engine}'s bytes`, () => {
    it.each(settings)("$name", async (setting) => {
      for (const prompt of prompts.slice(0, 2)) {
        await expectWire(setting, prompt, false);
        await expectWire(setting, prompt, true);
      }
    });

    it("16 at once", async () => {
      // On a CPU, vLLM 0.32 ends if the prompt of a seeded call is prefilled in parts, which other calls can cause.
      const together = settings.filter(({ body }) => engine !== "vllm" || body["seed"] === undefined);
      const all = prompts.flatMap((prompt) => together.map((setting) => ({ setting, prompt })));
      for (let from = 0; from < all.length; from += 16) {
        const batch = all.slice(from, from + 16);
        await Promise.all(batch.map(({ setting, prompt }, index) => expectWire(setting, prompt, index % 2 === 0)));
      }
    });
  });

  it("records log probabilities that transformers computes from what it claims", ({ skip }) => {
    const { python } = target;
    if (python === undefined) return skip("the engine at --url has no Python environment here");
    const recomputed = recompute(
      python,
      claims.map(({ claim }) => claim),
    );
    const worst = new Map<string, number>();
    const tokens = claims.reduce((sum, { recorded }) => sum + recorded.length, 0);
    claims.forEach(({ recorded, name }, index) => {
      const error = Math.max(...recorded.map((value, at) => Math.abs(value - (recomputed[index]?.[at] ?? Number.NaN))));
      worst.set(name, Math.max(worst.get(name) ?? 0, Number.isNaN(error) ? Number.POSITIVE_INFINITY : error));
    });
    const table = [...worst].map(([name, error]) => `${error.toExponential(1)}  ${name}`);
    process.stdout.write(
      `${claims.length} outputs, ${tokens} tokens; largest difference by setting:\n${table.join("\n")}\n`,
    );
    expect([...worst].filter(([, error]) => !(error <= tolerance))).toEqual([]);
  });
}

function startsWith(ids: readonly number[], beginning: readonly number[]): boolean {
  return beginning.every((id, index) => ids[index] === id);
}

function equal(one: readonly number[], other: readonly number[]): boolean {
  return one.length === other.length && startsWith(one, other);
}
