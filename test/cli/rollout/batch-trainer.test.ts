import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { BatchTrainer } from "../../../src/cli/rollout/batch-trainer.js";
import type { RolloutEngine } from "../../../src/rollout/contract.js";
import { temporaryFolder } from "../rolltape.js";

const ENGINE = { url: "http://proxy", adminKey: "key" } as unknown as RolloutEngine;
const STEP = { file: "b.safetensors", step: 0, version: 4, tasks: 1 };

/** Runs a shell script as the trainer of a batch, with what it writes to standard error. */
async function train(script: string, signal = new AbortController().signal) {
  const written: string[] = [];
  const write = vi.spyOn(process.stderr, "write").mockImplementation((text) => written.push(String(text)) > 0);
  try {
    const trained = await new BatchTrainer(["/bin/sh", "-c", script, "sh"], ENGINE).train(STEP, signal);
    return { trained, text: written.join("") };
  } finally {
    write.mockRestore();
  }
}

describe("a trainer of one batch", () => {
  it("knows the batch, the proxy and the next version", async () => {
    const file = `${temporaryFolder()}/seen`;
    await train(
      `printf '%s\\n' "$1" "$ROLLTAPE_BATCH" "$ROLLTAPE_URL" "$ROLLTAPE_ADMIN_KEY" "$ROLLTAPE_VERSION" "$PATH" >${file}`,
    );
    const batch = resolve("b.safetensors");
    expect(readFileSync(file, "utf8").trimEnd().split("\n")).toEqual([
      batch,
      batch,
      "http://proxy",
      "key",
      "5",
      process.env["PATH"],
    ]);
  });

  it("reports metrics, and what else it prints is forwarded", async () => {
    const lines = [
      '{"metrics": {"loss": 1}}',
      ' { "metrics" : 5}',
      '{"metrics": {',
      "text",
      '{"other": {"metrics": 1}}',
    ];
    const { trained, text } = await train(`printf '%s\\n' ${lines.map((line) => `'${line}'`).join(" ")}; echo oh >&2`);
    expect(trained).toEqual({ version: 5, metrics: [{ loss: 1 }, 5, '{"metrics": {'] });
    expect(text.split("\n")).toEqual(expect.arrayContaining(["text", "oh"]));
  });

  it("fails with its status, or its signal, or if it cannot be started", async () => {
    await expect(train("exit 3")).rejects.toMatchObject({
      code: "trainer_failed",
      message: expect.stringMatching(/^the trainer failed: \/bin\/sh ended with .*3/),
    });
    await expect(train("kill -TERM $$")).rejects.toThrow(/^the trainer failed: \/bin\/sh ended with .*SIGTERM/);
    const absent = new BatchTrainer(["/no/such", "program"], ENGINE);
    await expect(absent.train(STEP, new AbortController().signal)).rejects.toThrow(
      /^the trainer failed: \/no\/such could not be started: /,
    );
    await expect(absent.end()).resolves.toBeUndefined();
  });

  it("is killed when the job stops, and not started afterwards", async () => {
    const stopping = new AbortController();
    const trained = train("sleep 30", stopping.signal);
    setTimeout(() => stopping.abort(new Error("stopped")), 50);
    await expect(trained).rejects.toThrow("stopped");
    const file = `${temporaryFolder()}/seen`;
    await expect(train(`echo >${file}`, stopping.signal)).rejects.toThrow("stopped");
    expect(() => readFileSync(file)).toThrow("ENOENT");
  });
});
