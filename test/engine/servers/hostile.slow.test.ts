import { setImmediate as nextTurn } from "node:timers/promises";
import { afterEach, describe, expect, it } from "vitest";
import type { EngineServerOptions } from "../../../src/engine/servers/engine-server-options.js";
import { rendezvousOrder } from "../../../src/engine/servers/pool/rendezvous.js";
import { type EngineWire, eventOf, logprobOf, streamIds, streamText, WIRES } from "../../helpers/engine-frames.js";
import { type RawRequest, startRawServer } from "../../helpers/raw-server.js";
import { makeCall } from "../generate-call.js";

/** Servers violate the protocol in many ways. A call ends with exactly its tokens or with an error, and only once. */

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const item of open.splice(0).reverse()) await item.close();
});

function opened<T extends { close(): Promise<void> }>(item: T): T {
  open.push(item);
  return item;
}

const HEAD = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n";
const UNTIL_CLOSED = `${HEAD}connection: close\r\n\r\n`;
const CHUNKED = `${HEAD}transfer-encoding: chunked\r\n\r\n`;

const chunk = (text: string): string => `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`;

/** Answers the request for the models, which a vLLM server gets before its first generation. */
function answerModels({ socket }: RawRequest): void {
  const body = JSON.stringify({ data: [{ id: "m", max_model_len: 1000 }] });
  socket.write(`HTTP/1.1 200 OK\r\ncontent-length: ${body.length}\r\n\r\n${body}`);
}

/** Creates an engine whose first server answers with `answer`, and whose second server must get no generation. */
async function against(
  wire: EngineWire,
  answer: (request: RawRequest) => unknown,
  options?: Partial<EngineServerOptions>,
) {
  const first = opened(await startRawServer((request) => (isOurs(request) ? answer(request) : answerModels(request))));
  const second = opened(await startRawServer(answerModels));
  // The probe of a vLLM server's log probabilities is no generation of a call.
  const isProbe = ({ body }: RawRequest): boolean => body.includes("rolltape-logprobs-");
  const isOurs = (request: RawRequest): boolean => request.line === wire.path && !isProbe(request);
  const urls = [first.url, second.url];
  const engine = opened(wire.engine(urls, options));
  let affinityKey = "";
  for (let n = 0; rendezvousOrder(affinityKey, urls)[0] !== first.url; n++) affinityKey = `key-${n}`;
  const asked = () => first.requests.filter(isOurs).length;
  /** Runs a call. Returns its outcome and how many tokens there were at each `onTokens`. */
  const run = async ({ onTold, signal }: { readonly signal?: AbortSignal; readonly onTold?: () => void } = {}) => {
    const told: number[] = [];
    const tell = () => {
      told.push(call.generation.length);
      onTold?.();
    };
    const call = makeCall([1, 2], { maxTokens: 30 }, { affinityKey, onTokens: tell });
    const outcome = await engine.generate(call, signal).then(
      () => "done",
      (error: unknown) => `${Object(error).code ?? Object(error).message}`,
    );
    expect([asked() > 0, second.requests.filter(isOurs)]).toEqual([true, []]);
    const { generation } = call;
    const ids = Array.from(generation.ids());
    expect(ids).toEqual(streamIds(4).slice(0, ids.length));
    expect(Array.from(generation.logprobs())).toEqual(ids.map(logprobOf));
    return { outcome, tokens: ids.length, told };
  };
  return { first, asked, run, engine, affinityKey };
}

