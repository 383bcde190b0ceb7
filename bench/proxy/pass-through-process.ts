import { Agent, request as send } from "node:http";
import { serveUntilTerminated } from "../kit/processes.js";

/** A Node proxy that only forwards bytes. Argument: URL of the server to which it forwards them. */

const upstream = new URL(process.argv[2] ?? "");
const agent = new Agent({ keepAlive: true, maxSockets: 1000 });
serveUntilTerminated((request, response) => {
  const { method, headers, url: path } = request;
  const options = { host: upstream.hostname, port: upstream.port, path, method, headers, agent };
  const forwarded = send(options, (reply) => {
    response.writeHead(reply.statusCode ?? 502, reply.headers);
    reply.pipe(response);
  });
  request.pipe(forwarded);
});
