import { type StepFailures, type TargetServer, type UpdateTarget, type WeightTargets } from "../../control/weights/weight-targets.js";
import { type ServerControl } from "../../engine/engine.js";
import type { CurrentVersion } from "../current-version.js";
import type { KnownWeights } from "./known-weights.js";
/** The servers of an engine, as the targets of weight updates. */
export declare class ServerTargets implements WeightTargets {
    #private;
    constructor(control: ServerControl, current: CurrentVersion, known: KnownWeights);
    get version(): number;
    servers(): Promise<readonly TargetServer[]>;
    spell(exclude: readonly string[]): string[];
    isPaused(): Promise<boolean>;
    begin(target: UpdateTarget): Promise<void>;
    pause(urls: readonly string[], excluded: readonly string[]): Promise<StepFailures>;
    load(url: string, { version, path }: UpdateTarget, signal: AbortSignal): Promise<void>;
    finish(url: string, version: number, signal: AbortSignal): Promise<void>;
    commit(version: number): Promise<void>;
    resume(urls: readonly string[]): Promise<StepFailures>;
    drain(urls: readonly string[]): Promise<void>;
    release(servers: readonly TargetServer[], hold: boolean): Promise<void>;
    note(server: TargetServer): void;
}
