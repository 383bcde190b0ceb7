import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Attempt, identifyRequest, isUnique } from "../../../src/session/delivery/attempt.js";
import { RequestAttempts } from "../../../src/session/delivery/attempts.js";
import { Delivery } from "../../../src/session/delivery/delivery.js";

/** Two requests without an `idempotency-key`, and one with it. */
const REQUESTS = ["a", "b", identifyRequest("c", "key")] as const;

/** An event for one of the attempts so far. `which` selects the attempt, modulo their number. */
type Step =
  | { readonly kind: "begin"; readonly request: (typeof REQUESTS)[number]; readonly retryCount: number }
  | { readonly kind: "record" | "fail" | "lose" | "continue" | "reward" | "refer"; readonly which: number };

const randomStep: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant("begin" as const),
      request: fc.constantFrom(...REQUESTS),
      retryCount: fc.constantFrom(0, 0, 0, 1, 1, 2, 3),
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constantFrom(
        ...(["record", "record", "record", "fail", "lose", "lose", "continue", "reward", "refer"] as const),
      ),
      which: fc.nat(),
    }),
  },
);

/** An attempt that arrives late precedes the older of two attempts with one retry count, also if that one was paired in between. */
const TWO_WITH_ONE_COUNT: Step[] = [
  { kind: "begin", request: REQUESTS[2], retryCount: 1 },
  { kind: "begin", request: REQUESTS[2], retryCount: 3 },
  { kind: "begin", request: REQUESTS[2], retryCount: 1 },
  { kind: "record", which: 0 },
  { kind: "fail", which: 0 },
  { kind: "begin", request: REQUESTS[2], retryCount: 0 },
  { kind: "record", which: 1 },
  { kind: "continue", which: 0 },
];

/** An attempt with everything that happened to it. */
interface ModelledAttempt {
  readonly request: string;
  readonly retryCount: number;
  readonly real: Attempt;
  state: "running" | "failed" | "recorded";
  /** Index of its interaction. The greatest index is the newest. */
  index: number;
  lost: boolean;
  children: number;
  ownReward: number | undefined;
  referenced: boolean;
  /** The attempt that it repeats: a known one, one that failed, or none. */
  repeats: ModelledAttempt | "failed" | undefined;
}

/** The rules in a plain form: a list of all attempts that is searched each time. */
class Model {
  readonly attempts: ModelledAttempt[] = [];
  /** Failed attempts that no retry repeats. */
  readonly failed: ModelledAttempt[] = [];

  begin(request: string, retryCount: number, real: Attempt): void {
    const later = isUnique(request) ? this.#findLater(request, retryCount) : undefined;
    const repeats = later ? later.repeats : retryCount > 0 ? this.#findRepeated(request, retryCount) : undefined;
    const fresh = {
      state: "running",
      index: -1,
      lost: false,
      children: 0,
      ownReward: undefined,
      referenced: false,
    } as const;
    const attempt = { request, retryCount, real, ...fresh, repeats };
    this.attempts.push(attempt);
    if (later) later.repeats = attempt;
  }

  fail(attempt: ModelledAttempt): void {
    attempt.state = "failed";
    const retry = this.findRetry(attempt);
    if (retry) retry.repeats = attempt.repeats ?? "failed";
    else if (!isUnique(attempt.request) && typeof attempt.repeats !== "object") this.failed.push(attempt);
    attempt.repeats = undefined;
  }

  findRetry(attempt: ModelledAttempt): ModelledAttempt | undefined {
    return this.attempts.find((each) => each.repeats === attempt);
  }

  leftOut(attempt: ModelledAttempt): "undelivered" | "retried" | undefined {
    if (attempt.children > 0 || attempt.ownReward !== undefined || attempt.referenced) return undefined;
    if (attempt.lost) return "undelivered";
    return this.#isContinued(this.findRetry(attempt)) ? "retried" : undefined;
  }

  #isContinued(attempt: ModelledAttempt | undefined): boolean {
    return attempt !== undefined && (attempt.children > 0 || this.#isContinued(this.findRetry(attempt)));
  }

  /** Finds the attempt that a late one precedes: that with the next higher retry count. */
  #findLater(request: string, retryCount: number): ModelledAttempt | undefined {
    const present = this.attempts.filter((each) => each.request === request && each.state !== "failed");
    if (present.some((each) => each.retryCount === retryCount)) return undefined;
    const later = present.filter((each) => each.retryCount > retryCount);
    return later.sort((a, b) => a.retryCount - b.retryCount)[0];
  }

  #findRepeated(request: string, retryCount: number): ModelledAttempt | "failed" | undefined {
    const isOther = (each: ModelledAttempt) =>
      each.state === "recorded" && !isUnique(request) && this.leftOut(each) !== "undelivered";
    const free = this.attempts.filter(
      (each) => each.request === request && each.state !== "failed" && !this.findRetry(each) && !isOther(each),
    );
    const failed = this.failed.filter((each) => each.request === request);
    const counts = [...free, ...failed].map((each) => each.retryCount).filter((count) => count <= retryCount);
    const lower = counts.filter((count) => count < retryCount);
    const nearest = Math.max(...(lower.length > 0 ? lower : counts));
    const isNearest = (each: ModelledAttempt) => each.retryCount === nearest;
    const nearestFailed = failed.find(isNearest);
    if (nearestFailed) {
      this.failed.splice(this.failed.indexOf(nearestFailed), 1);
      return "failed";
    }
    const near = free.filter(isNearest);
    const recorded = near.filter(({ state }) => state === "recorded").sort((a, b) => b.index - a.index);
    const undelivered = recorded.find((each) => this.leftOut(each) === "undelivered");
    return undelivered ?? recorded[0] ?? near.find(({ state }) => state === "running");
  }
}

