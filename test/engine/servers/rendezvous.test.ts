import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { rendezvousOrder } from "../../../src/engine/servers/pool/rendezvous.js";

const urls = fc.uniqueArray(fc.webUrl(), { minLength: 1, maxLength: 12 });
const key = fc.string();

describe("rendezvousOrder", () => {
  it("contains every candidate once, independent of their order", () => {
    fc.assert(
      fc.property(urls, key, (candidates, session) => {
        const order = rendezvousOrder(session, candidates);
        expect(order.toSorted()).toEqual(candidates.toSorted());
        expect(rendezvousOrder(session, candidates.toReversed())).toEqual(order);
      }),
    );
  });

  it("moves only the keys of a removed candidate, each to the next in its order", () => {
    fc.assert(
      fc.property(urls, key, fc.nat(), (candidates, session, choice) => {
        const gone = candidates[choice % candidates.length];
        const before = rendezvousOrder(session, candidates);
        const after = rendezvousOrder(
          session,
          candidates.filter((url) => url !== gone),
        );
        expect(after).toEqual(before.filter((url) => url !== gone));
      }),
    );
  });

  it("moves keys only to an added candidate, none between the others", () => {
    fc.assert(
      fc.property(urls, key, (candidates, session) => {
        const [first] = rendezvousOrder(session, candidates);
        const [now] = rendezvousOrder(session, [...candidates, "http://new"]);
        expect(now === first || now === "http://new").toBe(true);
      }),
    );
  });

  it("spreads keys evenly, including those of a removed candidate", () => {
    const keys = Array.from({ length: 3000 }, (_, index) => `task-${index}`);
    const orders = keys.map((session) => rendezvousOrder(session, ["http://a", "http://b", "http://c", "http://d"]));
    for (const url of ["http://a", "http://b", "http://c"]) {
      expect(Math.abs(orders.filter(([first]) => first === url).length - 750)).toBeLessThan(110);
      const heirs = orders.filter(([first, second]) => first === "http://d" && second === url);
      expect(Math.abs(heirs.length - 250)).toBeLessThan(70);
    }
  });
});
