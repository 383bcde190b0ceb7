import { z } from "zod";
import type { Fleet, Member, MemberServer } from "./fleet.js";
export declare const mergedServer: z.ZodObject<{
    url: z.ZodString;
    state: z.ZodEnum<{
        down: "down";
        draining: "draining";
        unknown: "unknown";
        up: "up";
    }>;
    healthy: z.ZodBoolean;
    requests: z.ZodInt;
    waiting: z.ZodInt;
    max_inflight: z.ZodInt;
    logprobs: z.ZodEnum<{
        raw: "raw";
        temperature: "temperature";
        truncated: "truncated";
        unknown: "unknown";
    }>;
    completed: z.ZodInt;
    failed: z.ZodInt;
    aborted: z.ZodInt;
    failovers: z.ZodInt;
    last_failure: z.ZodNullable<z.ZodObject<{
        message: z.ZodString;
        at: z.ZodNumber;
    }, z.core.$strip>>;
    workers: z.ZodArray<z.ZodObject<{
        url: z.ZodString;
        state: z.ZodEnum<{
            down: "down";
            draining: "draining";
            unknown: "unknown";
            up: "up";
        }>;
        healthy: z.ZodBoolean;
        requests: z.ZodInt;
        tag: z.ZodString;
    }, z.core.$strip>>;
}, z.core.$strip>;
export declare const mergedEngine: z.ZodObject<{
    type: z.ZodString;
    paused: z.ZodNullable<z.ZodEnum<{
        abort: "abort";
        keep: "keep";
    }>>;
    servers: z.ZodArray<z.ZodObject<{
        url: z.ZodString;
        state: z.ZodEnum<{
            down: "down";
            draining: "draining";
            unknown: "unknown";
            up: "up";
        }>;
        healthy: z.ZodBoolean;
        requests: z.ZodInt;
        waiting: z.ZodInt;
        max_inflight: z.ZodInt;
        logprobs: z.ZodEnum<{
            raw: "raw";
            temperature: "temperature";
            truncated: "truncated";
            unknown: "unknown";
        }>;
        completed: z.ZodInt;
        failed: z.ZodInt;
        aborted: z.ZodInt;
        failovers: z.ZodInt;
        last_failure: z.ZodNullable<z.ZodObject<{
            message: z.ZodString;
            at: z.ZodNumber;
        }, z.core.$strip>>;
        workers: z.ZodArray<z.ZodObject<{
            url: z.ZodString;
            state: z.ZodEnum<{
                down: "down";
                draining: "draining";
                unknown: "unknown";
                up: "up";
            }>;
            healthy: z.ZodBoolean;
            requests: z.ZodInt;
            tag: z.ZodString;
        }, z.core.$strip>>;
    }, z.core.$strip>>;
    workers: z.ZodArray<z.ZodObject<{
        type: z.ZodString;
        paused: z.ZodNullable<z.ZodEnum<{
            abort: "abort";
            keep: "keep";
        }>>;
        tag: z.ZodString;
    }, z.core.$strip>>;
    unavailable_workers: z.ZodOptional<z.ZodArray<z.ZodString>>;
}, z.core.$strip>;
export declare const drainedServer: z.ZodObject<{
    url: z.ZodString;
    state: z.ZodEnum<{
        down: "down";
        draining: "draining";
        unknown: "unknown";
        up: "up";
    }>;
    healthy: z.ZodBoolean;
    requests: z.ZodInt;
    waiting: z.ZodInt;
    max_inflight: z.ZodInt;
    logprobs: z.ZodEnum<{
        raw: "raw";
        temperature: "temperature";
        truncated: "truncated";
        unknown: "unknown";
    }>;
    completed: z.ZodInt;
    failed: z.ZodInt;
    aborted: z.ZodInt;
    failovers: z.ZodInt;
    last_failure: z.ZodNullable<z.ZodObject<{
        message: z.ZodString;
        at: z.ZodNumber;
    }, z.core.$strip>>;
    workers: z.ZodArray<z.ZodObject<{
        url: z.ZodString;
        state: z.ZodEnum<{
            down: "down";
            draining: "draining";
            unknown: "unknown";
            up: "up";
        }>;
        healthy: z.ZodBoolean;
        requests: z.ZodInt;
        tag: z.ZodString;
    }, z.core.$strip>>;
    unavailable_workers: z.ZodOptional<z.ZodArray<z.ZodString>>;
}, z.core.$strip>;
export interface ServerUse extends MemberServer {
    readonly member: Member;
}
/** Merges the engines of all workers into one record that has each server once, with the sums of its counts. */
export declare function mergeEngines({ members, absent }: Fleet): z.input<typeof mergedEngine>;
/** Returns the uses of each server by identity, in the order of the workers. */
export declare function groupByServer(members: readonly Member[]): Map<string, ServerUse[]>;
/** Merges the records of one server. It is `up` if it is up for any worker, because it then gets requests. */
export declare function mergeServer(identity: string, uses: readonly ServerUse[]): z.input<typeof mergedServer>;