function select(attempts: readonly ModelledAttempt[], which: number, state: ModelledAttempt["state"]) {
  const among = attempts.filter((each) => each.state === state);
  return among[which % Math.max(among.length, 1)];
}

/** Applies one step to the model and to the delivery. The delivery reads its tree from `recorded`. */
function applyStep(step: Step, model: Model, delivery: Delivery, recorded: ModelledAttempt[]): void {
  if (step.kind === "begin") {
    const { request, retryCount } = step;
    model.begin(request, retryCount, delivery.attempts.begin(request, retryCount));
    return;
  }
  const running = step.kind === "record" || step.kind === "fail";
  const attempt = select(model.attempts, step.which, running ? "running" : "recorded");
  if (!attempt) return;
  switch (step.kind) {
    case "record":
      attempt.state = "recorded";
      attempt.index = recorded.push(attempt) - 1;
      delivery.attempts.record(attempt.real, attempt.index);
      break;
    case "fail":
      model.fail(attempt);
      delivery.attempts.fail(attempt.real);
      break;
    case "lose":
      attempt.lost = true;
      delivery.closedEarly(attempt.index);
      break;
    case "continue":
      attempt.children++;
      break;
    case "reward":
      attempt.ownReward = 0;
      break;
    case "refer":
      attempt.referenced = true;
      delivery.referTo(attempt.index);
  }
}

function createDelivery(recorded: readonly ModelledAttempt[]): Delivery {
  return new Delivery((index) => {
    const attempt = recorded[index];
    if (!attempt) throw new RangeError(`no interaction ${index}`);
    return attempt;
  });
}

describe("Delivery with random attempts at two requests", () => {
  it("leaves out the same interactions as a model that searches all attempts", () => {
    const property = fc.property(fc.array(randomStep, { maxLength: 60, size: "max" }), (steps) => {
      const model = new Model();
      const recorded: ModelledAttempt[] = [];
      const delivery = createDelivery(recorded);
      for (const step of steps) {
        applyStep(step, model, delivery, recorded);
        const expected = recorded.map((attempt) => model.leftOut(attempt));
        expect(recorded.map((_, index) => delivery.leftOut(index))).toEqual(expected);
        expect(delivery.allLeftOut()).toEqual(
          expected.flatMap((reason, index) => (reason === undefined ? [] : [{ index, reason }])),
        );
      }
    });
    fc.assert(property, { numRuns: 500, examples: [[TWO_WITH_ONE_COUNT]] });
  });
});

