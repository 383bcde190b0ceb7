import { EventEmitter } from "node:events";
import type { FastifyReply, FastifyRequest } from "fastify";
import { describe, expect, it } from "vitest";
import { countAccepted, HttpAnswer, listCut, noteExport } from "../../src/http/connections/http-answer.js";

function answerTo(headers: Record<string, string>, { length, url }: { length?: string; url?: string } = {}) {
  const socket = { bytesWritten: 100, writableLength: 40 };
  const raw = Object.assign(new EventEmitter(), { headers, socket, complete: false, shouldKeepAlive: true });
  const request = { method: "GET", raw, routeOptions: { url, config: {} } };
  const reply = { raw: { shouldKeepAlive: true }, answer: null, getHeader: () => length };
  const answer = new HttpAnswer(request as unknown as FastifyRequest, reply as unknown as FastifyReply);
  return { answer, raw, socket, request, reply };
}

it.each([
  [{ upgrade: "websocket", connection: "keep-alive, Upgrade" }, true],
  [{ upgrade: "websocket", connection: "keep-alive" }, false],
  [{ upgrade: "websocket" }, false],
  [{ connection: "upgrade" }, false],
  [{}, false],
])("a request with the headers %j is the last one of its connection: %s", (headers, isLast) => {
  expect(answerTo(headers as Record<string, string>).answer.isLast).toBe(isLast);
});

it.each([
  [{}, true],
  [{ "content-length": "0" }, true],
  [{ "content-length": "1" }, false],
  [{ "transfer-encoding": "chunked" }, false],
])("a request with the headers %j is received with them: %s, and otherwise with its body", (headers, isReceived) => {
  const { answer, raw } = answerTo(headers as Record<string, string>);
  let received = 0;
  answer.onReceived(() => received++);
  expect(received).toBe(isReceived ? 1 : 0);
  raw.emit("end");
  expect(received).toBe(1);
  raw.complete = true;
  answer.onReceived(() => received++);
  expect([received, answer.requestComplete]).toEqual([2, true]);
});

describe("a cut answer", () => {
  it("is described by its route, its bytes and its sessions, and logged with their number", () => {
    const { answer, socket, reply } = answerTo({}, { length: "500", url: "/export_batch" });
    noteExport({ answer: null } as FastifyReply, ["a"]);
    noteExport(reply as unknown as FastifyReply, ["a", "b"]);
    socket.bytesWritten = 190;
    const cut = { route: "GET /export_batch", bytesSent: 90, bytes: 500, sessions: ["a", "b"] };
    expect(answer.describe()).toEqual(cut);
    expect(listCut(Array(21).fill(cut))).toEqual(Array(20).fill({ ...cut, sessions: 2 }));
  });

  it("has no size if it is a stream, and a pattern instead of a route that is too general", () => {
    const { answer, request } = answerTo({});
    expect(answer.describe()).toMatchObject({ route: "GET unmatched", bytes: null, sessions: [] });
    Object.assign(request.routeOptions.config, { pattern: "/v1/*" });
    expect(answer.describe().route).toBe("GET /v1/*");
  });

  it("closes its connection when it ends", () => {
    const { answer, reply } = answerTo({});
    answer.closeAfter();
    expect(reply.raw.shouldKeepAlive).toBe(false);
    expect(reply.answer).toBe(answer);
  });
});

it.each([
  [{ bytesWritten: 7, writableLength: 2 }, 5],
  [{ bytesWritten: 7, writableLength: 2, _handle: null }, 5],
  [{ bytesWritten: 7, writableLength: 2, _handle: { bytesWritten: 6 } }, 6],
  [{ bytesWritten: 7, writableLength: 2, _handle: { bytesWritten: 6, writeQueueSize: 4 } }, 2],
])("counts the bytes of %j that were accepted", (socket, accepted) => {
  expect(countAccepted(socket as never)).toBe(accepted);
});
