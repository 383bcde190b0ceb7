import { type LinkedItem, LinkedList } from "../linked-list.js";
import { onAbort } from "./on-abort.js";

interface Waiter<Value> {
  readonly resolve: (value: Value) => void;
  readonly reject: (reason: unknown) => void;
}

/** The waiters of one key, in the order in which they came. Exists while there are any. */
interface Line<Value> {
  readonly key: string;
  readonly waiters: LinkedList<Waiter<Value>>;
}

/**
 * Waiters that are served one by one: keys take turns, and the waiters of one key are served in the order in which they
 * came. A key with thousands of waiters delays the others by one turn. Every operation takes constant time, except those
 * that concern all waiters.
 */
export class FairQueue<Value> {
  /** The lines in the order of their turns. */
  readonly #turns = new LinkedList<Line<Value>>();
  /** The places of the lines in {@link #turns}, by key. */
  readonly #places = new Map<string, LinkedItem<Line<Value>>>();
  #length = 0;

  get length(): number {
    return this.#length;
  }

  /** Resolves with the value that this waiter is served. Rejects with the signal's reason if the signal aborts first. */
  wait(key: string, signal?: AbortSignal): Promise<Value> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      const listening = onAbort(signal, () => {
        this.#remove(place, item);
        reject(signal?.reason);
      });
      const place = this.#places.get(key) ?? this.#addLine(key);
      const item = place.value.waiters.push({
        resolve: (value) => {
          listening[Symbol.dispose]();
          resolve(value);
        },
        reject: (reason) => {
          listening[Symbol.dispose]();
          reject(reason);
        },
      });
      this.#length++;
    });
  }

  /** Serves the first waiter of the key whose turn it is. Returns false if nobody waits. */
  serve(value: Value): boolean {
    const waiter = this.#take();
    waiter?.resolve(value);
    return waiter !== undefined;
  }

  /** Serves everybody who waits now. */
  serveAll(value: Value): void {
    for (const waiter of this.#takeAll()) waiter.resolve(value);
  }

  /** Rejects everybody who waits now. */
  rejectAll(reason: unknown): void {
    for (const waiter of this.#takeAll()) waiter.reject(reason);
  }

  #addLine(key: string): LinkedItem<Line<Value>> {
    const place = this.#turns.push({ key, waiters: new LinkedList() });
    this.#places.set(key, place);
    return place;
  }

  #take(): Waiter<Value> | undefined {
    const place = this.#turns.first;
    const item = place?.value.waiters.first;
    if (!place || !item) return undefined;
    this.#turns.moveToEnd(place);
    this.#remove(place, item);
    return item.value;
  }

  /** Empties the queue first, so that nobody who comes while the waiters continue is among them. */
  #takeAll(): Waiter<Value>[] {
    const waiters: Waiter<Value>[] = [];
    for (let waiter = this.#take(); waiter; waiter = this.#take()) waiters.push(waiter);
    return waiters;
  }

  #remove(place: LinkedItem<Line<Value>>, item: LinkedItem<Waiter<Value>>): void {
    const { key, waiters } = place.value;
    waiters.remove(item);
    this.#length--;
    if (waiters.first) return;
    this.#turns.remove(place);
    this.#places.delete(key);
  }
}
