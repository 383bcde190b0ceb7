import { type StepFailures, type TargetServer, type UpdateTarget, type WeightTargets } from "../../control/weights/weight-targets.js";
import { type LocalWeights } from "../../engine/engine.js";
import type { CurrentVersion } from "../current-version.js";
import { type KnownWeights } from "./known-weights.js";
/** The engine in this process, as the only target of weight updates. */
export declare class EmbeddedTargets implements WeightTargets {
    #private;
    constructor(weights: LocalWeights, current: CurrentVersion, known: KnownWeights);
    get version(): number;
    servers(): Promise<readonly TargetServer[]>;
    spell(exclude: readonly string[]): string[];
    isPaused(): Promise<boolean>;
    check({ mode }: UpdateTarget): void;
    begin(target: UpdateTarget): Promise<void>;
    /** Reads the weights while calls run. */
    prepare({ path }: UpdateTarget): Promise<void>;
    pause(): Promise<StepFailures>;
    load(_url: string, { path }: UpdateTarget): Promise<void>;
    /** The engine has no state of the old weights after a load, and gets the version from its callers. */
    finish(): Promise<void>;
    commit(version: number): Promise<void>;
    resume(): Promise<StepFailures>;
    drain(): Promise<void>;
    release(servers: readonly TargetServer[]): Promise<void>;
    /** A failed load keeps the old weights, so they are known while new ones are loaded. */
    note(server: TargetServer): void;
}
