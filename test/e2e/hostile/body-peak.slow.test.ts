import { spawn } from "node:child_process";
import { mkdirSync, readFileSync, rmdirSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { describe, expect, it, onTestFinished } from "vitest";
import { PEAK_OF_BODY } from "../../../src/server/limits/process-memory.js";
import { MAIN } from "../../cli/rolltape.js";
import { HttpTrainer } from "../../helpers/http-trainer.js";

const KEY = "sk-admin-0123456789abcdef";
const MEBIBYTE = 1 << 20;

const TEXTS: Readonly<Record<string, (bytes: number) => string>> = {
  emoji: (bytes) => "\u{1f600}".repeat(bytes / 4),
  Chinese: (bytes) => "漢字".repeat(bytes / 6),
  "emoji between words": (bytes) => "\u{1f600}1 x ".repeat(bytes / 8),
  English: (bytes) => "hello world ".repeat(bytes / 12),
  "one letter": (bytes) => "a".repeat(bytes),
};

/** @param cgroup file of a memory cgroup that the process joins */
async function start(cgroup?: string) {
  const join = cgroup === undefined ? "" : `echo $$ > ${cgroup} && `;
  const command = `${join}exec ${process.execPath} ${MAIN} serve server.port=0`;
  const env = { ...process.env, ROLLTAPE_ADMIN_API_KEY: KEY };
  const child = spawn("sh", ["-c", command], { env, stdio: ["ignore", "pipe", "ignore"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  let stdout = "";
  child.stdout.on("data", (bytes: Buffer) => (stdout += bytes.toString()));
  await expect.poll(() => stdout, { timeout: 60_000 }).toContain("\n");
  const { url } = JSON.parse(stdout) as { url: string };
  const trainer = new HttpTrainer(url, KEY);
  await trainer.post("/grant_capacity", {});
  const started = (await (await trainer.post("/rl/start_session", {})).json()) as { session_api_key: string };
  /** Returns status and `Retry-After`. */
  const call = (content: string): Promise<[status: number | undefined, retryAfter: string | undefined]> => {
    const body = JSON.stringify({ messages: [{ role: "user", content }], max_tokens: 2 });
    const headers = { authorization: `Bearer ${started.session_api_key}`, "content-type": "application/json" };
    const sent = request(`${url}/v1/chat/completions`, { method: "POST", headers });
    sent.setHeader("content-length", Buffer.byteLength(body));
    sent.end(body);
    return new Promise((resolve, reject) => {
      let isAnswered = false;
      // A refusal comes before the body was read. If the rest is sent too late, the connection is closed, and the answer may be lost.
      sent.on("error", (error: NodeJS.ErrnoException) => {
        if (isAnswered) return;
        isAnswered = true;
        if (error.code === "EPIPE" || error.code === "ECONNRESET") resolve(call(content));
        else reject(error);
      });
      sent.on("response", (reply) => {
        isAnswered = true;
        const answer = () => resolve([reply.statusCode, reply.headers["retry-after"]]);
        reply.resume().on("end", answer).on("error", answer);
      });
    });
  };
  await call("warm");
  const readPeak = () => 1024 * Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, "utf8"))?.[1]);
  return { child, call, readPeak };
}

describe("the estimate of what a body takes at its peak", () => {
  it.each(Object.keys(TEXTS))(
    "is not exceeded by %s",
    async (name) => {
      for (const bytes of [500_000, 2_000_000, 4_000_000]) {
        const { child, call, readPeak } = await start();
        const before = readPeak();
        const [status] = await call(TEXTS[name]?.(bytes) ?? "");
        // The prompt is longer than the context.
        expect(status).toBe(400);
        expect((readPeak() - before) / bytes).toBeLessThan(PEAK_OF_BODY);
        child.kill("SIGKILL");
      }
    },
    120_000,
  );
});

describe.each([512, 768])("a server in a container of %d MiB", (mebibytes) => {
  it("refuses 2,000,000 emoji of one key, ten times at once, and answers other calls", async ({ skip }) => {
    const cgroup = `/sys/fs/cgroup/memory/rolltape-test-${process.pid}-${mebibytes}`;
    try {
      mkdirSync(cgroup);
      writeFileSync(`${cgroup}/memory.limit_in_bytes`, String(mebibytes * MEBIBYTE));
    } catch {
      return skip("making a memory cgroup needs root and cgroup v1");
    }
    const { child, call } = await start(`${cgroup}/cgroup.procs`);
    onTestFinished(async () => {
      child.kill("SIGKILL");
      await expect.poll(() => readFileSync(`${cgroup}/cgroup.procs`, "utf8")).toBe("");
      rmdirSync(cgroup);
    });
    const text = TEXTS["emoji"]?.(8_000_000) ?? "";
    const replies = await Promise.all(Array.from({ length: 10 }, () => call(text)));
    for (const reply of replies) expect(reply).toEqual([503, "5"]);
    expect(await call("hello")).toEqual([200, undefined]);
    expect(child.exitCode).toBeNull();
  }, 120_000);
});