describe.each(Object.entries(WIRES))("a %s server", (name, wire) => {
  const text = streamText(wire, 4).join("");

  it.each([
    ["bytes", UNTIL_CLOSED, (byte: string) => byte],
    [
      "chunks of a byte",
      CHUNKED,
      (byte: string) => Buffer.concat([chunk("x").slice(0, 3), byte, "\r\n"].map((s) => Buffer.from(s, "latin1"))),
    ],
  ] as const)("that sends head and stream in single %s is understood", async (_name, head, wrap) => {
    const { run } = await against(wire, async ({ socket }) => {
      for (const byte of head) {
        socket.write(byte);
        await nextTurn();
      }
      for (const byte of Buffer.from(text).toString("latin1")) {
        socket.write(wrap(byte), "latin1");
        await nextTurn();
      }
      socket.end(head === CHUNKED ? "0\r\n\r\n" : "");
    });
    expect(await run()).toMatchObject({ outcome: "done", tokens: 12 });
  });

  it("that closes its stream at any byte yields whole frames and an error, or everything", async () => {
    const finished = text.indexOf("\n", text.lastIndexOf("{")) + 1;
    let at = 0;
    const { run, asked } = await against(wire, ({ socket }) => socket.end(UNTIL_CLOSED + text.slice(0, at)));
    const outcomes = new Map<number, string>();
    for (; at <= text.length; at += at < finished - 20 ? 13 : 1) {
      const { outcome, tokens } = await run();
      outcomes.set(at, `${outcome} ${tokens === 12 ? "all" : tokens % 3 === 0 ? "frames" : "parts"}`);
    }
    const wrong = [...outcomes].filter(([cut, outcome]) => {
      const complete = cut >= finished && text[cut - 1] === "\n";
      const frames = cut >= finished ? "all" : "frames";
      return outcome !== `${complete ? "done" : "engine_error"} ${frames}`;
    });
    expect(wrong).toEqual([]);
    expect(asked()).toBe(outcomes.size);
  });

  it.each([
    ["between frames", 0],
    ["in the middle of a frame", 40],
  ])("that resets its connection %s fails the call", async (_name, beyond) => {
    const [first = ""] = streamText(wire, 4);
    const {
      run,
      asked,
      first: server,
    } = await against(wire, ({ socket }) => {
      socket.write(CHUNKED + chunk(text.slice(0, first.length + beyond)));
    });
    const onTold = () => server.requests.find(({ line }) => line === wire.path)?.socket.resetAndDestroy();
    expect(await run({ onTold })).toEqual({ outcome: "engine_unavailable", tokens: 3, told: [3] });
    expect(asked()).toBe(1);
  });

  it.each([true, false])(
    "that sends an error with status 200 fails the call with that error, streamed: %s",
    async (streams) => {
      const errors = [
        { error: { message: "the model is asleep" } },
        { object: "error", message: "the model is asleep" },
      ];
      for (const body of errors.map((error) => JSON.stringify(error))) {
        const head = `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n`;
        const { engine, affinityKey, asked } = await against(wire, ({ socket }) => socket.write(head + body));
        const rest = { affinityKey, ...(streams ? { onTokens: () => undefined } : {}) };
        await expect(engine.generate(makeCall([1], {}, rest))).rejects.toMatchObject({
          code: "engine_error",
          message: "The engine failed during the generation: the model is asleep",
        });
        expect(asked()).toBe(1);
      }
    },
  );

  const frames = streamText(wire, 4);
  const last = frames[3] ?? "";
  const odd: (readonly [string, string, number])[] = [
    ["finishes twice", `${frames.slice(0, 3).join("")}${last}${last}data: [DONE]\n\n`, 12],
    ["continues after its end", `${text}${frames[0]}`, 12],
    // For older vLLM servers, a missing finish means that a weight update cut the generation.
    ...(name === "sglang" ? [["ends without a finish", `${frames[0]}data: [DONE]\n\n`, 3] as const] : []),
    ["sends its end first", `data: [DONE]\n\n${text}`, 0],
    ["sends a frame that is not JSON", `${frames[0]}data: {"meta_info": oops}\n\n`, 3],
    ["sends a frame that is not an object", `${frames[0]}data: [1]\n\n`, 3],
    [
      "sends ids that differ from those of its log probabilities",
      frames[0] + eventOf(wire.frame({ ids: [13, 14], total: 5, said: [13, 15] })),
      3,
    ],
    ["sends a negative id", frames[0] + eventOf(wire.frame({ ids: [-4], total: 4 })), 3],
    ["sends an id beyond int32", frames[0] + eventOf(wire.frame({ ids: [2 ** 31], total: 4 })), 3],
    [
      "sends fewer ids than log probabilities",
      frames[0] + eventOf(wire.frame({ ids: [13, 14], total: 5, said: [14] })),
      3,
    ],
    ["answers with HTML", "<html><body>502 Bad Gateway</body></html>\n", 0],
  ];
  it.each(odd)("that %s fails the call", async (_name, said, tokens) => {
    const { run, asked } = await against(wire, ({ socket }) => socket.end(UNTIL_CLOSED + said));
    expect(await run()).toMatchObject({ outcome: "engine_error", tokens });
    expect(asked()).toBe(1);
  });

  it("that stalls in its stream loses its connection at the call's time limit", async () => {
    const [first = ""] = frames;
    const {
      run,
      first: server,
      asked,
    } = await against(wire, ({ socket }) => socket.write(CHUNKED + chunk(first)), {
      timeoutSeconds: 1.5,
    });
    expect(await run()).toEqual({ outcome: "engine_timeout", tokens: 3, told: [3] });
    expect(asked()).toBe(1);
    await expect
      .poll(() => server.requests.every(({ line, socket }) => line !== wire.path || socket.destroyed))
      .toBe(true);
  });

  it("that never answers loses its connection when the client disconnects", async () => {
    const controller = new AbortController();
    const { run, first } = await against(wire, () => controller.abort(new Error("left")));
    expect(await run({ signal: controller.signal })).toEqual({ outcome: "left", tokens: 0, told: [] });
    await expect
      .poll(() => first.requests.every(({ line, socket }) => line !== wire.path || socket.destroyed))
      .toBe(true);
  });

  it("that sends a line of a MiB is understood", async () => {
    const filler = `"filler":"${"x".repeat(1 << 20)}",`;
    const { run } = await against(wire, ({ socket }) => socket.end(UNTIL_CLOSED + text.replace("{", `{${filler}`)));
    expect(await run()).toMatchObject({ outcome: "done", tokens: 12 });
  });

  it("that sends an error body of 32 MiB is quoted by its beginning", async () => {
    const body = JSON.stringify({ error: { message: "no" } }) + " ".repeat(32 << 20);
    const head = `HTTP/1.1 500 Oops\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n`;
    const { engine, affinityKey } = await against(wire, ({ socket }) => socket.write(head + body));
    await expect(engine.generate(makeCall([1], {}, { affinityKey }))).rejects.toThrow(
      "The engine answered HTTP 500: no",
    );
  });

  it.each(["SSH-2.0-OpenSSH_9.2\r\n", "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n", "HTTP/1.1 2"])(
    "that does not speak HTTP fails the call: %j",
    async (said) => {
      const { run, asked } = await against(wire, ({ socket }) => socket.end(said));
      expect(await run()).toMatchObject({ outcome: expect.stringMatching(/^engine_(error|unavailable)$/), tokens: 0 });
      expect(asked()).toBe(1);
    },
  );

  it("that sends 103 Early Hints before its answer is understood", async () => {
    const { run } = await against(wire, ({ socket }) => {
      socket.end(`HTTP/1.1 103 Early Hints\r\nlink: <x>\r\n\r\n${UNTIL_CLOSED}${text}`);
    });
    expect(await run()).toMatchObject({ outcome: "done", tokens: 12 });
  });
});
