import { describe, expect, it, onTestFinished, vi } from "vitest";
import { exit, guardProcess } from "../../../src/cli/rollout/process-guard.js";

const emit = (event: string, ...args: unknown[]) =>
  (process.emit as (name: string, ...args: unknown[]) => void)(event, ...args);

const exitOf = (): unknown => Reflect.get(process, "exit");

/** Guards this process without the listeners of the test runner, which would fail the test. */
function guard() {
  const events = ["unhandledRejection", "uncaughtException"] as const;
  const [written, stopped]: [string[], Error[]] = [[], []];
  const former = { exit: exitOf(), listeners: events.map((event) => process.listeners(event as "exit")) };
  const write = vi.spyOn(process.stderr, "write").mockImplementation((text) => written.push(String(text)) > 0);
  for (const event of events) process.removeAllListeners(event);
  const end = guardProcess((error) => stopped.push(error));
  const restore = () => {
    end();
    const left = events.map((event) => process.listenerCount(event));
    const now = exitOf();
    write.mockRestore();
    Reflect.set(process, "exit", former.exit);
    for (const [index, event] of events.entries()) {
      for (const listener of former.listeners[index] ?? []) process.on(event as "exit", listener);
    }
    return { left, now };
  };
  return { written, stopped, restore };
}

describe("the guard of a job's process", () => {
  it("reports what agents leave, and stops only after an uncaught error", () => {
    const { written, stopped, restore } = guard();
    const error = new Error("no");
    error.stack = "Error: no\n at agent";
    let unguarded: ReturnType<typeof restore>;
    try {
      emit("unhandledRejection", error);
      emit("unhandledRejection", "text");
      expect(stopped).toEqual([]);
      emit("uncaughtException", error);
      emit("uncaughtException", Object.assign(new Error("bare"), { stack: undefined }));
      emit("uncaughtException", 5);
    } finally {
      unguarded = restore();
    }
    expect(written).toEqual([
      "rolltape: unhandled promise rejection, most likely by an agent: Error: no\n at agent\n",
      "rolltape: unhandled promise rejection, most likely by an agent: text\n",
      "rolltape: uncaught error, most likely by an agent: Error: no\n at agent\n",
      "rolltape: uncaught error, most likely by an agent: bare\n",
      "rolltape: uncaught error, most likely by an agent: 5\n",
    ]);
    expect(stopped.map(({ message }) => message)).toEqual(["no", "bare", "5"]);
    expect(stopped[0]).toBe(error);
    expect(unguarded).toEqual({ left: [0, 0], now: exit });
  });

  it("lets no agent end the process", () => {
    const { restore } = guard();
    onTestFinished(() => void restore());
    const agent = (...args: [] | [number]) => {
      try {
        process.exit(...args);
      } catch (error) {
        return error as Error;
      }
    };
    const why = "agents run in the job's own process; set rollout.agent.mode=subproc for agents that end their process";
    expect(agent()?.message).toBe(`process.exit() was called: ${why}`);
    expect(agent(3)?.message).toBe(`process.exit(3) was called: ${why}`);
    expect(agent(3)?.stack).toMatch(/^.*\n\s+at agent /);
  });
});
