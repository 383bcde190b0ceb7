import { expect, test } from "vitest";
import { recordKey } from "../../../src/session/stored/keys.js";
import { changeStored, newFolder, recordBranches, startStored } from "../../cli/storage/stored-sessions.js";

/** Records that are gone from the end of a session leave no gap. Only the counts in its head tell. */

test.each([
  ["interactions", ["interaction", "outcome"] as const, "interactions: 2 instead of 3"],
  ["rewards", ["outcome"] as const, "rewards of interactions: 1 instead of 2"],
])("refuses a session that lost %s instead of exporting the rest", async (_, kinds, reason) => {
  const directory = newFolder();
  const before = await startStored(directory);
  const session = await recordBranches(before, "task");
  await before.end(session);
  await before.close();
  await changeStored(directory, () =>
    kinds.map((kind) => ({ table: "records", key: recordKey(0, kind, 2), value: undefined })),
  );
  const proxy = await startStored(directory);
  const reply = await proxy.post("/export_batch", { session_ids: [session.id] });
  expect(reply.refusal).toBe("500 session_damaged");
  expect(reply.error.message).toContain(reason);
});
