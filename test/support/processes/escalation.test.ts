import { describe, expect, it } from "vitest";
import { makeEnd } from "../../../src/support/processes/escalation.js";

const HOUR_SECONDS = 3600;

describe("makeEnd", () => {
  it("makes no further attempt after the end", async () => {
    const acts: string[] = [];
    let end: () => void = () => undefined;
    const ended = new Promise<void>((resolve) => (end = resolve));
    await makeEnd(ended, [
      { act: () => acts.push("ask"), seconds: 0 },
      { act: () => (acts.push("kill"), end()), seconds: HOUR_SECONDS },
      { act: () => acts.push("never"), seconds: 0 },
    ]);
    expect(acts).toEqual(["ask", "kill"]);
  });

  it("waits for the end after the last attempt", async () => {
    let end: () => void = () => undefined;
    const ended = new Promise<void>((resolve) => (end = resolve));
    let done = false;
    const making = makeEnd(ended, [{ act: () => undefined, seconds: 0 }]).then(() => (done = true));
    await new Promise((resolve) => setImmediate(resolve));
    expect(done).toBe(false);
    end();
    await making;
  });
});
