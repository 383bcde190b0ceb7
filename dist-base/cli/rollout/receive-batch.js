import { ProxyError } from "../../client/errors.js";
import { readPieces } from "../../support/async/read-pieces.js";
import { SafetensorsError } from "../../support/safetensors/errors.js";
import { readHeader } from "../../support/safetensors/read-header.js";
import { TensorFile } from "../../support/safetensors/tensor-file.js";
import { PartialBatch } from "./partial-batch.js";
/** Larger writes would hold more memory, smaller ones would take more processor time. */
const PIECE_BYTES = 1 << 22;
/**
 * Receives a batch into a partial file beside `file`, and syncs it. If the disk does not accept it, the rest is received into memory
 * together with what the file has.
 *
 * After a sync that failed, nobody knows what the file contains: the system may have dropped the bytes. This then fails, so that
 * the proxy sends the batch again. If the batch is not complete, no file is left.
 *
 * @throws ProxyError `invalid_reply` if it is not a safetensors file
 */
export async function receiveBatch(batch, target, disk) {
    const { file, isDiskUnsafe } = target;
    const partial = isDiskUnsafe
        ? undefined
        : await PartialBatch.create(file, batch.byteLength, disk).catch(() => undefined);
    try {
        const content = await receive(batch, partial, () => syncOrMark(partial, target));
        await requireBatch(content, batch);
        if (content !== partial)
            await partial?.discard();
        return content;
    }
    catch (error) {
        await partial?.discard();
        throw error;
    }
}
async function syncOrMark(partial, target) {
    try {
        await partial?.sync();
    }
    catch (error) {
        target.isDiskUnsafe = true;
        throw error;
    }
}
/** @param sync waits until the disk has the bytes of the partial file */
async function receive({ body }, partial, sync) {
    let accepting = partial;
    const rest = [];
    for await (const piece of readPieces(body, PIECE_BYTES)) {
        if (accepting && !(await isAppended(accepting, piece)))
            accepting = undefined;
        if (!accepting)
            rest.push(...piece);
    }
    await sync();
    return accepting ?? Buffer.concat([...(partial ? [await partial.readBack()] : []), ...rest]);
}
async function isAppended(partial, piece) {
    try {
        await partial.append(piece);
        return true;
    }
    catch {
        return false;
    }
}
/** @throws Error if bytes are missing, so that the batch is requested again; ProxyError if it is no batch */
async function requireBatch(content, { byteLength }) {
    const { length } = content;
    if (byteLength !== undefined && length !== byteLength) {
        throw new Error(`${length} of ${byteLength} bytes arrived`);
    }
    try {
        if (content instanceof Uint8Array)
            readHeader(content);
        else
            await (await TensorFile.open(content.path))[Symbol.asyncDispose]();
    }
    catch (error) {
        if (!(error instanceof SafetensorsError))
            throw error;
        const message = `/export_batch answered with ${length} bytes that are not a batch: ${error.message}.`;
        throw new ProxyError("invalid_reply", message, { cause: error });
    }
}
//# sourceMappingURL=receive-batch.js.map