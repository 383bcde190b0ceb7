import { z } from "zod";
import type { IndexLine, SessionTranscript, TranscriptLine } from "./format.js";
/** The answer of `GET /rl/sessions/{id}/transcript` before its interactions, which are its last field. */
export declare const sessionHead: z.ZodObject<{
    session_id: z.ZodString;
    task_id: z.ZodString;
    group_id: z.ZodExactOptional<z.ZodString>;
    state: z.ZodEnum<{
        active: "active";
        ended: "ended";
        expired: "expired";
        exported: "exported";
    }>;
    started_at: z.ZodExactOptional<z.ZodNumber>;
    duration: z.ZodExactOptional<z.ZodNumber>;
    session_reward: z.ZodExactOptional<z.ZodNumber>;
    summary: z.ZodObject<{
        reward: z.ZodNullable<z.ZodNumber>;
        calls: z.ZodInt;
        turns: z.ZodInt;
        prompt_tokens: z.ZodInt;
        completion_tokens: z.ZodInt;
        finish_reasons: z.ZodRecord<z.ZodString, z.ZodInt>;
        broken: z.ZodInt;
        left_out: z.ZodInt;
        branches: z.ZodInt;
        versions: z.ZodExactOptional<z.ZodTuple<[z.ZodInt, z.ZodInt], null>>;
    }, z.core.$strip>;
}, z.core.$strip>;
/** The answer of `GET /rl/sessions/{id}/transcript`. */
export declare const sessionTranscript: z.ZodType<SessionTranscript>;
export declare const runLine: z.ZodObject<{
    type: z.ZodLiteral<"run">;
    format: z.ZodLiteral<1>;
    started_at: z.ZodNumber;
    model: z.ZodExactOptional<z.ZodString>;
    model_digest: z.ZodExactOptional<z.ZodString>;
    model_path: z.ZodExactOptional<z.ZodString>;
    tasks: z.ZodExactOptional<z.ZodInt>;
    group_size: z.ZodExactOptional<z.ZodInt>;
    discount: z.ZodExactOptional<z.ZodNumber>;
}, z.core.$strip>;
export declare const episodeLine: z.ZodType<Extract<TranscriptLine, {
    type: "episode";
}>>;
export declare const transcriptLine: z.ZodType<TranscriptLine>;
export declare const indexLine: z.ZodType<IndexLine>;
