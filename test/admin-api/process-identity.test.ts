import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { describe, expect, it, onTestFinished } from "vitest";
import { hasProcessEnded, identifyProcess, isSameProcess } from "../../src/admin-api/process-identity.js";
import { readFirstLine } from "../../src/support/processes/ready-line.js";
import { until } from "../helpers/until.js";

const own = identifyProcess();

/** Fields 3 and 22 of /proc/<pid>/stat. */
function readStat(pid: number): { state: string; started: string } {
  const [, rest = ""] = readFileSync(`/proc/${pid}/stat`, "utf8").split(/\) (?=[A-Z] )/);
  const fields = rest.split(" ");
  return { state: fields[0] ?? "", started: fields[19] ?? "" };
}

describe.runIf(process.platform === "linux")("a process of this machine", () => {
  it("has not ended while it runs", () => {
    expect(hasProcessEnded(own)).toBe(false);
    expect(isSameProcess(own, identifyProcess())).toBe(true);
    for (const other of [{ pid: own.pid + 1 }, { started: "1" }, { host: "another" }])
      expect(isSameProcess(own, { ...own, ...other })).toBe(false);
  });

  it("has ended after it was killed", async () => {
    const child = spawn("sleep", ["60"]);
    const pid = child.pid ?? 0;
    const identity = { ...own, pid, started: readStat(pid).started };
    expect(hasProcessEnded(identity)).toBe(false);
    child.kill("SIGKILL");
    await once(child, "exit");
    expect(hasProcessEnded(identity)).toBe(true);
  });

  it("has ended if its parent did not collect its status", async () => {
    // The shell becomes a process that knows nothing of its child.
    const parent = spawn("sh", ["-c", "sleep 0.1 & echo $!; exec sleep 60"], { stdio: ["ignore", "pipe", "inherit"] });
    onTestFinished(() => void parent.kill("SIGKILL"));
    const pid = Number(await readFirstLine(parent.stdout));
    const { started } = readStat(pid);
    await until(() => readStat(pid).state === "Z");
    expect(hasProcessEnded({ ...own, pid, started })).toBe(true);
  });

  it("has ended if its process id belongs to a later process", () => {
    expect(hasProcessEnded({ ...own, started: "1" })).toBe(true);
  });

  it.each([{ host: "another" }, { boot_id: "another" }, { pid_namespace: "pid:[1]" }])(
    "is not known to have ended if it ran elsewhere: %j",
    (elsewhere) => {
      expect(hasProcessEnded({ ...own, started: "1", ...elsewhere })).toBe(false);
    },
  );

  it.each(["boot_id", "pid_namespace", "started"] as const)("is not known to have ended without its %s", (field) => {
    const { [field]: _, ...identity } = { ...own, pid: 4_194_305 };
    expect(hasProcessEnded(identity)).toBe(false);
  });
});
