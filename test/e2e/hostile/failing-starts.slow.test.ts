import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { cpSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { ensureTinyModel } from "../../../src/engine/index.js";
import { MAIN, runRolltape, temporaryFolder } from "../../cli/rolltape.js";

/** A start that cannot succeed always ends with its exit status and reason. The tokenizer's threads must not end it by a signal. */

const REPEATS = Number(process.env["FAILING_STARTS"] ?? 2);
const ENGINE = ["engine.type=sglang", "engine.urls=[http://127.0.0.1:9]"];
const TIMES = { timeout: 120_000 + REPEATS * 10_000 };

async function copyModel(): Promise<string> {
  const folder = join(temporaryFolder(), "model");
  cpSync((await ensureTinyModel()).folder, folder, { recursive: true, dereference: true });
  return folder;
}

async function modelWithTemplate(template: string): Promise<string> {
  const folder = await copyModel();
  const file = join(folder, "tokenizer_config.json");
  const config = JSON.parse(readFileSync(file, "utf8")) as object;
  writeFileSync(file, JSON.stringify({ ...config, chat_template: template }));
  return folder;
}

async function occupyPort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  onTestFinished(() => void server.close());
  await once(server, "listening");
  return (server.address() as AddressInfo).port;
}

/** Starts a command several times. Each time it must end with this status, and its last line must match. */
async function expectEnds(args: readonly string[], code: number, reason: RegExp): Promise<void> {
  for (let n = 0; n < REPEATS; n++) {
    const ended = await runRolltape(args);
    expect({ code: ended.code, stdout: ended.stdout }).toEqual({ code, stdout: "" });
    expect(ended.stderr.trimEnd().split("\n").at(-1)).toMatch(reason);
    expect(ended.stderr).not.toMatch(/^ +at /m);
  }
}

describe.each([
  ["serve", []],
  ["serve with two workers", ["server.workers=2"]],
])("rolltape %s", TIMES, (_name, more) => {
  const serve = (folder: string, port = 0) => [
    "serve",
    `server.port=${port}`,
    `model.path=${folder}`,
    ...ENGINE,
    ...more,
  ];

  it("ends with status 2 if the chat template cannot be parsed", async () => {
    const folder = await modelWithTemplate("{% for m in messages %}{{ m.content ");
    await expectEnds(serve(folder), 2, /model\.path: the chat template of .* has no end/);
  });

  it("ends with status 2 if the chat template never ends", async () => {
    const loop = "{% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}";
    await expectEnds(serve(await modelWithTemplate(loop)), 2, /model\.path: .* too many iterations/);
  });

  it("ends with status 2 if the tokenizer is missing", async () => {
    const folder = await copyModel();
    rmSync(join(folder, "tokenizer.json"));
    await expectEnds(serve(folder), 2, /model\.path: the model folder has no tokenizer\.json/);
  });

  it("ends with status 1 if the port is occupied", async () => {
    await expectEnds(serve((await ensureTinyModel()).folder, await occupyPort()), 1, /EADDRINUSE/);
  });
});

it("a gateway ends with status 1 if the port is occupied", TIMES, async () => {
  const port = await occupyPort();
  await expectEnds(["gateway", `server.port=${port}`, "gateway.workers=http://127.0.0.1:9"], 1, /EADDRINUSE/);
});

it("every command ends with status 1 and names the limit if it may open too few files", TIMES, () => {
  for (let n = 0; n < REPEATS; n++) {
    for (const args of [["serve"], ["gateway"], ["rollout"], ["view", "."]]) {
      const command = 'ulimit -n 96; exec "$0" "$@"';
      const { status, stderr } = spawnSync("sh", ["-c", command, process.execPath, MAIN, ...args], {
        encoding: "utf8",
      });
      expect({ status, stderr }).toEqual({
        status: 1,
        stderr:
          "rolltape: this process may open 96 files, and needs at least 256. " +
          "Raise the limit (`ulimit -n 4096`, `LimitNOFILE` of systemd, `--ulimit nofile` of Docker).\n",
      });
    }
  }
});
