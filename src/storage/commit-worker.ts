import { workerData } from "piscina";
import { type DatabaseOptions, LmdbFile } from "./database.js";
import { requireSpace } from "./file-system.js";
import { unpackChanges } from "./packed-changes.js";

/** Packed changes to commit, or the order to close the file. */
export type CommitRequest = Uint8Array<ArrayBuffer> | "close";

const options = JSON.parse(workerData as string) as DatabaseOptions;
const file = new LmdbFile(options);

/** Called on the thread for each request. Throws if the disk refuses the commit. */
export async function commit(request: CommitRequest): Promise<void> {
  if (request === "close") return file.close();
  requireSpace(options.path, request.byteLength);
  file.commit(unpackChanges(request));
}
