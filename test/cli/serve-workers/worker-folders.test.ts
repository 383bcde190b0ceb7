import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import {
  describeUnusedWorkers,
  refuseOtherSessions,
  workerFolder,
} from "../../../src/cli/serve-workers/worker-folders.js";
import { parseConfig } from "../../../src/config/index.js";
import { readProblems } from "../../config/helpers.js";
import { temporaryFolder } from "../rolltape.js";

/** Returns the configuration of a storage folder that has these files. */
function storageWith(...files: string[]) {
  const directory = temporaryFolder();
  for (const file of files) {
    mkdirSync(dirname(join(directory, file)), { recursive: true });
    writeFileSync(join(directory, file), "");
  }
  return parseConfig({ storage: { directory } });
}

const refusal = (config: ReturnType<typeof storageWith>, workers: number) =>
  Object.values(readProblems(() => refuseOtherSessions(config, workers))).join();

describe("the storage folders of workers", () => {
  it("are in the folder of the configuration", () => {
    expect(workerFolder(parseConfig({ storage: { directory: "/data" } }), "worker-3")).toBe("/data/worker-3");
    expect(workerFolder(parseConfig({}), "worker-3")).toBeUndefined();
  });

  it("may be new, or those of as many or fewer workers", () => {
    for (const files of [[], ["worker-0/manifest"], ["worker-0/manifest", "worker-1/manifest"]]) {
      expect(() => refuseOtherSessions(storageWith(...files), 2)).not.toThrow();
    }
    expect(() => refuseOtherSessions(parseConfig({ storage: { directory: "/no/such/folder" } }), 2)).not.toThrow();
    expect(() => refuseOtherSessions(storageWith("worker-7/notes", "worker-x/manifest"), 2)).not.toThrow();
  });

  it("are refused beside the sessions of a single server", () => {
    expect(refusal(storageWith("manifest"), 2)).toMatch(
      /has the sessions of a single server\. To use them, move its files into .*worker-0, or set server\.workers=1/,
    );
  });

  it("are refused if the folder is a file", () => {
    const file = join(temporaryFolder(), "file");
    writeFileSync(file, "");
    const config = parseConfig({ storage: { directory: file } });
    expect(refusal(config, 2)).toBe(`${file} is a file. Choose a folder`);
    expect(Object.values(readProblems(() => describeUnusedWorkers(config))).join()).toBe(
      `${file} is a file. Choose a folder`,
    );
  });

  it("are refused if sessions of further workers would be left out", () => {
    const config = storageWith("worker-0/manifest", "worker-2/manifest", "worker-10/manifest");
    expect(refusal(config, 2)).toMatch(
      /has sessions of more workers than 2: worker-2, worker-10\. Set server\.workers=11/,
    );
  });
});

describe("the storage folder of a single server", () => {
  it("is reported if it has sessions of workers, which the server does not use", () => {
    expect(describeUnusedWorkers(storageWith("manifest"))).toBeUndefined();
    expect(describeUnusedWorkers(parseConfig({}))).toBeUndefined();
    expect(describeUnusedWorkers(storageWith("worker-0/manifest", "worker-3/manifest"))).toContain("server.workers=4");
  });
});
