import { join } from "node:path";
import { CommitThread } from "../../../src/storage/commit-thread.js";
import { LmdbFile } from "../../../src/storage/database.js";
import { recoverLog } from "../../../src/storage/log/recover-log.js";
import { WriteAheadLog } from "../../../src/storage/log/write-ahead-log.js";
import type { Contender, Store } from "./store.js";

/** LMDB, as a server uses it without a log. */
export const lmdb: Contender = {
  name: "LMDB",
  open: async (directory) => {
    const { thread, ...rest } = openLmdb(directory);
    return { ...rest, commit: (changes) => thread.commit(changes) };
  },
};

/** A log and then LMDB, as the server uses them. */
export const loggedLmdb: Contender = {
  name: "log before LMDB",
  open: async (directory) => {
    const { state } = await recoverLog(directory);
    const { thread, readRecords, close } = openLmdb(directory);
    const log = new WriteAheadLog({
      directory,
      state,
      apply: (segment) => thread.apply(segment),
      commit: (changes) => thread.commit(changes),
    });
    await log.open();
    return {
      commit: (changes) => log.append(changes),
      readRecords,
      close: async () => {
        await log.close();
        await close();
      },
    };
  },
};

function openLmdb(directory: string): Omit<Store, "commit"> & { readonly thread: CommitThread } {
  const options = { path: join(directory, "data.mdb"), sync: true, readOnly: false };
  const file = new LmdbFile(options);
  const thread = new CommitThread(options);
  return {
    thread,
    readRecords: async (prefix) => {
      let bytes = 0;
      for (const { value } of file.range("records", prefix)) bytes += value.length;
      return bytes;
    },
    close: async () => {
      await thread.close();
      await file.close();
    },
  };
}
