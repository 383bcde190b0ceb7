import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type Server, Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { growSendBuffer } from "../../src/http/send-buffer.js";
import { native } from "../../src/native/addon.js";

const CONTENT = Buffer.alloc(4 << 20, 1);

/** Returns a connection to the server, whose client does not read. */
async function accept(server: Server, connect: (client: Socket) => void): Promise<Socket> {
  const accepted = once(server, "connection") as Promise<[Socket]>;
  const client = new Socket();
  connect(client);
  const [socket] = await accepted;
  onTestFinished(() => {
    socket.destroy();
    client.destroy();
  });
  return socket;
}

async function listenOnPath(): Promise<{ server: Server; path: string }> {
  const folder = mkdtempSync(join(tmpdir(), "rolltape-socket-"));
  const path = join(folder, "socket");
  const server = createServer().listen(path);
  await once(server, "listening");
  onTestFinished(() => {
    server.close();
    rmSync(folder, { recursive: true });
  });
  return { server, path };
}

/** Writes more than fits, and returns how many bytes the kernel took. */
function takenBytes(socket: Socket): number {
  socket.write(CONTENT);
  const { writeQueueSize } = (socket as unknown as { _handle: { writeQueueSize: number } })._handle;
  return CONTENT.length - writeQueueSize;
}

it("lets a Unix socket take more bytes before they are read", async () => {
  const { server, path } = await listenOnPath();
  const usual = await accept(server, (client) => client.connect(path));
  const grown = await accept(server, (client) => client.connect(path));
  growSendBuffer(grown);
  expect(takenBytes(grown)).toBeGreaterThan(1.5 * takenBytes(usual));
});

it("leaves closed sockets as they are", async () => {
  const { server, path } = await listenOnPath();
  const socket = await accept(server, (client) => client.connect(path));
  socket.destroy();
  expect(() => growSendBuffer(socket)).not.toThrow();
  expect(() => growSendBuffer(new Socket())).not.toThrow();
});

it("refuses a descriptor that is no socket", () => {
  const refused = expect.objectContaining({ code: "ERR_INVALID_ARG", message: expect.stringContaining("fd: ") });
  expect(() => native.setSendBuffer(0x3fff_fff0, 1024)).toThrow(refused);
});
