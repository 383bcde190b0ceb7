import type { AddressInfo } from "node:net";
import { afterEach, expect, it, onTestFinished, vi } from "vitest";
import { finishAnswers } from "../../src/http/connections/finish-answers.js";
import { createApp } from "../../src/http/create-app.js";
import { createDeferred } from "../../src/support/async/deferred.js";
import { LENIENT_CONNECTIONS } from "../helpers/lenient-connections.js";
import { openConnection, requestHead } from "../helpers/raw-connection.js";
import { until } from "../helpers/until.js";

/** The end of a server: answers in progress are sent until a deadline, and then every connection is closed. */

afterEach(() => void vi.restoreAllMocks());

async function start() {
  const app = createApp({ maxBodyBytes: 1000, connections: LENIENT_CONNECTIONS });
  onTestFinished(() => app.close());
  const held = createDeferred<string>();
  app.get("/held", () => held.promise);
  app.get("/quick", async () => "done");
  await app.listen({ host: "127.0.0.1", port: 0 });
  const { port } = app.server.address() as AddressInfo;
  return { app, held, open: (path: string) => openConnection(port, requestHead("GET", path)) };
}

it("sends answers in progress, and accepts no connection meanwhile", async () => {
  const { app, held, open } = await start();
  const client = await open("/held");
  await until(() => app.connections.openAnswers === 1);
  const finished = finishAnswers(app.connections, Date.now() + 60_000);
  await expect(open("/quick")).rejects.toMatchObject({ code: "ECONNREFUSED" });
  held.resolve("the answer");
  await until(() => client.received().endsWith("the answer"));
  client.socket.end();
  expect(await finished).toEqual([]);
});

it("closes idle connections soon, and others after their answer, which says so", async () => {
  const { app, held, open } = await start();
  const [idle, busy] = [await open("/quick"), await open("/held")];
  await until(() => idle.received().endsWith("done") && app.connections.openAnswers === 1);
  app.connections.closeSoon();
  await until(idle.ended);
  expect(busy.ended()).toBe(false);
  held.resolve("the answer");
  await until(busy.ended);
  expect(busy.received()).toMatch(/connection: close.*the answer$/is);
});

it("cuts answers that are not sent by the deadline", async () => {
  const { app, open } = await start();
  const client = await open("/held");
  await until(() => app.connections.openAnswers === 1);
  const cut = await finishAnswers(app.connections, Date.now());
  expect(cut).toMatchObject([{ route: "GET /held", bytesSent: 0 }]);
  await until(() => client.socket.destroyed);
  expect(client.received()).toBe("");
});

it("closes connections whose clients keep them open, after they had time to close them", async () => {
  const { app, open } = await start();
  const client = await open("/quick");
  await until(() => client.received().endsWith("done"));
  let now = Date.now();
  vi.spyOn(Date, "now").mockImplementation(() => (now += 1000));
  expect(await finishAnswers(app.connections, now)).toEqual([]);
  await until(() => client.socket.destroyed);
  expect(client.ended()).toBe(true);
});
