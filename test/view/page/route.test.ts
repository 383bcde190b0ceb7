import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { RANGE_KEYS, VALUE_KEYS } from "../../../src/view/page/state/fields.js";
import { episodeLink, formatRoute, parseRoute, queryOf, type Route } from "../../../src/view/page/state/route.js";

const text = fc.string({ unit: "grapheme", minLength: 1 });
const number = fc.integer({ min: -1000, max: 1000 }).map((value) => value / 8);
const range = fc.tuple(number, number).map(([a, b]) => ({ low: Math.min(a, b), high: Math.max(a, b) }));
const subset = <T>(keys: readonly string[], value: fc.Arbitrary<T>): fc.Arbitrary<Record<string, T>> =>
  fc.dictionary(fc.constantFrom(...keys), value, { noNullPrototype: true });
const query = fc.record({
  filters: fc.record(
    { text, ranges: subset(RANGE_KEYS, range), values: subset(VALUE_KEYS, text) },
    { requiredKeys: ["ranges", "values"] },
  ),
  sort: fc.record({ key: fc.constantFrom("index" as const, ...RANGE_KEYS, ...VALUE_KEYS), descending: fc.boolean() }),
});
const index = fc.nat(999_999);
const route: fc.Arbitrary<Route> = fc.oneof(
  fc.constant<Route>({ view: "overview" }),
  fc.constant<Route>({ view: "groups" }),
  query.map((list): Route => ({ view: "episodes", ...list })),
  fc
    .tuple(query, index, fc.option(index))
    .map(([list, episode, interaction]): Route => ({ view: "episode", episode, interaction, ...list })),
  fc.tuple(query, index, index).map(([list, left, right]): Route => ({ view: "compare", left, right, ...list })),
);

describe("the address of a view", () => {
  it("is read as it was written", () => {
    fc.assert(
      fc.property(route, (value) => {
        expect(parseRoute(formatRoute(value))).toEqual(value);
      }),
    );
  });

  it("has filters and order in readable words", () => {
    const address = "#/episodes?q=nested+lists&status=accepted&reward=0.5..1&sort=-reward";
    expect(formatRoute(parseRoute(address))).toBe(address);
  });

  it.each(["", "#", "#/nowhere", "#/episodes/x", "#/episodes/-1", "#/compare/1", "#/episodes/99999999999"])(
    "%j is the overview",
    (fragment) => {
      expect(parseRoute(fragment)).toEqual({ view: "overview" });
    },
  );

  it("opens an episode from any other view, with the same filters and order", () => {
    fc.assert(
      fc.property(route, index, (value, episode) => {
        const list = queryOf(value);
        const expected = { view: "episode", episode, interaction: null, ...list };
        expect(parseRoute(episodeLink(episode, { ...value, ...list }))).toEqual(expected);
      }),
    );
  });

  it("ignores unknown filters", () => {
    expect(formatRoute(parseRoute("#/episodes?reward=high&nothing=1&__proto__=2&sort=nothing"))).toBe("#/episodes");
  });
});
