import { createHash } from "node:crypto";
import type { FileHandle } from "node:fs/promises";
import { openRegularFile } from "../../support/regular-file.js";
import { digestMetadata, isMissing, type ObjectStore } from "./object-store.js";

/** Size of the parts of an upload. Smaller files are uploaded at once. An upload holds one part in memory. */
export const PART_BYTES = 8 << 20;
/** Maximum number of parts that S3 takes. */
const MAX_PARTS = 10_000;

export interface UploadOptions {
  readonly signal: AbortSignal;
  /** An earlier attempt may have succeeded or begun: looks for the object and for parts of it first. */
  readonly mayExist: boolean;
}

/** The result of an upload. */
export interface Upload {
  readonly bytes: number;
  /** Bytes that an earlier attempt had uploaded. */
  readonly reused: number;
}

interface UploadedPart {
  readonly PartNumber: number;
  readonly ETag: string | undefined;
  readonly ChecksumSHA256: string;
}

/**
 * Uploads a file, in parts if it is large. The store checks the SHA-256 of each request. Continues the unfinished upload of an earlier
 * attempt: parts that the store has are not uploaded again. The file must not change meanwhile.
 *
 * @returns undefined if the store has the same object
 * @throws the error of the store or of the file system
 */
export async function uploadFile(
  store: ObjectStore,
  path: string,
  name: string,
  { signal, mayExist }: UploadOptions,
): Promise<Upload | undefined> {
  await using file = await openRegularFile(path);
  const { size } = await file.stat();
  const sha256 = await digestFile(file, size);
  if (mayExist && (await unlessForbidden(store.head(name)))?.sha256 === sha256) {
    await abortUploads(store, name, await listUploads(store, name, size));
    return undefined;
  }
  if (size > PART_BYTES) return await uploadParts(store, file, { name, size, sha256, signal, mayExist });
  const body = await readFully(file, 0, size);
  const { PutObjectCommand } = store.sdk;
  const request = { ...store.target(name), Body: body, ChecksumSHA256: digest(body), Metadata: digestMetadata(sha256) };
  await store.client.send(new PutObjectCommand(request), { abortSignal: signal });
  return { bytes: size, reused: 0 };
}

interface LargeFile {
  readonly name: string;
  readonly size: number;
  readonly sha256: string;
  readonly signal: AbortSignal;
  readonly mayExist: boolean;
}

async function uploadParts(
  store: ObjectStore,
  file: FileHandle,
  { name, size, sha256, signal, mayExist }: LargeFile,
): Promise<Upload> {
  const { CompleteMultipartUploadCommand, UploadPartCommand } = store.sdk;
  const target = store.target(name);
  const [newest, ...others] = mayExist ? await listUploads(store, name, size) : [];
  await abortUploads(store, name, others);
  const UploadId = newest ?? (await beginUpload(store, name, sha256, signal));
  const known = newest === undefined ? new Map<number, KnownPart>() : await listParts(store, name, newest);
  const partBytes = Math.max(PART_BYTES, Math.ceil(size / MAX_PARTS));
  const parts: UploadedPart[] = [];
  let reused = 0;
  for (let from = 0, PartNumber = 1; from < size; from += partBytes, PartNumber++) {
    const body = await readFully(file, from, Math.min(partBytes, size - from));
    const part = { PartNumber, ChecksumSHA256: digest(body) };
    const before = known.get(PartNumber);
    if (before && isSamePart(before, body, part.ChecksumSHA256)) {
      parts.push({ ...part, ETag: before.etag });
      reused += body.length;
      continue;
    }
    const sent = new UploadPartCommand({ ...target, ...part, UploadId, Body: body });
    const { ETag } = await store.client.send(sent, { abortSignal: signal });
    parts.push({ ...part, ETag });
  }
  const complete = new CompleteMultipartUploadCommand({ ...target, UploadId, MultipartUpload: { Parts: parts } });
  await store.client.send(complete, { abortSignal: signal });
  // The metadata is from the beginning of the upload. The file may have been replaced since.
  if (newest !== undefined && (await unlessForbidden(store.head(name)))?.sha256 !== sha256)
    return await uploadParts(store, file, { name, size, sha256, signal, mayExist: false });
  return { bytes: size, reused };
}

