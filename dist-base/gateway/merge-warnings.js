import { z } from "zod";
/** Limits of what is kept of one worker's report. A server of this version sends less. */
const MAX_WARNINGS_OF_WORKER = 16;
const MAX_CHARACTERS = 1000;
/** Maximum number of warnings that a gateway lists. */
const MAX_WARNINGS = 32;
const short = z.string().transform((text) => text.slice(0, MAX_CHARACTERS));
/** The warnings in a worker's health report. Those of another form are ignored, because the worker still serves calls. */
export const workerWarningsSchema = z
    .array(z.object({ key: short, message: short }))
    .transform((warnings) => warnings.slice(0, MAX_WARNINGS_OF_WORKER))
    .optional()
    .catch(undefined);
/** Lists the warnings of workers, each once. */
export function mergeWarnings(workers) {
    const merged = new Map();
    for (const { tag, warnings = [] } of workers) {
        for (const { key, message } of warnings) {
            const id = JSON.stringify([key, message]);
            const known = merged.get(id);
            if (known !== undefined && !known.workers.includes(tag))
                known.workers.push(tag);
            if (known === undefined && merged.size < MAX_WARNINGS)
                merged.set(id, { key, message, workers: [tag] });
        }
    }
    return [...merged.values()];
}
//# sourceMappingURL=merge-warnings.js.map