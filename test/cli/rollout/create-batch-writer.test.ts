import { execFileSync } from "node:child_process";
import { chmodSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { BatchWriteError } from "../../../src/cli/rollout/batch-file.js";
import { describeUnexported, describeUnwritten } from "../../../src/cli/rollout/create-batch-writer.js";
import type { JobSetup } from "../../../src/cli/rollout/job-setup.js";
import { BatchExportError } from "../../../src/cli/rollout/survivors.js";
import { temporaryFolder } from "../rolltape.js";

const IDS = ["s-1", "it's"];
const FIELDS = { layout: "padded" } as const;
const FILE = "it's/b.safetensors";

const setup = (proxy: string | undefined, url = proxy) =>
  ({ proxy: { url }, options: { proxy } }) as unknown as Pick<JobSetup, "proxy" | "options">;
const unwritten = (proxy: string | undefined, url?: string) =>
  describeUnwritten(new BatchWriteError(FILE, "ENOSPC"), setup(proxy, url), { sessionIds: IDS, fields: FIELDS });
const unexported = (proxy: string | undefined) =>
  describeUnexported(new BatchExportError(IDS, new Error("no")), setup(proxy), { fields: FIELDS, file: FILE });

/** Runs a command of a text with a program in place of curl, and returns the arguments and the input that it gets. */
function runCommand(text: string) {
  const folder = temporaryFolder();
  const curl = join(folder, "curl");
  writeFileSync(curl, `#!/bin/sh\nprintf '%s\\n' "$@" >${folder}/args\ncat >${folder}/input\n`);
  chmodSync(curl, 0o755);
  const command = text.slice(text.indexOf("\n") + 1);
  const env = { ...process.env, PATH: `${folder}:${process.env["PATH"]}`, ROLLTAPE_ADMIN_API_KEY: "key" };
  execFileSync("/bin/sh", ["-c", command], { env });
  const read = (name: string) => readFileSync(join(folder, name), "utf8").trimEnd();
  return { args: read("args").split("\n"), body: JSON.parse(read("input")) as unknown };
}

const CALL = [
  "--fail",
  "-o",
  FILE,
  "-H",
  "Authorization: Bearer key",
  "-H",
  "content-type: application/json",
  "--data-binary",
  "@-",
  "http://proxy:1/export_batch",
];

describe("the text about a batch that no folder took", () => {
  it("has a command that exports its sessions again", () => {
    const [first] = unwritten("http://proxy:1").split("\n");
    expect(first).toBe(
      `${new BatchWriteError(FILE, "ENOSPC").message}, nor anywhere else. Its sessions can be exported again for an hour, ` +
        "and then until they expire (rollout.agent.session_timeout_seconds of the proxy):",
    );
    for (const url of ["http://proxy:1", "http://proxy:1/", "http://proxy:1//"]) {
      expect(runCommand(unwritten(url))).toEqual({ args: CALL, body: { session_ids: IDS, layout: "padded" } });
    }
  });

  it("says that they are lost with the job's own proxy", () => {
    const { message } = new BatchWriteError(FILE, "ENOSPC");
    expect(unwritten(undefined, "http://proxy:1")).toBe(`${message}, nor anywhere else; its 2 sessions are lost`);
  });
});

describe("the text about a batch that the proxy did not export", () => {
  it("has a command that exports its sessions again", () => {
    const { message } = new BatchExportError(IDS, new Error("no"));
    const [first] = unexported("http://proxy:1").split("\n");
    expect(first).toBe(
      `${message} Its 2 sessions can be exported again until they expire (rollout.agent.session_timeout_seconds of the proxy):`,
    );
    expect(runCommand(unexported("http://proxy:1"))).toEqual({
      args: CALL,
      body: { session_ids: IDS, layout: "padded" },
    });
  });

  it("says that they are lost with the job's own proxy", () => {
    const { message } = new BatchExportError(IDS, new Error("no"));
    expect(unexported(undefined)).toBe(`${message} Its 2 sessions are lost`);
  });
});
