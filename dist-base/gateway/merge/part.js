import { z } from "zod";
import { ApiError } from "../../http/errors.js";
import { SafetensorsError } from "../../support/safetensors/errors.js";
import { readHeader } from "../../support/safetensors/read-header.js";
/** The keys have the order in which a worker writes them, because the merged rows are written from the parsed ones. */
const rowSchema = z.object({
    session_id: z.string(),
    task_id: z.string(),
    group_id: z.string().nullable(),
    interaction_id: z.string(),
    length: z.int(),
    agent_id: z.string().optional(),
    parent_agent_id: z.string().optional(),
    turn_id: z.string().optional(),
});
const metadataSchema = z.object({
    style: z.string(),
    discount: z.string(),
    rewards_missing: jsonText(z.array(z.string())),
    incomplete_calls: jsonText(z.record(z.string(), z.int())),
    aborted_calls: jsonText(z.record(z.string(), z.int())),
    filters: z.string().optional(),
    filtered: z.coerce.number().int().min(0).optional(),
    rewards_filtered: jsonText(z.array(z.string())).optional(),
    rows: jsonText(z.array(rowSchema)),
    version: z.string().optional(),
    model: z.string().optional(),
    model_digest: z.string().optional(),
    config: z.string().optional(),
    concat_reward: z.string().optional(),
    unrewarded_roots: jsonText(z.object({
        count: z.int(),
        first: z.array(z.object({ session_id: z.string(), interaction_id: z.string() })),
    })).optional(),
    left_out: jsonText(z.object({ undelivered: z.int(), retried: z.int() })).optional(),
    uncounted_rewards: z.string().optional(),
    row_codes: jsonText(z.record(z.string(), z.array(z.string()))).optional(),
});
/**
 * Reads a safetensors file (docs/reference/batch-format.md) without copying its tensors.
 *
 * @throws {@link ApiError} `invalid_worker_reply` if the bytes are not a batch
 */
export function readPart(file) {
    const header = parseHeader(file);
    const parsed = metadataSchema.safeParse(header.metadata);
    if (!parsed.success)
        throw invalid(z.prettifyError(parsed.error));
    const tensors = header.tensors.map((entry) => [entry.name, viewTensor(file, entry)]);
    return { metadata: parsed.data, rows: parsed.data.rows, tensors: new Map(tensors) };
}
function parseHeader(file) {
    try {
        return readHeader(file);
    }
    catch (error) {
        throw error instanceof SafetensorsError ? invalid(error.reason) : error;
    }
}
function viewTensor(file, { name, dtype, start, end }) {
    if (dtype !== "I32" && dtype !== "F32" && dtype !== "BOOL")
        throw invalid(`${name} has dtype ${dtype}`);
    return { dtype, bytes: file.subarray(start, end) };
}
/** Returns the int32 values of a part's tensor, as a view. */
export function readInt32(part, name) {
    const { bytes } = requireTensor(part, name);
    return new Int32Array(bytes.buffer, bytes.byteOffset, bytes.byteLength / 4);
}
/** @throws {@link ApiError} `invalid_worker_reply` if the part has no such tensor */
export function requireTensor({ tensors }, name) {
    const tensor = tensors.get(name);
    if (!tensor)
        throw invalid(`it has no tensor ${name}`);
    return tensor;
}
function jsonText(schema) {
    const parsed = z.string().transform((text, context) => {
        try {
            return JSON.parse(text);
        }
        catch {
            context.addIssue({ code: "custom", message: "is not JSON" });
            return z.NEVER;
        }
    });
    return parsed.pipe(schema);
}
function invalid(reason) {
    return new ApiError("invalid_worker_reply", `A worker's part of the batch is invalid: ${reason}.`);
}
//# sourceMappingURL=part.js.map