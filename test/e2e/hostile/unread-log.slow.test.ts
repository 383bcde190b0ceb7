import { execFileSync, spawn } from "node:child_process";
import { closeSync, constants, openSync, readSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { MAIN, rolltape, temporaryFolder } from "../../cli/rolltape.js";

const KEY = { ROLLTAPE_ADMIN_API_KEY: "sk-admin-0123456789abcdef" };
const CALLS = 5000;

/** Starts a command whose standard error is a pipe that nobody reads. */
async function startUnread(args: readonly string[]) {
  const pipe = join(temporaryFolder(), "stderr");
  execFileSync("mkfifo", [pipe]);
  // Open for both, so that opening does not wait for another process.
  const fd = openSync(pipe, constants.O_RDWR | constants.O_NONBLOCK);
  const child = spawn(process.execPath, [MAIN, ...args], {
    env: { ...process.env, ...KEY },
    stdio: ["ignore", "pipe", fd],
  });
  onTestFinished(() => {
    child.kill("SIGKILL");
    closeSync(fd);
  });
  let stdout = "";
  child.stdout?.on("data", (bytes: Buffer) => (stdout += bytes.toString()));
  await expect.poll(() => stdout, { timeout: 30_000 }).toContain("\n");
  const { url } = JSON.parse(stdout) as { url: string };
  /** Reads what the pipe has now. */
  const read = (): string => {
    const bytes = Buffer.alloc(1 << 20);
    try {
      return bytes.toString("utf8", 0, readSync(fd, bytes));
    } catch {
      return "";
    }
  };
  return { url, read, child };
}

async function callWithForgedTags(url: string): Promise<Set<number>> {
  const statuses = new Set<number>();
  for (let first = 0; first < CALLS; first += 50) {
    const calls = Array.from({ length: 50 }, async (_, n) => {
      const authorization = `Bearer sk-forged${first + n}.0123456789abcdef`;
      const body = JSON.stringify({ messages: [{ role: "user", content: "a" }] });
      const headers = { authorization, "content-type": "application/json" };
      const reply = await fetch(`${url}/v1/chat/completions`, { method: "POST", headers, body });
      await reply.arrayBuffer();
      statuses.add(reply.status);
    });
    await Promise.all(calls);
  }
  return statuses;
}

describe("a process whose standard error is a pipe that nobody reads", () => {
  it.each([
    ["a gateway", ["gateway", "gateway.workers=http://127.0.0.1:9"], 503],
    ["a server", ["serve"], 401],
  ])(
    "answers 5,000 calls with forged keys, each of which writes a line: %s",
    async (_name, command, status) => {
      const { url, child } = await startUnread([...command, "server.port=0", "server.access_log=true"]);
      expect([...(await callWithForgedTags(url))]).toEqual([status]);
      child.kill("SIGTERM");
      expect(await new Promise((resolve) => child.once("exit", resolve))).toBe(0);
    },
    120_000,
  );

  it("does not write a line for every call with a forged tag", async () => {
    const { url, read } = await startUnread(["gateway", "gateway.workers=http://127.0.0.1:9", "server.port=0"]);
    await callWithForgedTags(url);
    expect(read().split("worker_unavailable").length).toBeLessThan(CALLS / 20);
  }, 120_000);
});

it("writes its last lines before it ends", async () => {
  const server = rolltape(["serve", "server.port=0"], KEY);
  await server.ready();
  server.process.kill("SIGTERM");
  expect((await server.ended).stderr).toMatch(/"msg":"stopped"}\n$/);
});
