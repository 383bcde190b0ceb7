import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { JobJournal } from "../../src/leasing/job-journal.js";
import { changeStored, newFolder } from "../cli/storage/stored-sessions.js";

it("refuses the job of an unknown format before it changes the folder", async () => {
  const directory = newFolder();
  const job = Buffer.from(JSON.stringify({ format: 9, state: "done" }));
  await changeStored(directory, () => [{ table: "meta", key: Buffer.from("job"), value: job }]);
  const before = readFileSync(join(directory, "data.mdb"));
  const options = {
    directory,
    durability: "call",
    intervalMilliseconds: 100,
    digest: "",
    tasks: 1,
    version: 0,
  } as const;
  await expect(JobJournal.open({ ...options, firstBatch: 0, resume: false })).rejects.toMatchObject({
    code: "storage_unusable",
    message: expect.stringContaining("has a job of format 9; this Rolltape reads the formats 1 to 3."),
  });
  expect(readFileSync(join(directory, "data.mdb")).equals(before)).toBe(true);
});
