import { Agent, createServer, request as send } from "node:http";

/** The least that a Node proxy can do: it passes bytes on and looks at none. Its argument is where to. */

const upstream = new URL(process.argv[2] ?? "");
const agent = new Agent({ keepAlive: true, maxSockets: 1000 });
const server = createServer((request, response) => {
  const { method, headers, url: path } = request;
  const options = { host: upstream.hostname, port: upstream.port, path, method, headers, agent };
  const forwarded = send(options, (reply) => {
    response.writeHead(reply.statusCode ?? 502, reply.headers);
    reply.pipe(response);
  });
  request.pipe(forwarded);
});
server.keepAliveTimeout = 120_000;
server.listen(0, "127.0.0.1", () => {
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the proxy has no port");
  console.log(JSON.stringify({ event: "ready", url: `http://127.0.0.1:${address.port}` }));
});
process.on("SIGTERM", () => server.close(() => process.exit()).closeAllConnections());
