import { z } from "zod";
declare const roleSchema: z.ZodObject<{
    role: z.ZodEnum<{
        controller: "controller";
        engine: "engine";
        gateway: "gateway";
        proxy: "proxy";
        rollout: "rollout";
    }>;
    count: z.ZodDefault<z.ZodInt>;
    command: z.ZodArray<z.ZodString>;
    env: z.ZodDefault<z.ZodRecord<z.ZodString, z.ZodString>>;
    ready: z.ZodDefault<z.ZodUnion<readonly [z.ZodLiteral<"started">, z.ZodLiteral<"line">, z.ZodObject<{
        url: z.ZodString;
    }, z.core.$strict>]>>;
    ready_seconds: z.ZodDefault<z.ZodNumber>;
    restarts: z.ZodDefault<z.ZodInt>;
}, z.core.$strict>;
/**
 * A job: its processes, and its folder for logs and addresses, which all machines share.
 *
 * Placeholders in commands, environments and URLs:
 *
 * - `{folder}`: the folder of the job.
 * - `{index}`: index of the process in its role, from 0.
 * - `{node}`: address at which other machines reach the process's machine.
 * - `{port}`: a free port on that machine.
 * - `{engine_urls}`: a JSON list.
 * - `{proxy_url}`: the proxy whose index is `{index}` modulo the number of proxies. It is on the same machine.
 * - `{gateway_url}`: the gateway.
 */
export declare const jobSchema: z.ZodObject<{
    name: z.ZodDefault<z.ZodString>;
    folder: z.ZodString;
    roles: z.ZodArray<z.ZodObject<{
        role: z.ZodEnum<{
            controller: "controller";
            engine: "engine";
            gateway: "gateway";
            proxy: "proxy";
            rollout: "rollout";
        }>;
        count: z.ZodDefault<z.ZodInt>;
        command: z.ZodArray<z.ZodString>;
        env: z.ZodDefault<z.ZodRecord<z.ZodString, z.ZodString>>;
        ready: z.ZodDefault<z.ZodUnion<readonly [z.ZodLiteral<"started">, z.ZodLiteral<"line">, z.ZodObject<{
            url: z.ZodString;
        }, z.core.$strict>]>>;
        ready_seconds: z.ZodDefault<z.ZodNumber>;
        restarts: z.ZodDefault<z.ZodInt>;
    }, z.core.$strict>>;
    stop_seconds: z.ZodDefault<z.ZodNumber>;
    slurm: z.ZodPrefault<z.ZodObject<{
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
    }, z.core.$strict>>;
}, z.core.$strict>;
export type JobSpec = z.output<typeof jobSchema>;
export type JobInput = z.input<typeof jobSchema>;
export type RoleSpec = z.output<typeof roleSchema>;
/** Returns the roles of a job in the order of their start. */
export declare function sortRoles({ roles }: JobSpec): RoleSpec[];
export {};
