import { spawn } from "node:child_process";
import { describe, expect, it, vi } from "vitest";
import { describeEnd } from "../../../src/support/processes/child-end.js";
import { ChildGroup, type ChildGroupOptions } from "../../../src/support/processes/child-group.js";

function startGroup(script: string, options?: ChildGroupOptions) {
  const child = spawn("sh", ["-c", script], { detached: true, stdio: ["pipe", "pipe", "ignore"] });
  return new ChildGroup(child, options);
}

/** Reads a process id that the group prints. */
function readPid({ child }: ReturnType<typeof startGroup>): Promise<number> {
  return new Promise((resolve) => child.stdout.once("data", (chunk: Buffer) => resolve(Number(chunk.toString()))));
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

describe("the end of a child", () => {
  it("has the exit status", async () => {
    expect(await startGroup("exit 3").ended).toEqual({ how: "exit", code: 3 });
  });

  it("has the signal that ended it", async () => {
    expect(await startGroup("kill -KILL $$").ended).toEqual({ how: "signal", signal: "SIGKILL" });
  });

  it("says why the child could not be started", async () => {
    const before = process.listenerCount("exit");
    const group = new ChildGroup(spawn("/no/such/program", { detached: true }));
    expect(process.listenerCount("exit")).toBe(before);
    group.signal("SIGTERM");
    group.kill();
    const end = await group.ended;
    expect(end).toMatchObject({ how: "not_started", error: { code: "ENOENT" } });
    expect(await group.exited).toBe(end);
  });

  it("is reported only after the last output was read", async () => {
    const group = startGroup("head -c 200000 /dev/zero");
    let read = 0;
    group.child.stdout.on("data", (chunk: Buffer) => (read += chunk.length));
    await group.ended;
    expect(read).toBe(200_000);
  });

  it("is described for people", () => {
    expect(describeEnd({ how: "exit", code: 3 })).toBe("status 3");
    expect(describeEnd({ how: "signal", signal: "SIGTERM" })).toBe("SIGTERM");
    expect(describeEnd({ how: "not_started", error: new Error("no such file") })).toBe("no such file");
  });
});

describe("a child group", () => {
  it("kills what the child leaves running when the child exits", async () => {
    const group = startGroup("sleep 3600 >/dev/null & echo $!; read line");
    const left = await readPid(group);
    group.child.stdin.end("\n");
    await group.ended;
    await expect.poll(() => isRunning(left)).toBe(false);
  });

  it("keeps what the child leaves running until it is killed, if asked to", async () => {
    const group = startGroup("sleep 3600 >/dev/null & echo $!; read line", { keepRest: true });
    const left = await readPid(group);
    group.child.stdin.end("\n");
    await group.ended;
    // The id of the group may belong to another one by now.
    const kill = vi.spyOn(process, "kill");
    group.signal("SIGKILL");
    expect(kill).not.toHaveBeenCalled();
    kill.mockRestore();
    expect(isRunning(left)).toBe(true);
    group.kill();
    await expect.poll(() => isRunning(left)).toBe(false);
  });

  it("signals every process while the child runs", async () => {
    const group = startGroup("trap 'exit 7' TERM; sleep 3600 >/dev/null & echo $!; wait");
    const other = await readPid(group);
    group.signal("SIGTERM");
    expect(await group.ended).toEqual({ how: "exit", code: 7 });
    await expect.poll(() => isRunning(other)).toBe(false);
  });

  it("is killed as a whole", async () => {
    const group = startGroup("sleep 3600 >/dev/null & echo $!; wait");
    const other = await readPid(group);
    group.kill();
    expect(await group.ended).toEqual({ how: "signal", signal: "SIGKILL" });
    await expect.poll(() => isRunning(other)).toBe(false);
  });

  it("listens to the exit of this process only while it has a child", async () => {
    const before = process.listenerCount("exit");
    const group = startGroup("read line");
    expect(process.listenerCount("exit")).toBe(before + 1);
    group.child.stdin.end("\n");
    await group.ended;
    expect(process.listenerCount("exit")).toBe(before);
  });
});
