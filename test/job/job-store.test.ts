import { it } from "vitest";
import { SqliteDatabase } from "../../src/job/sqlite.js";
import { expectLikeModel } from "./random-leases.js";

it("a job's state in memory behaves like a list of events, also over restarts", async () => {
  await expectLikeModel(() => Promise.resolve(new SqliteDatabase()), 100);
}, 60_000);
