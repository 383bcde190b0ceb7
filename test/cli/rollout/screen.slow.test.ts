import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { RolloutScreen } from "../../../src/cli/rollout/screen.js";
import { runRolltape } from "../rolltape.js";
import { runOnTerminal } from "../terminal.js";
import { AGENT, rolloutJob, TIMES } from "./rollout-job.js";

/** Prints, then works like the agent of the other tests. */
const talkative = `
import { agent as chat } from ${JSON.stringify(AGENT.split("#")[0])};
export const agent = {
  async run(data, context) {
    console.log("the agent asks " + data.question);
    process.stderr.write("and waits");
    // In a subprocess, Node itself prints the warning.
    if (context.base_url) process.emitWarning("the tool is old");
    const reward = await chat.run(data, context);
    process.stderr.write(" no more\\n");
    return reward;
  },
};
`;

function talkativeJob() {
  const job = rolloutJob(["why?", "how?", "when?"].map((question) => ({ question, reward: 1 })));
  const file = join(job.folder, "agent.mjs");
  writeFileSync(file, talkative);
  return [...job.args, "--agent", `${file}#agent`, "rollout.max_concurrent_rollouts=1"];
}

describe("rolltape rollout on a terminal", TIMES, () => {
  it.each(["inline", "subproc"])(
    "shows what agents print above the bar, and the summary below it (%s)",
    async (mode) => {
      const { lines, raw } = await runOnTerminal([...talkativeJob(), `rollout.agent.mode=${mode}`]);
      for (const question of ["why?", "how?", "when?"]) expect(lines).toContain(`the agent asks ${question}`);
      expect(lines.filter((line) => line === "and waits no more")).toHaveLength(3);
      const summary = lines.indexOf("episodes  3 accepted, 0 rejected");
      const bar = lines.findLastIndex((line) => line.startsWith("episodes █"));
      expect(bar).toBeGreaterThan(lines.indexOf("the agent asks when?"));
      expect(summary).toBeGreaterThan(bar);
      // The cursor must not move to the old place of the bar, because output has scrolled since then.
      expect(raw).not.toContain("\u001b8");
      expect(raw.lastIndexOf("\u001b[?25h")).toBeGreaterThan(raw.lastIndexOf("\u001b[?25l"));
    },
  );

  it("shows a warning once, as text, and counts its repetitions", async () => {
    const { lines } = await runOnTerminal(talkativeJob());
    expect(lines.filter((line) => line.includes("the tool is old"))).toEqual([
      "warning: the tool is old",
      "3 × warning: the tool is old",
    ]);
  });
});

/** Returns a screen on a terminal, and the text that was written to the terminal. */
function screenOnTerminal() {
  const written: string[] = [];
  const { isTTY } = process.stderr;
  const spy = vi.spyOn(process.stderr, "write").mockImplementation((chunk) => written.push(String(chunk)) > 0);
  process.stderr.isTTY = true;
  const screen = new RolloutScreen();
  onTestFinished(() => {
    screen[Symbol.dispose]();
    process.stderr.isTTY = isTTY;
    spy.mockRestore();
  });
  return { screen, written };
}

describe("a line without a line break", () => {
  it("is held until its end, or up to 64 KiB", () => {
    const { written } = screenOnTerminal();
    process.stdout.write("downloading");
    expect(written).toEqual([]);
    process.stdout.write(".".repeat(1 << 16));
    expect(written).toEqual([`downloading${".".repeat(1 << 16)}\n`]);
    process.stdout.write("done\n");
    expect(written.slice(1)).toEqual(["done\n"]);
  });

  it("is shown before the summary if it comes from a subprocess that is still running", TIMES, async () => {
    const { folder, args } = rolloutJob([{ question: "why?", reward: 1 }]);
    const file = join(folder, "agent.mjs");
    writeFileSync(file, talkative.replace("return reward", 'process.stdout.write("bye"); return reward'));
    const { lines } = await runOnTerminal([...args, "--agent", `${file}#agent`, "rollout.agent.mode=subproc"]);
    expect(lines).toContain("bye");
    expect(lines.indexOf("bye")).toBeLessThan(lines.indexOf("episodes  1 accepted, 0 rejected"));
  });
});

describe("rolltape rollout in a pipe", TIMES, () => {
  it("writes logs as JSON lines, and only the summary on standard output", async () => {
    const ended = await runRolltape(talkativeJob());
    expect(ended.stdout).toMatch(/^episodes {2}3 accepted/);
    const lines = ended.stderr.trimEnd().split("\n");
    const logs = lines.filter((line) => line.includes("the tool is old")).map((line) => JSON.parse(line) as object);
    expect(logs).toHaveLength(3);
    expect(logs[0]).toMatchObject({ level: "warn", msg: "the tool is old" });
    expect(lines).toContain("the agent asks why?");
  });
});
