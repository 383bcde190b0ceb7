import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { stringify } from "yaml";
import { isGone } from "../helpers/is-gone.js";
import { FakeSlurm } from "../scheduler/slurm/fake-slurm.js";
import { rolltape, runRolltape, temporaryFolder } from "./rolltape.js";

vi.setConfig({ testTimeout: 120_000 });

/** Writes a file that describes a job of one controller. */
function jobFile(script: string): { file: string; folder: string } {
  const folder = temporaryFolder();
  const file = join(folder, "job.yaml");
  const controller = { role: "controller", command: ["sh", "-c", script], restarts: 0 };
  writeFileSync(
    file,
    stringify({ folder: join(folder, "job"), roles: [controller], stop_seconds: 2, slurm: { poll_seconds: 0.1 } }),
  );
  return { file, folder: join(folder, "job") };
}

describe("rolltape job", () => {
  it("runs a job on this machine", async () => {
    const { file, folder } = jobFile("echo {folder}");
    expect(await runRolltape(["job", file])).toMatchObject({
      code: 0,
      stderr: expect.stringContaining("the job is done") as string,
    });
    expect(readFileSync(join(folder, "logs/controller-0.out"), "utf8")).toBe(`${folder}\n`);
  });

  it("runs a job over Slurm if the configuration says so, and reports its state", async () => {
    const slurm = new FakeSlurm();
    const { file, folder } = jobFile("echo {folder}");
    const { code, stderr } = await runRolltape(["job", file, "scheduler.type=slurm"]);
    expect(stderr).toMatch(/job 7 runs on n\[1-2\]\n.*the job is done/);
    expect(code).toBe(0);
    expect(slurm.calls("sbatch")).toHaveLength(1);
    expect(readFileSync(join(folder, "logs/controller-0.out"), "utf8")).toBe(`${folder}\n`);
  });

  it("refuses ray, before anything starts", async () => {
    const { file, folder } = jobFile("true");
    const { code, stderr } = await runRolltape(["job", file, "scheduler.type=ray"]);
    expect(stderr).toContain(
      "scheduler.type: expected local or slurm, got ray, because agent workflows do not run on Ray",
    );
    expect(code).toBe(2);
    expect(existsSync(folder)).toBe(false);
  });

  it("reports what is wrong with a file", async () => {
    const file = join(temporaryFolder(), "job.yaml");
    writeFileSync(file, "folder: /x\nroles: []\nnmae: x\n");
    const { code, stderr } = await runRolltape(["job", file]);
    expect(stderr.split("\n").slice(0, 2)).toEqual([
      `rolltape: ${file}: roles: expected a controller, got []`,
      `${file}: nmae: unknown key; did you mean name?`,
    ]);
    expect(code).toBe(2);
    expect(await runRolltape(["job", "/no/such/file"])).toMatchObject({ code: 2 });
  });

  it("ends with status 1 if the job fails, and with 130 if it is stopped", async () => {
    const failing = await runRolltape(["job", jobFile("exit 3").file]);
    expect(failing).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("controller ended with status 3") as string,
    });
    const { file, folder } = jobFile("trap 'exit 0' TERM; echo up; while :; do sleep 0.05; done");
    const running = rolltape(["job", file]);
    const log = join(folder, "logs/controller-0.out");
    await expect.poll(() => (existsSync(log) ? readFileSync(log, "utf8") : ""), { timeout: 30_000 }).toContain("up");
    running.process.kill("SIGINT");
    expect(await running.ended).toMatchObject({
      code: 130,
      stderr: expect.stringContaining("the job is stopped") as string,
    });
  });

  it("leaves no process running after a second signal", async () => {
    const { file, folder } = jobFile("trap '' TERM; echo $$; while :; do sleep 0.05; done");
    writeFileSync(file, readFileSync(file, "utf8").replace("stop_seconds: 2", "stop_seconds: 600"));
    const running = rolltape(["job", file]);
    const log = join(folder, "logs/controller-0.out");
    await expect.poll(() => (existsSync(log) ? readFileSync(log, "utf8") : ""), { timeout: 30_000 }).toMatch(/\d\n/);
    running.process.kill("SIGINT");
    await running.logged("stopping the job");
    running.process.kill("SIGINT");
    expect(await running.ended).toMatchObject({ code: 130 });
    const agent = Number(readFileSync(log, "utf8"));
    const runs = () => !isGone(agent);
    await expect.poll(runs, { timeout: 10_000 }).toBe(false);
  });
});
