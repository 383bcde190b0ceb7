import { z } from "zod";
/** The warnings in a worker's health report. Those of another form are ignored, because the worker still serves calls. */
export declare const workerWarningsSchema: z.ZodCatch<z.ZodOptional<z.ZodPipe<z.ZodArray<z.ZodObject<{
    key: z.ZodPipe<z.ZodString, z.ZodTransform<string, string>>;
    message: z.ZodPipe<z.ZodString, z.ZodTransform<string, string>>;
}, z.core.$strip>>, z.ZodTransform<{
    key: string;
    message: string;
}[], {
    key: string;
    message: string;
}[]>>>>;
export type WorkerWarning = NonNullable<z.output<typeof workerWarningsSchema>>[number];
/** A warning, and the tags of the workers that have it. */
export interface SharedWarning extends WorkerWarning {
    readonly workers: string[];
}
interface WarningWorker {
    readonly tag: string;
    readonly warnings?: readonly WorkerWarning[] | undefined;
}
/** Lists the warnings of workers, each once. */
export declare function mergeWarnings(workers: readonly WarningWorker[]): SharedWarning[];
export {};
