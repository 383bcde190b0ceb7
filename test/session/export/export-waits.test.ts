import { setImmediate as nextTurn } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { Exporter } from "../../../src/session/export/exporter.js";
import type { Session } from "../../../src/session/session.js";
import type { SessionRegistry } from "../../../src/session/session-registry.js";
import { registryOf, TIMEOUT_MILLISECONDS } from "../support/registry.js";

const HOUR = 3_600_000;
const WAITS = { waitMilliseconds: HOUR, drainMilliseconds: HOUR };

/** Returns a function that reads the state of an export: its error code, what it packed, or "waiting". */
function follow(exporting: Promise<string>): () => string {
  let outcome = "waiting";
  exporting.then(
    (packed) => (outcome = packed),
    ({ code }: { code: string }) => (outcome = code),
  );
  return () => outcome;
}

/** Starts an export that waits for its active session. Returns it with a function that reads the state of the export. */
function waitingExport(signal?: AbortSignal): { registry: SessionRegistry; session: Session; outcome: () => string } {
  const registry = registryOf();
  const { session } = registry.start({});
  const waits = signal ? { ...WAITS, signal } : WAITS;
  const outcome = follow(new Exporter(registry).one(session.id, waits, async () => "packed"));
  return { registry, session, outcome };
}

describe("an export that waits for an active session", () => {
  it("goes on waiting while the session is active", async () => {
    const { outcome } = waitingExport();
    await nextTurn();
    expect(outcome()).toBe("waiting");
  });

  it("packs the session as soon as it ends", async () => {
    const { session, outcome } = waitingExport();
    session.end();
    await nextTurn();
    expect(outcome()).toBe("packed");
  });

  it("is refused as soon as the session expires", async () => {
    const { registry, outcome } = waitingExport();
    registry.sweep(Date.now() + TIMEOUT_MILLISECONDS + 1);
    await nextTurn();
    expect(outcome()).toBe("session_expired");
  });

  it("is refused as soon as the session is deleted", async () => {
    const { registry, session, outcome } = waitingExport();
    await registry.delete(session.id);
    await nextTurn();
    expect(outcome()).toBe("session_expired");
  });

  it("is refused as soon as its caller disconnects", async () => {
    const caller = new AbortController();
    const { outcome } = waitingExport(caller.signal);
    caller.abort();
    await nextTurn();
    expect(outcome()).toBe("session_active");
  });
});
