import { z } from "zod";
export interface ListOptions {
    readonly min?: number;
    readonly max?: number;
    /**
     * Checks each object once. An object that occurs again, in a list that continues an earlier one, gets the earlier
     * result. The elements must not be changed after the check.
     */
    readonly once?: boolean;
}
/**
 * Returns the schema of an array that is checked up to its first invalid element. zod's own arrays collect an issue for
 * every element, which turns a hostile body into gigabytes of issues.
 */
export declare function listOf<T extends z.ZodType>(element: T, { min, max, once }?: ListOptions): z.ZodPipe<z.ZodArray<z.ZodUnknown>, z.ZodTransform<z.output<T>[], unknown[]>>;
