import { expect, it } from "vitest";
import { describeForClients, toStorageApiError } from "../../../src/server/storage/client-errors.js";
import { StorageError } from "../../../src/storage/index.js";

const failed = (reason: string) =>
  new StorageError("storage_failed", `The server cannot write to its storage: ${reason}.`, {
    cause: new Error(reason),
  });

it.each([
  ["ENOENT: no such file or directory, open '/srv/rl/segment-00000001.log'", "the file is missing"],
  ["EIO: i/o error, fdatasync", "input/output error"],
  ["ENOSPC: no space left on device, open '/srv/rl/manifest.new'", "the disk is full"],
  ["EMFILE: too many open files, open '/srv/rl/segment-00000002.log'", "too many open files"],
  ["the disk is full", "the disk is full"],
  ["Input/output error", "Input/output error"],
  ["/srv/rl/segment-00000002.log cannot be opened", "see the log of the server"],
  ["rl/segment-00000002.log cannot be opened", "see the log of the server"],
])("says of %s: %s", (reason, described) => {
  expect(describeForClients(failed(reason))).toBe(`The server cannot write to its storage: ${described}.`);
});

it("keeps the original error as the cause, for the log", () => {
  const original = failed("EACCES: permission denied, open '/srv/rl/manifest'");
  expect(toStorageApiError(original)).toMatchObject({ code: "storage_failed", statusCode: 503, cause: original });
});
