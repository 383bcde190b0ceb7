import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { removeDeadRegistrations } from "../../src/admin-api/dead-registrations.js";
import { identifyProcess } from "../../src/admin-api/process-identity.js";
import { registerWorker, removeRegistration } from "../../src/admin-api/worker-registration.js";
import { temporaryFolder } from "../cli/rolltape.js";

const own = identifyProcess();
/** This process's id at another time. */
const dead = { ...own, started: "1" };

function write(folder: string, tag: string, identity: object, name = `${tag}.json`): void {
  writeFileSync(join(folder, name), JSON.stringify({ url: "http://127.0.0.1:1", tag, ...identity }));
}

const readUrl = (folder: string, tag: string): unknown =>
  (JSON.parse(readFileSync(join(folder, `${tag}.json`), "utf8")) as { url: unknown }).url;

it("removes the registration of a server that stops", () => {
  const folder = temporaryFolder();
  const remove = registerWorker(folder, { url: "http://127.0.0.1:1", tag: "one" });
  expect(readdirSync(folder)).toEqual(["one.json"]);
  remove();
  expect(readdirSync(folder)).toEqual([]);
});

it("keeps the registration of another server that registered with the same tag since", () => {
  const folder = temporaryFolder();
  const remove = registerWorker(folder, { url: "http://127.0.0.1:1", tag: "one" });
  registerWorker(folder, { url: "http://127.0.0.1:2", tag: "one" });
  remove();
  expect(readdirSync(folder)).toEqual(["one.json"]);
  expect(readUrl(folder, "one")).toBe("http://127.0.0.1:2");
});

it("keeps the registration of a server that registers while that of a dead server is removed", () => {
  const folder = temporaryFolder();
  write(folder, "one", dead);
  const removed = removeRegistration(join(folder, "one.json"), ({ url }) => {
    const isOld = url === "http://127.0.0.1:1";
    if (isOld) registerWorker(folder, { url: "http://127.0.0.1:2", tag: "one" });
    return isOld;
  });
  expect(removed).toBeUndefined();
  expect(readdirSync(folder)).toEqual(["one.json"]);
  expect(readUrl(folder, "one")).toBe("http://127.0.0.1:2");
});

it.runIf(process.platform === "linux")("removes the registration of a server that died on this machine", () => {
  const folder = temporaryFolder();
  write(folder, "dead", dead);
  write(folder, "draft", dead, ".draft.123");
  write(folder, "living", own);
  write(folder, "elsewhere", { ...dead, host: "another" });
  write(folder, "older", { host: own.host, pid: own.pid });
  writeFileSync(join(folder, "weight-version"), "{}");
  writeFileSync(join(folder, "broken.json"), "{");
  expect(removeDeadRegistrations(folder).toSorted()).toEqual(["dead", "draft"]);
  expect(readdirSync(folder).toSorted()).toEqual([
    "broken.json",
    "elsewhere.json",
    "living.json",
    "older.json",
    "weight-version",
  ]);
});

it("finds no dead registrations in a folder that does not exist", () => {
  expect(removeDeadRegistrations(join(temporaryFolder(), "none"))).toEqual([]);
});
