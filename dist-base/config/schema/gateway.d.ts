import { z } from "zod";
/** `rolltape gateway`: one address for many servers. Its own host and port are under `server`. */
export declare const gatewaySchema: z.ZodObject<{
    workers: z.ZodDefault<z.ZodArray<z.ZodString>>;
    workers_file: z.ZodDefault<z.ZodNullable<z.ZodString>>;
    workers_folder: z.ZodDefault<z.ZodNullable<z.ZodString>>;
    poll_seconds: z.ZodDefault<z.ZodNumber>;
    direct: z.ZodDefault<z.ZodNullable<z.ZodBoolean>>;
    control_timeout_seconds: z.ZodDefault<z.ZodNumber>;
    unreachable_seconds: z.ZodDefault<z.ZodNumber>;
    worker_return_seconds: z.ZodDefault<z.ZodNumber>;
}, z.core.$strict>;
