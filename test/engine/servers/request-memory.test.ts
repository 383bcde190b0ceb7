import { afterEach, describe, expect, it } from "vitest";
import { ServerConnections } from "../../../src/engine/servers/wire/connections.js";
import { startRaw, startRawServer } from "../../helpers/raw-server.js";

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const item of open.splice(0).reverse()) await item.close();
});

const REPLY = "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}";

function send(url: string, body: Buffer, onSent?: () => void): Promise<string> {
  const { signal } = new AbortController();
  const connections = new ServerConnections(url, 1, {});
  open.push(connections);
  const sink = { text: "", begin: () => undefined, piece: (bytes: Buffer) => void (sink.text += bytes.toString()) };
  return connections
    .generate({ path: "generate", body, onSent }, { affinityKey: "key" }, () => sink, signal)
    .then(() => sink.text);
}

describe("the body of a request to an engine", () => {
  it("is freed when the request succeeds", async () => {
    const server = await startRawServer(({ socket }) => socket.write(REPLY));
    open.push(server);
    const body = Buffer.alloc(4 << 20, "1");
    expect(await send(server.url, body)).toBe("{}");
    expect(server.requests[0]?.body.length).toBe(4 << 20);
    expect(body.length).toBe(0);
  });

  it("stays while it is written to a server that answered before it read the request", async () => {
    const server = await startRaw((socket) => {
      socket.pause();
      socket.write(REPLY);
    });
    open.push(server);
    const body = Buffer.alloc(16 << 20, "1");
    await send(server.url, body).catch(() => undefined);
    expect(body.equals(Buffer.alloc(16 << 20, "1"))).toBe(true);
  });

  it("stays if the request fails", async () => {
    const server = await startRawServer(({ socket }) => socket.destroy());
    open.push(server);
    const body = Buffer.alloc(1 << 20, "1");
    await expect(send(server.url, body)).rejects.toThrow(/connection|socket|closed/i);
    expect(body.length).toBe(1 << 20);
  });

  it("is sent again on a fresh connection if an idle one was closed, and that one is closed afterwards", async () => {
    let count = 0;
    const server = await startRawServer(({ socket }) => (count++ === 1 ? socket.destroy() : socket.write(REPLY)));
    const connections = new ServerConnections(server.url, 1, {});
    open.push(server, connections);
    const run = async () => {
      const body = Buffer.alloc(1 << 10, "1");
      const sink = { begin: () => undefined, piece: () => undefined };
      await connections.generate(
        { path: "generate", body },
        { affinityKey: "key" },
        () => sink,
        new AbortController().signal,
      );
      return body.length;
    };
    expect([await run(), await run()]).toEqual([0, 0]);
    expect(server.requests).toHaveLength(3);
    await expect.poll(() => [...server.sockets].filter(({ destroyed }) => !destroyed)).toEqual([]);
  });

  it("is given back to its owner instead, only if the request succeeds", async () => {
    const server = await startRawServer(({ socket }) => socket.write(REPLY));
    const failing = await startRawServer(({ socket }) => socket.destroy());
    open.push(server, failing);
    const body = Buffer.alloc(1 << 20, "1");
    let sent = 0;
    await send(server.url, body, () => sent++);
    expect(sent).toBe(1);
    await expect(send(failing.url, body, () => sent++)).rejects.toThrow(/connection|socket|closed/i);
    expect(sent).toBe(1);
    expect(body.length).toBe(1 << 20);
  });
});
