import { spawnSync } from "node:child_process";
import type { ServerResponse } from "node:http";
import { describe, expect, it } from "vitest";
import { rolltape, runRolltape } from "../rolltape.js";
import { frontProxy } from "./front-proxy.js";
import { AGENT, readBatch, rolloutJob, TIMES } from "./rollout-job.js";

const KEY = { ROLLTAPE_ADMIN_API_KEY: "sk-admin-of-a-running-proxy" };

const REFUSAL = JSON.stringify({ error: { message: "The disk is gone.", code: "internal_error" } });

/** Returns the proxy's refusal of a batch because it does not know this session. */
const gone = (id: string) => {
  const sessions = [{ session_id: id, code: "session_not_found" }];
  return JSON.stringify({ error: { message: "no", code: "batch_not_exportable", sessions } });
};

async function runningProxy(): Promise<string> {
  const serving = rolltape(["serve", "server.port=0", "server.shutdown_seconds=0"], KEY);
  return (await serving.ready()).url;
}

describe("rolltape rollout --proxy whose export fails", TIMES, () => {
  it.each<[string, (response: ServerResponse) => void, RegExp]>([
    ["an error", (response) => void response.writeHead(500).end(REFUSAL), /could not be exported: The disk is gone\. /],
    ["nothing", (response) => void response.destroy(), /could not be exported: \/export_batch got no answer: /],
  ])("prints the command that exports the sessions again, if the answer is %s", async (_, fail, message) => {
    const url = await runningProxy();
    const { out, args } = rolloutJob([
      { question: "why?", reward: 1 },
      { question: "how?", reward: 2 },
    ]);
    const front = await frontProxy(url, ({ path }, response) => {
      if (path !== "/export_batch") return false;
      fail(response);
      return true;
    });
    const ended = await runRolltape([...args, "--agent", AGENT, "--proxy", front.url], KEY);
    expect(ended).toMatchObject({ code: 1, stdout: "" });
    expect(ended.stderr).toMatch(message);
    const [, command = ""] = /2 sessions can be exported again .*:\n(curl [^]*?\nEND)\n/.exec(ended.stderr) ?? [];
    const env = { ...process.env, ...KEY };
    expect(spawnSync("sh", ["-c", command.replace(front.url, url)], { env })).toMatchObject({ status: 0 });
    expect(readBatch(out).rewards).toEqual([1, 1, 2, 2]);
  });
});

describe("rolltape rollout --proxy that lost a session", TIMES, () => {
  it("deletes the rest of its group and acknowledges the batch before the trainer runs", async () => {
    const { out, args } = rolloutJob([
      { question: "why?", reward: 1 },
      { question: "how?", reward: 2 },
    ]);
    let lost: string | undefined;
    const front = await frontProxy(await runningProxy(), ({ path, body }, response) => {
      if (path === "/trained") return response.end() !== undefined;
      if (path !== "/export_batch" || lost !== undefined) return false;
      lost = (JSON.parse(body) as { session_ids: string[] }).session_ids[0] ?? "";
      response.writeHead(409).end(gone(lost));
      return true;
    });
    const trainer = JSON.stringify([process.execPath, "-e", `fetch(${JSON.stringify(`${front.url}/trained`)})`]);
    const more = ["--proxy", front.url, "--group-size", "2", "--trainer", trainer, "rollout.max_attempts=1"];
    expect(await runRolltape([...args, "--agent", AGENT, ...more], KEY)).toMatchObject({ code: 0 });
    expect(readBatch(out).rewards).toEqual([2, 2, 2, 2]);
    const steps = front.calls.flatMap(({ method, path }) =>
      path === "/trained" ? ["train"] : method === "DELETE" ? [path.startsWith("/rl/") ? "delete" : "acknowledge"] : [],
    );
    expect(steps.slice(0, 2).sort()).toEqual(["acknowledge", "delete"]);
    expect(steps.slice(2)).toEqual(["train"]);
  });
});
