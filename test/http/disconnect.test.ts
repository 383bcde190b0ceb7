import { connect, type Socket } from "node:net";
import { setImmediate as nextTurn } from "node:timers/promises";
import Fastify from "fastify";
import { expect, it, onTestFinished } from "vitest";
import { disconnectSignal, onResponseClose } from "../../src/http/disconnect.js";
import { until } from "../helpers/until.js";

/** Answers with more bytes than the buffers between server and client hold, to a client that reads none of them. */
async function answerUnread() {
  const app = Fastify();
  onTestFinished(() => app.close());
  const outcome: { connection?: Socket; signal?: AbortSignal; whole?: boolean } = {};
  app.get("/", (request, reply) => {
    outcome.connection = request.socket;
    outcome.signal = disconnectSignal(reply);
    onResponseClose(reply, (whole) => {
      outcome.whole = whole;
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

it("tells of a client that leaves with bytes unsent, although Node says then that all were written", async () => {
  const { socket, outcome } = await answerUnread();
  expect(outcome.whole).toBeUndefined();
  socket.resetAndDestroy();
  await until(() => outcome.whole !== undefined && outcome.signal?.aborted === true);
  expect(outcome.whole).toBe(false);
});

it("tells of a whole answer, and not of a client that leaves later", async () => {
  const { socket, outcome } = await answerUnread();
  socket.resume();
  await until(() => outcome.whole !== undefined);
  socket.destroy();
  await until(() => outcome.connection?.closed === true);
  await nextTurn();
  expect([outcome.whole, outcome.signal?.aborted]).toEqual([true, false]);
});
