import { createServer } from "node:http";
import { describe, expect, it, onTestFinished } from "vitest";
import { ConnectionPool } from "../../../src/client/connection-pool.js";
import { connectProxy } from "../../../src/rollout/connect.js";
import type { EpisodeOptions } from "../../../src/rollout/contract.js";
import { watchProxy } from "../../../src/rollout/proxy-watch.js";
import { ControllerClient } from "../../../src/rollout/worker/controller-client.js";
import { RolloutWorker, type RolloutWorkerOptions } from "../../../src/rollout/worker/rollout-worker.js";
import { findFreePort } from "../../../src/scheduler/free-port.js";
import { createDeferred } from "../../../src/support/async/deferred.js";
import { acceptedAs, HeldWorkflow, rejectedWith } from "../../job/held-workflow.js";
import { ADMIN_KEY, leasing, serve } from "../../job/leases/leasing.js";

/** A workflow whose data are tasks of {@link leasing}. Its sessions are started without the lease by default. */
class AnnouncingWorkflow extends HeldWorkflow {
  startsWithLease = false;

  override async arunEpisode(engine: never, data: never, options: EpisodeOptions = {}) {
    const { number } = data as { number: number };
    await options.onSession?.(`s${number}`, this.startsWithLease ? options.leaseId : undefined);
    return super.arunEpisode(engine, number, options);
  }
}

async function working(options: Partial<RolloutWorkerOptions> & { patienceSeconds?: number; url?: string } = {}) {
  const leased = await leasing();
  const served = await serve(leased);
  const connections = new ConnectionPool();
  const engine = connectProxy({ url: "http://127.0.0.1:9", adminKey: ADMIN_KEY });
  onTestFinished(async () => {
    await connections.close();
    await engine.close();
  });
  const address = { url: options.url ?? served.url };
  const troubles: (string | undefined)[] = [];
  const client = new ControllerClient({
    locate: () => Promise.resolve(address.url),
    adminKey: ADMIN_KEY,
    connections,
    patienceSeconds: options.patienceSeconds ?? 60,
    onTrouble: (why) => troubles.push(why),
  });
  const workflow = new AnnouncingWorkflow();
  const outcomes: string[] = [];
  const { job_id: jobId } = await client.register("w", "worker-w");
  const worker = new RolloutWorker({
    client,
    workerId: "w",
    name: "worker-w",
    jobId,
    workflow: workflow as never,
    engine,
    concurrency: 2,
    leaseSeconds: 0.1,
    onEnd: (task, _, outcome) => outcomes.push(`${task.task} ${outcome}`),
    ...options,
  });
  const ended = worker.run();
  onTestFinished(() => {
    worker.stop();
    return ended.then(
      () => undefined,
      () => undefined,
    );
  });
  return { ...leased, served, worker, workflow, outcomes, ended, address, troubles };
}

