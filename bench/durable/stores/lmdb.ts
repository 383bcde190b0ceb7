import { join } from "node:path";
import { CommitThread } from "../../../src/storage/commit-thread.js";
import { LmdbFile } from "../../../src/storage/database.js";
import type { Contender } from "./store.js";

/** LMDB, as a server uses it without a log. */
export const lmdb: Contender = {
  name: "LMDB",
  open: async (directory) => {
    const options = { path: join(directory, "data.mdb"), sync: true, readOnly: false };
    const file = new LmdbFile(options);
    const thread = new CommitThread(options);
    return {
      commit: (changes) => thread.commit(changes),
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
  },
};
