import type { LlamaContextSequence } from "node-llama-cpp";
import { type LocalWeights, type PreparedWeights } from "../../engine.js";
import type { LlamaRuntime } from "../runtime.js";
import type { SequencePool } from "../sequence-pool.js";
import type { StepGate } from "../step-gate.js";
import { type ModelTemplate } from "./model-template.js";
/**
 * Replaces the engine's weights:
 *
 * 1. `prepare` checks the files, converts them if needed, and loads them while the old weights stay in use.
 * 2. `pause` holds all calls between two steps.
 * 3. `apply` exchanges model and sequences. The new sequences have empty caches.
 * 4. `resume` lets the calls go on. The old weights are freed meanwhile.
 */
export declare class EmbeddedWeights implements LocalWeights {
    #private;
    constructor(runtime: LlamaRuntime, template: ModelTemplate, gate: StepGate, pool: SequencePool<LlamaContextSequence>);
    pause(): Promise<void>;
    resume(): void;
    load(path: string): Promise<void>;
    prepare(path: string): Promise<PreparedWeights>;
    /** Waits for running work. Later calls fail with `reason`. */
    close(reason: unknown): Promise<void>;
}