describe("RequestAttempts", () => {
  const recordedDelivery = () => {
    const children: number[] = [];
    let asked = 0;
    const delivery = new Delivery((index) => {
      asked++;
      return { children: children[index] ?? 0, ownReward: undefined };
    });
    return { delivery, children, asked: () => asked };
  };

  it("examines each attempt of a long chain of retries once", () => {
    const { delivery, children, asked } = recordedDelivery();
    const length = 20_000;
    const request = identifyRequest("a", "key");
    for (let index = 0; index < length; index++) {
      delivery.attempts.record(delivery.attempts.begin(request, index > 0 ? 1 : 0), index);
    }
    const before = asked();
    expect(delivery.allLeftOut()).toEqual([]);
    children[length - 1] = 1;
    expect(delivery.allLeftOut()).toHaveLength(length - 1);
    expect(asked() - before).toBeLessThan(5 * length);
  });

  it("examines no attempt that was delivered and not repeated", () => {
    const { delivery, asked } = recordedDelivery();
    for (let index = 0; index < 1000; index++) {
      delivery.attempts.record(delivery.attempts.begin("a", 0), index);
    }
    expect(delivery.allLeftOut()).toEqual([]);
    expect(asked()).toBe(0);
  });

  it("remembers at most 16 failed attempts of one request", () => {
    const { delivery, children } = recordedDelivery();
    const { attempts } = delivery;
    attempts.record(attempts.begin("a", 0), 0);
    delivery.closedEarly(0);
    for (let i = 0; i < 20; i++) attempts.fail(attempts.begin("a", 0));
    for (let retry = 1; retry <= 16; retry++) {
      attempts.record(attempts.begin("a", 1), retry);
      children[retry] = 1;
    }
    expect(attempts.repeated.size).toBe(0);
    attempts.record(attempts.begin("b", 1), 17);
    expect(attempts.repeated.size).toBe(0);
    attempts.begin("a", 1);
    expect(attempts.repeated.size).toBe(1);
  });

  it("forgets the failed attempts of the oldest of more than 1,024 requests", () => {
    const { delivery } = recordedDelivery();
    const { attempts } = delivery;
    const isForgotten = (request: string) => {
      const index = attempts.repeated.size;
      attempts.record(attempts.begin(request, 0), index);
      delivery.closedEarly(index);
      const before = attempts.repeated.size;
      attempts.begin(request, 1);
      return attempts.repeated.size > before;
    };
    for (let i = 0; i <= 1024; i++) attempts.fail(attempts.begin(`request-${i}`, 0));
    expect([isForgotten("request-0"), isForgotten("request-1"), isForgotten("request-1024")]).toEqual([
      true,
      false,
      false,
    ]);
  });

  it("tells of a recorded attempt once the first of its retries is recorded, in whichever order they are", () => {
    const repeated: number[] = [];
    const attempts = new RequestAttempts(
      () => true,
      (interaction) => repeated.push(interaction),
    );
    const [first, retry] = [attempts.begin("a", 0), attempts.begin("a", 1)];
    attempts.record(first, 0);
    expect([attempts.repeatedBy(0), repeated]).toEqual([undefined, []]);
    attempts.record(retry, 1);
    expect([attempts.repeatedBy(0), attempts.repeatedBy(1), repeated]).toEqual([1, undefined, [0]]);
    const [late, early] = [attempts.begin("b", 0), attempts.begin("b", 1)];
    attempts.record(early, 2);
    expect(repeated).toEqual([0]);
    attempts.record(late, 3);
    expect([attempts.repeatedBy(3), repeated]).toEqual([2, [0, 3]]);
    const [zeroth, , second] = [0, 1, 2].map((retryCount) => attempts.begin("c", retryCount));
    for (const [index, attempt] of [zeroth, second].entries()) if (attempt) attempts.record(attempt, 4 + index);
    expect([attempts.repeatedBy(4), repeated]).toEqual([5, [0, 3, 4]]);
  });

  it("has no retry of an attempt whose retry failed, until there is another", () => {
    const attempts = new RequestAttempts(() => true);
    const [first, failed] = [attempts.begin("a", 0), attempts.begin("a", 1)];
    attempts.record(first, 0);
    attempts.fail(failed);
    expect([attempts.repeatedBy(0), attempts.hasFailed]).toEqual([undefined, false]);
    attempts.record(attempts.begin("a", 2), 1);
    expect([attempts.repeatedBy(0), [...attempts.repeated.keys()]]).toEqual([1, [0]]);
    attempts.clear();
    expect([attempts.repeatedBy(0), attempts.repeated.size]).toEqual([undefined, 0]);
    attempts.record(attempts.begin("a", 3), 2);
    expect(attempts.repeated.size).toBe(0);
  });

  it("goes on with the attempts of an earlier process", () => {
    const repeated: number[] = [];
    const attempts = new RequestAttempts(
      () => true,
      (interaction) => repeated.push(interaction),
    );
    const stored = { retryCount: 0, answered: false, repeatedBy: undefined, referenced: false };
    const keyed = identifyRequest("c", "key");
    attempts.restore([
      { ...stored, request: "a", repeatedBy: 1 },
      { ...stored, request: "a", retryCount: 1 },
      { ...stored, request: "b", answered: true },
      { ...stored, request: keyed, answered: true },
      { ...stored, request: undefined },
    ]);
    expect([0, 1, 2, 3, 4].map((index) => attempts.repeatedBy(index))).toEqual([1, ...Array(4).fill(undefined)]);
    const requests = [
      ["a", 2],
      ["b", 1],
      [keyed, 1],
      ["", 1],
    ] as const;
    for (const [index, [request, retryCount]] of requests.entries()) {
      attempts.record(attempts.begin(request, retryCount), 5 + index);
    }
    expect([0, 1, 2, 3, 4].map((index) => attempts.repeatedBy(index))).toEqual([1, 5, undefined, 7, undefined]);
    expect(repeated).toEqual([1, 3]);
  });

  it("pairs a retry with the oldest of the attempts that are still running", () => {
    const attempts = new RequestAttempts(() => true);
    const [oldest, second, third] = [0, 1, 2].map(() => attempts.begin("a", 0));
    const retries = [0, 1, 2].map(() => attempts.begin("a", 1));
    expect(retries.map(({ earlier }) => earlier)).toEqual([oldest, second, third]);
  });

  it("pairs a retry with the newest recorded attempt, one that is undelivered first", () => {
    const undelivered = new Set([0]);
    const attempts = new RequestAttempts((interaction) => undelivered.has(interaction));
    const request = identifyRequest("a", "key");
    const recorded = [0, 1, 2].map((index) => {
      const attempt = attempts.begin(request, 0);
      attempts.record(attempt, index);
      return attempt;
    });
    const running = attempts.begin(request, 0);
    const retries = [0, 1, 2, 3].map(() => attempts.begin(request, 1));
    expect(retries.map(({ earlier }) => earlier)).toEqual([recorded[0], recorded[2], recorded[1], running]);
  });
});
