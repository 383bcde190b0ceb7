import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { type BatchImage, FILE_TENSORS, imageFileName, imageFolderOf } from "../../session/batch/image-tensors.js";
import { makeFolder } from "../../support/make-folder.js";
import type { Header } from "../../support/safetensors/read-header.js";
import { writeBatchFile } from "../rollout/batch-file.js";
import { StorageCommandError } from "../storage/errors.js";

/**
 * Writes image files into the folder beside a batch. A file appears when it is complete. A file that exists with the same content is not
 * written again.
 *
 * @throws BatchWriteError if a file cannot be written
 */
export async function writeImageFiles(batch: string, images: readonly BatchImage[]): Promise<void> {
  const folder = imageFolderOf(batch);
  if (images.length > 0) await makeFolder(folder);
  for (const image of images) {
    const path = join(folder, imageFileName(image));
    const existing = await readFile(path).catch(() => undefined);
    if (!existing?.equals(image.bytes)) await writeBatchFile(path, image.bytes);
  }
}

/** Digests and types become names of files, so other texts are refused. */
const describedSchema = z.array(
  z.object({ sha256: z.string().regex(/^[0-9a-f]{64}$/), media_type: z.string().regex(/^image\/[a-z0-9.+-]+$/) }),
);

/** Returns true if the image files of a batch are in the folder beside it. */
export const hasImageFiles = ({ metadata, tensors }: Header): boolean =>
  metadata["images"] !== undefined && !tensors.some(({ name }) => FILE_TENSORS.has(name));

/**
 * Reads the image files of a batch from its tensors or from the folder beside it. Returns an empty list for a batch without images.
 *
 * @throws StorageCommandError `invalid_arguments` if a file is missing, or its digest does not match
 */
export async function readImageFiles(batch: string, bytes: Uint8Array, header: Header): Promise<BatchImage[]> {
  const described = describedSchema.parse(JSON.parse(header.metadata["images"] ?? "[]"));
  const readBytes = hasImageFiles(header) ? readFromFolder(batch) : readFromTensors(bytes, header);
  const images: BatchImage[] = [];
  for (const [index, { sha256, media_type: mediaType }] of described.entries()) {
    const image = { sha256, mediaType, bytes: await readBytes({ sha256, mediaType, index }) };
    if (createHash("sha256").update(image.bytes).digest("hex") !== sha256) throw changed(batch, image);
    images.push(image);
  }
  return images;
}

type ReadBytes = (image: Omit<BatchImage, "bytes"> & { readonly index: number }) => Promise<Uint8Array> | Uint8Array;

function readFromFolder(batch: string): ReadBytes {
  return async (image) => {
    const path = join(imageFolderOf(batch), imageFileName(image));
    return readFile(path).catch((cause: unknown) => {
      const reason = cause instanceof Error ? cause.message : String(cause);
      throw new StorageCommandError("invalid_arguments", `an image of ${batch} cannot be read: ${reason}`, { cause });
    });
  };
}

function changed(batch: string, image: BatchImage): StorageCommandError {
  const message = `image ${imageFileName(image)} of ${batch} was changed: it does not have the SHA-256 of its name`;
  return new StorageCommandError("invalid_arguments", message);
}

function readFromTensors(bytes: Uint8Array, { tensors }: Header): ReadBytes {
  const find = (name: string) => {
    const tensor = tensors.find((each) => each.name === name);
    return bytes.slice(tensor?.start, tensor?.end ?? 0);
  };
  // A copy, because tensors of a file need not be aligned.
  const offsets = new BigInt64Array(find("image_bytes_offsets").buffer);
  const data = find("image_bytes");
  return ({ index }) => data.subarray(Number(offsets[index]), Number(offsets[index + 1]));
}
