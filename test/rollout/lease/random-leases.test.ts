import fc from "fast-check";
import { expect, it } from "vitest";
import { type EndedLease, type Lease, TaskLeases } from "../../../src/rollout/lease/task-leases.js";

const LEASE_MS = 10;
const WORKERS = ["a", "b", "c"];
const NO_LEASE: Lease = { id: "none", task: 0, attempt: 1, worker: "a" };

/** What happened to a lease, in order. The model derives everything else from these events. */
type Event =
  | { readonly kind: "leased"; readonly lease: Lease; readonly at: number }
  | { readonly kind: "renewed"; readonly id: string; readonly at: number }
  | { readonly kind: "announced"; readonly id: string; readonly session: string }
  | { readonly kind: "ended"; readonly id: string; readonly how: "lost" | "given back" | "reported" | "removed" };

/** The obvious model: a list of events, which is searched for every question. */
class Model {
  readonly events: Event[] = [];
  readonly added = new Set<number>();
  readonly removed = new Set<number>();
  /** Tasks that ended and were added again, because their sessions were lost. */
  readonly reopened: { task: number; at: number }[] = [];

  leases(): Lease[] {
    return this.events.flatMap((event) => (event.kind === "leased" ? [event.lease] : []));
  }

  endOf(id: string): string | undefined {
    const end = this.events.find((event) => event.kind === "ended" && event.id === id);
    return end?.kind === "ended" ? end.how : undefined;
  }

  isHeld(id: string): boolean {
    return this.leases().some((lease) => lease.id === id) && this.endOf(id) === undefined;
  }

  /** Lost attempts of a task, including accepted ones whose sessions were lost. */
  losses(task: number): number {
    const lost = this.leases().filter((lease) => lease.task === task && this.endOf(lease.id) === "lost").length;
    return lost + this.reopened.filter((each) => each.task === task).length;
  }

  /** The lease whose report counts for a task now. */
  acceptedLease(task: number): string | undefined {
    const since = this.reopened.findLast((each) => each.task === task)?.at ?? -1;
    const reported = this.events.findIndex(
      (event, i) =>
        i >= since &&
        event.kind === "ended" &&
        event.how === "reported" &&
        this.leases().some(({ id, task: of }) => id === event.id && of === task),
    );
    const event = this.events[reported];
    return event?.kind === "ended" ? event.id : undefined;
  }

  waiting(maxAttempts: number): number[] {
    return [...this.added]
      .filter((task) => !this.removed.has(task))
      .filter((task) => !this.leases().some((lease) => lease.task === task && this.isHeld(lease.id)))
      .filter((task) => this.acceptedLease(task) === undefined && this.losses(task) < maxAttempts)
      .sort((x, y) => x - y);
  }

  /** What a worker gets: the first tasks, but at most one in its last attempt, if earlier ones were lost. */
  expected(worker: string, count: number, maxAttempts: number): number[] {
    const isLast = (task: number) => this.losses(task) > 0 && this.losses(task) === maxAttempts - 1;
    const given = this.leases()
      .filter((lease) => lease.worker === worker && this.isHeld(lease.id))
      .map(({ task }) => task);
    const fresh: number[] = [];
    for (const task of this.waiting(maxAttempts)) {
      if (fresh.length === count) break;
      if (!isLast(task) || ![...given, ...fresh].some(isLast)) fresh.push(task);
    }
    return fresh;
  }

  sessions(id: string): string[] {
    return this.events.flatMap((event) => (event.kind === "announced" && event.id === id ? [event.session] : []));
  }

  lastHeard(id: string): number {
    return this.events.reduce((last, event) => {
      if (event.kind === "leased" && event.lease.id === id) return event.at;
      return event.kind === "renewed" && event.id === id ? event.at : last;
    }, 0);
  }
}

const step = fc.oneof(
  { weight: 3, arbitrary: fc.record({ do: fc.constant("add" as const), task: fc.nat(7) }) },
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant("lease" as const),
      worker: fc.nat(2),
      count: fc.integer({ min: 1, max: 3 }),
    }),
  },
  { weight: 4, arbitrary: fc.record({ do: fc.constant("announce" as const), lease: fc.nat(40) }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant("renew" as const), lease: fc.nat(40) }) },
  { weight: 6, arbitrary: fc.record({ do: fc.constant("report" as const), lease: fc.nat(40), wrong: fc.nat(9) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("giveBack" as const), lease: fc.nat(40) }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant("wait" as const), for: fc.integer({ min: 1, max: 15 }) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("loseWorker" as const), worker: fc.nat(2) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("reopen" as const), task: fc.nat(7) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("remove" as const), task: fc.nat(7) }) },
);

/** The implementation and its model, side by side. */
class World {
  readonly model = new Model();
  readonly leases: TaskLeases;
  readonly maxAttempts: number;
  now = 0;

  constructor(maxAttempts: number) {
    let ids = 0;
    this.maxAttempts = maxAttempts;
    this.leases = new TaskLeases({ leaseMilliseconds: LEASE_MS, maxAttempts }, () => `l${ids++}`);
  }

  /** Returns one of the leases so far; one that nobody ever had if there are none. */
  readonly pick = (n: number): Lease => this.model.leases().at(n % Math.max(1, this.model.leases().length)) ?? NO_LEASE;

