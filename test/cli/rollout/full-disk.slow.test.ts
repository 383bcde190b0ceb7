import { spawnSync } from "node:child_process";
import { rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { rolltape, runRolltape, temporaryFolder } from "../rolltape.js";
import { canMount, smallDisk } from "./full-disk.js";
import { AGENT, readBatch, rolloutJob, TIMES } from "./rollout-job.js";
import { writtenFiles } from "./written-files.js";

const KEY = "sk-admin-of-a-running-proxy";

/** Creates a job that writes its batch to a full disk: less than one page is free. */
function jobOnFullDisk() {
  const disk = smallDisk(64 * 1024);
  const filler = join(disk, "filler");
  writeFileSync(filler, new Uint8Array(64 * 1024));
  const out = join(disk, "batch.safetensors");
  const { args, folder } = rolloutJob([{ question: "why?", reward: 1 }]);
  return { disk, filler, out, folder, args: [...args.slice(0, -1), out, "--agent", AGENT] };
}

describe.runIf(canMount)("rolltape rollout on a full disk", TIMES, () => {
  it("keeps the batch and writes it once there is space", async () => {
    const { disk, filler, out, args } = jobOnFullDisk();
    const running = rolltape(args);
    await running.logged(`rolltape: ${out} cannot be written: it needs`);
    expect(writtenFiles(disk)).toEqual(["filler"]);
    rmSync(filler);
    const ended = await running.ended;
    expect(ended).toMatchObject({ code: 0 });
    expect(ended.stderr).toContain(`rolltape: ${out} is written\n`);
    expect(readBatch(out).rewards).toEqual([1, 1]);
    expect(writtenFiles(disk)).toEqual(["batch.safetensors"]);
  });

  it("saves the batch in another folder after that time, reports the file, and ends with status 1", async () => {
    const { disk, out, args } = jobOnFullDisk();
    const ended = await runRolltape([...args, "--write-wait", "0"], { TMPDIR: temporaryFolder() });
    expect(ended).toMatchObject({ code: 1 });
    const [, saved = ""] = /The batch is in (\S+);/.exec(ended.stderr) ?? [];
    expect(ended.stderr).toContain(`rolltape: ${out} cannot be written: it needs`);
    expect(ended.stdout).toContain(`wrote     ${saved}, `);
    expect(readBatch(saved).rewards).toEqual([1, 1]);
    expect(writtenFiles(disk)).toEqual(["filler"]);
  });

  it("prints the command that exports the sessions again, if a separate proxy has them", async () => {
    const serving = rolltape(["serve", "server.port=0", "server.shutdown_seconds=0"], { ROLLTAPE_ADMIN_API_KEY: KEY });
    const { url } = await serving.ready();
    const { disk, filler, out, args } = jobOnFullDisk();
    const more = ["--proxy", url, "--write-wait", "0", "--layout", "packed"];
    // The folders that the job tries next are on the same disk.
    const env = { ROLLTAPE_ADMIN_API_KEY: KEY, TMPDIR: disk };
    const config = join(temporaryFolder(), "config.yaml");
    writeFileSync(config, `server: { shared_memory_directory: ${disk} }`);
    const ended = await runRolltape([...args, ...more, "--config", config], env);
    expect(ended).toMatchObject({ code: 1, stdout: "" });
    const [, command = ""] = /can be exported again .*:\n(curl [^]*?\nEND)\n/.exec(ended.stderr) ?? [];
    rmSync(filler);
    expect(spawnSync("sh", ["-c", command], { env: { ...process.env, ...env } })).toMatchObject({ status: 0 });
    expect(writtenFiles(dirname(out))).toEqual(["batch.safetensors"]);
    expect(readBatch(out).rewards).toEqual([1, 1]);
  });
});
