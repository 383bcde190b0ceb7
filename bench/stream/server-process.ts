import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setImmediate as nextTurn } from "node:timers/promises";
import { replyEvents, wholeReply } from "./events.js";

/** Answers `/generate` with the reply in one body, or streamed as fast as the reader takes it. */
const whole = wholeReply();
const incremental = replyEvents(false);

const server = createServer((request, response) => {
  let body = "";
  request.on("data", (data: Buffer) => (body += data.toString("latin1")));
  request.on("end", () => {
    if (body.includes('"stream":true')) {
      void stream(response);
      return;
    }
    response.writeHead(200, { "content-type": "application/json", "content-length": whole.length });
    response.end(whole);
  });
});

async function stream(response: ServerResponse): Promise<void> {
  response.writeHead(200, { "content-type": "text/event-stream" });
  response.socket?.setNoDelay(true);
  for (const event of incremental) {
    response.write(event);
    await nextTurn();
  }
  response.end();
}

server.listen(0, "127.0.0.1", () => {
  const { port } = server.address() as AddressInfo;
  console.log(JSON.stringify({ event: "ready", url: `http://127.0.0.1:${port}` }));
});
process.on("SIGTERM", () => process.exit());
