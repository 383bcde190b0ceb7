import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { RolloutScreen } from "../../../src/cli/rollout/screen.js";

/** Standard error of a job, without a process of its own: screen.slow.test.ts shows it on a terminal. */

const CLEAR = "\r\x1b[K";
const [HIDE, SHOW] = ["\x1b[?25l", "\x1b[?25h"];

let written: string[] = [];
let columns: number | undefined;
const saved = new Map<NodeJS.WriteStream, PropertyDescriptor | undefined>();

beforeEach(() => {
  written = [];
  columns = 20;
  for (const stream of [process.stdout, process.stderr]) {
    saved.set(stream, Object.getOwnPropertyDescriptor(stream, "write"));
    stream.write = ((chunk: string | Uint8Array) =>
      written.push(Buffer.from(chunk).toString()) > 0) as typeof stream.write;
  }
});
afterEach(() => {
  vi.restoreAllMocks();
  for (const [stream, own] of saved) {
    Reflect.deleteProperty(stream, "write");
    if (own) Object.defineProperty(stream, "write", own);
  }
  for (const name of ["isTTY", "columns"]) Reflect.deleteProperty(process.stderr, name);
});

function open(isTTY: boolean): RolloutScreen {
  Object.defineProperty(process.stderr, "isTTY", { value: true, configurable: true });
  Object.defineProperty(process.stderr, "columns", { get: () => columns, configurable: true });
  const screen = new RolloutScreen();
  Object.assign(screen, { isTerminal: isTTY });
  return screen;
}

const taken = () => written.splice(0).join("");
const log = (fields: object) => `${JSON.stringify({ level: "warn", ...fields })}\n`;

describe("on a terminal", () => {
  it("the last line is the status, cut to the width", () => {
    using screen = open(true);
    screen.status = "episodes 1/20";
    expect(taken()).toBe(`${CLEAR}${HIDE}episodes 1/20`);
    screen.status = "x".repeat(30);
    expect(taken()).toBe(`${CLEAR}${"x".repeat(19)}`);
    columns = undefined;
    screen.status = "x".repeat(100);
    expect(taken()).toBe(`${CLEAR}${"x".repeat(79)}`);
  });

  it("lines appear above the status, which stays below them", () => {
    using screen = open(true);
    screen.line("before");
    screen.status = "s";
    screen.line("after");
    expect(taken()).toBe(`before\n${CLEAR}${HIDE}s${CLEAR}after\ns`);
  });

  it("what agents write appears in whole lines", () => {
    const screen = open(true);
    process.stdout.write("one\ntw");
    expect(taken()).toBe("one\n");
    process.stderr.write(Buffer.from("o\nthree"));
    expect(taken()).toBe("two\n");
    screen[Symbol.dispose]();
    expect(taken()).toBe("three\n");
  });

  it("a very long line is broken", () => {
    using _screen = open(true);
    process.stdout.write("x".repeat((1 << 16) - 1));
    expect(taken()).toBe("");
    process.stdout.write("x");
    expect(taken()).toBe(`${"x".repeat(1 << 16)}\n`);
  });

  it("log lines are text, and repeated ones are counted at the end", () => {
    const screen = open(true);
    screen.log.write(log({ msg: "slow" }) + log({ msg: "slow" }) + log({ msg: "odd" }));
    expect(taken()).toBe("warning: slow\nwarning: odd\n");
    screen[Symbol.dispose]();
    expect(taken()).toBe("2 × warning: slow\n");
  });

  it("the status stays when it ends, and the cursor is shown", () => {
    const screen = open(true);
    screen.endStatus();
    expect(taken()).toBe("");
    screen.status = "s";
    taken();
    for (const _ of ["once", "again"]) screen.endStatus();
    expect(taken()).toBe(`${SHOW}\n`);
    screen.status = "t";
    taken();
    screen[Symbol.dispose]();
    expect(taken()).toBe(`${SHOW}\n`);
  });
});

describe("without a terminal", () => {
  it("lines never begin in the middle of another", () => {
    const screen = open(false);
    process.stdout.write("half");
    screen.line("a line");
    process.stdout.write("whole\n");
    screen.line("another");
    process.stdout.write("");
    process.stdout.write("end");
    expect(taken()).toBe("half\na line\nwhole\nanother\nend");
    screen[Symbol.dispose]();
    expect(taken()).toBe("\n");
  });

  it("log lines stay as they are", () => {
    using screen = open(false);
    screen.log.write(`${log({ msg: "slow" })}\n${log({ msg: "slow" })}`);
    expect(taken()).toBe(log({ msg: "slow" }) + log({ msg: "slow" }));
  });
});

describe("what agents write", () => {
  it("has its encoding, and its callback is called", async () => {
    using _screen = open(false);
    const called = new Promise<void>((resolve) => process.stdout.write("4142", "hex", () => resolve()));
    expect(taken()).toBe("AB");
    await called;
    await new Promise<void>((resolve) => process.stderr.write("C", () => resolve()));
    expect(taken()).toBe("C");
  });

  it("goes to the streams again afterwards", () => {
    const writers = () => [process.stdout, process.stderr].map((stream) => Reflect.get(stream, "write") as unknown);
    const before = writers();
    const listeners = process.listenerCount("exit");
    const screen = open(true);
    expect(writers()).not.toEqual(before);
    expect(process.listenerCount("exit")).toBe(listeners + 1);
    screen[Symbol.dispose]();
    expect(writers()).toEqual(before);
    expect(process.listenerCount("exit")).toBe(listeners);
  });
});
