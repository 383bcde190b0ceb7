import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { rolltape, runRolltape } from "../rolltape.js";
import { frontProxy } from "./front-proxy.js";
import { AGENT, readBatch, rolloutJob, TIMES } from "./rollout-job.js";
import { writtenFiles } from "./written-files.js";

const KEY = { ROLLTAPE_ADMIN_API_KEY: "sk-admin-of-a-running-proxy" };
const CONCAT = ["rollout.agent.export_style=concat", "rollout.agent.turn_discount=0.5"];

function startJob() {
  const job = rolloutJob([0, 1, 2, 3].map((reward) => ({ question: "why?", reward })));
  return { ...job, args: [...job.args, "--agent", AGENT] };
}

async function serve() {
  const serving = rolltape(["serve", "server.port=0", "server.shutdown_seconds=0"], KEY);
  return (await serving.ready()).url;
}

/** Exports a file again, and returns the batch. */
async function exportAgain(from: string, options: readonly string[] = []): Promise<Buffer> {
  const out = `${from}.again`;
  expect(await runRolltape(["export", "--from", from, "--out", out, ...options])).toMatchObject({ code: 0 });
  return readFileSync(out);
}

async function exportSessions(url: string, ids: readonly string[]): Promise<Response> {
  const headers = { authorization: `Bearer ${KEY.ROLLTAPE_ADMIN_API_KEY}`, "content-type": "application/json" };
  return fetch(`${url}/export_batch`, { method: "POST", headers, body: JSON.stringify({ session_ids: ids }) });
}

describe("rolltape rollout --sessions", TIMES, () => {
  it("keeps the sessions of each batch, from which the same batch and others are exported", async () => {
    const { args, out, folder } = startJob();
    const sessions = join(folder, "kept", "x.sessions");
    const more = ["--sessions", sessions, "--proxy-workers", "2", "--group-size", "2", ...CONCAT];
    const ended = await runRolltape([...args, ...more, "rollout.consumer_batch_size=2"]);
    expect(ended).toMatchObject({ code: 0 });
    const second = sessions.replace(".sessions", "-00001.sessions");
    expect(ended.stdout).toMatch(/^sessions +2 files, \S*x-00000\.sessions to \S*x-00001\.sessions, \d+ bytes$/m);
    const options = ["--style", "concat", "--discount", "0.5", "--on-mismatch", "split", "--shared-turns", "first"];
    const batch = out.replace(".safetensors", "-00001.safetensors");
    expect((await exportAgain(second, options)).equals(readFileSync(batch))).toBe(true);
    await exportAgain(second, ["--style", "individual"]);
    expect(new Set(readBatch(`${second}.again`).rewards)).toEqual(new Set(readBatch(batch).rewards));
  });

  it("writes a file beside each batch with --job-folder, where an export finds it", async () => {
    const { args, out, folder } = startJob();
    const more = ["--job-folder", join(folder, "job"), "rollout.consumer_batch_size=2", ...CONCAT];
    expect(await runRolltape([...args, ...more])).toMatchObject({ code: 0 });
    const batch = out.replace(".safetensors", "-00001.safetensors");
    expect(existsSync(`${batch}.sessions`)).toBe(true);
    expect((await exportAgain(batch)).equals(readFileSync(batch))).toBe(true);
    await exportAgain(batch, ["--style", "individual", "--discount", "1"]);
    expect(new Set(readBatch(`${batch}.again`).rewards)).toEqual(new Set(readBatch(batch).rewards));
  });

  it("writes no file with --job-folder and --no-sessions", async () => {
    const { args, out, folder } = startJob();
    expect(await runRolltape([...args, "--job-folder", join(folder, "job"), "--no-sessions"])).toMatchObject({
      code: 0,
    });
    expect(writtenFiles(dirname(out))).toEqual(["batch.safetensors"]);
  });

  it("reports a file that cannot be written, and keeps the batch", async () => {
    const { args, out, folder } = startJob();
    // Its partial file has a longer name, which no file system takes.
    const sessions = join(folder, "x".repeat(250));
    const ended = await runRolltape([...args, "--sessions", sessions]);
    expect(ended).toMatchObject({ code: 0 });
    expect(ended.stderr).toContain(`rolltape: the sessions file ${sessions} was not written: `);
    expect(ended.stderr).toContain(`. The batch is in ${out}\n`);
    expect(ended.stdout).toMatch(/^sessions +1 of 1 sessions files could not be written$/m);
    expect(readBatch(out).rewards).toEqual([0, 0, 1, 1, 2, 2, 3, 3]);
  });

  it("is refused before the first task if no file can be written in its folder", async () => {
    const { args, out } = startJob();
    const ended = await runRolltape([...args, "--sessions", "/proc/none/x.sessions"]);
    expect(ended).toMatchObject({ code: 2 });
    expect(ended.stderr).toContain("rolltape: --sessions /proc/none/x.sessions cannot be written: ");
    expect(existsSync(out)).toBe(false);
  });

  it.each(["", ".jsonl", ".metrics.jsonl"])("is refused if it would replace <out>%s", async (suffix) => {
    const { args, out } = startJob();
    const ended = await runRolltape([...args, "--sessions", out + suffix]);
    expect(ended).toMatchObject({ code: 2 });
    expect(ended.stderr).toContain(`--sessions ${out}${suffix} must be a file of its own`);
    expect(existsSync(out)).toBe(false);
  });

  it("reports a file that arrives incomplete, and keeps the batch", async () => {
    const front = await frontProxy(await serve(), ({ path }, response) => {
      if (path !== "/export_sessions") return false;
      response.writeHead(200).end(Buffer.from("RTSESS\u0001\u0000"));
      return true;
    });
    const { args, out, folder } = startJob();
    const ended = await runRolltape([...args, "--proxy", front.url, "--sessions", join(folder, "x.sessions")], KEY);
    expect(ended).toMatchObject({ code: 0 });
    expect(ended.stderr).toContain("The answer is damaged: its end is missing.");
    expect(readBatch(out).rewards).toEqual([0, 0, 1, 1, 2, 2, 3, 3]);
    expect(writtenFiles(folder).filter((name) => name.includes("sessions"))).toEqual([]);
  });
});

