import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import { SendProgress } from "../../src/http/connections/connection.js";
import { countAccepted } from "../../src/http/connections/http-answer.js";
import { until } from "../helpers/until.js";

/** More bytes than the operating system buffers for a client that does not read. */
const FULL = 32 * 1024 * 1024;

async function connectPair(): Promise<{ readonly served: Socket; readonly client: Socket }> {
  const server = createServer();
  onTestFinished(() => void server.close());
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const accepted = once(server, "connection") as Promise<[Socket]>;
  const client = connect({ host: "127.0.0.1", port: (server.address() as AddressInfo).port });
  const [served] = await accepted;
  for (const socket of [served, client]) onTestFinished(() => void socket.destroy());
  client.pause();
  return { served, client };
}

/** Resolves when the operating system takes no more bytes. */
async function filled(socket: Socket): Promise<number> {
  let accepted = -1;
  while (accepted !== countAccepted(socket)) {
    accepted = countAccepted(socket);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return accepted;
}

it("measures no pause of a connection on which nothing waits to be sent", async () => {
  const { served } = await connectPair();
  const progress = new SendProgress();
  served.write("hello");
  await until(() => served.writableLength === 0);
  expect([1000, 9000].map((now) => progress.measurePause(served, now))).toEqual([0, 0]);
});

it("measures the pause of a client that reads nothing, also if the client sends", async () => {
  const { served, client } = await connectPair();
  const progress = new SendProgress();
  served.write(Buffer.alloc(FULL));
  await filled(served);
  expect([1000, 1700].map((now) => progress.measurePause(served, now))).toEqual([0, 700]);
  client.write("x");
  await once(served.resume(), "data");
  expect(progress.measurePause(served, 9000)).toBe(8000);
});

it("begins again when a part of one large write was taken", async () => {
  const { served, client } = await connectPair();
  const progress = new SendProgress();
  served.write(Buffer.alloc(FULL));
  const accepted = await filled(served);
  progress.measurePause(served, 1000);
  client.resume();
  await until(() => countAccepted(served) > accepted);
  client.pause();
  await filled(served);
  expect(served.writableLength).toBeGreaterThan(0);
  expect([2000, 2500].map((now) => progress.measurePause(served, now))).toEqual([0, 500]);
});
