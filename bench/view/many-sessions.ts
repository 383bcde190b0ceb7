/**
 * A server with `--sessions=N` ended sessions of one call each, and with `/ui`. Prints its address as one line, and ends when its
 * standard input does.
 */
import type { AddressInfo } from "node:net";
import { parseArgs } from "node:util";
import { native } from "../../src/native/addon.js";
import { eventLoop } from "../../src/support/async/event-loop.js";
import { sleep } from "../../src/support/async/sleep.js";
import { Proxy } from "../../test/helpers/proxy.js";
import { recordTurn } from "../../test/helpers/record-turn.js";

const SETTLE_MS = 2000;
const { values } = parseArgs({ options: { sessions: { type: "string", default: "1000" } } });
const page = new Map([["index.html", { type: "text/html", content: Buffer.from("page") }]]);
const proxy = await Proxy.start({ settings: { ui: page } });
const { registry } = proxy.context;
const count = Number(values.sessions);

registry.grant(count);
for (let i = 0; i < count; i++) {
  if (i % 100 === 0) await eventLoop.yield();
  const { session } = registry.start({ taskId: `task-${i >> 3}`, groupId: `group-${i >> 3}` });
  const generation = new native.Generation();
  generation.append(Int32Array.of(7, 8, 9), Float32Array.of(-0.5, -0.5, -0.5), 0);
  const messages = [{ role: "user", content: `question ${i}` }] as const;
  const answer = { output: [{ role: "assistant", content: "an answer" }], generation } as const;
  recordTurn(session, { messages }, answer, { pieces: [Int32Array.of(1, 2, 3, 4)] });
  session.setSessionReward((i % 8) / 8);
  session.end();
}
// The addon's objects of all these calls are freed first. A server frees them call by call.
await sleep(SETTLE_MS);
await proxy.app.listen({ host: "127.0.0.1", port: 0 });
process.stdout.write(`http://127.0.0.1:${(proxy.app.server.address() as AddressInfo).port}/\n`);
process.stdin.resume().on("end", () => process.exit());
