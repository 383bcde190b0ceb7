import { connect, type Socket } from "node:net";
import { setImmediate as nextTurn } from "node:timers/promises";
import Fastify from "fastify";
import { expect, it, onTestFinished } from "vitest";
import { disconnectSignal, onResponseClose } from "../../src/http/disconnect.js";
import { until } from "../helpers/until.js";

/** Sends a response with more bytes than the buffers between server and client hold, to a client that reads nothing. */
async function sendUnreadResponse() {
  const app = Fastify();
  onTestFinished(() => app.close());
  const outcome: { connection?: Socket; signal?: AbortSignal; complete?: boolean } = {};
  app.get("/", (request, reply) => {
    outcome.connection = request.socket;
    outcome.signal = disconnectSignal(reply);
    onResponseClose(reply, (complete) => {
      outcome.complete = complete;
    });
    return reply.send(Buffer.alloc(32 << 20));
  });
  const url = new URL(await app.listen({ host: "127.0.0.1", port: 0 }));
  const socket = connect(Number(url.port), url.hostname);
  onTestFinished(() => void socket.destroy());
  socket.write("GET / HTTP/1.1\r\nhost: x\r\n\r\n");
  await new Promise((resolve) => socket.once("readable", resolve));
  return { socket, outcome };
}

// Node reports the unsent bytes as written when the connection breaks.
it("reports an incomplete response if the client disconnects before all bytes are sent", async () => {
  const { socket, outcome } = await sendUnreadResponse();
  expect(outcome.complete).toBeUndefined();
  socket.resetAndDestroy();
  await until(() => outcome.complete !== undefined && outcome.signal?.aborted === true);
  expect(outcome.complete).toBe(false);
});

it("reports a complete response, and ignores a client that disconnects later", async () => {
  const { socket, outcome } = await sendUnreadResponse();
  socket.resume();
  await until(() => outcome.complete !== undefined);
  socket.destroy();
  await until(() => outcome.connection?.closed === true);
  await nextTurn();
  expect([outcome.complete, outcome.signal?.aborted]).toEqual([true, false]);
});
