import { Log } from "../../../src/storage/log/log.js";
import { openLog } from "../../../src/storage/log/open-log.js";
import type { Contender } from "./store.js";

/** The log of Rolltape, as a server uses it. */
export const log: Contender = {
  name: "Rolltape's log",
  open: async (directory) => {
    const opened = openLog(directory, { maxFiles: 128 });
    const { set } = opened;
    const files = new Log(directory, opened, true);
    return {
      commit: (changes) => files.append(changes),
      readRecords: async (prefix) => {
        let bytes = 0;
        for (const { value } of set.range("records", Buffer.from(prefix))) bytes += value.length;
        return bytes;
      },
      close: async () => {
        await files.close();
        set.close();
      },
    };
  },
};
