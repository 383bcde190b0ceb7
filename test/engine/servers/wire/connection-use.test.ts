import type { Socket } from "node:net";
import { afterEach, describe, expect, it, vi } from "vitest";
import { ConnectionUse } from "../../../../src/engine/servers/wire/keep-alive-client.js";

/** A connection that has received `bytesRead` bytes, and whose request is partly in this process. */
function makeSocket(fields: Partial<Socket> = {}) {
  const written: ((error?: Error | null) => void)[] = [];
  const socket = {
    bytesRead: 0,
    destroyed: false,
    errored: null,
    writableLength: 0,
    write: (_: string, done: (error?: Error | null) => void) => written.push(done) > 0,
    ...fields,
  };
  return { socket: socket as unknown as Socket & { bytesRead: number; writableLength: number }, written };
}

function begin(socket?: Socket) {
  const use = new ConnectionUse();
  const link = { socket, bytesBefore: 99, bodyBytes: 99 };
  use.begin(link);
  return { use, link };
}

afterEach(() => void vi.restoreAllMocks());

describe("the body of a request", () => {
  it("has been sent if the socket has none of it left", () => {
    const { use } = begin(makeSocket().socket);
    expect(use.isSent).toBe(false);
    use.written();
    expect(use.isSent).toBe(true);
  });

  it("has been sent when the operating system has taken the rest", () => {
    const { socket, written } = makeSocket({ writableLength: 5 });
    const { use } = begin(socket);
    use.written();
    expect([use.isSent, written.length]).toEqual([false, 1]);
    written[0]?.(null);
    expect(use.isSent).toBe(true);
  });

  it("has not been sent if the socket broke", () => {
    const { socket, written } = makeSocket({ writableLength: 5 });
    const { use } = begin(socket);
    use.written();
    written[0]?.(new Error("EPIPE"));
    expect(use.isSent).toBe(false);
    for (const broken of [{ destroyed: true }, { errored: new Error("EPIPE") }]) {
      const other = begin(makeSocket(broken).socket).use;
      other.written();
      expect(other.isSent).toBe(false);
    }
  });

  it("has not been sent without a connection, and not yet if the request begins again", () => {
    const { use } = begin();
    use.written();
    expect(use.isSent).toBe(false);
    const { socket } = makeSocket();
    const again = begin(socket);
    again.use.written();
    again.use.begin(again.link);
    expect(again.use.isSent).toBe(false);
  });
});

describe("a request", () => {
  it("may have run if it was sent, or if the server has answered", () => {
    const { socket } = makeSocket({ bytesRead: 7 });
    const { use } = begin(socket);
    expect(use.mayHaveRun).toBe(false);
    socket.bytesRead = 8;
    expect(use.mayHaveRun).toBe(true);
    const sent = begin(makeSocket().socket).use;
    sent.written();
    expect(sent.mayHaveRun).toBe(true);
    expect([begin().use.mayHaveRun, new ConnectionUse().mayHaveRun]).toEqual([false, false]);
  });

  it("may have run if a fresh connection, in place of the one that it found, has received anything", () => {
    const { use, link } = begin(makeSocket({ bytesRead: 7 }).socket);
    link.socket = makeSocket({ bytesRead: 3 }).socket;
    expect([use.mayHaveRun, use.keptAliveWithoutReply]).toEqual([true, false]);
  });

  it("counts the bytes of its reply from its beginning", () => {
    const { use, link } = begin(makeSocket({ bytesRead: 7 }).socket);
    expect(link).toMatchObject({ bytesBefore: 7, bodyBytes: 0 });
    use.received(3);
    use.received(4);
    expect(link.bodyBytes).toBe(7);
    expect(begin().link.bytesBefore).toBe(0);
    expect(() => new ConnectionUse().received(3)).not.toThrow();
  });
});

describe("a connection that was kept open", () => {
  const kept = (fields: Partial<Socket> = { bytesRead: 7 }) =>
    begin(makeSocket(fields).socket).use.keptAliveWithoutReply;

  it("is stale if it had answered before, was open, and has answered nothing since", () => {
    expect(kept()).toBe(true);
    expect(kept({ bytesRead: 0 })).toBe(false);
    expect(kept({ bytesRead: 7, destroyed: true })).toBe(false);
    expect(begin().use.keptAliveWithoutReply).toBe(false);
    const { socket } = makeSocket({ bytesRead: 7 });
    const { use } = begin(socket);
    socket.bytesRead++;
    expect(use.keptAliveWithoutReply).toBe(false);
  });

  it("is not stale if it was lost long after the request was sent", () => {
    const { use } = begin(makeSocket({ bytesRead: 7 }).socket);
    const began = performance.now();
    const now = vi.spyOn(performance, "now").mockReturnValue(began + 4_900);
    expect(use.keptAliveWithoutReply).toBe(true);
    now.mockReturnValue(began + 5_100);
    expect(use.keptAliveWithoutReply).toBe(false);
  });
});
