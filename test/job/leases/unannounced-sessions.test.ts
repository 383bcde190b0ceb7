import { describe, expect, it, onTestFinished } from "vitest";
import { SessionClient } from "../../../src/client/session-client.js";
import { SessionRemover } from "../../../src/job/session-remover.js";
import { SqliteDatabase } from "../../../src/job/sqlite.js";
import { connectProxy } from "../../../src/rollout/connect.js";
import { Gateway, startWorker } from "../../gateway/workers.js";
import { ADMIN_KEY } from "../../helpers/proxy.js";
import { leasing } from "./leasing.js";

const SETTLED = { settleMilliseconds: 0 };

/** Starts a gateway with two workers, and a controller that deletes sessions there. */
async function startJob(options: { readonly settleMilliseconds: number } = SETTLED) {
  const workers = [await startWorker("one"), await startWorker("two")] as const;
  const gateway = await Gateway.start({ urls: workers.map(({ url }) => url) });
  const proxy = connectProxy({ url: gateway.url, adminKey: ADMIN_KEY });
  onTestFinished(() => proxy.close());
  const remover = new SessionRemover({
    remove: (id) => proxy.admin.deleteSession(id),
    removeLease: (id) => proxy.admin.deleteLease(id, { ended: true }),
    ...options,
  });
  const start = async (leaseId?: string) => {
    await proxy.admin.grantCapacity();
    return (await proxy.admin.startSession({ taskId: "task-0", groupId: "task-0", leaseId })).sessionId;
  };
  const list = async () => {
    const { sessions } = (await gateway.get("/rl/sessions")).json<{
      sessions: { session_id: string }[];
    }>();
    return sessions.map(({ session_id }) => session_id).toSorted();
  };
  return { ...(await leasing({ remover })), workers, gateway, proxy, remover, start, list };
}

describe("sessions that a worker did not announce", () => {
  it("are deleted when its lease is lost, and no others of the same task", async () => {
    const { tasks, run, lease, start, list } = await startJob();
    void run(0);
    const [lost] = await lease("a");
    const others = [await start(), await start("lease-of-another-job")];
    for (let i = 0; i < 3; i++) await start(lost?.lease_id);
    expect(await list()).toHaveLength(5);
    await tasks.loseWorker("a", "it died");
    await expect.poll(list).toEqual(others.toSorted());
  });

  it("are deleted after they have ended, if their lease is lost before the report", async () => {
    const { tasks, run, lease, proxy, list } = await startJob();
    void run(0);
    const [lost] = await lease("a");
    await proxy.admin.grantCapacity();
    const session = await SessionClient.start(proxy.admin, { taskId: "task-0", leaseId: lost?.lease_id });
    await session.end();
    expect(await list()).toEqual([session.sessionId]);
    await tasks.loseWorker("a", "it died");
    await expect.poll(list).toEqual([]);
  });

  it("are deleted at the end of the job, also if the proxy has just started them", async () => {
    const { tasks, run, lease, start, list, remover } = await startJob({ settleMilliseconds: 3_600_000 });
    void run(0);
    const [lost] = await lease("a");
    await tasks.loseWorker("a", "it died");
    await start(lost?.lease_id);
    await remover.close(60);
    expect(await list()).toEqual([]);
  });

  it("stay to be deleted while a worker of the gateway does not answer", async () => {
    const { gateway, workers, proxy } = await startJob();
    await workers[0].kill();
    await gateway.get("/rl/sessions");
    await expect(proxy.admin.deleteLease("lease-1")).rejects.toMatchObject({ code: "worker_unavailable" });
  });

  it("are deleted by the next process if the controller was killed", async () => {
    const database = new SqliteDatabase();
    // The proxy of the first process does not answer.
    const never = { remove: () => new Promise(() => {}), removeLease: () => new Promise(() => {}), ...SETTLED };
    const { tasks, run, lease } = await leasing({ database, remover: new SessionRemover(never) });
    void run(0);
    const [lost] = await lease("a");
    await tasks.loseWorker("a", "it died");
    const { swept, store } = await leasing({ database, resume: true });
    await expect.poll(() => swept).toEqual([lost?.lease_id]);
    // Once they are deleted, the process after it does not ask again.
    await store.readCounts();
    expect((await leasing({ database, resume: true })).swept).toEqual([]);
  });
});
