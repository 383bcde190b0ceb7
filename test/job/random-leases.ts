import fc from "fast-check";
import { expect } from "vitest";
import type { JobDatabase } from "../../src/job/database.js";
import type { JobChange, JobStore } from "../../src/job/job-store.js";
import type { WireReport } from "../../src/rollout/lease/protocol.js";
import { openTestStore } from "./open-test-store.js";

const LEASE_MS = 10;
const WORKERS = ["a", "b", "c"];

interface Lease {
  readonly id: string;
  readonly task: number;
  /** Number of this run of the task, from 1. */
  readonly attempt: number;
  readonly worker: string;
}

const NO_LEASE: Lease = { id: "none", task: 0, attempt: 1, worker: "a" };

/** An event in the life of a lease. The model derives everything else from the list of events. */
type Event =
  | { readonly kind: "leased"; readonly lease: Lease; readonly at: number }
  | { readonly kind: "renewed"; readonly id: string; readonly at: number }
  | { readonly kind: "announced"; readonly id: string; readonly session: string }
  | { readonly kind: "ended"; readonly id: string; readonly how: "lost" | "given back" | "reported" };

/** The obvious model: a list of events, which is searched for every question. */
class Model {
  readonly events: Event[] = [];
  readonly added = new Set<number>();
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
      .filter((task) => !this.leases().some((lease) => lease.task === task && this.isHeld(lease.id)))
      .filter((task) => this.acceptedLease(task) === undefined && this.losses(task) < maxAttempts)
      .sort((x, y) => x - y);
  }

  /** The tasks that a worker gets: the first ones, but at most one in its last attempt, if earlier ones were lost. */
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
  { weight: 1, arbitrary: fc.record({ do: fc.constant("restart" as const) }) },
);

/** The changes of a store since they were cleared. */
class Changes {
  readonly lost: JobChange["lost"][number][] = [];
  readonly unwanted: string[] = [];
  readonly lostLeases: string[] = [];
  readonly ended: number[] = [];

  readonly add = (change: JobChange): void => {
    this.lost.push(...change.lost);
    this.unwanted.push(...change.unwanted);
    this.lostLeases.push(...change.lostLeases);
    this.ended.push(...change.ended.map(({ index }) => index));
  };

  clear(): void {
    for (const list of [this.lost, this.unwanted, this.lostLeases, this.ended]) list.length = 0;
  }
}

/** The implementation and its model, side by side. */
class World {
  readonly model = new Model();
  readonly maxAttempts: number;
  readonly changes = new Changes();
  readonly #database: JobDatabase;
  store!: JobStore;
  now = 0;

  private constructor(maxAttempts: number, database: JobDatabase) {
    this.maxAttempts = maxAttempts;
    this.#database = database;
  }

  static async create(maxAttempts: number, database: JobDatabase): Promise<World> {
    const world = new World(maxAttempts, database);
    await world.restart();
    return world;
  }

