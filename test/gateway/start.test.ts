import { pino } from "pino";
import { expect, it, onTestFinished } from "vitest";
import { parseConfig } from "../../src/config/index.js";
import { startGateway } from "../../src/gateway/start.js";
import { captureLog } from "../helpers/captured-log.js";
import { startScripted } from "./scripted-worker.js";

/** A gateway from its configuration to its end. */

async function start(gateway: object = {}) {
  const worker = await startScripted("one", {}, 3);
  const { logger, lines } = captureLog();
  const config = parseConfig({ server: { port: 0 }, gateway: { workers: [worker.url], ...gateway } });
  const running = await startGateway(config, { logger });
  onTestFinished(async () => void (await running.close()));
  const { error } = pino.levels.values;
  return { running, errors: () => lines.filter(({ level }) => level >= Number(error)) };
}

it("names the workers that answered, and has no port for probes unless it is set", async () => {
  const { running } = await start();
  expect([running.workers, running.probeUrl]).toEqual([["one"], undefined]);
  expect((await fetch(`${running.url}/readyz`)).status).toBe(200);
});

it("stops without an error if all answers were sent", async () => {
  const { running, errors } = await start();
  await (await fetch(`${running.url}/livez`)).text();
  expect(await running.close()).toEqual([]);
  expect(errors()).toEqual([]);
  await expect(fetch(`${running.url}/livez`)).rejects.toThrow("fetch failed");
});

it("reports a workers folder that cannot be read", async () => {
  const { running, errors } = await start({ workers_folder: "/dev/null/no-folder" });
  await fetch(`${running.url}/readyz`);
  expect(errors().map(({ msg }) => msg)).toEqual([expect.stringContaining("/dev/null/no-folder cannot be read")]);
});