async function beginUpload(store: ObjectStore, name: string, sha256: string, signal: AbortSignal): Promise<string> {
  const { CreateMultipartUploadCommand } = store.sdk;
  const request = { ...store.target(name), ChecksumAlgorithm: "SHA256", Metadata: digestMetadata(sha256) } as const;
  const { UploadId } = await store.client.send(new CreateMultipartUploadCommand(request), { abortSignal: signal });
  if (UploadId === undefined) throw new Error("the store began an upload without an id");
  return UploadId;
}

/** Returns undefined if the credentials only allow uploads. The file is then uploaded without a look at what is there. */
async function unlessForbidden<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer;
  } catch (error) {
    const { cause = error } = error as { cause?: { $metadata?: { httpStatusCode?: number } } };
    if ((cause as { $metadata?: { httpStatusCode?: number } }).$metadata?.httpStatusCode === 403) return undefined;
    throw error;
  }
}

/** Returns the ids of unfinished uploads of an object, the newest first. Small files have none. */
async function listUploads(store: ObjectStore, name: string, size: number): Promise<string[]> {
  if (size <= PART_BYTES) return [];
  const { Bucket, Key } = store.target(name);
  const listed = store.client.send(new store.sdk.ListMultipartUploadsCommand({ Bucket, Prefix: Key }));
  const { Uploads = [] } = (await unlessForbidden(listed)) ?? {};
  return Uploads.filter((upload) => upload.Key === Key)
    .toSorted((a, b) => Number(b.Initiated ?? 0) - Number(a.Initiated ?? 0))
    .flatMap(({ UploadId }) => UploadId ?? []);
}

async function abortUploads(store: ObjectStore, name: string, uploads: readonly string[]): Promise<void> {
  for (const UploadId of uploads) {
    const abort = new store.sdk.AbortMultipartUploadCommand({ ...store.target(name), UploadId });
    await store.client.send(abort).catch((error: unknown) => {
      if (!isMissing(error)) throw error;
    });
  }
}

/** A part that the store has. */
interface KnownPart {
  readonly bytes: number | undefined;
  readonly etag: string | undefined;
  readonly sha256: string | undefined;
}

async function listParts(store: ObjectStore, name: string, UploadId: string): Promise<Map<number, KnownPart>> {
  const known = new Map<number, KnownPart>();
  let marker: string | undefined;
  do {
    const page = await store.client.send(
      new store.sdk.ListPartsCommand({ ...store.target(name), UploadId, PartNumberMarker: marker }),
    );
    for (const { PartNumber, Size, ETag, ChecksumSHA256 } of page.Parts ?? [])
      if (PartNumber !== undefined) known.set(PartNumber, { bytes: Size, etag: ETag, sha256: ChecksumSHA256 });
    marker = page.IsTruncated ? page.NextPartNumberMarker : undefined;
  } while (marker !== undefined);
  return known;
}

/** Compares by the SHA-256, or by the MD5 that most stores use as the ETag of a part. If neither is known, the part counts as another one. */
function isSamePart({ bytes, etag, sha256 }: KnownPart, body: Uint8Array, expected: string): boolean {
  if (bytes !== body.length) return false;
  if (sha256 !== undefined) return sha256 === expected;
  return etag?.replaceAll('"', "") === createHash("md5").update(body).digest("hex");
}

const digest = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("base64");

async function digestFile(file: FileHandle, size: number): Promise<string> {
  const hash = createHash("sha256");
  const chunk = 1 << 20;
  for (let from = 0; from < size; from += chunk) hash.update(await readFully(file, from, Math.min(chunk, size - from)));
  return hash.digest("hex");
}

async function readFully(file: FileHandle, from: number, length: number): Promise<Uint8Array> {
  const bytes = new Uint8Array(length);
  for (let read = 0; read < length; ) {
    const { bytesRead } = await file.read(bytes, read, length - read, from + read);
    if (bytesRead === 0) throw new Error("the file has become shorter");
    read += bytesRead;
  }
  return bytes;
}
