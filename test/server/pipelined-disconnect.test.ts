import { once } from "node:events";
import { type AddressInfo, connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, it } from "vitest";
import { Proxy } from "../helpers/proxy.js";
import { requestHead } from "../helpers/raw-connection.js";
import { until } from "../helpers/until.js";

it.each([600_000, 10_000_000])(
  "notices a disconnect behind a pipelined request with a body of %d bytes",
  async (size) => {
    const proxy = await Proxy.start();
    try {
      await proxy.app.listen({ host: "127.0.0.1", port: 0 });
      const session = await proxy.session();
      let [began, aborted] = [false, false];
      proxy.engine.generate = (_call, abort) => {
        began = true;
        return new Promise((_, reject) => {
          abort?.addEventListener("abort", () => {
            aborted = true;
            reject(abort.reason as Error);
          });
        });
      };
      const socket = connect((proxy.app.server.address() as AddressInfo).port, "127.0.0.1");
      socket.on("error", () => undefined);
      const send = (content: string) => {
        const body = JSON.stringify({ messages: [{ role: "user", content }] });
        const headers = [`authorization: Bearer ${session.key}`, "content-type: application/json"];
        socket.write(requestHead("POST", "/v1/chat/completions", ...headers, `content-length: ${body.length}`) + body);
      };
      await once(socket, "connect");
      send("hello");
      await until(() => began);
      send("x".repeat(size));
      await sleep(200);
      socket.destroy();
      await expect.poll(() => aborted, { timeout: 5000 }).toBe(true);
    } finally {
      await proxy.close();
    }
  },
);