  /** Goes on as another process, after which everything that was to be deleted is deleted. */
  async restart(): Promise<void> {
    const options = { leaseMilliseconds: LEASE_MS, maxAttempts: this.maxAttempts, resume: true };
    this.store = await openTestStore(options, this.#database);
    await this.store.begin(this.changes.add);
    for (const session of this.changes.unwanted) await this.store.removed({ session });
    for (const lease of this.changes.lostLeases) await this.store.removed({ lease });
    this.changes.clear();
  }

  /** Returns one of the leases so far; one that nobody ever had if there are none. */
  readonly pick = (n: number): Lease => this.model.leases().at(n % Math.max(1, this.model.leases().length)) ?? NO_LEASE;

  readonly end = (id: string, how: "lost" | "given back" | "reported"): void => {
    this.model.events.push({ kind: "ended", id, how });
  };
}

/** Compares what the store wants to be deleted after leases have ended, and what it tells of lost attempts. */
function expectEnded(
  { changes, model, end, maxAttempts }: World,
  leases: readonly Lease[],
  how: "lost" | "given back",
): void {
  expect(changes.lostLeases).toEqual(leases.map(({ id }) => id));
  expect(changes.unwanted.toSorted()).toEqual(leases.flatMap(({ id }) => model.sessions(id)).toSorted());
  const lost = how === "lost" ? leases : [];
  expect(changes.lost.map(({ task, attempt }) => [task, attempt])).toEqual(
    lost.map(({ task, attempt }) => [task, attempt]),
  );
  for (const { id } of leases) end(id, how);
  const isOver = ({ task }: Lease) => model.losses(task) === maxAttempts;
  expect(changes.ended).toEqual(lost.filter(isOver).map(({ task }) => task));
}

type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;
type StepOf<Name extends Step["do"]> = Extract<Step, { do: Name }>;

const byTask = (a: Lease, b: Lease): number => a.task - b.task;

function reportOf({ id, task, attempt }: Lease): WireReport {
  const session = {
    session_id: `of ${id}`,
    url: "http://127.0.0.1:9",
    group_id: null,
    interaction_count: 1,
    rewards: [],
  };
  return { lease_id: id, task, attempt, result: { accepted: [session], rejected: [] } };
}

/** Does a step with both, and compares what they answer. */
const ACTIONS: { readonly [Name in Step["do"]]: (world: World, step: StepOf<Name>) => Promise<void> } = {
  async add({ store, model }, { task }) {
    model.added.add(task);
    const limits = { maxConcurrentRollouts: 99, maxStaleness: 99, consumerBatchSize: 1 };
    await store.advance({ added: [{ index: task, taskId: `${task}`, groupId: `${task}` }], limits });
  },
  async lease({ store, model, maxAttempts, now }, { worker: index, count }) {
    const worker = WORKERS[index] ?? "";
    const expected = model.expected(worker, count, maxAttempts);
    const given = await store.claim({ worker, count, maxHeld: 99, workers: 1 });
    expect(given.map((each) => each.index)).toEqual(expected);
    for (const { leaseId: id, index: task, attempt } of given) {
      expect(attempt).toBe(model.losses(task) + 1);
      model.events.push({ kind: "leased", lease: { id, task, attempt, worker }, at: now });
    }
  },
  async announce({ store, model, pick, changes }, { lease }) {
    const { id } = pick(lease);
    const isHeld = model.isHeld(id);
    const session = `s${model.events.length}`;
    expect(await store.announce([{ lease_id: id, session_id: session }])).toEqual(isHeld ? [] : [id]);
    expect(changes.unwanted).toEqual(isHeld ? [] : [session]);
    if (isHeld) model.events.push({ kind: "announced", id, session });
  },
  async renew({ store, model, pick, now }, { lease }) {
    const { id } = pick(lease);
    const isHeld = model.isHeld(id);
    expect(await store.renew([id])).toEqual(isHeld ? [] : [id]);
    if (isHeld) model.events.push({ kind: "renewed", id, at: now });
  },
  async report({ store, model, pick, end, changes }, { lease, wrong }) {
    const picked = pick(lease);
    const { id, task, attempt } = picked;
    const isRepeated = model.acceptedLease(task) === id;
    const isAccepted = model.isHeld(id) && wrong !== 0;
    const isRefused = wrong === 0 || !(isRepeated || isAccepted);
    const report = reportOf({ ...picked, attempt: wrong === 0 ? attempt + 1 : attempt });
    expect((await store.update([], [report])).refused).toEqual(isRefused ? [id] : []);
    expect(changes.ended).toEqual(isAccepted ? [task] : []);
    if (!isAccepted) return;
    expect(changes.unwanted.toSorted()).toEqual(model.sessions(id).toSorted());
    end(id, "reported");
  },
  async giveBack(world, { lease }) {
    const picked = world.pick(lease);
    const held = world.model.isHeld(picked.id) ? [picked] : [];
    expect(await world.store.giveBack([picked.id])).toBe(held.length);
    expectEnded(world, held, "given back");
  },
  async wait(world, { for: time }) {
    world.now += time;
    const { store, model, now } = world;
    const late = model.leases().filter(({ id }) => model.isHeld(id) && model.lastHeard(id) + LEASE_MS <= now);
    await store.tick(time, (worker) => worker);
    expectEnded(world, late.toSorted(byTask), "lost");
  },
  async loseWorker(world, { worker: index }) {
    const { store, model } = world;
    const worker = WORKERS[index] ?? "";
    const its = model.leases().filter((lease) => model.isHeld(lease.id) && lease.worker === worker);
    await store.loseWorker(worker, "it ended");
    expectEnded(world, its.toSorted(byTask), "lost");
  },
  async reopen({ store, model, maxAttempts, changes }, { task }) {
    if (model.acceptedLease(task) === undefined) return;
    model.reopened.push({ task, at: model.events.length });
    await store.rerun([task], new Map([[task, ["kept"]]]), "lost");
    expect(changes).toMatchObject({ unwanted: ["kept"], lost: [{ task, attempt: model.losses(task) }] });
    expect(changes.ended).toEqual(model.losses(task) === maxAttempts ? [task] : []);
    await store.removed({ session: "kept" });
  },
  async restart(world) {
    await world.restart();
    const { model, now } = world;
    // Workers have the whole lease time again.
    for (const { id } of model.leases().filter((lease) => model.isHeld(lease.id)))
      model.events.push({ kind: "renewed", id, at: now });
  },
};

/**
 * Checks that a store behaves like a list of events after any sequence of calls, and accepts one run of each task.
 *
 * @param open returns an empty database
 */
export async function expectLikeModel(open: () => Promise<JobDatabase>, numRuns: number): Promise<void> {
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 3 }), fc.array(step, { maxLength: 120 }), async (maxAttempts, steps) => {
      await using database = await open();
      const world = await World.create(maxAttempts, database);
      const { model, changes } = world;
      for (const each of steps) {
        changes.clear();
        await ACTIONS[each.do](world, each as never);
        const held = model.leases().filter(({ id }) => model.isHeld(id)).length;
        const counts = await world.store.readCounts();
        expect(counts).toMatchObject({ queued: model.waiting(maxAttempts).length, leased: held });
        const others = await database.transaction((query) => query("select id from tasks where state <> 'waiting'"));
        expect(counts.waiting).toBe(counts.submitted - others.length);
      }
      // Whatever happened, no task has two runs that count.
      for (const task of model.added) {
        const reported = model.leases().filter((lease) => lease.task === task && model.endOf(lease.id) === "reported");
        const reopened = model.reopened.filter((each) => each.task === task).length;
        expect(reported.length).toBeLessThanOrEqual(reopened + 1);
      }
    }),
    { numRuns },
  );
}
