import { describe, expect, it } from "vitest";
import { PostgresDatabase } from "../../src/job/postgres.js";
import { hasPostgres } from "../helpers/postgres-server.js";
import { openTestStore } from "./open-test-store.js";
import { expectLikeModel } from "./random-leases.js";
import { startPostgres } from "./start-postgres.js";

const LIMITS = { maxConcurrentRollouts: 99, maxStaleness: 99, consumerBatchSize: 1 };
const SOON = { timeout: 20_000 };
const taskOf = (index: number) => ({ index, taskId: `task-${index}`, groupId: `task-${index}` });

describe.skipIf(!hasPostgres)("a job's state in PostgreSQL", () => {
  it("behaves like a list of events, also over restarts", { timeout: 120_000 }, async () => {
    const { url } = await startPostgres();
    let schemas = 0;
    await expectLikeModel(() => PostgresDatabase.open({ url: `${url}?schema=job_${schemas++}` }), 15);
  });

  it("belongs to one controller, whose death gives it to the one that waits", { timeout: 60_000 }, async () => {
    const { url } = await startPostgres();
    const first = await PostgresDatabase.open({ url });
    const store = await openTestStore({}, first);
    await store.advance({ added: [0, 1].map(taskOf), limits: LIMITS });
    const [held] = await store.claim({ worker: "w", count: 1, maxHeld: 1, workers: 1 });
    const waiting: string[] = [];
    const second = PostgresDatabase.open({ url, onWait: (why) => waiting.push(why) });
    await expect.poll(() => waiting, SOON).toEqual(["another controller has the job"]);
    const other = await PostgresDatabase.open({ url: `${url}?schema=another_job` });
    await first[Symbol.asyncDispose]();
    await using database = await second;
    const next = await openTestStore({ resume: true }, database);
    expect(await next.renew([held?.leaseId ?? ""])).toEqual([]);
    expect(await next.readCounts()).toMatchObject({ submitted: 2, queued: 1, leased: 1 });
    // The one that lost the job cannot write any more.
    await expect(store.giveBack([held?.leaseId ?? ""])).rejects.toThrow(/closed/);
    await other[Symbol.asyncDispose]();
  });

  it("has every answered change after its server was killed", { timeout: 60_000 }, async () => {
    const server = await startPostgres();
    const database = await PostgresDatabase.open({ url: server.url });
    const failures: Error[] = [];
    const store = await openTestStore({ onFailure: (error) => failures.push(error) }, database);
    await store.advance({ added: [0, 1, 2].map(taskOf), limits: LIMITS });
    await server.kill();
    await expect(store.readCounts()).rejects.toThrow("The connection to the job's database was lost");
    expect(failures).toHaveLength(1);
    await database[Symbol.asyncDispose]();
    await server.run();
    await using again = await PostgresDatabase.open({ url: server.url });
    const next = await openTestStore({ resume: true }, again);
    expect(await next.readCounts()).toMatchObject({ submitted: 3, queued: 3 });
  });

  it("is waited for while its server starts again, by a controller that waits", { timeout: 60_000 }, async () => {
    const server = await startPostgres();
    const first = await PostgresDatabase.open({ url: server.url });
    const waiting: string[] = [];
    const second = PostgresDatabase.open({ url: server.url, onWait: (why) => waiting.push(why), waitSeconds: 30 });
    await expect.poll(() => waiting, SOON).toEqual(["another controller has the job"]);
    await server.kill();
    await expect.poll(() => waiting.at(-1), SOON).toMatch(/^the database does not answer \(/);
    await server.run();
    await using database = await second;
    expect(await database.transaction((query) => query("select 1 as one"))).toEqual([{ one: 1 }]);
    expect(waiting.length).toBeLessThan(5);
    await first[Symbol.asyncDispose]();
  });
});
