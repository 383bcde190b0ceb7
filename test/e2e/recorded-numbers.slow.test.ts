import { pino } from "pino";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parseConfig } from "../../src/config/index.js";
import { type RunningServer, startServer } from "../../src/server/start.js";
import { type Scorer, startScorer } from "../helpers/embedded-scorer.js";
import { HttpTrainer } from "../helpers/http-trainer.js";
import { readSafetensors } from "../helpers/safetensors.js";

/**
 * Checks the recorded log probabilities: every exported row is fed back to the same model, which computes the log probability
 * of every output token again. Decoding and scoring use different batch shapes, so the last bits differ.
 */
const TOLERANCE = 1e-3;
const TURNS = 3;

let scorer: Scorer;
beforeAll(async () => {
  scorer = await startScorer();
});
afterAll(() => scorer.close());

describe.each(["hf", "concat"] as const)("sessions recorded with chat_template_type %s", (type) => {
  let server: RunningServer;
  let trainer: HttpTrainer;
  beforeAll(async () => {
    const config = parseConfig({
      server: { port: 0, shutdown_seconds: 0 },
      rollout: { agent: { chat_template_type: type } },
    });
    const adminKey = "sk-admin-0123456789abcdef";
    server = await startServer(config, { adminKey, logger: pino({ level: "silent" }) });
    trainer = new HttpTrainer(server.url, adminKey);
  });
  afterAll(() => server.close());

  it.each([
    ["plain sampling", { temperature: 1 }, 1],
    ["another temperature", { temperature: 0.7 }, 0.7],
    ["greedy decoding", { temperature: 0 }, 0],
    ["top-p, whose log probabilities are those before the cut", { temperature: 1, top_p: 0.8 }, 1],
  ])("hold the model's own log probabilities under %s", async (_, sampling, temperature) => {
    const sessions = await Promise.all(
      Array.from({ length: 4 }, (_, i) =>
        trainer.converse(`topic ${i}`, TURNS, { ...sampling, max_tokens: 20, seed: i }),
      ),
    );
    const styles = type === "concat" ? ["individual", "concat"] : ["individual"];
    for (const style of styles) {
      const { tensors } = readSafetensors(await trainer.exportBatch(sessions, { style, drain_seconds: 0 }));
      const compared = await compare(tensors, temperature);
      expect(compared.tokens).toBeGreaterThan(4 * TURNS);
      expect(compared.worst).toBeLessThan(TOLERANCE);
    }
  });

  type Tensors = ReturnType<typeof readSafetensors>["tensors"];

  /** Returns the largest difference over all output tokens of all rows. Each span of output tokens is scored separately. */
  async function compare(tensors: Tensors, temperature: number): Promise<{ tokens: number; worst: number }> {
    const [rows = 0, length = 0] = tensors["input_ids"]?.shape ?? [];
    let tokens = 0;
    let worst = 0;
    for (let row = 0; row < rows; row++) {
      const slice = (name: string) => tensors[name]?.data.slice(row * length, (row + 1) * length) ?? [];
      const [ids, mask, recorded] = [slice("input_ids"), slice("loss_mask"), slice("logprobs")];
      for (const [start, end] of findSpans(mask)) {
        const scored = await scorer.scoreTokens(ids.slice(0, start), ids.slice(start, end), temperature);
        scored.forEach((logprob, i) => {
          worst = Math.max(worst, Math.abs(logprob - (recorded[start + i] ?? Number.NaN)));
          tokens++;
        });
      }
    }
    return { tokens, worst };
  }
});

/** Runs of ones. */
function findSpans(mask: readonly number[]): [start: number, end: number][] {
  const spans: [number, number][] = [];
  mask.forEach((value, i) => {
    if (value === 0) return;
    const last = spans.at(-1);
    if (last?.[1] === i) last[1] = i + 1;
    else spans.push([i, i + 1]);
  });
  return spans;
}
