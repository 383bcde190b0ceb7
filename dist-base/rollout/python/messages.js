import { z } from "zod";
const id = z.int();
/** False if the process cannot run another task. */
const reusable = z.boolean();
const workerMessage = z.discriminatedUnion("type", [
    /** The agent is loaded. */
    z.object({ type: z.literal("ready"), is_async: z.boolean(), python: z.string() }),
    z.object({
        type: z.literal("load_failed"),
        error: z.object({
            code: z.enum(["import_failed", "export_not_found", "invalid_workflow", "construction_failed"]),
            message: z.string(),
            traceback: z.string(),
        }),
    }),
    z.object({ type: z.literal("started"), id }),
    /** The task was cancelled and may still clean up. */
    z.object({ type: z.literal("cancelling"), id }),
    z.object({ type: z.literal("done"), id, value: z.union([z.number(), z.record(z.string(), z.number())]), reusable }),
    /** The agent returned no reward. */
    z.object({ type: z.literal("invalid"), id, received: z.string(), reusable }),
    z.object({
        type: z.literal("failed"),
        id,
        error: z.object({ name: z.string(), message: z.string(), traceback: z.string() }),
        reusable,
    }),
]);
/** Parses a line of a worker. Returns undefined if it is not a message. */
export function parseMessage(line) {
    try {
        return workerMessage.safeParse(JSON.parse(line)).data;
    }
    catch {
        return undefined;
    }
}
//# sourceMappingURL=messages.js.map