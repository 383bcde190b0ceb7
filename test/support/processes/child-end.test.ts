import { type ChildProcess, spawn } from "node:child_process";
import { EventEmitter } from "node:events";
import { expect, it } from "vitest";
import { describeEnd, watchEnd } from "../../../src/support/processes/child-end.js";

const run = (code: string) => spawn(process.execPath, ["-e", code], { stdio: ["ignore", "pipe", "ignore"] });

it.each([
  ["process.exit(3)", { how: "exit", code: 3 }, "status 3"],
  ["", { how: "exit", code: 0 }, "status 0"],
  ["process.kill(process.pid, 'SIGKILL')", { how: "signal", signal: "SIGKILL" }, "SIGKILL"],
])("tells how a process ended: %j", async (code, end, described) => {
  const child = run(code);
  child.stdout.resume();
  const { exited, ended } = watchEnd(child);
  expect(await exited).toEqual(end);
  expect(await ended).toEqual(end);
  expect(describeEnd(await ended)).toBe(described);
});

it("tells why a process could not be started", async () => {
  const { exited, ended } = watchEnd(spawn("/nowhere/rolltape"));
  expect(await exited).toMatchObject({ how: "not_started", error: { code: "ENOENT" } });
  expect(describeEnd(await ended)).toContain("ENOENT");
});

it("waits for the output of an ended process, and goes on if a running one could not be signalled", async () => {
  const child = Object.assign(new EventEmitter(), { pid: 1 });
  const { exited, ended } = watchEnd(child as unknown as ChildProcess);
  let isEnded = false;
  void ended.then(() => (isEnded = true));
  child.emit("error", new Error("kill EPERM"));
  child.emit("exit", 4, null);
  expect(await exited).toEqual({ how: "exit", code: 4 });
  await new Promise((resolve) => setImmediate(resolve));
  expect(isEnded).toBe(false);
  child.emit("close");
  expect(await ended).toEqual({ how: "exit", code: 4 });
});
