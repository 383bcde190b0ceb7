import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { describe, expect, it, onTestFinished } from "vitest";
import { native } from "../../src/native/addon.js";
import { expectCode, generation, ids, planOptions, tensor, twoTurns } from "./support.js";

const GIBIBYTE = 2 ** 30;

describe("blocks of more than 4 GiB", () => {
  it("are refused in every layout, before memory is allocated", async () => {
    const sessions = Array.from({ length: 300 }, () => twoTurns());
    for (const padToMultipleOf of [2 ** 20, 2 ** 24, 2 ** 30]) {
      const plan = native.planBatch(sessions, { ...planOptions, padToMultipleOf });
      expect(plan.shape).toEqual([600, padToMultipleOf]);
      expect(plan.byteLength).toBeGreaterThan(4 * GIBIBYTE);
      await expect(plan.pack({})).rejects.toMatchObject({ code: "ERR_TOO_LARGE" });
      // The JSON form has no padding.
      const parts = Array.from({ length: 601 }, () => "");
      expect((await plan.packJson(parts)).byteLength).toBeGreaterThan(0);
    }
    const batch = await native.planBatch(sessions, planOptions).pack({});
    expect(tensor(batch, "input_ids")).toHaveLength(600 * 6);
  });

  it("are refused if their metadata alone is longer than a header may be", async () => {
    const plan = native.planBatch([twoTurns()], planOptions);
    // Each control character takes six bytes in JSON.
    const rows = "\u0001".repeat(20_000_000);
    await expect(plan.pack({ rows })).rejects.toMatchObject({ code: "ERR_TOO_LARGE" });
    expect((await plan.pack({ rows: "[]" })).bytes.byteLength).toBeGreaterThan(0);
  });
});

const canLimit = process.platform === "linux" && spawnSync("prlimit", ["--version"]).status === 0;
// A sanitizer reserves terabytes of address space: the limit would end the process itself.
const sanitized = (process.env["LD_PRELOAD"] ?? "").includes("san");
// From Node 22 on, V8 itself ends the process if it finds no address space.
const oldV8 = Number.parseInt(process.versions.node, 10) < 22;

describe("memory that is not available", () => {
  it.runIf(canLimit && !sanitized && oldV8)(
    "is an error, after which everything works",
    { timeout: 60_000 },
    async () => {
      const program = new URL("memory-hog.ts", import.meta.url).pathname;
      const child = spawn(process.execPath, ["--import", "tsx", program], { stdio: ["pipe", "pipe", "inherit"] });
      onTestFinished(() => void child.kill("SIGKILL"));
      await once(child.stdout, "data");
      const status = readFileSync(`/proc/${child.pid}/status`, "utf8");
      const held = Number(/^VmSize:\s+(\d+) kB/m.exec(status)?.[1]) * 1024;
      const limit = held + GIBIBYTE / 4;
      expect(spawnSync("prlimit", ["--pid", String(child.pid), `--as=${limit}`]).status).toBe(0);
      let answer = "";
      child.stdout.on("data", (text: Buffer) => (answer += text.toString()));
      child.stdin.end("go\n");
      expect(await once(child, "close")).toEqual([0, null]);
      expect(JSON.parse(answer)).toEqual({
        codes: [...Array.from({ length: 4 }, () => "ERR_OUT_OF_MEMORY"), "no error"],
        same: true,
        length: 1,
      });
    },
  );
});

describe("replies that claim a false size", () => {
  it("take memory only in proportion to their own bytes", () => {
    const made = new native.Generation();
    const body = (meta: string) => Buffer.from(`{"meta_info":{${meta}}}`);
    const huge = `"completion_tokens":${2 ** 52},"output_token_logprobs_length":${2 ** 52}`;
    expectCode("ERR_REPLY_MISMATCH", () =>
      made.appendSglangReply(body(`${huge},"output_token_logprobs":[[-1,2,null]]`), 0),
    );
    expectCode("ERR_REPLY_MISMATCH", () =>
      made.appendSglangReply(
        body(`"output_token_logprobs":[[-1,2,null]],"weight_versions":[{"version":1,"start":0,"end":${2 ** 52}}]`),
        0,
      ),
    );
    expectCode("ERR_REPLY_MALFORMED", () => made.appendSglangReply(body(`"x":${"[".repeat(1_000_000)}`), 0));
    expect(made).toHaveLength(0);
    made.appendSglangReply(body('"output_token_logprobs":[[-1,2,null]]'), 0);
    expect(made.ids()).toEqual(ids(2));
  });

  it("leave the tokens of a generation unchanged, wherever the reply is cut", async () => {
    const made = generation([1, 2, 3], 4);
    const whole = Buffer.from(
      '{"output_ids":[5,6],"meta_info":{"output_token_logprobs":[[-1,5,null],[-2.5e-7,6,"x"]]}}',
    );
    for (let length = 0; length < whole.length; length++) {
      expectCode("ERR_REPLY_MALFORMED", () => made.appendSglangReply(whole.subarray(0, length), 9));
    }
    await expect(made.appendSglangReplyAsync(whole.subarray(0, 60), 9)).rejects.toMatchObject({
      code: "ERR_REPLY_MALFORMED",
    });
    expect(made.ids()).toEqual(ids(1, 2, 3));
    expect(made.versions()).toEqual(ids(4, 4, 4));
    made.appendSglangReply(whole, 9);
    expect(made.ids()).toEqual(ids(1, 2, 3, 5, 6));
    expect(made.versions()).toEqual(ids(4, 4, 4, 9, 9));
  });
});
