import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";

/** Proxies in one process that only answer what a gateway asks about sessions. The ready line has their addresses. */

const KEEP_ALIVE_MS = 120_000;
const [count = "1"] = process.argv.slice(2);

const urls = await Promise.all(Array.from({ length: Number(count) }, (_, number) => startProxy(`p${number}`)));
console.log(JSON.stringify({ event: "ready", url: urls.join() }));
process.on("SIGTERM", () => process.exit());

async function startProxy(tag: string): Promise<string> {
  let [capacity, started, ended] = [0, 0, 0];
  const answers: Readonly<Record<string, (body: { slots?: number }) => object>> = {
    "/livez": () => ({ status: "ok" }),
    "/health": () => ({ status: "ok", worker: { tag, capacity, sessions: started - ended } }),
    "/grant_capacity": ({ slots = 1 }) => ({ capacity: (capacity += slots) }),
    "/rl/start_session": () => {
      capacity--;
      const number = started++;
      return {
        session_id: `task-${tag}-${number}`,
        api_key: `sk-${tag}.${number}`,
        session_api_key: `sk-${tag}.${number}`,
      };
    },
    "/rl/end_session": () => ({ interaction_count: ended++ }),
  };
  const answer = async (request: IncomingMessage, reply: ServerResponse) => {
    const body = (await buffer(request)).toString();
    const value = answers[request.url ?? ""]?.(body === "" ? {} : (JSON.parse(body) as object));
    const text = JSON.stringify(value ?? { error: { message: "not simulated", code: "not_found" } });
    reply.writeHead(value ? 200 : 404, { "content-type": "application/json" }).end(text);
  };
  const server = createServer((request, reply) => void answer(request, reply));
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
