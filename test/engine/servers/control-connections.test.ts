import { afterEach, expect, test } from "vitest";
import { ServerConnections } from "../../../src/engine/servers/wire/connections.js";
import { type RawRequest, type RawServer, startRawServer } from "../../helpers/raw-server.js";

/** Control requests whose connection the server closes while they are on their way. */

let server: RawServer;
let connections: ServerConnections;
afterEach(async () => {
  await connections.close();
  await server.close();
});

const REPLY = "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}";

/** Starts a server that resets the connection of the requests with these numbers, and answers the others. */
async function start(reset: readonly number[]): Promise<void> {
  let count = 0;
  server = await startRawServer(({ socket }: RawRequest) => {
    if (reset.includes(count++)) socket.resetAndDestroy();
    else socket.write(REPLY);
  });
  connections = new ServerConnections(server.url, 1, {});
}

const resume = () => connections.control({ method: "POST", path: "continue_generation", body: {} });

test("a request on an idle connection that the server closes is sent once more", async () => {
  await start([1]);
  await resume();
  expect(await resume()).toEqual({ status: 200, body: "{}" });
  expect(server.requests).toHaveLength(3);
});

test("a server that resets every connection cannot be reached", async () => {
  await start([0, 1, 2, 3]);
  await expect(resume()).rejects.toMatchObject({ code: "engine_unavailable" });
  expect(server.requests).toHaveLength(2);
});
