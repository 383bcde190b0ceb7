import { Socket } from "node:net";
import { beforeEach, describe, expect, it } from "vitest";
import { ConnectionLimit } from "../../src/http/connections/connection-limit.js";

/** When too many connections are open, the one that has been idle longest is closed for a new one. */

const MAX = 4;

let limit: ConnectionLimit;
let reasons: string[];
beforeEach(() => {
  limit = new ConnectionLimit(MAX);
  reasons = [];
  limit.onOverflow = (reason) => reasons.push(reason);
});

function connect(): Socket {
  const socket = new Socket();
  limit.add(socket);
  return socket;
}

const connectMany = (count: number): Socket[] => Array.from({ length: count }, connect);

/** Begins a request that was received completely and needs a key. */
function request(socket: Socket): Socket {
  limit.begin(socket, true);
  limit.received(socket);
  return socket;
}

/** Handles a request that needs a key. */
function handle(socket: Socket, statusCode = 200): Socket {
  request(socket);
  limit.end(socket, statusCode);
  return socket;
}

const listClosed = (sockets: readonly Socket[]): number[] =>
  sockets.flatMap(({ destroyed }, index) => (destroyed ? [index] : []));

it("closes nothing while there is room", () => {
  expect(listClosed(connectMany(MAX))).toEqual([]);
  expect(reasons).toEqual([]);
});

it("closes the connection that sent nothing for the longest time", () => {
  expect(listClosed(connectMany(MAX + 2))).toEqual([0, 1]);
  expect(reasons).toEqual(["idle", "idle"]);
});

it("has room again when a connection closes", async () => {
  const [first, ...others] = connectMany(MAX);
  await new Promise((resolve) => first?.once("close", resolve).destroy());
  connect();
  expect(listClosed(others)).toEqual([]);
});

describe("a request that needs a key", () => {
  it("keeps its connection open while it runs", () => {
    const running = request(connect());
    connectMany(MAX * 2);
    expect(running.destroyed).toBe(false);
  });

  it("does not keep its connection open until it was received completely", () => {
    const sending = connect();
    limit.begin(sending, true);
    connectMany(MAX);
    expect(sending.destroyed).toBe(true);
  });

  it.each([401, 404, 429])("does not keep its connection open while its answer %i is sent", (statusCode) => {
    const refused = request(connect());
    limit.answering(refused, statusCode);
    connectMany(MAX);
    expect(refused.destroyed).toBe(true);
  });

  it("keeps its connection open while its answer is sent", () => {
    const reading = request(connect());
    limit.answering(reading, 200);
    connectMany(MAX);
    expect(reading.destroyed).toBe(false);
  });

  it("closes the new connection if every connection runs one", () => {
    const running = connectMany(MAX).map(request);
    expect(connect().destroyed).toBe(true);
    expect(listClosed(running)).toEqual([]);
    expect(reasons).toEqual(["max_connections"]);
  });
});

it("does not keep a connection open for a request that needs no key", () => {
  const scraper = connect();
  limit.begin(scraper, false);
  limit.received(scraper);
  limit.answering(scraper, 200);
  connectMany(MAX);
  expect(scraper.destroyed).toBe(true);
});

describe("clients without a key", () => {
  it("cannot replace more than half of the connections of clients with a key", () => {
    const clients = connectMany(MAX).map((socket) => handle(socket));
    connectMany(MAX * 10);
    expect(listClosed(clients)).toEqual([0, 1]);
  });

  it("do not close the connection of a new client before half of the connections are replaced", () => {
    connectMany(MAX).map((socket) => handle(socket));
    connectMany(MAX * 10);
    const client = connect();
    connect();
    expect(client.destroyed).toBe(false);
    handle(client);
    connectMany(MAX * 10);
    expect(client.destroyed).toBe(false);
  });

  it("are those whose requests are refused with 401, also after a valid key", () => {
    const known = handle(connect());
    const revoked = handle(handle(connect()), 401);
    connectMany(MAX);
    expect([known.destroyed, revoked.destroyed]).toEqual([false, true]);
  });

  it("are not those whose requests fail for another reason", () => {
    const known = handle(handle(connect()), 429);
    connectMany(MAX * 2);
    expect(known.destroyed).toBe(false);
  });
});

it("closes a connection with a key before one without that was idle for a shorter time", () => {
  const clients = connectMany(MAX - 1).map((socket) => handle(socket));
  const newest = connect();
  connect();
  expect(listClosed(clients)).toEqual([0]);
  expect(newest.destroyed).toBe(false);
});
