import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, it, onTestFinished } from "vitest";
import { startThread } from "../../src/support/start-thread.js";

it.each([
  ["a compiled module", "js", ""],
  ["a source", "ts", "const typed: string = "],
])("starts %s as a thread, with its data", async (_, ending, declaration) => {
  const folder = mkdtempSync(join(tmpdir(), "rolltape-thread-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, "package.json"), '{"type":"module"}');
  const source = `import { parentPort, workerData } from "node:worker_threads";
    ${declaration === "" ? "" : `${declaration}"typed"; export { typed };`}
    parentPort?.postMessage("got " + workerData);`;
  writeFileSync(join(folder, `thread.${ending}`), source);
  const caller = pathToFileURL(join(folder, `caller.${ending}`)).href;
  const thread = startThread("./thread", caller, { workerData: "data" });
  expect(await once(thread, "message")).toEqual(["got data"]);
  await thread.terminate();
});
