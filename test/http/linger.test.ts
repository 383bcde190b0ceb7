import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { setImmediate as nextTurn } from "node:timers/promises";
import { afterEach, beforeEach, expect, it, onTestFinished, vi } from "vitest";
import { endAndLinger, MAX_LINGER_MS } from "../../src/http/linger.js";

/** The end of a connection whose client may still send. */

beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] }));
afterEach(() => void vi.useRealTimers());

async function open() {
  const server = createServer({ allowHalfOpen: true }).listen(0, "127.0.0.1");
  onTestFinished(() => void server.close());
  await once(server, "listening");
  const accepted = once(server, "connection") as Promise<[Socket]>;
  const client = connect({ port: (server.address() as AddressInfo).port, host: "127.0.0.1", allowHalfOpen: true });
  onTestFinished(() => void client.destroy());
  const [served] = await accepted;
  return { client, served, closed: once(served, "close") };
}

it("sends the last text, receives what the client still sends, and closes when the client does", async () => {
  const { client, served, closed } = await open();
  let received = "";
  client.on("data", (bytes) => (received += bytes.toString()));
  endAndLinger(served, "bye");
  client.write(Buffer.alloc(1 << 20));
  while (received !== "bye") await nextTurn();
  expect(served.destroyed).toBe(false);
  client.end();
  await closed;
  expect(vi.getTimerCount()).toBe(0);
});

it("closes after a while if the client does not", async () => {
  const { served, closed } = await open();
  endAndLinger(served);
  vi.advanceTimersByTime(MAX_LINGER_MS - 1);
  expect(served.destroyed).toBe(false);
  vi.advanceTimersByTime(1);
  await closed;
  expect(served.destroyed).toBe(true);
});
