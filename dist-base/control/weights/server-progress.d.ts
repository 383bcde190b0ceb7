import type { StepFailure, TargetServer } from "./weight-targets.js";
import type { WeightServerRecord } from "./weights-schemas.js";
/** The progress of an update on one engine server. */
export declare class ServerProgress {
    #private;
    readonly url: string;
    readonly draining: boolean;
    state: WeightServerRecord["state"];
    constructor({ url, version, path, draining }: TargetServer);
    get version(): number | null;
    get target(): TargetServer;
    get error(): string | null;
    /** False if the update leaves the server out. */
    get takesPart(): boolean;
    has(version: number, path: string | null): boolean;
    exclude(error?: string | null): void;
    /** Notes that the server begins to load. Its weights are unknown until {@link loaded}. */
    loading(): void;
    loaded(version: number, path: string | null, seconds: number | null): void;
    fail({ message, unchanged }: StepFailure): void;
    toRecord(): WeightServerRecord;
}
