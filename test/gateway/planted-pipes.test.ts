import { execFileSync } from "node:child_process";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, vi } from "vitest";
import { removeDeadRegistrations } from "../../src/admin-api/dead-registrations.js";
import { registerWorker } from "../../src/admin-api/worker-registration.js";
import { WorkerAddresses } from "../../src/gateway/worker-addresses.js";
import { VersionFile } from "../../src/server/version-file.js";
import * as regularFile from "../../src/support/regular-file.js";
import { temporaryFolder } from "../cli/rolltape.js";

/** Named pipes in the workers' folder: opening one waits for a writer. */

function plantPipe(folder: string, name: string): void {
  execFileSync("mkfifo", [join(folder, name)]);
}

it("reads the other registrations beside a named pipe, and names the pipe", async () => {
  const folder = temporaryFolder();
  plantPipe(folder, "pipe.json");
  registerWorker(folder, { url: "http://127.0.0.1:9", tag: "one" });
  const problems: string[] = [];
  const addresses = new WorkerAddresses({ urls: [], folder }, (problem) => problems.push(problem));
  expect(await addresses.read()).toEqual([{ url: "http://127.0.0.1:9", tag: "one" }]);
  expect(problems).toEqual([`pipe.json in ${folder} cannot be read: it is not a regular file`]);
});

it("keeps the last addresses if a file system does not answer, and asks it again once it does", async () => {
  const folder = temporaryFolder();
  registerWorker(folder, { url: "http://127.0.0.1:9", tag: "one" });
  const problems: string[] = [];
  const addresses = new WorkerAddresses({ urls: [], folder }, (problem) => problems.push(problem), 20);
  const known = await addresses.read();
  registerWorker(folder, { url: "http://127.0.0.1:8", tag: "two" });
  let answer: (text: string) => void = () => undefined;
  const hung = vi
    .spyOn(regularFile, "readRegularFile")
    .mockImplementation(() => new Promise((resolve) => (answer = resolve)));
  expect([await addresses.read(), await addresses.read()]).toEqual([known, known]);
  expect([problems, hung.mock.calls.length]).toEqual([Array(2).fill(`${folder} cannot be read in time`), 1]);
  hung.mockRestore();
  answer("{}");
  await expect.poll(async () => (await addresses.read()).length).toBe(2);
});

it("does not stop a server that looks for dead registrations or for the weight version", async () => {
  const folder = temporaryFolder();
  plantPipe(folder, "pipe.json");
  plantPipe(folder, "weight-version");
  writeFileSync(join(folder, "other"), "");
  expect(removeDeadRegistrations(folder)).toEqual([]);
  expect(existsSync(join(folder, "pipe.json"))).toBe(true);
  const problems: string[] = [];
  const file = new VersionFile(folder, (problem) => problems.push(problem));
  expect(await file.read()).toBeUndefined();
  expect(problems).toEqual([expect.stringContaining("it is not a regular file")]);
});
