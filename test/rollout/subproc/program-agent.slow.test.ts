import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { ProgramAgent } from "../../../src/rollout/subproc/program-agent.js";
import { until } from "../../helpers/until.js";
import { context, isAlive, pool } from "./context.js";

// The standard error of programs is forwarded to this process. 100,000 lines would hide the report of the tests.
beforeEach(() => void vi.spyOn(process.stderr, "write").mockReturnValue(true));
afterEach(() => vi.restoreAllMocks());

const ADDRESS = "http://127.0.0.1:9";

const shell = (script: string, processes = pool()) => new ProgramAgent(processes, { command: ["sh", "-c", script] });

describe("ProgramAgent", () => {
  it("passes the data on standard input, and the session under every name that SDKs read", async () => {
    const names = [
      "COMPAT_BASE_URL",
      "COMPAT_API_KEY",
      "OPENAI_BASE_URL",
      "OPENAI_API_KEY",
      "ANTHROPIC_BASE_URL",
      "ANTHROPIC_API_KEY",
      "GOOGLE_GEMINI_BASE_URL",
      "GEMINI_API_KEY",
    ];
    const python = `import json, os, sys; print(json.dumps({"data": json.load(sys.stdin), "env": [os.environ[n] for n in ${JSON.stringify(names)}]}))`;
    const agent = new ProgramAgent(pool(), { command: ["python3", "-c", python] });
    expect(await agent.run({ question: "ä", list: [1, null] }, context("sk-1"))).toEqual({
      data: { question: "ä", list: [1, null] },
      env: [ADDRESS, "sk-1", `${ADDRESS}/v1`, "sk-1", ADDRESS, "sk-1", ADDRESS, "sk-1"],
    });
  });

  it("hides the admin key from the program", async () => {
    process.env["ROLLTAPE_ADMIN_API_KEY"] = "sk-admin-of-the-trainer";
    onTestFinished(() => void delete process.env["ROLLTAPE_ADMIN_API_KEY"]);
    expect(await shell('printf \'{"key": "%s"}\' "$ROLLTAPE_ADMIN_API_KEY"').run({}, context())).toEqual({ key: "" });
  });

  it.each([
    ["a number", "echo 0.5", 0.5],
    ["an object", `echo '{"chatcmpl-1": 1}'`, { "chatcmpl-1": 1 }],
    ["the last line of several", "echo 1; echo -2e-1", -0.2],
    ["the last line that is not empty", "echo hello; echo 3; echo; echo '  '", 3],
    ['a line {"reward": …}, whatever follows', `echo '{"reward": 3}'; echo done; echo 4; echo '{"a": 1}'`, 3],
    ['the last line {"reward": …}', `echo '{"reward": 1}'; echo '{"reward": {"chatcmpl-1": 2}}'`, { "chatcmpl-1": 2 }],
    ["a last line without a line break", "echo x; printf 7", 7],
    ["a line that is written in pieces", "printf 1; sleep 0.05; printf '2\\n'", 12],
    ["a line after one that is too long", "head -c 3000000 /dev/zero | tr '\\0' 1; echo; echo 5", 5],
  ])("reads the reward from %s", async (_, script, reward) => {
    expect(await shell(script).run({}, context())).toEqual(reward);
  });

  it.each([
    [
      "ends with another status than 0",
      "echo 1; echo 'no such tool' >&2; exit 4",
      "program_failed",
      /sh ended with status 4\.[^]*no such tool/,
    ],
    ["is ended by a signal", "kill -9 $$", "program_failed", /SIGKILL/],
    [
      "prints no reward",
      "echo hello; echo 'reward model is down' >&2",
      "invalid_program_output",
      /printed no reward[^]*reward model is down/,
    ],
    ["prints text after its reward", "echo 1; echo done", "invalid_program_output", /the last line of/],
    [
      "prints a long standard error, of which the end is shown",
      "seq 1 100000 >&2; exit 1",
      "program_failed",
      /^.{0,9000}\n100000$/s,
    ],
  ])("rejects if the program %s", async (_, script, code, message) => {
    await expect(shell(script).run({}, context())).rejects.toMatchObject({
      code,
      message: expect.stringMatching(message) as string,
    });
  });

  it('warns of other numbers before the last line, unless there is a line {"reward": …}', async () => {
    const warnings: Error[] = [];
    const listen = (warning: Error) => void warnings.push(warning);
    process.on("warning", listen);
    onTestFinished(() => void process.off("warning", listen));
    await shell("echo 12; echo 1").run({}, context());
    await shell(`echo 12; echo '{"chatcmpl-1": 1}'`).run({}, context());
    await shell("echo hello; echo 1").run({}, context());
    await shell(`echo 12; echo '{"reward": 1}'`).run({}, context());
    await until(() => warnings.length > 1);
    expect(warnings.map(({ name, message }) => `${name}: ${message}`)).toEqual(
      Array.from({ length: 2 }, () =>
        expect.stringMatching(/^AgentWarning: sh printed other numbers before its reward/),
      ),
    );
  });

  it("rejects if the program does not exist", async () => {
    const agent = new ProgramAgent(pool(), { command: ["/nowhere/agent"] });
    await expect(agent.run({}, context())).rejects.toMatchObject({ code: "program_not_started" });
  });

  it("accepts a program that does not read its data", async () => {
    const data = { text: "x".repeat(1 << 20) };
    expect(await shell("exec 0<&-; echo 1").run(data, context())).toBe(1);
  });

  it.each([
    ["a Map", { seen: new Map() }, "data.seen is an instance of Map"],
    ["a number that JSON lacks", { list: [1, Number.NaN] }, "data.list[1] is NaN"],
    ["a bigint", { n: 1n }, "data.n is a bigint"],
    ["a function", { "a b": () => 1 }, 'data["a b"] is a function'],
  ])("refuses data with %s", async (_, data, message) => {
    await expect(shell("echo 1").run(data, context())).rejects.toThrow(message);
  });

  it("refuses data that contains itself, and accepts data that contains a value twice", async () => {
    const twice = { x: 1 };
    expect(await shell("cat").run({ twice, twicefold: twice }, context())).toEqual({ twice, twicefold: twice });
    const data: { self?: object } = {};
    data.self = data;
    await expect(shell("cat").run(data, context())).rejects.toThrow("data.self is a part of itself");
  });
});

