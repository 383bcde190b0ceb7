import { createServer, type RequestListener } from "node:http";

/** Longer than any pause between the calls of a benchmark. */
const KEEP_ALIVE_MS = 120_000;

/** Serves HTTP on a free loopback port until SIGTERM. The first line of the process's output has the address. */
export function serveUntilTerminated(answer: RequestListener): void {
  const server = createServer(answer);
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  server.listen(0, "127.0.0.1", () => {
    const address = server.address();
    if (address === null || typeof address === "string") throw new Error("the server has no port");
    console.log(JSON.stringify({ event: "ready", url: `http://127.0.0.1:${address.port}` }));
  });
  process.on("SIGTERM", () => server.close(() => process.exit()).closeAllConnections());
}
