import { z } from "zod";
/** The file `<tag>.json` that a server writes into the shared folder `server.workers_folder`. */
export declare const registrationSchema: z.ZodObject<{
    host: z.ZodString;
    pid: z.ZodInt;
    boot_id: z.ZodOptional<z.ZodString>;
    pid_namespace: z.ZodOptional<z.ZodString>;
    started: z.ZodOptional<z.ZodString>;
    url: z.ZodURL;
    tag: z.ZodString;
}, z.core.$strip>;
export type Registration = z.output<typeof registrationSchema>;
/**
 * Writes this server's address into the folder. The file is renamed into place, so that readers never see half of it. It replaces
 * the registration of an earlier server with the same tag.
 *
 * @returns a function that removes the file, unless another server with the tag has registered since
 */
export declare function registerWorker(folder: string, { url, tag }: Pick<Registration, "url" | "tag">): () => void;
/**
 * Removes a registration if it fits the condition. A server that registers at the same moment keeps its registration.
 *
 * @returns the removed registration; undefined if none was removed
 */
export declare function removeRegistration(file: string, condition: (registration: Registration) => boolean): Registration | undefined;
