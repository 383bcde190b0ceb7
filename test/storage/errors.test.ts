import { expect, test } from "vitest";
import { readError, writeError } from "../../src/storage/errors.js";

test.each([
  ["write to", writeError],
  ["read", readError],
])("a refusal of the disk to %s a file is told with its reason", (action, toError) => {
  const code = "storage_failed";
  const cause = new Error("EIO: i/o error");
  expect(toError(cause)).toMatchObject({
    code,
    cause,
    message: `The server cannot ${action} its storage: EIO: i/o error.`,
  });
  expect(toError("no room")).toMatchObject({ code, message: `The server cannot ${action} its storage: no room.` });
});
