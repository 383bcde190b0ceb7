import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type Ended, runRolltape } from "../rolltape.js";
import { AGENT, readBatch, rolloutJob, TIMES } from "./rollout-job.js";

/** Returns an agent module. It runs the code `does` when the job's proxy begins to close, after the last batch is written. */
const agentThat = (does: string) => `
import http from "node:http";
export { agent } from ${JSON.stringify(AGENT.split("#")[0])};
const { close } = http.Server.prototype;
http.Server.prototype.close = function (done) {
  ${does}
  // Delays the end of closing until the code has had its effect.
  setTimeout(() => close.call(this, done), 300);
  return this;
};
`;

async function runWith(does: string): Promise<Ended & { readonly out: string }> {
  const { folder, out, args } = rolloutJob([{ question: "why?", reward: 1 }]);
  const file = join(folder, "agent.mjs");
  writeFileSync(file, agentThat(does));
  return { ...(await runRolltape([...args, "--agent", `${file}#agent`])), out };
}

describe("rolltape rollout while its proxy closes", TIMES, () => {
  it.each([
    ["a rejection", "Promise.reject(new Error('too late'));", "unhandled promise rejection"],
    ["an uncaught error", "setImmediate(() => { throw new Error('too late'); });", "uncaught error"],
  ])("reports %s of an agent, prints the summary and ends with status 0", async (_, does, message) => {
    const { out, ...ended } = await runWith(does);
    expect(ended).toMatchObject({ code: 0, stdout: expect.stringContaining("1 accepted, 0 rejected") as string });
    expect(ended.stderr).toContain(`rolltape: ${message}`);
    expect(ended.stderr).toContain("Error: too late");
    expect(readBatch(out).rewards).toEqual([1, 1]);
  });

  it("does not let an agent end the process", async () => {
    const ended = await runWith("setImmediate(() => process.exit(0));");
    expect(ended).toMatchObject({ code: 0, stdout: expect.stringContaining("1 accepted, 0 rejected") as string });
    expect(ended.stderr).toContain("process.exit(0) was called");
  });

  it("prints the summary after one Ctrl-C, and ends immediately after a second", async () => {
    const once = await runWith("process.kill(process.pid, 'SIGINT');");
    expect(once).toMatchObject({ code: 130, stdout: expect.stringContaining("1 accepted, 0 rejected") as string });
    const twice = await runWith(
      "process.kill(process.pid, 'SIGINT'); setTimeout(() => process.kill(process.pid, 'SIGINT'), 50);",
    );
    expect(twice).toMatchObject({ code: 130, stdout: "" });
  });
});

describe("rolltape rollout while it imports an agent", TIMES, () => {
  it("names the module that calls process.exit, and ends with status 2", async () => {
    const { folder, args } = rolloutJob([{ question: "why?" }]);
    const file = join(folder, "agent.mjs");
    writeFileSync(file, "\nprocess.exit(0);\nexport const run = () => 1;\n");
    const ended = await runRolltape([...args, "--agent", file]);
    expect(ended).toMatchObject({ code: 2, stdout: "" });
    expect(ended.stderr).toContain(`${file} could not be imported: process.exit(0) was called`);
    expect(ended.stderr).toContain(`(${file}:2:9)`);
  });

  it("ends with status 1 after an uncaught error", async () => {
    const { folder, args } = rolloutJob([{ question: "why?" }]);
    const file = join(folder, "agent.mjs");
    const waits = "await new Promise((resolve) => setTimeout(resolve, 60_000));";
    writeFileSync(file, `setTimeout(() => process.exit(0));\n${waits}\nexport const run = () => 1;\n`);
    const ended = await runRolltape([...args, "--agent", file]);
    expect(ended).toMatchObject({ code: 1, stdout: "" });
    expect(ended.stderr).toContain("process.exit(0) was called");
  });
});
