import type { LlamaContextSequence, Token } from "node-llama-cpp";
import { startRuntime } from "../../src/engine/embedded/runtime.js";

/** Recomputes recorded log probabilities by feeding the recorded tokens to the same model (teacher forcing). */
export interface Scorer {
  /** Returns the logits for each output token: [outputIds.length][vocabulary]. */
  logits(promptIds: ArrayLike<number>, outputIds: ArrayLike<number>): Promise<Float64Array[]>;
  /** Returns the logits that predict the tokens at these positions of one sequence, in ascending order and above 0. */
  logitsAt(ids: readonly number[], places: readonly number[]): Promise<Float64Array[]>;
  /**
   * Returns log probabilities of the output tokens: log_softmax(logits / temperature) over the whole vocabulary.
   * Temperature 0 counts as 1.
   */
  scoreTokens(promptIds: ArrayLike<number>, outputIds: ArrayLike<number>, temperature: number): Promise<Float32Array>;
  /** Returns the text of tokens, including control tokens. */
  detokenize(ids: ArrayLike<number>): string;
  close(): Promise<void>;
}

/** @param modelPath a GGUF file. Default: the tiny model. */
export async function startScorer(options: { modelPath?: string; contextSize?: number } = {}): Promise<Scorer> {
  const runtime = await startRuntime({ ...options, sequences: 1 });
  const [sequence] = runtime.sequences;
  if (!sequence) throw new Error("the context has no sequence");
  const logitsAt: Scorer["logitsAt"] = (ids, places) => forcedLogits(sequence, ids, places);
  const logits: Scorer["logits"] = (prompt, output) => {
    const ids = [...Array.from(prompt), ...Array.from(output)];
    return logitsAt(
      ids,
      Array.from(output, (_, index) => prompt.length + index),
    );
  };
  return {
    logits,
    logitsAt,
    async scoreTokens(prompt, output, temperature) {
      const rows = await logits(prompt, output);
      return Float32Array.from(
        rows,
        (row, index) => logSoftmax(row, temperature || 1)[output[index] ?? -1] ?? Number.NaN,
      );
    },
    detokenize: (ids) =>
      sequence.model.detokenize(
        Array.from(ids, (id) => id as Token),
        true,
      ),
    close: () => runtime.dispose(),
  };
}

export function logSoftmax(logits: Float64Array, temperature: number): Float64Array {
  const scaled = logits.map((logit) => logit / temperature);
  const greatest = scaled.reduce((a, b) => Math.max(a, b), Number.NEGATIVE_INFINITY);
  const sum = scaled.reduce((total, logit) => total + Math.exp(logit - greatest), 0);
  return scaled.map((logit) => logit - greatest - Math.log(sum));
}

async function forcedLogits(
  sequence: LlamaContextSequence,
  ids: readonly number[],
  places: readonly number[],
): Promise<Float64Array[]> {
  await sequence.clearHistory();
  const wanted = new Set(places);
  const fed = ids.slice(0, places.at(-1) ?? 0).map((id) => id as Token);
  // Greedy sampling is the only kind that does not change llama.cpp's logits.
  const generateNext = { logits: true, options: { temperature: 0 } };
  const results = await sequence.controlledEvaluate(
    fed.map((id, index) => (wanted.has(index + 1) ? [id, { generateNext }] : id)),
  );
  return places.map((place) => dense(results[place - 1]?.next.logits));
}

function dense(logits: Map<Token, number> | undefined): Float64Array {
  const row = new Float64Array(logits?.size ?? 0);
  for (const [id, logit] of logits ?? []) row[id] = logit;
  return row;
}
