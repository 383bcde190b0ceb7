import { describe, expect, it } from "vitest";
import { PauseHold } from "../../../../src/engine/servers/pause/pause-hold.js";
import { ReplyVersions } from "../../../../src/engine/servers/versions/reply-versions.js";
import { ServerVersions } from "../../../../src/engine/servers/versions/server-versions.js";
import { VersionLabels } from "../../../../src/engine/version-labels.js";
import { native } from "../../../../src/native/addon.js";
import type { NamedVersions } from "../../../../src/native/contract.js";

/** The versions of one reply, and whether a token may have another one. */

function start({ current = 1, server = new ServerVersions(), hold = new PauseHold() } = {}) {
  const state = { current };
  const generation = new native.Generation();
  const labels = new VersionLabels();
  const versions = new ReplyVersions({ generation, currentVersion: () => state.current }, { hold, server, labels });
  const end = (named?: Partial<NamedVersions>, isCut?: boolean) => {
    versions.end(named && { naming: "reply", firstCount: 1, mixed: false, saysDefault: false, ...named }, isCut);
    return versions.isUncertain;
  };
  /** Receives a part of a stream. Returns the version of its tokens. */
  const part = (tokens: number) => {
    const version = versions.beginPart();
    versions.endPart(tokens);
    return version;
  };
  return { state, generation, labels, versions, server, hold, end, part };
}

/** A server that has replied with a version. */
function repliedServer(version = 1): ServerVersions {
  const server = new ServerVersions();
  server.replied(version, false);
  return server;
}

describe("a reply that names no version", () => {
  it("has the version that was current when it was sent", () => {
    const { state, versions, end } = start();
    expect(end()).toBe(false);
    state.current = 2;
    expect(versions.first).toBe(1);
  });

  it("is uncertain if the version has changed meanwhile", () => {
    const { state, end } = start();
    state.current = 2;
    expect(end()).toBe(true);
  });

  it("that is streamed has the version of each part, and is uncertain only if one part may have two", () => {
    const { state, part, end } = start();
    expect(part(3)).toBe(1);
    state.current = 2;
    expect(part(0)).toBe(2);
    expect(end()).toBe(false);
    const other = start();
    other.part(3);
    other.state.current = 2;
    expect(other.part(1)).toBe(2);
    expect(other.end()).toBe(true);
  });

  it("that is streamed is certain if the version changed in a pause, and one token came at a time", () => {
    const outcomes = [1, 2].map((tokens) => {
      const { state, part, end, hold } = start();
      part(3);
      hold.close("keep");
      state.current = 2;
      hold.open();
      expect(part(tokens)).toBe(2);
      part(5);
      return end();
    });
    expect(outcomes).toEqual([false, true]);
  });

  it("that is streamed is uncertain if the version changed before a pause and in it", () => {
    const { state, part, end, hold } = start();
    part(3);
    state.current = 2;
    hold.close("keep");
    state.current = 3;
    hold.open();
    expect(part(1)).toBe(3);
    expect(end()).toBe(true);
  });

  it("has the version after a pause that cuts everything else, because it was held until then", () => {
    const { state, versions, hold, end } = start();
    hold.close("abort");
    state.current = 2;
    hold.resume();
    expect(versions.first).toBe(2);
    hold.open();
    expect(end()).toBe(false);
  });

  it("is uncertain if it was held by a pause and is cut later", () => {
    const { state, hold, end } = start();
    hold.close("abort");
    state.current = 2;
    hold.open();
    expect(end(undefined, true)).toBe(true);
    const same = start();
    same.hold.close("abort");
    same.hold.open();
    expect(same.end(undefined, true)).toBe(false);
  });

  it("was not held if it had tokens before the pause, or if the pause keeps generations", () => {
    const { state, hold, part, versions } = start();
    part(1);
    hold.close("abort");
    state.current = 2;
    hold.resume();
    expect(versions.first).toBe(1);
    const kept = start();
    kept.hold.close("keep");
    kept.state.current = 2;
    kept.hold.resume();
    expect(kept.versions.first).toBe(1);
  });

  it("does not change during a pause that cuts, but may during one that keeps generations", () => {
    const seen = (["abort", "keep"] as const).map((mode) => {
      const { state, hold, part } = start();
      hold.close(mode);
      state.current = 2;
      return part(1);
    });
    expect(seen).toEqual([1, 2]);
  });

  it("gets no more calls about pauses when it has ended", () => {
    const { state, hold, versions } = start();
    versions[Symbol.dispose]();
    hold.close("abort");
    state.current = 2;
    hold.open();
    expect(versions.first).toBe(1);
  });
});

