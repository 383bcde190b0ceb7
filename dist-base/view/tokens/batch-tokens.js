import { TensorFile } from "../../support/safetensors/tensor-file.js";
import { BatchRows } from "./batch-rows.js";
import { readLayout } from "./row-layout.js";
import { findTensor, readRange } from "./tensor-ranges.js";
const TENSORS = [
    ["ids", "input_ids", "I32"],
    ["logprobs", "logprobs", "F32"],
    ["loss_mask", "loss_mask", "I32"],
    ["versions", "versions", "I32"],
];
/** The tokens of a batch file. Reads only the tokens that are asked for. */
export class BatchTokens {
    rows;
    modelDigest;
    file;
    #layout;
    constructor(file, rows, layout) {
        this.file = file;
        this.rows = rows;
        this.#layout = layout;
        this.modelDigest = file.header.metadata["model_digest"];
    }
    /**
     * Opens a batch. Returns undefined if the file is not a batch of Rolltape.
     *
     * @throws SafetensorsError, or an error of the file system
     */
    static async open(path) {
        return BatchTokens.read(await TensorFile.open(path));
    }
    /** Reads a batch from an open file. If this fails, or the file is not a batch of Rolltape, the file is closed. */
    static async read(file) {
        try {
            const rows = new BatchRows(file.header);
            const layout = await readLayout(file, rows);
            if (layout)
                return new BatchTokens(file, rows, layout);
        }
        catch (error) {
            await file[Symbol.asyncDispose]();
            throw error;
        }
        await file[Symbol.asyncDispose]();
        return undefined;
    }
    /** Returns the number of tokens of a row's sequence. */
    length(row) {
        return this.#layout.length(row);
    }
    /** Reads tokens [from, to) of a row's sequence. */
    async read(row, from, to) {
        const values = {
            ids: [],
            logprobs: [],
            loss_mask: [],
            versions: [],
        };
        for (const { at, count } of await this.#layout.runs(row, from, to)) {
            for (const [key, name, dtype] of TENSORS) {
                const tensor = findTensor(this.file, name, dtype);
                const read = tensor ? await readRange(this.file, tensor, at, at + count) : new Int32Array(count);
                for (const value of read)
                    values[key].push(value);
            }
        }
        return { ...values, loss_mask: values.loss_mask.map((value) => (value === 0 ? 0 : 1)) };
    }
    /** Returns the number that the row's logits were divided by; undefined if the file does not have it. */
    async temperature(row) {
        const tensor = findTensor(this.file, "row_temperature", "F32");
        const [value] = tensor ? await readRange(this.file, tensor, row, row + 1) : [];
        return value !== undefined && value > 0 ? value : undefined;
    }
    async [Symbol.asyncDispose]() {
        await this.file[Symbol.asyncDispose]();
    }
}
//# sourceMappingURL=batch-tokens.js.map