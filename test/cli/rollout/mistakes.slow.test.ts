import { execFileSync } from "node:child_process";
import { mkdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { ensureTinyModel } from "../../../src/engine/index.js";
import { findFreePort } from "../../../src/scheduler/free-port.js";
import { rolltape, runRolltape } from "../rolltape.js";
import { frontProxy } from "./front-proxy.js";
import { AGENT, readBatch, rolloutJob, TIMES } from "./rollout-job.js";

type TinyModel = Awaited<ReturnType<typeof ensureTinyModel>>;

const KEY = { ROLLTAPE_ADMIN_API_KEY: "sk-admin-of-somebody" };

describe("a mistake in the arguments of rolltape rollout", TIMES, () => {
  it.each([
    ["an import of a missing file", 'import "./gone.mjs";', /gone\.mjs/],
    ["an error while the module is imported", "\nconst tool = {};\ntool.a.b();", /TypeError: .*\(.*agent\.mjs:3:8\)/],
    ["a syntax error", "\nexport function run( {\n  return 1;", /SyntaxError: .*\(.*agent\.mjs:3\)/],
    ["a syntax error of a module that it imports", 'import "./part.mjs";', /SyntaxError: .*\(.*part\.mjs:2\)/],
  ])("is reported with file and line of an agent that has %s", async (_, source, message) => {
    const { folder, args } = rolloutJob([{ question: "why?" }]);
    const file = join(folder, "agent.mjs");
    writeFileSync(file, source);
    writeFileSync(join(folder, "part.mjs"), "\nconst x = ;\n");
    const ended = await runRolltape([...args, "--agent", file]);
    expect(ended).toMatchObject({ code: 2, stdout: "" });
    expect(ended.stderr).toMatch(message);
  });

  it("only causes a warning if the default folder for shared memory is not writable", async () => {
    const readOnly = `
      import fs from "node:fs/promises";
      import { syncBuiltinESMExports } from "node:module";
      const { open } = fs;
      const refuse = () => Promise.reject(new Error("EROFS: read-only file system"));
      fs.open = (path, ...rest) => (String(path).startsWith("/dev/shm/") ? refuse() : open(path, ...rest));
      syncBuiltinESMExports();`;
    const { args } = rolloutJob([{ question: "why?", reward: 1 }]);
    const env = { NODE_OPTIONS: `--import "data:text/javascript,${encodeURIComponent(readOnly)}"` };
    const ended = await runRolltape([...args, "--agent", AGENT], env);
    expect(ended).toMatchObject({ code: 0 });
    expect(ended.stderr).toContain(
      "rolltape: warning: server.shared_memory_directory: no file can be created in /dev/shm: EROFS",
    );
  });

  it("is not reported for a folder as the agent whose name has a dot", async () => {
    const { folder, args } = rolloutJob([{ question: "why?", reward: 1 }]);
    const agent = join(folder, "my.agent");
    mkdirSync(agent);
    writeFileSync(join(agent, "package.json"), '{ "type": "module", "main": "index.js" }');
    writeFileSync(join(agent, "index.js"), `export { agent as default } from ${JSON.stringify(AGENT.split("#")[0])};`);
    expect(await runRolltape([...args, "--agent", `${agent}/`])).toMatchObject({ code: 0 });
  });

  it("is reported with the command that runs a program in another language", async () => {
    const { folder, args } = rolloutJob([{ question: "why?" }]);
    const file = join(folder, "agent.rb");
    writeFileSync(file, "puts 1\n");
    const ended = await runRolltape([...args, "--agent", file]);
    expect(ended).toMatchObject({ code: 2 });
    expect(ended.stderr).toContain(`Run it as a program: --command "${file}"`);
  });

  it.each<[string, (tiny: TinyModel, text: string) => string[], RegExp]>([
    [
      "engine.model that is not there",
      ({ folder }) => ["engine.model=/nowhere/x.gguf", `model.path=${folder}`],
      /^ {2}engine\.model: \/nowhere\/x\.gguf cannot be loaded: ENOENT/m,
    ],
    [
      "engine.model that is no model",
      ({ folder }, text) => [`engine.model=${text}`, `model.path=${folder}`],
      /^ {2}engine\.model: \S+tasks\.jsonl cannot be loaded: /m,
    ],
    [
      "model.path that is not there",
      ({ gguf }) => [`engine.model=${gguf}`, "model.path=/nowhere"],
      /^ {2}model\.path: .*\/nowhere\/tokenizer\.json/m,
    ],
    [
      "engine.model of proxy workers",
      ({ folder }) => ["engine.model=/nowhere/x.gguf", `model.path=${folder}`, "--proxy-workers", "2"],
      /a proxy worker did not start[^]* {2}engine\.model: \/nowhere\/x\.gguf cannot be loaded: ENOENT/,
    ],
  ])("is reported with its key: %s", async (_, more, message) => {
    const { data, args } = rolloutJob([{ question: "why?" }]);
    const ended = await runRolltape([...args, "--agent", AGENT, ...more(await ensureTinyModel(), data)]);
    expect(ended).toMatchObject({ code: 2, stdout: "" });
    expect(ended.stderr).toMatch(message);
  });

  it("is reported for a proxy that cannot be reached", async () => {
    const { args } = rolloutJob([{ question: "why?" }]);
    const url = `http://127.0.0.1:${await findFreePort()}`;
    const ended = await runRolltape([...args, "--agent", AGENT, "--proxy", url], KEY);
    expect(ended).toMatchObject({ code: 1, stdout: "" });
    expect(ended.stderr).toBe(
      `rolltape: --proxy: ${url}/health cannot be reached: connect ECONNREFUSED ${url.slice("http://".length)}\n`,
    );
  });

  it("is reported for an admin key that is refused, with the way to set it", async () => {
    const front = await frontProxy("http://127.0.0.1:9", (_, response) => response.writeHead(401).end() !== undefined);
    const { args } = rolloutJob([{ question: "why?" }]);
    const ended = await runRolltape([...args, "--agent", AGENT, "--proxy", front.url], KEY);
    expect(ended).toMatchObject({ code: 2, stdout: "" });
    expect(ended.stderr).toBe(
      `rolltape: --proxy ${front.url} refuses the admin key in ROLLTAPE_ADMIN_API_KEY or rollout.agent.admin_api_key ` +
        "(HTTP 401). Set one of them to the admin key that the proxy was started with or wrote to its rollout.agent.key_file.\n",
    );
  });

  it("is reported if the process of an agent ended during the import", async () => {
    const { folder, args } = rolloutJob([{ question: "why?" }]);
    const agent = join(folder, "agent.mjs");
    writeFileSync(agent, 'console.error("no licence"); process.exit(3);');
    const ended = await runRolltape([...args, "--agent", agent, "rollout.agent.mode=subproc"]);
    expect(ended).toMatchObject({ code: 2, stdout: "" });
    expect(ended.stderr).toMatch(/^no licence\nrolltape: The agent's process ended/);
  });

  it("is reported if --out is a pipe or a device", async () => {
    const { folder, args } = rolloutJob([{ question: "why?" }]);
    const pipe = join(folder, "pipe");
    execFileSync("mkfifo", [pipe]);
    const ended = await runRolltape([...args, "--agent", AGENT, "--out", pipe]);
    expect(ended).toMatchObject({ code: 2 });
    expect(ended.stderr).toContain(`--out ${pipe} must be a regular file`);
    expect(statSync(pipe).isFIFO()).toBe(true);
  });
});

describe("the tasks of a rollout", TIMES, () => {
  it("may be one JSON array", async () => {
    const { data, out, args } = rolloutJob([]);
    const tasks = [
      { task_id: "b", question: "why?", reward: 1 },
      { question: "how?", reward: 0 },
    ];
    writeFileSync(data, JSON.stringify(tasks, null, 2));
    expect(await runRolltape([...args, "--agent", AGENT])).toMatchObject({ code: 0 });
    expect(readBatch(out).sessions.map((id) => id.replace(/-[a-z0-9]{8}-\d+$/, ""))).toEqual([
      "b",
      "b",
      "task-1",
      "task-1",
    ]);
  });

  it.each([
    [
      '{"task_id": "HumanEval/0"}\n',
      ':1: `task_id` must be 1 to 128 characters of A-Z a-z 0-9 . _ : -; received "HumanEval/0"',
    ],
    ['{}\n\n{"task_id": 7}\n', ":3: `task_id` must be"],
    ['[{}, {"task_id": ""}]', "[1]: `task_id` must be"],
    ['[{},\n{"task_id": ]', " is not a JSON array: "],
  ])("are refused with the line or index: %s", async (text, message) => {
    const { data, args } = rolloutJob([]);
    writeFileSync(data, text);
    const ended = await runRolltape([...args, "--agent", AGENT]);
    expect(ended).toMatchObject({ code: 2 });
    expect(ended.stderr).toContain(`${data}${message}`);
  });
});

describe("a rollout that is interrupted", TIMES, () => {
  it("ends with status 130 even if no episode was accepted", async () => {
    const { args } = rolloutJob([{ question: "how?", hang: true }]);
    const running = rolltape([...args, "--agent", AGENT]);
    await running.logged("an agent hangs");
    running.process.kill("SIGINT");
    expect(await running.ended).toMatchObject({ code: 130, stdout: "" });
  });
});
