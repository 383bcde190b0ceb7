import { workerData } from "piscina";
import { type DatabaseOptions, LmdbFile } from "./database.js";
import { unpackChanges } from "./packed-changes.js";

/** Packed changes to commit, or the order to close the file. */
export type CommitRequest = Uint8Array<ArrayBuffer> | "close";

const file = new LmdbFile(JSON.parse(workerData as string) as DatabaseOptions);

/** Called on the thread for each request. Throws if the disk refuses the commit. */
export async function commit(request: CommitRequest): Promise<void> {
  if (request === "close") await file.close();
  else file.commit(unpackChanges(request));
}
