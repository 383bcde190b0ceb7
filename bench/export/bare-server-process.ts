import { once } from "node:events";
import { createServer } from "node:http";
import { type AddressInfo, createServer as createListener } from "node:net";

/** A Node server that only sends the same Buffer for every request. Arguments: size of the Buffer in bytes, path of a Unix socket. */
const [size, socket] = process.argv.slice(2);
const body = Buffer.alloc(Number(size), 1);
const server = createServer((request, response) => {
  request.resume();
  response.setHeader("content-length", body.length);
  response.end(body);
});
server.keepAliveTimeout = 0;
server.listen(0, "127.0.0.1");
await once(server, "listening");
// As the proxy does for `server.socket`.
const local = createListener({ allowHalfOpen: true }, (connection) => void server.emit("connection", connection));
local.listen(socket);
await once(local, "listening");
const { port } = server.address() as AddressInfo;
console.log(JSON.stringify({ event: "ready", url: `http://127.0.0.1:${port}` }));
process.on("SIGTERM", () => process.exit());
