import { describe, expect, it } from "vitest";
import { AnnouncedVersion } from "../../src/job/announced-version.js";
import { HeldProxy } from "./held-proxy.js";
import { settled } from "./held-workflow.js";

const SET = "/rl/set_version";

function start(initial: number | undefined) {
  const proxy = new HeldProxy();
  return { proxy, announced: new AnnouncedVersion(proxy.engine, initial) };
}

describe("the version that is announced at the start", () => {
  it("is sent once, however many callers wait for it, and again after a failure", async () => {
    const { proxy, announced } = start(5);
    const settling = Promise.allSettled([announced.settle(), announced.settle()]);
    await settled();
    expect(proxy.calls).toEqual([[SET, { version: 5 }]]);
    await proxy.answer(500);
    expect(await settling).toMatchObject([{ status: "rejected" }, { status: "rejected" }]);
    expect(announced.settled).toBe(false);
    const again = announced.settle();
    await settled();
    expect([announced.settled, proxy.calls.length]).toEqual([false, 2]);
    await proxy.answer();
    await again;
    expect(announced.settled).toBe(true);
    await announced.settle();
    expect(proxy.calls).toHaveLength(2);
  });

  it("is not sent if the proxy has the right one", async () => {
    const { proxy, announced } = start(undefined);
    expect(announced.settled).toBe(true);
    await announced.settle();
    expect(proxy.calls).toEqual([]);
  });

  it.each([200, 500])("arrives before a later one, and if it fails, the later one is enough (%i)", async (status) => {
    const { proxy, announced } = start(5);
    const settling = announced.settle().catch(() => "failed");
    const later = announced.announce(6);
    await settled();
    expect(proxy.calls).toEqual([[SET, { version: 5 }]]);
    await proxy.answer(status);
    expect(await settling).toBe(status === 200 ? undefined : "failed");
    expect(proxy.calls.slice(1)).toEqual([[SET, { version: 6 }]]);
    await proxy.answer();
    await later;
    expect(announced.settled).toBe(true);
  });

  it.each([200, 500])("arrives before weights, which have a version too (%i)", async (status) => {
    const { proxy, announced } = start(5);
    const settling = announced.settle().catch(() => "failed");
    const loading = announced.load({ version: 1, path: "/w" }, { exclude: ["http://e"] });
    await settled();
    expect(proxy.calls).toHaveLength(1);
    await proxy.answer(status);
    await settling;
    expect(proxy.calls.slice(1)).toMatchObject([["/rl/weights", { version: 1, path: "/w", exclude: ["http://e"] }]]);
    expect(announced.settled).toBe(status === 200);
    await proxy.answer();
    await loading;
    expect(announced.settled).toBe(true);
  });

  it("is still to be sent if a later one, or weights, fail", async () => {
    const { proxy, announced } = start(5);
    const announcing = announced.announce(6).catch(() => "failed");
    await settled();
    await proxy.answer(500);
    expect([await announcing, announced.settled]).toEqual(["failed", false]);
    const loading = announced.load({ version: 6, path: "/w" }, {}).catch(() => "failed");
    await settled();
    await proxy.answer(500);
    expect([await loading, announced.settled]).toEqual(["failed", false]);
  });
});
