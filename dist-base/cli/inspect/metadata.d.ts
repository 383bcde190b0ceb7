import { z } from "zod";
import type { Header } from "../../support/safetensors/read-header.js";
declare const schemas: {
    readonly rewardsMissing: z.ZodArray<z.ZodString>;
    readonly labels: z.ZodRecord<z.ZodString, z.ZodArray<z.ZodString>>;
    readonly unrewardedRoots: z.ZodObject<{
        count: z.ZodInt;
        first: z.ZodArray<z.ZodObject<{
            session_id: z.ZodString;
            interaction_id: z.ZodString;
        }, z.core.$strip>>;
    }, z.core.$strip>;
    readonly incompleteCalls: z.ZodRecord<z.ZodString, z.ZodInt>;
    readonly abortedCalls: z.ZodRecord<z.ZodString, z.ZodInt>;
    readonly leftOut: z.ZodObject<{
        undelivered: z.ZodInt;
        retried: z.ZodInt;
    }, z.core.$strip>;
    readonly rewardsFiltered: z.ZodArray<z.ZodString>;
    readonly uncountedRewards: z.ZodObject<{
        rows: z.ZodInt;
        first: z.ZodArray<z.ZodInt>;
    }, z.core.$strip>;
};
/** Parsed metadata. An entry that a file lacks, or has in another form, is undefined. */
export type BatchFacts = {
    readonly [name in keyof typeof schemas]: z.output<(typeof schemas)[name]> | undefined;
};
export declare function readFacts({ metadata }: Header): BatchFacts;
/** Returns the metadata as pairs of a name and a text, without entries that other parts of a report show. */
export declare function describeMetadata(header: Header): (readonly [string, string])[];
/** Returns the sum of counts by session. */
export declare function sumCounts(counts: Readonly<Record<string, number>>): number;
export {};
