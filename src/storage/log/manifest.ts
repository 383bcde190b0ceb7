import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { open, rename } from "node:fs/promises";
import { join } from "node:path";
import { native } from "../../native/addon.js";
import { MANIFEST_FILE, NEW_MANIFEST_FILE } from "../file-names.js";
import { syncPath } from "../file-system.js";
import { LOG_ID_BYTES } from "./record.js";

/** Version of the files of a storage. */
export const STORAGE_FORMAT = 1;

/** Lists the files of a log, so that a missing file or one of another log is noticed. */
export interface Manifest {
  readonly log: Buffer;
  /** Numbers of the first and last segment. All between them exist. */
  readonly first: number;
  readonly last: number;
  /** Where the records of the last segment end, if the log was closed; undefined while a server writes, and after a crash. */
  readonly end: number | undefined;
}

/** A later version wrote the manifest, so this one cannot read the folder. */
export class LaterStorageError extends Error {
  override readonly name = "LaterStorageError";
}

/** Returns the manifest of a log without segments. */
export function newManifest(): Manifest {
  return { log: randomBytes(LOG_ID_BYTES), first: 1, last: 0, end: undefined };
}

/**
 * Reads the manifest of a folder.
 *
 * @throws Error if it is damaged, LaterStorageError if a later version wrote it, or the error of the system
 */
export function readManifest(directory: string): Manifest {
  const text = readFileSync(join(directory, MANIFEST_FILE), "latin1");
  const [json = "", checksum] = text.split("\n");
  if (checksum !== checksumOf(json)) throw new Error("its checksum is wrong");
  const { format, log, first, last, end } = JSON.parse(json) as {
    readonly format: number;
    readonly log: string;
    readonly first: number;
    readonly last: number;
    readonly end: number | null;
  };
  if (format !== STORAGE_FORMAT) throw new LaterStorageError();
  return { log: Buffer.from(log, "hex"), first, last, end: end ?? undefined };
}

/**
 * Replaces the manifest of a folder.
 *
 * @param synced false: does not wait until it is on disk
 */
export async function writeManifest(directory: string, manifest: Manifest, synced: boolean): Promise<void> {
  const { log, first, last, end } = manifest;
  const json = JSON.stringify({ format: STORAGE_FORMAT, log: log.toString("hex"), first, last, end: end ?? null });
  const path = join(directory, NEW_MANIFEST_FILE);
  await writeFileSynced(path, [Buffer.from(`${json}\n${checksumOf(json)}\n`)], synced);
  await rename(path, join(directory, MANIFEST_FILE));
  if (synced) await syncPath(directory);
}

/** Writes a file that only its owner can read. Resolves when its content is on disk, but not necessarily its name. */
export async function writeFileSynced(path: string, parts: readonly Buffer[], synced: boolean): Promise<void> {
  await using file = await open(path, "w", 0o600);
  await file.writev([...parts]);
  if (synced) await file.datasync();
}

function checksumOf(json: string): string {
  return native.crc32c(Buffer.from(json)).toString(16).padStart(8, "0");
}