describe("rolltape rollout --keep-sessions", TIMES, () => {
  it("leaves the sessions on the proxy, which exports them again", async () => {
    const url = await serve();
    const { args, out } = startJob();
    expect(await runRolltape([...args, "--proxy", url, "--keep-sessions"], KEY)).toMatchObject({ code: 0 });
    const ids = [...new Set(readBatch(out).sessions)];
    expect(ids).toHaveLength(4);
    expect((await exportSessions(url, ids)).status).toBe(200);
    const released = startJob();
    expect(await runRolltape([...released.args, "--proxy", url], KEY)).toMatchObject({ code: 0 });
    expect((await exportSessions(url, readBatch(released.out).sessions.slice(0, 1))).status).toBe(410);
  });

  it("leaves them in the storage folder of the job's own proxy", async () => {
    const { args, out, folder } = startJob();
    const storage = join(folder, "storage");
    const ended = await runRolltape([...args, "--keep-sessions", `storage.directory=${storage}`]);
    expect(ended).toMatchObject({ code: 0 });
    const again = join(folder, "again.safetensors");
    // Without them, in the order in which the sessions started.
    const ids = [...new Set(readBatch(out).sessions)].join(",");
    const more = ["--sessions", ids, "--on-mismatch", "split", "--shared-turns", "first"];
    expect(await runRolltape(["export", "--storage", storage, "--out", again, ...more])).toMatchObject({ code: 0 });
    expect(readFileSync(again).equals(readFileSync(out))).toBe(true);
  });

  it("is refused if the proxy that keeps the sessions ends with the job", async () => {
    const { args } = startJob();
    const ended = await runRolltape([...args, "--keep-sessions"]);
    expect(ended).toMatchObject({ code: 2 });
    expect(ended.stderr).toContain("--keep-sessions requires --proxy or storage.directory");
  });
});

describe("rolltape export", TIMES, () => {
  it("requires a source", async () => {
    const ended = await runRolltape(["export", "--out", "x.safetensors"]);
    expect(ended).toMatchObject({ code: 2 });
    expect(ended.stderr).toBe("rolltape: one of --storage and --from is required\n");
  });
});
