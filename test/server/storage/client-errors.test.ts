import { expect, it } from "vitest";
import { describeForClients, toClientError } from "../../../src/server/storage/client-errors.js";
import { StorageError } from "../../../src/storage/index.js";

const failed = (reason: string) =>
  new StorageError("storage_failed", `The server cannot write to its storage: ${reason}.`, {
    cause: new Error(reason),
  });

it.each([
  ["ENOENT: no such file or directory, statfs '/srv/rl/data.mdb'", "the file is missing"],
  ["EIO: i/o error, fdatasync", "input/output error"],
  ["ENOSPC: no space left on device, open '/srv/rl/data.mdb.probe'", "the disk is full"],
  ["EMFILE: too many open files, open '/srv/rl/data.log-0'", "too many open files"],
  ["the disk is full", "the disk is full"],
  ["Input/output error", "Input/output error"],
  ["the file /srv/rl/data.log-0 does not have the changes", "see the log of the server"],
  ["the file rl/data.log-0 does not have the changes", "see the log of the server"],
])("says of %s: %s", (reason, described) => {
  expect(describeForClients(failed(reason))).toBe(`The server cannot write to its storage: ${described}.`);
});

it("keeps the original error as the cause, for the log", () => {
  const original = failed("EACCES: permission denied, open '/srv/rl/data.mdb'");
  expect(toClientError(original)).toMatchObject({ code: "storage_failed", statusCode: 503, cause: original });
});
