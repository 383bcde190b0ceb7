import type { ServerResponse } from "node:http";
import { dirname } from "node:path";
import { describe, expect, it } from "vitest";
import { rolltape, runRolltape } from "../rolltape.js";
import { frontProxy } from "./front-proxy.js";
import { AGENT, readBatch, rolloutJob, TIMES } from "./rollout-job.js";
import { writtenFiles } from "./written-files.js";

const KEY = { ROLLTAPE_ADMIN_API_KEY: "sk-admin-of-a-running-proxy" };
const HEADERS = { "content-type": "application/octet-stream", "x-rolltape-export-id": "batch-1" };
const HALF = Buffer.alloc(50_000);

/** Sends half of a batch and closes the connection. */
function breakOff(response: ServerResponse): void {
  response.writeHead(200, { ...HEADERS, "content-length": 2 * HALF.length });
  response.write(HALF, () => response.destroy());
}

/** Runs a job behind a front that answers so many exports itself. */
async function runBehind(answers: number, answer: (response: ServerResponse) => void) {
  const serving = rolltape(["serve", "server.port=0", "server.shutdown_seconds=0"], KEY);
  const { url } = await serving.ready();
  let left = answers;
  const front = await frontProxy(url, ({ path }, response) => {
    if (path !== "/export_batch" || left-- <= 0) return false;
    answer(response);
    return true;
  });
  const { out, args } = rolloutJob([
    { question: "why?", reward: 1 },
    { question: "how?", reward: 2 },
  ]);
  const ended = await runRolltape([...args, "--agent", AGENT, "--proxy", front.url], KEY);
  return { out, ended, files: writtenFiles(dirname(out)) };
}

describe("rolltape rollout --proxy whose batch does not arrive as a whole", TIMES, () => {
  it("requests it again and writes it once, if the connection breaks in the middle", async () => {
    const { out, ended, files } = await runBehind(2, breakOff);
    expect(ended).toMatchObject({ code: 0 });
    expect(files).toEqual(["batch.safetensors"]);
    expect(readBatch(out).rewards).toEqual([1, 1, 2, 2]);
    expect(ended.stdout.match(/wrote /g)).toHaveLength(1);
  });

  it.each<[string, (response: ServerResponse) => void, RegExp]>([
    ["every connection breaks in the middle", breakOff, /could not be exported: \/export_batch got no answer: /],
    [
      "it is not a batch",
      (response) => response.writeHead(200, HEADERS).end("<html>no proxy</html>"),
      /could not be exported: \/export_batch answered with 21 bytes that are not a batch: /,
    ],
  ])("writes no file and counts no batch, if %s", async (_, answer, message) => {
    const { ended, files } = await runBehind(Number.POSITIVE_INFINITY, answer);
    expect(ended).toMatchObject({ code: 1, stdout: "" });
    expect(ended.stderr).toMatch(message);
    expect(files).toEqual([]);
  });
});
