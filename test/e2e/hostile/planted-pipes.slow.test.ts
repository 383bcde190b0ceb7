import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, readdirSync, rmSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { ensureTinyModel } from "../../../src/engine/index.js";
import { rolloutJob } from "../../cli/rollout/rollout-job.js";
import { runRolltape, temporaryFolder } from "../../cli/rolltape.js";
import { startVictim, Victim } from "./victim.js";

/** Named pipes, links and other entries in folders that processes share. Opening a pipe waits for a writer, which never comes. */

function plantPipe(path: string): string {
  rmSync(path, { force: true });
  execFileSync("mkfifo", [path]);
  return path;
}

/** Fills a folder of workers with what one of them may plant. */
function plantAll(folder: string): void {
  mkdirSync(folder, { recursive: true });
  plantPipe(join(folder, "pipe.json"));
  plantPipe(join(folder, "weight-version"));
  mkdirSync(join(folder, "folder.json"));
  symlinkSync("/dev/zero", join(folder, "zero.json"));
  symlinkSync(join(folder, "pipe.json"), join(folder, "link.json"));
  symlinkSync("loop.json", join(folder, "loop.json"));
  writeFileSync(join(folder, "large.json"), "");
  truncateSync(join(folder, "large.json"), 1 << 30);
  writeFileSync(join(folder, "list.json"), "[".repeat(10_000));
  writeFileSync(join(folder, "escape.json"), '{"url":"file:///etc/passwd","tag":"../../x"}');
}

it("a gateway and a server beside planted entries start, answer calls and end", async () => {
  const folder = join(temporaryFolder(), "workers");
  plantAll(folder);
  const gateway = await Victim.start(["gateway", `gateway.workers_folder=${folder}`]);
  onTestFinished(async () => void (await gateway.stop()));
  const server = await startVictim([`server.workers_folder=${folder}`, "model.path=null"]);
  onTestFinished(async () => void (await server.stop()));
  await expect.poll(async () => (await gateway.send("/health")).status).toBe(200);
  const { key } = await gateway.session();
  expect((await gateway.chat(key, "a", { max_tokens: 2 })).refusal).toBe("200");
  expect([await server.stop(), await gateway.stop()]).toEqual([0, 0]);
  expect(readdirSync(folder)).toContain("pipe.json");
}, 120_000);

describe("a command that is given a named pipe ends and names it:", () => {
  const PIPE = "it is not a regular file";

  it.each(["tokenizer.json", "tokenizer_config.json", "chat_template.jinja", "config.json"])(
    "serve, with %s of the model folder",
    async (name) => {
      const folder = join(temporaryFolder(), "model");
      cpSync((await ensureTinyModel()).folder, folder, { recursive: true, dereference: true });
      const pipe = plantPipe(join(folder, name));
      const dead = ["engine.type=sglang", "engine.urls=[http://127.0.0.1:9]"];
      const { code, stderr } = await runRolltape(["serve", "server.port=0", `model.path=${folder}`, ...dead]);
      expect([code, stderr.includes(pipe), stderr.includes(PIPE)]).toEqual([2, true, true]);
    },
  );

  it("serve, with the embedded engine's weights", async () => {
    const { folder } = await ensureTinyModel();
    const pipe = plantPipe(join(temporaryFolder(), "model.gguf"));
    const args = ["serve", "server.port=0", `model.path=${folder}`, `engine.model=${pipe}`];
    const { code, stderr } = await runRolltape(args);
    expect([code, stderr.includes(pipe), stderr.includes(PIPE)]).toEqual([2, true, true]);
  });

  it.each([
    ["inspect", (pipe: string) => ["inspect", pipe]],
    ["view", (pipe: string) => ["view", pipe, "--port", "0"]],
    ["export", (pipe: string) => ["export", "--from", pipe, "--out", `${pipe}.out`]],
  ])("%s", async (_name, command) => {
    const { code, stdout, stderr } = await runRolltape(command(plantPipe(join(temporaryFolder(), "a.safetensors"))));
    expect({ failed: code !== 0, stdout }).toEqual({ failed: true, stdout: "" });
    expect(stderr).toMatch(/^rolltape: .*not a regular file|neither a file nor a folder/);
  });
});

it("a job goes on beside a named pipe in the place of its transcript's index and of its metrics", async () => {
  const { out, args } = rolloutJob([{ question: "why?", reward: 1 }]);
  mkdirSync(join(out, ".."));
  plantPipe(`${out}.jsonl`);
  plantPipe(`${out}.jsonl.index`);
  const agent = new URL("../../cli/rollout/agents/chat.mjs", import.meta.url).pathname;
  expect(await runRolltape([...args, "--agent", `${agent}#agent`])).toMatchObject({ code: 0 });
}, 120_000);
