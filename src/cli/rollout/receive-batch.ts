import type { ArrivingBatch } from "../../client/admin-client.js";
import { ProxyError } from "../../client/errors.js";
import { readPieces } from "../../support/async/read-pieces.js";
import { SafetensorsError } from "../../support/safetensors/errors.js";
import { readHeader } from "../../support/safetensors/read-header.js";
import { TensorFile } from "../../support/safetensors/tensor-file.js";
import { PartialBatch, type PartialFileSystem } from "./partial-batch.js";

/** A batch that has arrived: in a partial file, or in memory if the disk did not accept it. */
export type BatchContent = PartialBatch | Uint8Array;

/** Larger writes would hold more memory, smaller ones would take more processor time. */
const PIECE_BYTES = 1 << 22;

/** Where a batch goes. All attempts to receive one batch share it. */
export interface BatchTarget {
  readonly file: string;
  /** True after a sync that failed: the next attempt receives the batch into memory. */
  isDiskUnsafe?: boolean;
}

/**
 * Receives a batch into a partial file beside `file`, and syncs it. If the disk does not accept it, the rest is received into memory
 * together with what the file has.
 *
 * After a sync that failed, nobody knows what the file contains: the system may have dropped the bytes. This then fails, so that
 * the proxy sends the batch again. If the batch is not complete, no file is left.
 *
 * @throws ProxyError `invalid_reply` if it is not a safetensors file
 */
export async function receiveBatch(
  batch: ArrivingBatch,
  target: BatchTarget,
  disk?: PartialFileSystem,
): Promise<BatchContent> {
  const { file, isDiskUnsafe } = target;
  const partial = isDiskUnsafe
    ? undefined
    : await PartialBatch.create(file, batch.byteLength, disk).catch(() => undefined);
  try {
    const content = await receive(batch, partial, () => syncOrMark(partial, target));
    await requireBatch(content, batch);
    if (content !== partial) await partial?.discard();
    return content;
  } catch (error) {
    await partial?.discard();
    throw error;
  }
}

async function syncOrMark(partial: PartialBatch | undefined, target: BatchTarget): Promise<void> {
  try {
    await partial?.sync();
  } catch (error) {
    target.isDiskUnsafe = true;
    throw error;
  }
}

/** @param sync waits until the disk has the bytes of the partial file */
async function receive(
  { body }: ArrivingBatch,
  partial: PartialBatch | undefined,
  sync: () => Promise<void>,
): Promise<BatchContent> {
  let accepting = partial;
  const rest: Uint8Array[] = [];
  for await (const piece of readPieces(body, PIECE_BYTES)) {
    if (accepting && !(await isAppended(accepting, piece))) accepting = undefined;
    if (!accepting) rest.push(...piece);
  }
  await sync();
  return accepting ?? Buffer.concat([...(partial ? [await partial.readBack()] : []), ...rest]);
}

async function isAppended(partial: PartialBatch, piece: readonly Uint8Array[]): Promise<boolean> {
  try {
    await partial.append(piece);
    return true;
  } catch {
    return false;
  }
}

/** @throws Error if bytes are missing, so that the batch is requested again; ProxyError if it is no batch */
async function requireBatch(content: BatchContent, { byteLength }: ArrivingBatch): Promise<void> {
  const { length } = content;
  if (byteLength !== undefined && length !== byteLength) {
    throw new Error(`${length} of ${byteLength} bytes arrived`);
  }
  try {
    if (content instanceof Uint8Array) readHeader(content);
    else await (await TensorFile.open(content.path))[Symbol.asyncDispose]();
  } catch (error) {
    if (!(error instanceof SafetensorsError)) throw error;
    const message = `/export_batch answered with ${length} bytes that are not a batch: ${error.message}.`;
    throw new ProxyError("invalid_reply", message, { cause: error });
  }
}
