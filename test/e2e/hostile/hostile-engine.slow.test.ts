import { afterEach, describe, expect, it } from "vitest";
import { type EngineWire, WIRES } from "../../helpers/engine-frames.js";
import { IMPOSSIBLE } from "../../helpers/impossible-changes.js";
import type { RawRequest } from "../../helpers/raw-server.js";
import { readSafetensors } from "../../helpers/safetensors.js";
import { startWireServer, writeForEver } from "../../helpers/wire-server.js";
import { startVictim } from "./victim.js";

/** Engines answer the calls of one session with endless replies or impossible values. Calls of other sessions are answered. */

const open: { stop(): Promise<unknown> }[] = [];
afterEach(async () => {
  for (const item of open.splice(0).reverse()) await item.stop();
});

/** Prompts of the attacked session are longer than those of the honest one. */
const HOSTILE_MAX = 5;
const HONEST_MAX = 30;
const AT_ONCE = 4;
const ENOUGH_BYTES = 64 << 20;

function isHostile(request: RawRequest): boolean {
  return new RegExp(`"max(_new)?_tokens":${HOSTILE_MAX}\\b`).test(request.body);
}

function answer(wire: EngineWire, { socket, body }: RawRequest, change: (json: string) => string = (json) => json) {
  const frame = change(JSON.stringify(wire.frame({ ids: [10, 11, 12], total: 3, last: true })));
  const [text, type] = body.includes('"stream":true')
    ? [`data: ${frame}\n\ndata: [DONE]\n\n`, "text/event-stream"]
    : [frame, "application/json"];
  socket.end(`HTTP/1.1 200 OK\r\ncontent-type: ${type}\r\nconnection: close\r\n\r\n${text}`);
}

async function start(type: string, wire: EngineWire, attack: (request: RawRequest) => unknown) {
  const server = await startWireServer(wire, (request) =>
    isHostile(request) ? attack(request) : answer(wire, request),
  );
  open.push({ stop: () => server.close() });
  const victim = await startVictim([
    `engine.type=${type}`,
    `engine.urls=[${server.url}]`,
    "engine.context_length=1000",
    ...(type === "vllm" ? ["engine.served_model=m"] : []),
  ]);
  open.push(victim);
  const [attacked, honest] = [await victim.session(), await victim.session()];
  return {
    victim,
    attack: (extra: object = {}) => victim.chat(attacked.key, "a", { max_tokens: HOSTILE_MAX, ...extra }),
    call: () => victim.chat(honest.key, "b", { max_tokens: HONEST_MAX }),
    /** Ends and exports both sessions. */
    exportAll: async () => {
      for (const { key } of [attacked, honest]) await victim.post("/rl/end_session", {}, key);
      const reply = await victim.post("/export_batch", { session_ids: [attacked.id, honest.id] });
      expect(reply.refusal).toBe("200");
      return readSafetensors(reply.raw);
    },
  };
}

describe.each(Object.entries(WIRES))("a %s server", (type, wire) => {
  it("whose replies never end fails their calls, and delays no others", async () => {
    const written: Promise<number>[] = [];
    const { attack, call, victim } = await start(type, wire, (request) => {
      const isStream = request.body.includes('"stream":true');
      const kind = isStream ? "text/event-stream" : "application/json";
      const head = `HTTP/1.1 200 OK\r\ncontent-type: ${kind}\r\nconnection: close\r\n\r\n${isStream ? ": " : ""}`;
      written.push(writeForEver(request, head));
    });
    const attacks = Array.from({ length: AT_ONCE }, (_, n) => attack({ stream: n % 2 === 0 }));
    for (let n = 0; n < 20; n++) expect((await call()).refusal).toBe("200");
    for (const reply of await Promise.all(attacks)) expect(reply.raw.toString()).toContain('"code":"engine_error"');
    for (const bytes of await Promise.all(written)) expect(bytes).toBeLessThan(ENOUGH_BYTES);
    expect((await victim.send("/health")).status).toBe(200);
  }, 120_000);

  it("whose replies have impossible values fails their calls, and none of the values is exported", async () => {
    let change: (json: string) => string = (json) => json;
    const { attack, call, exportAll } = await start(type, wire, (request) => answer(wire, request, change));
    const changes = Object.values(IMPOSSIBLE).filter(([, extra]) => extra === undefined);
    for (const [next] of changes) {
      change = next;
      for (const stream of [false, true])
        expect((await attack({ stream })).raw.toString()).toContain('"code":"engine_error"');
      expect((await call()).refusal).toBe("200");
    }
    const { tensors, metadata } = await exportAll();
    const rows = JSON.parse(metadata["rows"] ?? "[]") as object[];
    expect(rows).toHaveLength(changes.length);
    expect(Math.max(...(tensors["logprobs"]?.data ?? []))).toBe(0);
    expect(Math.max(...(tensors["input_ids"]?.data ?? []))).toBeLessThan(512);
    expect(Math.min(...(tensors["versions"]?.data ?? []))).toBe(-1);
  }, 120_000);
});
