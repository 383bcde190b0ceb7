import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, test, vi } from "vitest";
import { ExportLeases } from "../../../src/session/export/export-leases.js";
import { Lifecycle } from "../../../src/session/lifecycle.js";
import type { Session } from "../../../src/session/session.js";

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;

/** A session as leases see it, with its export held. */
function heldSession(): Session {
  const lifecycle = new Lifecycle();
  lifecycle.end();
  lifecycle.beginExport();
  lifecycle.endExport("held");
  return { lifecycle } as Session;
}

function leasesOf(seal: (sessions: readonly Session[]) => void): ExportLeases {
  return new ExportLeases({ seal, *all() {}, byNumber: () => undefined, numberOf: () => undefined });
}

test.each([{ shards: 1 }, { shards: 3 }])("taken exports keep no session in memory (%o)", async ({ shards }) => {
  // As without retention: the first shard that is taken frees the session.
  const leases = leasesOf((sessions) => {
    for (const { lifecycle } of sessions) lifecycle.free("exported");
  });
  const grantAndTake = (): WeakRef<Session> => {
    const session = heldSession();
    const parts = Array.from({ length: shards }, (_, shard) => ({ shards, shard }));
    for (const part of parts) leases.grant([session], { milliseconds: 60_000, id: `b-${part.shard}`, part });
    for (const { shard } of parts) expect(leases.take(`b-${shard}`)).toBe(true);
    return new WeakRef(session);
  };
  const session = grantAndTake();
  expect(leases.size).toBe(0);
  // Code that V8 is compiling for other tests may hold an object for some collections.
  await vi.waitFor(() => {
    collect();
    expect(session.deref() === undefined).toBe(true);
  });
});
