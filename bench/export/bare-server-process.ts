import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** A Node server that only sends the same Buffer for every request. Argument: size of the Buffer in bytes. */
const body = Buffer.alloc(Number(process.argv[2]), 1);
const server = createServer((request, response) => {
  request.resume();
  response.setHeader("content-length", body.length);
  response.end(body);
});
server.keepAliveTimeout = 0;
server.listen(0, "127.0.0.1");
await once(server, "listening");
const { port } = server.address() as AddressInfo;
console.log(JSON.stringify({ event: "ready", url: `http://127.0.0.1:${port}` }));
process.on("SIGTERM", () => process.exit());