describe("the process of a ProgramAgent", () => {
  function pidFile(): string {
    const folder = mkdtempSync(join(tmpdir(), "rolltape-program-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    return join(folder, "pid");
  }
  const pidIn = (file: string) => Number(readFileSync(file, { encoding: "utf8", flag: "a+" }));

  it("is killed with its children when it exceeds its time", async () => {
    const file = pidFile();
    const agent = shell(`sleep 3600 & echo $! > ${file}; wait`, pool({ timeoutSeconds: 1 }));
    await expect(agent.run({}, context())).rejects.toMatchObject({ code: "agent_timeout" });
    const child = pidIn(file);
    expect(child).toBeGreaterThan(0);
    await until(() => !isAlive(child));
  });

  it("is killed when its episode is aborted", async () => {
    const file = pidFile();
    const episode = new AbortController();
    const running = shell(`echo $$ > ${file}; sleep 3600; echo 1`).run({}, context("sk", episode.signal));
    await until(() => pidIn(file) > 0);
    episode.abort(new Error("given up"));
    await expect(running).rejects.toThrow("given up");
    await until(() => !isAlive(pidIn(file)));
  });

  it("leaves no child running when it ends by itself", async () => {
    const file = pidFile();
    expect(await shell(`sleep 3600 & echo $! > ${file}; echo 1`).run({}, context())).toBe(1);
    await until(() => !isAlive(pidIn(file)));
  });

  it("frees its slot when it ends", async () => {
    const processes = pool({ timeoutSeconds: 1 });
    const [slow, next] = await Promise.allSettled([
      shell("sleep 3600", processes).run({}, context()),
      shell("echo 1", processes).run({}, context()),
    ]);
    expect([slow.status, next]).toEqual(["rejected", { status: "fulfilled", value: 1 }]);
  });
});
