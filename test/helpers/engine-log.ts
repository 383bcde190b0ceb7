import { readSafetensors } from "./safetensors.js";
import type { GenerateOutcome, GenerateRequest, OutputToken } from "./sglang/protocol.js";

/** One call, read from a batch. */
export interface RecordedCall {
  readonly sessionId: string;
  readonly prompt: readonly number[];
  readonly output: readonly { readonly id: number; readonly version: number }[];
}

/** The tokens that an SGLang test server sampled, by the input ids. Every call must have another prompt. */
export class EngineLog {
  readonly #sampled = new Map<string, OutputToken[][]>();

  readonly hear = ({ inputIds }: GenerateRequest, { tokens }: GenerateOutcome): void => {
    const key = inputIds.join();
    this.#sampled.set(key, [...(this.#sampled.get(key) ?? []), [...tokens]]);
  };

  /** Returns the tokens of a call: joins the pieces into which weight updates cut it. */
  outputOf(prompt: readonly number[], length: number): { id: number; version: number }[] {
    const output: { id: number; version: number }[] = [];
    while (output.length < length) {
      const input = [...prompt, ...output.map(({ id }) => id)].join();
      const piece = this.#sampled.get(input)?.find((tokens) => tokens.length > 0);
      if (!piece) throw new Error(`the engine was never given these ${prompt.length} + ${output.length} ids`);
      output.push(...piece.map(({ id, version }) => ({ id, version: Number(version) })));
    }
    return output;
  }
}

/** Returns the calls of a padded batch, one per row. */
export function callsOf(batch: Uint8Array): RecordedCall[] {
  const { tensors, metadata } = readSafetensors(batch);
  const rows = JSON.parse(metadata["rows"] ?? "[]") as { session_id: string; length: number }[];
  const width = tensors["input_ids"]?.shape[1] ?? 0;
  return rows.map(({ session_id: sessionId, length }, row) => {
    const of = (name: string) => (tensors[name]?.data ?? []).slice(row * width, row * width + length);
    const [ids, mask, versions] = [of("input_ids"), of("loss_mask"), of("versions")];
    const output = ids.flatMap((id, i) => (mask[i] === 1 ? [{ id, version: versions[i] ?? -2 }] : []));
    return { sessionId, prompt: ids.filter((_, i) => mask[i] === 0), output };
  });
}
