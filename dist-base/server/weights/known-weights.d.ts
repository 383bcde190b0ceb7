import { z } from "zod";
import type { StepReply } from "../../control/weights/weight-steps.js";
import type { TargetServer, UpdateTarget } from "../../control/weights/weight-targets.js";
import type { CurrentVersion } from "../current-version.js";
import type { ServerStorage } from "../storage/server-storage.js";
/** The address of the engine in this process. */
export declare const EMBEDDED = "embedded";
/** Name of the known weights in the storage. */
export declare const WEIGHTS = "weights";
declare const serverSchema: z.ZodObject<{
    url: z.ZodString;
    version: z.ZodNullable<z.ZodInt>;
    path: z.ZodNullable<z.ZodString>;
    noted: z.ZodOptional<z.ZodBoolean>;
}, z.core.$strip>;
type KnownServer = z.output<typeof serverSchema>;
/**
 * What this server knows about the weights of its engine servers, and the update that is in progress. With storage, it is
 * still known after a restart.
 *
 * A server about which nothing is known is assumed to have the current version: it was started with it, or a trainer set it.
 */
export declare class KnownWeights {
    #private;
    constructor(current: CurrentVersion, storage: ServerStorage | undefined);
    /** The update in progress; null if there is none. */
    get update(): UpdateTarget | null;
    find(url: string): KnownServer;
    /** Returns where the version of a server comes from. Workers of one server know different things about it. */
    sourceOf(url: string): StepReply["servers"][number]["source"];
    /** Notes that a server's weights are not known while it loads others. */
    forget(url: string): void;
    /** Notes the update in progress. Resolves when it is stored. */
    begin(update: UpdateTarget, urls: readonly string[]): Promise<void>;
    note({ url, version, path }: TargetServer | KnownServer): void;
    /** Notes the end of the update. */
    end(servers: readonly KnownServer[]): void;
    /** Resolves when everything is stored. */
    stored(): Promise<void>;
}
export {};
