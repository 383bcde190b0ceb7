import { connect } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { findFreePort } from "../../../src/scheduler/free-port.js";
import { startVictim, Victim } from "./victim.js";

/** Hundreds of requests that need no key. With the default log level, they must not fill the disk of the log. */

const REPEATS = 100;
/** Enough for one line a second and code, as long as the flood takes on a busy machine. */
const FEW_LINES = 150;

const hello = { messages: [{ role: "user", content: "a" }] };
const CHAT = "/v1/chat/completions";
const json = { "content-type": "application/json" };

const REFUSED: Record<string, (victim: Victim, n: number) => Promise<unknown>> = {
  "a forged tag": (victim, n) => victim.post(CHAT, hello, `sk-forged${n}.0123456789abcdef`),
  "no key": (victim) => victim.post(CHAT, hello, null),
  "a wrong key": (victim, n) => victim.post(CHAT, hello, `sk-wrong-${n}-0123456789abcdef`),
  "a wrong admin key": (victim, n) => victim.post("/export_batch", { session_ids: ["a"] }, `sk-admin-wrong-${n}`),
  "an unknown route": (victim, n) => victim.post(`/unknown/${n}`, {}, null),
  "an unknown method": (victim) => victim.send(CHAT, { method: "DELETE" }, null),
  "bad JSON": (victim) => victim.send(CHAT, { method: "POST", headers: json, body: "{" }, null),
  "another media type": (victim) => victim.send(CHAT, { method: "POST", body: "<a/>" }, null),
  "a path that is no URL": (victim) => sendRaw(victim, "GET /%E0%A4%A HTTP/1.1\r\nhost: x\r\n"),
  "what is not HTTP": (victim) => sendRaw(victim, "\u0016\u0003\u0001 tls?"),
  "headers that are too large": (victim) => sendRaw(victim, `GET / HTTP/1.1\r\nhost: x\r\nx: ${"a".repeat(1 << 17)}`),
  "a body that is too large": (victim) =>
    sendRaw(
      victim,
      `POST ${CHAT} HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 1000000000\r\n`,
    ),
  "a body that is cut": (victim) =>
    sendRaw(
      victim,
      `POST ${CHAT} HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 9\r\n\r\n{"`,
      true,
    ),
  "a tunnel": (victim) => sendRaw(victim, "CONNECT x:1 HTTP/1.1\r\nhost: x\r\n"),
  "an upgrade": (victim) =>
    sendRaw(victim, `GET ${CHAT} HTTP/1.1\r\nhost: x\r\nconnection: upgrade\r\nupgrade: websocket\r\n`),
  "probes of health": async (victim) => {
    for (const path of ["/health", "/readyz", "/livez"]) await victim.send(path, {}, null);
  },
};

/** Sends bytes and an empty line on a connection of their own. Resolves when it is closed. */
function sendRaw({ url }: Victim, head: string, leaves = false): Promise<void> {
  return new Promise((resolve) => {
    const socket = connect(Number(new URL(url).port), "127.0.0.1");
    socket.on("error", () => undefined).on("close", () => resolve());
    socket.on("data", () => void socket.destroy());
    socket.write(`${head}\r\n\r\n`, () => leaves && socket.destroy());
  });
}

async function countLines(victim: Victim): Promise<number> {
  const before = victim.log.length;
  for (const refuse of Object.values(REFUSED)) {
    for (let n = 0; n < REPEATS; n += 10) {
      await Promise.all(Array.from({ length: 10 }, (_, k) => refuse(victim, n + k)));
    }
  }
  return victim.log.length - before;
}

describe("refusals without a key write few lines, not one each,", () => {
  it("by a server whose engine is dead", async () => {
    const dead = `http://127.0.0.1:${await findFreePort()}`;
    const victim = await startVictim(["engine.type=sglang", `engine.urls=[${dead}]`]);
    onTestFinished(async () => void (await victim.stop()));
    expect(await countLines(victim)).toBeLessThan(FEW_LINES);
  }, 120_000);

  it("by a gateway whose worker is dead", async () => {
    const dead = `http://127.0.0.1:${await findFreePort()}`;
    const victim = await Victim.start(["gateway", `gateway.workers=${dead}`]);
    onTestFinished(async () => void (await victim.stop()));
    expect(await countLines(victim)).toBeLessThan(FEW_LINES);
  }, 120_000);
});
