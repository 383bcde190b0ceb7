import { spawn } from "node:child_process";
import { once } from "node:events";
import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { expect, it, onTestFinished, vi } from "vitest";
import { nodeProgram } from "../../../src/scheduler/slurm/node-program.js";
import { StepFiles } from "../../../src/scheduler/slurm/step/step-files.js";
import { temporaryFolder } from "../../cli/rolltape.js";
import { until } from "../../helpers/until.js";
import { readLines, shell } from "./small-job.js";

vi.setConfig({ testTimeout: 120_000 });

const LIFE = "second";

/** Runs a process of a job as its machine does. */
function step(
  command: readonly string[],
  { port = 0, env = {} }: { port?: number; env?: Record<string, string> } = {},
) {
  const folder = temporaryFolder();
  const files = new StepFiles(folder, "engine", 0);
  files.prepare({ life: LIFE, command: command.map((text) => text.replaceAll("{folder}", folder)), env, port });
  const [file, ...args] = nodeProgram("step/step-main");
  const child = spawn(file, [...args, files.plan], {
    env: { ...process.env, SLURM_STEP_ID: "3" },
    stdio: "ignore",
    detached: true,
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  return { child, folder, files, ended: once(child, "exit").then(([code]) => code as number | null) };
}

async function listening(): Promise<number> {
  const server = createServer().listen(0);
  await once(server, "listening");
  onTestFinished(() => void server.close());
  const address = server.address();
  return typeof address === "object" && address !== null ? address.port : 0;
}

it("fills in a free port of its machine, and reports port, step and end", async () => {
  const { files, folder, ended } = step(shell("echo {port} $KEY >> {folder}/log; exit 4"), { env: { KEY: "k{port}" } });
  expect(await ended).toBe(4);
  const { port, ...started } = files.started(LIFE) ?? { port: 0 };
  expect(port).toBeGreaterThan(0);
  expect(started).toMatchObject({ event: "started", step: "3" });
  expect(readLines(folder)).toEqual([`${port} k${port}`]);
  expect(files.ended(LIFE)).toMatchObject({ code: 4, text: "ended with status 4" });
});

it("reuses the port of its earlier start if it is free", async () => {
  const taken = await listening();
  const other = step(shell("true"), { port: taken });
  await other.ended;
  const port = other.files.started(LIFE)?.port ?? 0;
  expect(port).not.toBe(taken);
  const again = step(shell("true"), { port });
  await again.ended;
  expect(again.files.started(LIFE)?.port).toBe(port);
});

it("waits for the end of its process after SIGTERM", async () => {
  const { child, folder, files, ended } = step(
    shell(
      "trap 'echo asked >> {folder}/log; sleep 0.2; exit 6' TERM; echo up >> {folder}/log; while :; do sleep 0.05; done",
    ),
  );
  await until(() => readLines(folder).includes("up"));
  process.kill(-(child.pid ?? 0), "SIGTERM");
  expect(await ended).toBe(6);
  expect(files.ended(LIFE)).toMatchObject({ code: 6 });
});

it("reports a program that cannot be started", async () => {
  const { files, ended } = step(["/no/such/program"]);
  expect(await ended).toBe(1);
  expect(files.ended(LIFE)?.text).toMatch(/\/no\/such\/program did not start: .*ENOENT/);
});

it("ignores reports of earlier starts and incomplete lines", () => {
  const folder = temporaryFolder();
  const files = new StepFiles(folder, "proxy", 1);
  files.prepare({ life: LIFE, command: ["true"], env: {}, port: 0 });
  const status = join(folder, "steps/proxy-1.status");
  writeFileSync(status, `${JSON.stringify({ event: "ended", life: "first", code: 0, text: "" })}\nnot JSON\n`);
  const line = JSON.stringify({ event: "ended", life: LIFE, code: 2, text: "x" });
  appendFileSync(status, line);
  expect(files.ended(LIFE)).toBeUndefined();
  appendFileSync(status, "\n");
  expect(files.ended(LIFE)?.code).toBe(2);
  files.prepare({ life: LIFE, command: ["true"], env: {}, port: 0 });
  expect(readFileSync(status, "utf8")).toContain("first");
});
