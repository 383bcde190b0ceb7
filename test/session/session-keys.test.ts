import { expect, it } from "vitest";
import { Exporter } from "../../src/session/export/exporter.js";
import type { Session } from "../../src/session/session.js";
import type { SessionRegistry } from "../../src/session/session-registry.js";
import { hashText } from "../../src/support/hash-text.js";
import { registryOf, TIMEOUT_MILLISECONDS } from "./support/registry.js";

const KEY = "my-own-session-key-1";

/** A session that ended, and a newer one that was started with the same key. */
function startTwice(): { registry: SessionRegistry; older: Session; newer: Session } {
  const registry = registryOf();
  const older = registry.start({ apiKey: KEY }).session;
  older.end();
  const newer = registry.start({ apiKey: KEY }).session;
  return { registry, older, newer };
}

it("finds the newer session by a key that was used again", () => {
  const { registry, newer } = startTwice();
  expect(registry.byKeyHash(hashText(KEY))).toBe(newer);
});

it.each([
  [
    "exported",
    ({ id }: Session, registry: SessionRegistry) =>
      new Exporter(registry).one(id, { waitMilliseconds: 0, drainMilliseconds: 0 }, async () => "packed"),
  ],
  ["deleted", ({ id }: Session, registry: SessionRegistry) => registry.delete(id)],
  [
    "expired",
    async (older: Session, registry: SessionRegistry) => {
      older.lastAccessAt = Date.now() - TIMEOUT_MILLISECONDS;
      registry.sweep();
    },
  ],
])("keeps a key that was used again when the older session is %s", async (_, finish) => {
  const { registry, older, newer } = startTwice();
  await finish(older, registry);
  expect(older.state).not.toBe("ended");
  expect(registry.byKeyHash(hashText(KEY))).toBe(newer);
});

it("revokes a key that was used again when the newer session is exported", async () => {
  const { registry, newer } = startTwice();
  newer.end();
  registry.seal([newer]);
  expect(registry.byKeyHash(hashText(KEY))).toBeUndefined();
});
