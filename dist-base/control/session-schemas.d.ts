import { z } from "zod";
export declare const grantBody: z.ZodObject<{
    slots: z.ZodDefault<z.ZodInt32>;
}, z.core.$strict>;
export declare const startBody: z.ZodObject<{
    processor_cache_group_id: z.ZodOptional<z.ZodUnknown>;
    processor_cache_group_size: z.ZodOptional<z.ZodUnknown>;
    task_id: z.ZodOptional<z.ZodString>;
    group_id: z.ZodOptional<z.ZodString>;
    lease_id: z.ZodOptional<z.ZodString>;
    api_key: z.ZodOptional<z.ZodString>;
    weight_version: z.ZodOptional<z.ZodObject<{
        version: z.ZodInt32;
        set_at: z.ZodNumber;
    }, z.core.$strip>>;
}, z.core.$strict>;
export declare const sessionRecord: z.ZodObject<{
    session_id: z.ZodString;
    task_id: z.ZodString;
    group_id: z.ZodNullable<z.ZodString>;
    lease_id: z.ZodNullable<z.ZodString>;
    state: z.ZodEnum<{
        active: "active";
        ended: "ended";
        expired: "expired";
        exported: "exported";
    }>;
    created_at: z.ZodNumber;
    ended_at: z.ZodNullable<z.ZodNumber>;
    last_access_at: z.ZodNumber;
    interaction_count: z.ZodInt;
    prompt_tokens: z.ZodInt;
    completion_tokens: z.ZodInt;
    calls_in_flight: z.ZodInt;
    aborted_calls: z.ZodInt;
    upstream_calls: z.ZodInt;
    native_bytes: z.ZodInt;
    stored_tokens: z.ZodInt;
    stored_bytes: z.ZodInt;
    holds_slot: z.ZodBoolean;
}, z.core.$strip>;
export declare const sessionsQuery: z.ZodObject<{
    state: z.ZodOptional<z.ZodEnum<{
        active: "active";
        ended: "ended";
        expired: "expired";
        exported: "exported";
    }>>;
    task_id: z.ZodOptional<z.ZodString>;
    lease_id: z.ZodOptional<z.ZodString>;
    limit: z.ZodDefault<z.ZodCoercedNumber<unknown>>;
    after: z.ZodOptional<z.ZodPipe<z.ZodString, z.ZodTransform<import("./session-page.js").SessionCursor, string>>>;
}, z.core.$strip>;
export declare const transcriptQuery: z.ZodObject<{
    discount: z.ZodDefault<z.ZodCoercedNumber<unknown>>;
}, z.core.$strip>;