describe("a rollout worker", () => {
  it("runs as many tasks at once as it may, and ends when the job is done", async () => {
    const { tasks, run, workflow, ended, outcomes } = await working();
    const results = [run(0), run(1), run(2)];
    await expect.poll(() => workflow.running).toEqual([0, 1]);
    await workflow.end(1);
    expect((await results[1])?.accepted).toMatchObject([{ sessionId: "s1" }]);
    await expect.poll(() => workflow.running).toEqual([0, 2]);
    for (const each of [0, 2]) await workflow.end(each);
    await Promise.all(results);
    tasks.finish();
    expect(await ended).toBe("done");
    expect(outcomes.toSorted()).toEqual(["0 accepted", "1 accepted", "2 accepted"]);
  });

  it("announces a session before its agent runs, unless the session was started with the lease", async () => {
    const announced: string[] = [];
    const { tasks, run, workflow, counts } = await working();
    const update = tasks.update.bind(tasks);
    tasks.update = (each) => {
      announced.push(...each.sessions.map(({ session_id }) => session_id));
      return update(each);
    };
    void run(0);
    await expect.poll(() => workflow.running).toEqual([0]);
    expect(announced).toEqual(["s0"]);
    workflow.startsWithLease = true;
    void run(1);
    await expect.poll(() => workflow.running).toEqual([0, 1]);
    for (const each of [0, 1]) await workflow.end(each);
    await expect.poll(async () => (await counts()).leased).toBe(0);
    expect(announced).toEqual(["s0"]);
  });

  it("runs the tasks of an answer that was lost", async () => {
    const { tasks, run, workflow } = await working();
    const lease = tasks.lease.bind(tasks);
    tasks.lease = async (request, signal) => {
      tasks.lease = lease;
      await lease(request, signal);
      throw new Error("the answer is lost");
    };
    const result = run(0);
    await expect.poll(() => workflow.running, { timeout: 5_000 }).toEqual([0]);
    await workflow.end(0);
    expect((await result).accepted).toHaveLength(1);
  });

  it("prolongs the leases of tasks that take long", async () => {
    const { tasks, run, workflow } = await working();
    let beats = 0;
    const heartbeat = tasks.heartbeat.bind(tasks);
    tasks.heartbeat = (ids) => {
      beats++;
      return heartbeat(ids);
    };
    const result = run(0);
    await expect.poll(() => beats).toBeGreaterThan(2);
    await workflow.end(0);
    expect((await result).accepted).toHaveLength(1);
  });

  it("does not run the agent of a lease that is lost", async () => {
    const { tasks, run, workflow, outcomes } = await working();
    const update = tasks.update.bind(tasks);
    tasks.update = async (parts) => {
      tasks.update = update;
      await tasks.loseWorker("w", "somebody thought so");
      return update(parts);
    };
    const result = run(0);
    // The first run ends before its agent, the second one runs it.
    await expect.poll(() => workflow.started).toEqual([0]);
    // A heartbeat may notice it first.
    expect(outcomes).toEqual([expect.stringMatching(/^0 (refused|lost)$/)]);
    await workflow.end(0);
    expect((await result).accepted).toHaveLength(1);
  });

  it("aborts a task whose lease is lost while it runs", async () => {
    const { tasks, run, workflow, outcomes } = await working({ concurrency: 1 });
    void run(0);
    await expect.poll(() => workflow.running).toEqual([0]);
    await tasks.loseWorker("w", "somebody thought so");
    await expect.poll(() => outcomes).toEqual(["0 lost"]);
    await expect.poll(() => workflow.started).toEqual([0, 0]);
  });

  it("keeps a result until a controller that was restarted accepts it", async () => {
    const { store, tasks, remover, run, workflow, served, address, ended, troubles } = await working();
    const result = run(0);
    await expect.poll(() => workflow.running).toEqual([0]);
    address.url = "http://127.0.0.1:9";
    await workflow.end(0);
    await expect.poll(() => troubles.length).toBe(1);
    expect(troubles[0]).toContain("ECONNREFUSED");
    // The same tasks at another address, as after a restart with a storage folder.
    const again = await serve({ store, tasks, remover });
    address.url = again.url;
    expect((await result).accepted).toHaveLength(1);
    await expect.poll(() => troubles).toEqual([expect.anything(), undefined]);
    tasks.finish();
    await served.close();
    expect(await ended).toBe("done");
  });

  it("registers again with a controller that does not know it, and goes on", async () => {
    const { tasks, run, workflow } = await working();
    tasks.workers.remove("w");
    const result = run(0);
    await expect.poll(() => workflow.running).toEqual([0]);
    expect(tasks.workers.all()).toMatchObject([{ id: "w" }]);
    await workflow.end(0);
    expect((await result).accepted).toHaveLength(1);
  });

  it("ends if the controller runs another job", async () => {
    const { address, ended, tasks } = await working();
    const other = await serve(await leasing(), { jobId: "job-2" });
    address.url = other.url;
    await expect.poll(() => tasks.counts.idle).toBe(1);
    await tasks.dismiss("w", []);
    expect(await ended).toBe("job_changed");
  });

  it("gives its tasks back when it is stopped", async () => {
    const { tasks, worker, run, workflow, ended, outcomes, removed, counts } = await working();
    void run(0);
    await expect.poll(() => workflow.running).toEqual([0]);
    worker.stop();
    expect(await ended).toBe("stopped");
    expect(outcomes).toEqual(["0 returned"]);
    expect(await counts()).toMatchObject({ queued: 1, leased: 0, lost: 0 });
    expect(tasks.workers.all()).toEqual([]);
    await expect.poll(() => removed).toEqual(["s0"]);
  });

  it("runs the next task while a result is on its way", async () => {
    const { tasks, run, workflow, counts } = await working({ concurrency: 1 });
    const late = createDeferred<void>();
    const update = tasks.update.bind(tasks);
    tasks.update = async (parts) => {
      if (parts.reports.length > 0) await late.promise;
      return update(parts);
    };
    const results = [run(0), run(1)];
    await expect.poll(() => workflow.running).toEqual([0]);
    await workflow.end(0);
    await expect.poll(async () => (await counts()).leased).toBe(2);
    late.resolve();
    await expect.poll(() => workflow.running).toEqual([1]);
    await workflow.end(1);
    expect((await Promise.all(results)).map(({ accepted }) => accepted.length)).toEqual([1, 1]);
  });

  it("gets the next tasks with the answer to its reports", async () => {
    const { tasks, run, workflow } = await working({ concurrency: 1 });
    let requests = 0;
    const lease = tasks.lease.bind(tasks);
    tasks.lease = (request, signal) => {
      requests++;
      return lease(request, signal);
    };
    const results = [0, 1, 2].map((index) => run(index));
    for (let index = 0; index < results.length; index++) {
      await expect.poll(() => workflow.running).toEqual([index]);
      await workflow.end(index);
    }
    expect((await Promise.all(results)).map(({ accepted }) => accepted.length)).toEqual([1, 1, 1]);
    // The first task came with the request that the worker sent when it started.
    expect(requests).toBeLessThanOrEqual(1);
  });

  it("runs no more tasks at once than it may if two calls bring some", async () => {
    const { tasks, run, workflow, counts } = await working({ concurrency: 2 });
    const results = [run(0)];
    await expect.poll(() => workflow.running).toEqual([0]);
    await expect.poll(() => tasks.counts.idle).toBe(1);
    await Promise.all([workflow.end(0), ...results]);
    for (const index of [1, 2, 3]) results.push(run(index));
    await expect.poll(() => workflow.running).toEqual([1, 2]);
    expect(await counts()).toMatchObject({ leased: 2, queued: 1 });
    await workflow.end(1);
    await expect.poll(() => workflow.running).toEqual([2, 3]);
    for (const index of [2, 3]) await workflow.end(index);
    await Promise.all(results);
  });

  it("gives back tasks that an answer brings after it was stopped", async () => {
    const { tasks, worker, run, workflow, ended, counts } = await working({ concurrency: 1 });
    const late = createDeferred<void>();
    const update = tasks.update.bind(tasks);
    tasks.update = async (parts) => {
      const answer = await update(parts);
      if (parts.reports.length > 0) await late.promise;
      return answer;
    };
    void run(0).then(() => run(1));
    await expect.poll(() => workflow.running).toEqual([0]);
    await workflow.end(0);
    await expect.poll(async () => (await counts()).leased).toBe(1);
    worker.stop();
    late.resolve();
    expect(await ended).toBe("stopped");
    expect(workflow.started).toEqual([0]);
    expect(await counts()).toMatchObject({ queued: 1, leased: 0, lost: 0 });
  });

  it("takes the tasks of an update whose answer was lost", async () => {
    const { tasks, run, workflow, counts } = await working({ concurrency: 1 });
    const update = tasks.update.bind(tasks);
    tasks.update = async (parts) => {
      const answer = await update(parts);
      if (answer.leases.length === 0) return answer;
      tasks.update = update;
      throw new Error("the answer is lost");
    };
    const results = [run(0), run(1)];
    await expect.poll(() => workflow.running).toEqual([0]);
    await workflow.end(0);
    await expect.poll(() => workflow.running, { timeout: 5_000 }).toEqual([1]);
    await workflow.end(1);
    expect((await Promise.all(results)).map(({ accepted }) => accepted.length)).toEqual([1, 1]);
    expect((await counts()).lost).toBe(0);
  });

  it("gives up a controller that does not answer for too long", async () => {
    const { address, ended, run, workflow, tasks } = await working({ patienceSeconds: 0.2 });
    void run(0);
    await expect.poll(() => workflow.running).toEqual([0]);
    address.url = "http://127.0.0.1:9";
    await tasks.dismiss("w", []);
    await expect(ended).rejects.toMatchObject({ name: "RolloutWorkerError", code: "controller_unreachable" });
  });

  it("reports an agent that throws", async () => {
    const failing = { arunEpisode: () => Promise.reject(new Error("a bug")) };
    const { run } = await working({ workflow: failing as never });
    expect((await run(0)).rejected).toMatchObject([{ reason: { code: "workflow_error", message: "a bug" } }]);
  });

  it("gives a task without a proxy back, uncounted, and takes tasks again when the proxy answers", async () => {
    const port = await findFreePort();
    const engine = connectProxy({ url: `http://127.0.0.1:${port}`, adminKey: ADMIN_KEY });
    onTestFinished(() => engine.close());
    const { run, workflow, outcomes, counts } = await working({ engine });
    const results = [run(0), run(1)];
    await expect.poll(() => workflow.running).toEqual([0, 1]);
    watchProxy(engine).noteLoss(true);
    await workflow.end(0, rejectedWith("proxy_lost"));
    await expect.poll(() => outcomes).toEqual(["0 returned"]);
    await expect.poll(counts).toMatchObject({ queued: 1, leased: 1, lost: 0 });
    await workflow.end(1);
    await results[1];
    await expect.poll(counts).toMatchObject({ queued: 1, leased: 0, lost: 0 });
    expect(workflow.started).toEqual([0, 1]);
    const proxy = createServer((_, reply) => reply.end('{"status":"ok"}')).listen(port, "127.0.0.1");
    onTestFinished(() => void proxy.close());
    await expect.poll(() => workflow.running, { timeout: 10_000 }).toEqual([0]);
    await workflow.end(0);
    expect((await results[0])?.accepted).toHaveLength(1);
  });

  it("ends with its job while its proxy does not answer", async () => {
    const engine = connectProxy({ url: `http://127.0.0.1:${await findFreePort()}`, adminKey: ADMIN_KEY });
    onTestFinished(() => engine.close());
    const { tasks, run, workflow, ended } = await working({ engine });
    const result = run(0);
    await expect.poll(() => workflow.running).toEqual([0]);
    watchProxy(engine).noteLoss(true);
    await workflow.end(0);
    await result;
    tasks.finish();
    expect(await ended).toBe("done");
  });

  it("sends results of tasks that end together in one call", async () => {
    const { tasks, run, workflow } = await working();
    const sizes: number[] = [];
    const update = tasks.update.bind(tasks);
    tasks.update = (parts) => {
      if (parts.reports.length > 0) sizes.push(parts.reports.length);
      return update(parts);
    };
    const results = [run(0), run(1)];
    await expect.poll(() => workflow.running).toEqual([0, 1]);
    void workflow.end(0, acceptedAs("a"));
    void workflow.end(1, acceptedAs("b"));
    await Promise.all(results);
    expect(sizes).toEqual([2]);
  });
});
