import { expect, it } from "vitest";
import { jobSchema } from "../../src/scheduler/job.js";
import type { LaunchedProcess, Launcher, ProcessPlan } from "../../src/scheduler/launcher.js";
import { runJob } from "../../src/scheduler/supervisor.js";
import { temporaryFolder } from "../cli/rolltape.js";
import { until } from "../helpers/until.js";
import { readProcesses } from "./job.js";

/** Launches processes that start when the test allows it, and run until they are stopped. */
class HeldLauncher implements Launcher {
  readonly plans: ProcessPlan[] = [];
  stops = 0;
  letStart: () => void = () => undefined;
  readonly #let = new Promise<void>((resolve) => (this.letStart = resolve));

  place(_: ProcessPlan["role"], index: number) {
    return { node: `machine-${index}`, address: `10.0.0.${index}` };
  }

  async launch(plan: ProcessPlan): Promise<LaunchedProcess> {
    this.plans.push(plan);
    await this.#let;
    let end: (end: { code: number; text: string }) => void = () => undefined;
    const ended = new Promise<{ code: number; text: string }>((resolve) => (end = resolve));
    const stop = async () => {
      this.stops++;
      end({ code: 0, text: "was stopped" });
    };
    return { ended, stop, started: () => Promise.resolve("1234") };
  }
}

function createJob(folder: string, command: string[]) {
  return jobSchema.parse({ folder, roles: [{ role: "controller", command, env: { AT: "{node}:{port}" } }] });
}

it("stops a process that was starting when the job was stopped", async () => {
  const launcher = new HeldLauncher();
  const folder = temporaryFolder();
  const stop = new AbortController();
  const running = runJob(createJob(folder, ["x"]), { launcher, signal: stop.signal }).catch((error: unknown) => error);
  await until(() => launcher.plans.length === 1);
  stop.abort();
  launcher.letStart();
  expect(await running).toMatchObject({ code: "job_stopped" });
  expect(launcher.stops).toBe(1);
  expect(readProcesses(folder)).toMatchObject([{ state: "stopped", ended: "was stopped" }]);
});

it("fills in the machine's address, lets the machine choose the port, and records its name", async () => {
  const launcher = new HeldLauncher();
  const folder = temporaryFolder();
  const stop = new AbortController();
  const job = createJob(folder, ["x", "{node}", "{port}", '{"a":1}']);
  const running = runJob(job, { launcher, signal: stop.signal }).catch((error: unknown) => error);
  launcher.letStart();
  await until(() => readProcesses(folder).some(({ state }) => state === "ready"));
  stop.abort();
  await running;
  expect(launcher.plans).toMatchObject([
    { command: ["x", "10.0.0.0", "{port}", '{"a":1}'], env: { AT: "10.0.0.0:{port}" } },
  ]);
  expect(readProcesses(folder)).toMatchObject([{ node: "machine-0" }]);
});
