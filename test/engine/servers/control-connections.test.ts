import { afterEach, expect, onTestFinished, test } from "vitest";
import { ServerConnections } from "../../../src/engine/servers/wire/connections.js";
import { type RawRequest, type RawServer, startRawServer } from "../../helpers/raw-server.js";
import { startRecordingServer } from "../../helpers/recording-server.js";

/** Control requests whose connection the server closes while they are on their way. */

let server: RawServer | undefined;
let connections: ServerConnections | undefined;
afterEach(async () => {
  await connections?.close();
  await server?.close();
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

const resume = () => connections?.control({ method: "POST", path: "continue_generation", body: {} });

test("a request on an idle connection that the server closes is sent once more", async () => {
  await start([1]);
  await resume();
  expect(await resume()).toEqual({ status: 200, body: "{}" });
  expect(server?.requests).toHaveLength(3);
});

test("a server that resets every connection cannot be reached", async () => {
  await start([0, 1, 2, 3]);
  await expect(resume()).rejects.toMatchObject({ code: "engine_unavailable" });
  expect(server?.requests).toHaveLength(2);
});

test("a request has the key and its body, that of an administrator the other key", async () => {
  const recording = await startRecordingServer({}, async (_, response) => void response.end("{}"));
  const keyed = new ServerConnections(`${recording.url}/below`, 1, { apiKey: "key", adminApiKey: "admin" });
  const plain = new ServerConnections(`${recording.url}/below/`, 1, { apiKey: "key" });
  const open = new ServerConnections(recording.url, 1, {});
  onTestFinished(async () => {
    for (const each of [keyed, plain, open]) await each.close();
    await recording.close();
  });
  await keyed.get("a");
  await keyed.control({ method: "POST", path: "b", body: { x: 1 } });
  await keyed.control({ method: "POST", path: "c", admin: true });
  await plain.control({ method: "POST", path: "d", admin: true, body: {} });
  await open.get("e");
  const sent = recording.requests.map(({ method, path, headers, body }) => {
    return [method, path, headers.authorization, headers["content-type"], body.toString()];
  });
  expect(sent).toEqual([
    ["GET", "/below/a", "Bearer key", undefined, ""],
    ["POST", "/below/b", "Bearer key", "application/json", '{"x":1}'],
    ["POST", "/below/c", "Bearer admin", undefined, ""],
    ["POST", "/below/d", "Bearer key", "application/json", "{}"],
    ["GET", "/e", undefined, undefined, ""],
  ]);
});
