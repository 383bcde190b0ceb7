import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import type { ProcessRecord } from "../../src/scheduler/supervised-process.js";
import { UnexportedSessions } from "../../src/scheduler/supervisor.js";

it("counts the sessions of proxies, and keeps the number of one that is started again until it is lost", async () => {
  const server = createServer((request, reply) => {
    expect(request.url).toContain("/rl/sessions?state=ended");
    expect(request.headers.authorization).toBe("Bearer sk-admin");
    reply.end(JSON.stringify({ sessions: [{}, {}] }));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const process: ProcessRecord = { role: "proxy", index: 0, node: "here", state: "ready", url, restarts: 0 };
  const sessions = new UnexportedSessions([process, { ...process, role: "gateway" }], "sk-admin");
  expect(await sessions.count()).toBe(2);
  Object.assign(process, { state: "restarting", url: undefined });
  expect(await sessions.count()).toBe(2);
  Object.assign(process, { state: "lost" });
  expect(await sessions.count()).toBe(0);
  await sessions.gone(new AbortController().signal);
});
