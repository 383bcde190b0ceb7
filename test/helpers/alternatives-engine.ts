import type { GenerateCall, GenerateResult } from "../../src/engine/engine.js";
import { ScriptedEngine } from "./scripted-engine.js";

/** Samples many tokens at once, each with alternatives. */
export class AlternativesEngine extends ScriptedEngine {
  tokens: number;
  readonly #width: number;

  constructor(tokens: number, width: number) {
    super();
    this.tokens = tokens;
    this.#width = width;
    this.context = 1 << 20;
  }

  override async generate({ generation, onTokens }: GenerateCall): Promise<GenerateResult> {
    const [tokens, width] = [this.tokens, this.#width];
    generation.append(new Int32Array(tokens).fill(300), new Float32Array(tokens).fill(-0.123), 0);
    generation.appendTop(
      Int32Array.from({ length: tokens * width }, (_, i) => 300 + (i % width)),
      new Float32Array(tokens * width).fill(-0.456),
      width,
    );
    onTokens?.();
    return { finish: { reason: "stop" }, cachedTokens: 0, resumes: 0, logprobs: "temperature" };
  }
}