  readonly end = (id: string, how: "lost" | "given back" | "reported" | "removed"): void => {
    this.model.events.push({ kind: "ended", id, how });
  };
}

type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;

/** Notes leases that were lost, and compares them with those of the model. */
function expectLost(
  { model, end, maxAttempts }: World,
  ended: readonly EndedLease[],
  expected: readonly Lease[],
): void {
  expect(ended.map(({ id }) => id)).toEqual(expected.map(({ id }) => id));
  for (const { id, task, sessions, exhausted } of ended) {
    end(id, "lost");
    expect(sessions).toEqual(model.sessions(id));
    expect(exhausted?.length).toBe(model.losses(task) === maxAttempts ? maxAttempts : undefined);
  }
}

type StepOf<Name extends Step["do"]> = Extract<Step, { do: Name }>;

/** Does a step with both, and compares what they answer. */
const ACTIONS: { readonly [Name in Step["do"]]: (world: World, step: StepOf<Name>) => void } = {
  add({ leases, model }, { task }) {
    // A number is used once: a task is not added again when it is over.
    if (!model.added.has(task)) leases.add(task);
    model.added.add(task);
  },
  lease({ leases, model, maxAttempts, now }, { worker: index, count }) {
    const worker = WORKERS[index] ?? "";
    const expected = model.expected(worker, count, maxAttempts);
    const given = leases.lease(worker, count, now);
    expect(given.map(({ task }) => task)).toEqual(expected);
    for (const lease of given) {
      expect(lease).toMatchObject({ worker, attempt: model.losses(lease.task) + 1 });
      model.events.push({ kind: "leased", lease, at: now });
    }
  },
  announce({ leases, model, pick }, { lease }) {
    const { id } = pick(lease);
    const isHeld = model.isHeld(id);
    const session = `s${model.events.length}`;
    expect(leases.announce(id, session)).toBe(isHeld);
    if (isHeld) model.events.push({ kind: "announced", id, session });
  },
  renew({ leases, model, pick, now }, { lease }) {
    const { id } = pick(lease);
    const isHeld = model.isHeld(id);
    expect(leases.renew([id], now)).toEqual(isHeld ? [] : [id]);
    if (isHeld) model.events.push({ kind: "renewed", id, at: now });
  },
  report({ leases, model, pick, end }, { lease, wrong }) {
    const { id, task, attempt } = pick(lease);
    const isRepeated = !model.removed.has(task) && model.acceptedLease(task) === id;
    const right = isRepeated ? "repeated" : model.isHeld(id) ? "accepted" : "refused";
    const outcome = leases.report({ leaseId: id, task, attempt: wrong === 0 ? attempt + 1 : attempt });
    expect(outcome).toBe(wrong === 0 ? "refused" : right);
    if (outcome === "accepted") end(id, "reported");
  },
  giveBack({ leases, model, pick, end }, { lease }) {
    const { id } = pick(lease);
    const isHeld = model.isHeld(id);
    expect(leases.giveBack(id)?.sessions).toEqual(isHeld ? model.sessions(id) : undefined);
    if (isHeld) end(id, "given back");
  },
  wait(world, { for: time }) {
    world.now += time;
    const { leases, model, now } = world;
    const late = model.leases().filter(({ id }) => model.isHeld(id) && model.lastHeard(id) + LEASE_MS <= now);
    expectLost(world, leases.expire(now), late);
  },
  loseWorker(world, { worker: index }) {
    const { leases, model } = world;
    const worker = WORKERS[index] ?? "";
    const its = model.leases().filter((lease) => model.isHeld(lease.id) && lease.worker === worker);
    expectLost(world, leases.loseWorker(worker, "it ended"), its);
  },
  reopen({ leases, model, maxAttempts }, { task }) {
    if (model.removed.has(task) || model.acceptedLease(task) === undefined) return;
    model.reopened.push({ task, at: model.events.length });
    const losses = [...leases.losses(task), "lost"];
    expect(losses).toHaveLength(model.losses(task));
    leases.remove(task);
    if (losses.length < maxAttempts) leases.add(task, losses);
  },
  remove({ leases, model, end }, { task }) {
    if (!model.added.has(task)) return;
    const held = model.leases().find(({ id, task: its }) => its === task && model.isHeld(id));
    expect(leases.remove(task)?.id).toBe(held?.id);
    if (held) end(held.id, "removed");
    model.removed.add(task);
  },
};

it("behaves like a list of events after any sequence of calls, and accepts one run of each task", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 3 }), fc.array(step, { maxLength: 120 }), (maxAttempts, steps) => {
      const world = new World(maxAttempts);
      const { model, leases } = world;
      for (const each of steps) {
        ACTIONS[each.do](world, each as never);
        expect(leases.waiting).toBe(model.waiting(maxAttempts).length);
        expect(leases.leased).toBe(model.leases().filter(({ id }) => model.isHeld(id)).length);
      }
      // Whatever happened, no task has two runs that count.
      for (const task of model.added) {
        const reported = model.leases().filter((lease) => lease.task === task && model.endOf(lease.id) === "reported");
        const reopened = model.reopened.filter((each) => each.task === task).length;
        expect(reported.length).toBeLessThanOrEqual(reopened + 1);
      }
    }),
    { numRuns: 400 },
  );
});
