import { z } from "zod";
export declare const stepBody: z.ZodObject<{
    step: z.ZodEnum<{
        drain: "drain";
        finish: "finish";
        hold: "hold";
        list: "list";
        load: "load";
        pause: "pause";
        prepare: "prepare";
        release: "release";
        resume: "resume";
    }>;
    target: z.ZodOptional<z.ZodObject<{
        version: z.ZodInt32;
        mode: z.ZodEnum<{
            external: "external";
            path: "path";
        }>;
        path: z.ZodNullable<z.ZodString>;
    }, z.core.$strip>>;
    servers: z.ZodDefault<z.ZodArray<z.ZodString>>;
    known: z.ZodDefault<z.ZodArray<z.ZodObject<{
        url: z.ZodString;
        version: z.ZodNullable<z.ZodInt32>;
        path: z.ZodNullable<z.ZodString>;
    }, z.core.$strip>>>;
    hold: z.ZodDefault<z.ZodBoolean>;
}, z.core.$strict>;
export declare const stepReply: z.ZodObject<{
    servers: z.ZodArray<z.ZodObject<{
        url: z.ZodString;
        version: z.ZodNullable<z.ZodInt32>;
        path: z.ZodNullable<z.ZodString>;
        draining: z.ZodBoolean;
        source: z.ZodEnum<{
            assumed: "assumed";
            known: "known";
            update: "update";
        }>;
    }, z.core.$strip>>;
    update: z.ZodNullable<z.ZodObject<{
        version: z.ZodInt32;
        mode: z.ZodEnum<{
            external: "external";
            path: "path";
        }>;
        path: z.ZodNullable<z.ZodString>;
    }, z.core.$strip>>;
    interrupted: z.ZodDefault<z.ZodBoolean>;
    paused: z.ZodBoolean;
    failures: z.ZodArray<z.ZodObject<{
        url: z.ZodString;
        message: z.ZodString;
        unchanged: z.ZodBoolean;
        unreachable: z.ZodBoolean;
    }, z.core.$strip>>;
}, z.core.$strip>;
export type StepBody = z.output<typeof stepBody>;
export type StepReply = z.output<typeof stepReply>;
