import { z } from "zod";
declare const groupSchema: z.ZodObject<{
    roles: z.ZodArray<z.ZodEnum<{
        controller: "controller";
        engine: "engine";
        gateway: "gateway";
        proxy: "proxy";
        rollout: "rollout";
    }>>;
    nodes: z.ZodInt;
    options: z.ZodDefault<z.ZodArray<z.ZodString>>;
}, z.core.$strict>;
/** How Slurm runs a job. */
export declare const slurmSchema: z.ZodObject<{
    options: z.ZodDefault<z.ZodArray<z.ZodString>>;
    groups: z.ZodDefault<z.ZodNullable<z.ZodArray<z.ZodObject<{
        roles: z.ZodArray<z.ZodEnum<{
            controller: "controller";
            engine: "engine";
            gateway: "gateway";
            proxy: "proxy";
            rollout: "rollout";
        }>>;
        nodes: z.ZodInt;
        options: z.ZodDefault<z.ZodArray<z.ZodString>>;
    }, z.core.$strict>>>>;
    step_options: z.ZodDefault<z.ZodRecord<z.ZodEnum<{
        controller: "controller";
        engine: "engine";
        gateway: "gateway";
        proxy: "proxy";
        rollout: "rollout";
    }> & z.core.$partial, z.ZodDefault<z.ZodArray<z.ZodString>>>>;
    requeue: z.ZodDefault<z.ZodBoolean>;
    pending_seconds: z.ZodDefault<z.ZodNullable<z.ZodNumber>>;
    poll_seconds: z.ZodDefault<z.ZodNumber>;
}, z.core.$strict>;
export type SlurmOptions = z.output<typeof slurmSchema>;
export type MachineGroup = z.output<typeof groupSchema>;
export {};
