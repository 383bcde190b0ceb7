import { z } from "zod";
/**
 * Identifies a process, also after its process id was given to another process. Optional fields are absent where the operating
 * system does not report them: only Linux does.
 */
export declare const processIdentity: z.ZodObject<{
    host: z.ZodString;
    pid: z.ZodInt;
    boot_id: z.ZodOptional<z.ZodString>;
    pid_namespace: z.ZodOptional<z.ZodString>;
    started: z.ZodOptional<z.ZodString>;
}, z.core.$strip>;
export type ProcessIdentity = z.output<typeof processIdentity>;
/** Returns the identity of this process. */
export declare function identifyProcess(): ProcessIdentity;
export declare function isSameProcess(one: ProcessIdentity, other: ProcessIdentity): boolean;
/** Returns true only if the process certainly ended. Processes of other machines and namespaces cannot be checked. */
export declare function hasEnded(other: ProcessIdentity, own?: ProcessIdentity): boolean;
