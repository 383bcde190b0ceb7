import { once } from "node:events";
import { createServer } from "node:http";
import { json } from "node:stream/consumers";
import type { Attack, AttackCounts, Victim } from "./attack.js";
import { ATTACKS } from "./attacks.js";

/**
 * Runs the attacker in a separate process, so that its work does not delay the honest agents.
 *
 * - POST /start begins the attack with this name on a victim.
 * - POST /stop ends it and returns its counts.
 * - POST /once sends one request of an attack.
 */

interface Running {
  readonly stop: () => Promise<AttackCounts>;
}

interface Order {
  readonly name: string;
  readonly victim: Victim;
}

function find(name: string): Attack {
  const attack = ATTACKS.find((each) => each.name === name);
  if (!attack) throw new Error(`there is no attack named ${name}`);
  return attack;
}

function start({ name, victim }: Order): Running {
  const attack = find(name);
  const controller = new AbortController();
  const answers: Record<string, number> = {};
  const megabytes = attack.bytes() / 1e6;
  const over = attack.run(victim, controller.signal, (answer) => {
    answers[answer] = (answers[answer] ?? 0) + 1;
  });
  const stop = async () => {
    controller.abort();
    await over;
    return { answers, megabytes };
  };
  return { stop };
}

let running: Running | undefined;

async function answer(path: string, body: () => Promise<unknown>): Promise<object> {
  if (path === "/start") {
    running = start((await body()) as Order);
    return {};
  }
  if (path === "/once") {
    const { name, victim } = (await body()) as Order;
    await find(name).once?.(victim);
    return {};
  }
  const counts = await running?.stop();
  if (!counts) throw new Error("no attack is running");
  running = undefined;
  return counts;
}

const server = createServer((request, response) => {
  const reply = (status: number, value: object) => response.writeHead(status).end(JSON.stringify(value));
  answer(request.url ?? "", () => json(request)).then(
    (value) => reply(200, value),
    (error: unknown) => reply(500, { message: String(error) }),
  );
});
server.listen(0, "127.0.0.1");
await once(server, "listening");
const address = server.address();
if (address === null || typeof address === "string") throw new Error("the attacker has no port");
console.log(JSON.stringify({ event: "ready", url: `http://127.0.0.1:${address.port}` }));
process.on("SIGTERM", () => process.exit());
