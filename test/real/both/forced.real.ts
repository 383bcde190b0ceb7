import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Interaction } from "../../../src/client/interaction.js";
import { type EngineServer, openRealEngine, startEngineServer } from "../support/real-engine.js";
import { readOutputs } from "../support/referee.js";
import { openRig, type Rig, type RigSession } from "../support/rig.js";
import { makeThinkingModel, type ThinkingModel } from "../support/thinking-model.js";

/**
 * Thinking budgets that an unmodified engine enforces. vLLM has markers of one token here, and SGLang of several, which it forces one
 * by one.
 */

const engine = openRealEngine();
const isVllm = engine.name === "vllm";

let model: ThinkingModel;
let server: EngineServer;
let rig: Rig;

describe.skipIf(engine.python === undefined || engine.quick)(`forced tokens of ${engine.name}`, () => {
  beforeAll(async () => {
    model = await makeThinkingModel(engine.model, { one: isVllm });
    const flags = ["--reasoning-parser", "qwen3", ...(isVllm ? [] : ["--enable-strict-thinking"])];
    server = await startEngineServer(engine.name, { model: model.folder, flags });
    rig = await openRig(engine.name, server, { "rollout.agent.reasoning_parser": "qwen3" });
  });
  afterAll(async () => {
    await rig?.[Symbol.asyncDispose]();
    await server?.stop();
    await model?.[Symbol.asyncDispose]();
  });

  const OPEN = { chat_template_kwargs: { enable_thinking: true } };

  async function record(budget: number, more: object = {}): Promise<Interaction> {
    const session = await rig.session();
    const messages = [{ role: "user", content: `${session.id}: Tell me about rivers.` }];
    const limits = { thinking_token_budget: budget, max_tokens: 24, ignore_eos: true, logit_bias: never(model.begin) };
    const body = { messages, ...limits, temperature: 1, ...more };
    const { status, text, headers } = await session.chat(body);
    expect([status, headers.get("x-rolltape-not-enforced")], text).toEqual([200, null]);
    return onlyInteraction(session);
  }

  async function onlyInteraction(session: RigSession): Promise<Interaction> {
    const [interaction] = await session.exported();
    if (!interaction) throw new Error("nothing was recorded");
    return interaction;
  }

  const values = (interaction: Interaction, name: "loss_mask" | "logprobs" | "versions"): number[] =>
    [...interaction.toTensorDict()[name].data].slice(interaction.modelResponse.inputTokens.length);

  /** Indices of the output tokens that are not trained on. */
  const maskedOf = (interaction: Interaction): number[] =>
    values(interaction, "loss_mask").flatMap((value, index) => (value === 0 ? [index] : []));

  /** Exactly the tokens whose log probability the engine reports as 0 are not trained on. Only the first `length` tokens count. */
  function expectForced(
    interaction: Interaction,
    expected: readonly number[],
    length = Number.POSITIVE_INFINITY,
  ): void {
    const output = [...interaction.modelResponse.outputTokens];
    const masked = maskedOf(interaction);
    expect(
      masked.filter((index) => index < length),
      output.join(" "),
    ).toEqual(expected);
    expect(interaction.forcedTokens).toBe(masked.length);
    // After a cut, no single reply has the whole output.
    const replies = readOutputs(rig.referee.calls).filter(({ ids }) => ids.join() === output.join());
    for (const { logprobs } of replies) {
      const certain = logprobs.flatMap((value, index) => (value === 0 && index < length ? [index] : []));
      expect(certain, output.join(" ")).toEqual(expected);
    }
    for (const index of expected) {
      expect([values(interaction, "logprobs")[index], values(interaction, "versions")[index]]).toEqual([0, -1]);
    }
  }

  const run = (start: number, length: number) => Array.from({ length }, (_, index) => start + index);

  it.each([0, 1, 3, 8])("end the reasoning that the prompt began, after %i tokens", async (budget) => {
    for (const stream of [false, true]) {
      const interaction = await record(budget, { ...OPEN, stream });
      expect([...interaction.modelResponse.outputTokens].slice(budget, budget + model.end.length)).toEqual(model.end);
      expectForced(interaction, run(budget, model.end.length));
    }
  });

  it("are recognized at any temperature", async () => {
    for (const temperature of [0, 0.3, 2]) {
      const masked = maskedOf(await record(4, { ...OPEN, temperature }));
      expect(masked).toEqual(run(4, model.end.length));
    }
  });

  it("are cut with the output", async () => {
    expectForced(await record(5, { ...OPEN, max_tokens: 6 }), [5]);
  });

  it("do not exist if the output is shorter than the budget", async () => {
    expectForced(await record(24, OPEN), []);
  });

  it("end the reasoning where the budget is used up, across a cut", async () => {
    const session = await rig.session();
    const messages = [{ role: "user", content: "Tell me more." }];
    const budget = 900;
    const before = rig.referee.calls.length;
    // The model must not end its reasoning, nor begin it again: after a cut, vLLM counts from the last beginning.
    const logitBias = { ...never(model.begin), ...never(model.end) };
    const limits = { thinking_token_budget: budget, max_tokens: 960, ignore_eos: true, logit_bias: logitBias };
    const body = { messages, ...limits, ...OPEN };
    const answer = session.chat({ ...body, temperature: 1 });
    await expect.poll(() => rig.referee.calls.length).toBeGreaterThan(before);
    const control = (path: string, sent: object) =>
      fetch(`${rig.server.url}${path}`, {
        method: "POST",
        headers: { authorization: `Bearer ${rig.adminKey}`, "content-type": "application/json" },
        body: JSON.stringify(sent),
      });
    expect((await control("/rl/engine/pause", { mode: "abort" })).status).toBe(200);
    expect((await control("/rl/engine/resume", {})).status).toBe(200);
    const { status, text } = await answer;
    expect(status, text).toBe(200);
    const interaction = await onlyInteraction(session);
    expect(interaction.sampling?.thinkingBudget).toBe(budget);
    expectForced(interaction, run(budget, model.end.length));
  });

  it.runIf(isVllm)("do not include an end that the model samples, and follow each beginning of reasoning", async () => {
    let [natural, forced] = [0, 0];
    const [begin = 0] = model.begin;
    const [end = 0] = model.end;
    const logitBias = { [String(begin)]: 5, [String(end)]: 4 };
    for (let i = 0; i < 30; i++) {
      const interaction = await record(4, { max_tokens: 40, logit_bias: logitBias });
      const output = [...interaction.modelResponse.outputTokens];
      const found = findForced(output, { begin, end, budget: 4 });
      expectForced(interaction, found.forced, found.length);
      forced += found.forced.length;
      natural += found.natural;
    }
    expect([forced > 5, natural > 5]).toEqual([true, true]);
  });
});

interface Budget {
  readonly begin: number;
  readonly end: number;
  readonly budget: number;
}

const never = ([first]: readonly number[]): Record<string, number> => ({ [String(first)]: -100 });

/**
 * Finds the ends that follow `budget` tokens after a beginning, up to the first end without a beginning: behind one, vLLM overlooks the
 * next end that the model samples, and forces another.
 */
function findForced(output: readonly number[], { begin, end, budget }: Budget) {
  const forced: number[] = [];
  let [natural, from] = [0, -1];
  for (const [index, id] of output.entries()) {
    if (from < 0 && id === end) return { forced, natural, length: index };
    if (from < 0) from = id === begin ? index + 1 : -1;
    else if (id === end) {
      if (index - from >= budget) forced.push(index);
      else natural++;
      from = -1;
    }
  }
  return { forced, natural, length: output.length };
}
