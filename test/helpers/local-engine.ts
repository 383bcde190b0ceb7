import { EngineError, type GenerateCall, type LocalWeights, type PreparedWeights } from "../../src/engine/engine.js";
import type { AbortSource } from "../../src/support/async/abort-source.js";
import { ScriptedEngine } from "./scripted-engine.js";

/** A scripted engine that loads weights itself, as the embedded engine does. Paths with `bad` in them are refused. */
export class LocalEngine extends ScriptedEngine {
  /** The weights in effect. */
  weights = "initial";
  readonly steps: string[] = [];
  paused = false;
  #resumed: Promise<void> | undefined;
  #resume: () => void = () => {};

  readonly localWeights: LocalWeights = {
    pause: async () => {
      this.steps.push("pause");
      this.paused = true;
      this.#resumed ??= new Promise((resolve) => (this.#resume = resolve));
    },
    load: async (path) => {
      this.steps.push(`load ${path}`);
      this.#apply(path);
    },
    resume: () => {
      this.steps.push("resume");
      this.paused = false;
      this.#resumed = undefined;
      this.#resume();
    },
  };

  override async generate(call: GenerateCall, abort?: AbortSource) {
    await this.#resumed;
    return super.generate(call, abort);
  }

  #apply(path: string): void {
    if (!this.paused) throw new Error("loaded while calls run");
    refuseBad(path);
    this.weights = path;
  }

  /** Makes the engine read weights before the pause. */
  preparing(): this {
    this.localWeights.prepare = async (path): Promise<PreparedWeights> => {
      this.steps.push(`prepare ${path}`);
      refuseBad(path);
      return {
        apply: async () => {
          this.steps.push("apply");
          if (!this.paused) throw new Error("applied while calls run");
          this.weights = path;
        },
        discard: async () => void this.steps.push("discard"),
      };
    };
    return this;
  }
}

function refuseBad(path: string): void {
  if (path.includes("bad"))
    throw new EngineError("engine_error", `${path}/model.safetensors: tensor lm_head has 3 axes`);
}
