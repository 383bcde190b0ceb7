import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { findFreePort } from "../../src/scheduler/free-port.js";
import { LocalLauncher } from "../../src/scheduler/local/local-launcher.js";
import { temporaryFolder } from "../cli/rolltape.js";

async function listen(port: number): Promise<void> {
  const server = createServer().listen(port);
  await once(server, "listening");
  onTestFinished(() => void server.close());
}

it("finds the wanted port if it is free, else another one", async () => {
  const port = await findFreePort();
  expect(port).toBeGreaterThan(0);
  expect(await findFreePort(port)).toBe(port);
  await listen(port);
  expect(await findFreePort(port)).not.toBe(port);
});

/** Launches a process that prints its port, and returns the port when it has ended. */
async function launch(launcher: LocalLauncher, index: number): Promise<string> {
  const folder = temporaryFolder();
  const files = { output: join(folder, "out"), errors: join(folder, "err") };
  const plan = {
    role: "engine",
    index,
    command: ["/bin/sh", "-c", "echo {port} $AT; exit 3"],
    env: { AT: "at {port}" },
  } as const;
  const launched = await launcher.launch({ ...plan, ...files });
  const port = await launched.started(new AbortController().signal);
  expect(await launched.ended).toEqual({ code: 3, text: "ended with status 3" });
  expect(readFileSync(files.output, "utf8")).toBe(`${port} at ${port}\n`);
  return port;
}

it("fills in a port, which a process keeps while it is free", async () => {
  const launcher = new LocalLauncher();
  expect(launcher.place()).toEqual({ node: "127.0.0.1", address: "127.0.0.1" });
  const first = await launch(launcher, 0);
  expect(await launch(launcher, 0)).toBe(first);
  expect(await launch(launcher, 1)).not.toBe(first);
  await listen(Number(first));
  expect(await launch(launcher, 0)).not.toBe(first);
});

it("asks a process to end, and kills it if it does not", async () => {
  const folder = temporaryFolder();
  const files = { output: join(folder, "out"), errors: join(folder, "err") };
  const command = ["/bin/sh", "-c", "trap '' TERM; while :; do sleep 0.05; done"];
  const launched = await new LocalLauncher().launch({ role: "proxy", index: 0, command, env: {}, ...files });
  await launched.stop(0);
  expect(await launched.ended).toMatchObject({
    code: 1,
    text: expect.stringMatching(/^was ended by SIG(KILL|TERM)$/) as string,
  });
});