describe("a reply that names versions", () => {
  it("makes the server known, and names the weights of texts by the next integers", () => {
    const { generation, labels, server, end } = start({ server: repliedServer() });
    generation.append(Int32Array.of(5, 6), Float32Array.of(-1, -1), Int32Array.of(-2, -3));
    expect(end({ naming: "spans", labels: ["a", "b"], first: -2, last: -3 })).toBe(false);
    expect(Array.from(generation.versions())).toEqual([2, 3]);
    expect(labels.known).toEqual({ versions: { a: 2, b: 3 }, highest: 3 });
    expect([server.last, server.hasNamed]).toEqual([3, true]);
  });

  it("notes the highest integer, above which later texts are named", () => {
    const { labels, end } = start();
    end({ highest: 9, first: 9, last: 9 });
    expect(labels.versionOf("a", 0)).toBe(10);
  });

  it.each<[string, Partial<NamedVersions>, boolean]>([
    ["one token", { first: 2, last: 2 }, false],
    ["several tokens of the version that the server named last", { first: 1, last: 1, firstCount: 5 }, false],
    ["several tokens of another version", { first: 2, last: 2, firstCount: 5 }, true],
    ["frames with tokens of two versions", { first: 1, last: 2, mixed: true }, true],
    ["spans", { naming: "spans", first: 1, last: 2, firstCount: 5, mixed: true }, false],
  ])("for %s is uncertain: %s", (_, named, uncertain) => {
    expect(start({ server: repliedServer() }).end(named)).toBe(uncertain);
  });

  it("with several tokens is uncertain if the server has never replied", () => {
    expect(start().end({ first: 1, last: 1, firstCount: 2 })).toBe(true);
  });

  it("is uncertain if the server could not be given the current version", () => {
    const server = repliedServer();
    server.refused();
    expect(start({ server }).end({ naming: "spans", first: 1, last: 1 })).toBe(true);
    server.given(1);
    expect(start({ server }).end({ naming: "spans", first: 1, last: 1 })).toBe(false);
  });

  it.each([
    ["spans", 1, 2, true],
    ["spans", 2, 2, false],
    ["spans", 1, 1, true],
    ["reply", 1, 2, true],
  ] as const)(
    "by %s of %d to %d, while the server was given version 2, is uncertain: %s",
    (naming, first, last, uncertain) => {
      const { state, server, end } = start({ server: repliedServer() });
      server.beginChange();
      state.current = 2;
      server.given(2);
      server.endChange(false);
      expect(end({ naming, first, last })).toBe(uncertain);
    },
  );

  it("is certain if the server had the version that it was given", () => {
    const { server, end } = start({ server: repliedServer() });
    server.beginChange();
    server.endChange(true);
    expect(end({ naming: "spans", first: 0, last: 1 })).toBe(false);
  });

  it.each([
    [true, true],
    [false, false],
  ])("and then says `default`, is uncertain if it had named one (%s): %s", (hasNamed, uncertain) => {
    const server = hasNamed ? repliedServer() : new ServerVersions();
    expect(start({ server }).end({ naming: "none", saysDefault: true })).toBe(uncertain);
    expect(server.last).toBeNull();
  });
});

describe("a server", () => {
  it("is streamed from after a reply that a stream would have shown more exactly, unless it names spans", () => {
    const server = repliedServer();
    const first = start({ server });
    first.state.current = 2;
    first.end();
    expect(server.isStreamed).toBe(true);
    start({ server }).end({ naming: "spans", first: 1, last: 1 });
    expect(server.isStreamed).toBe(false);
  });

  it("is not judged by its first reply, which tells what it names", () => {
    const server = new ServerVersions();
    const { state, end } = start({ server });
    state.current = 2;
    expect([end(), server.isStreamed]).toEqual([true, false]);
  });

  it("stays as it was after a reply that is certain", () => {
    const server = repliedServer();
    start({ server }).end({ first: 1, last: 1 });
    expect([server.isStreamed, server.last, server.changes]).toEqual([false, 1, 0]);
    start({ server }).end();
    // A reply without a version, as of an adapter or an aborted request.
    expect(server.last).toBe(1);
  });
});

describe("a reply of an adapter", () => {
  it("has its version, whatever the current one is", () => {
    const { state, versions, hold, part, end } = start();
    versions.fix(7);
    expect([versions.first, part(1)]).toEqual([7, 7]);
    hold.close("abort");
    state.current = 2;
    hold.open();
    expect([versions.first, part(2), end()]).toEqual([7, 7, false]);
  });

  it("has its version in place of texts, and is uncertain if the engine names an integer", () => {
    const { generation, labels, server, versions, end } = start();
    versions.fix(7);
    generation.append(Int32Array.of(5, 6), Float32Array.of(-1, -1), Int32Array.of(-2, -3));
    expect(end({ labels: ["a", "b"], last: -3 })).toBe(false);
    expect(Array.from(generation.versions())).toEqual([7, 7]);
    expect([labels.known.highest, server.last, server.hasNamed]).toEqual([-1, null, false]);
    const other = start();
    other.versions.fix(7);
    expect(other.end({ highest: 5, last: 5 })).toBe(true);
  });
});
