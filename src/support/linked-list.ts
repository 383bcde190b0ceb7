/** An item's place in a {@link LinkedList}. */
export interface LinkedItem<Value> {
  readonly value: Value;
  /** @internal */
  previous: LinkedItem<Value> | undefined;
  /** @internal */
  next: LinkedItem<Value> | undefined;
}

/**
 * A list from which any item is removed in constant time. An array would have to search for the item. A Set that is emptied from
 * the front would visit the holes of removed items to find its first one.
 */
export class LinkedList<Value> {
  #first: LinkedItem<Value> | undefined;
  #last: LinkedItem<Value> | undefined;

  get first(): LinkedItem<Value> | undefined {
    return this.#first;
  }

  /** Adds a value at the end. */
  push(value: Value): LinkedItem<Value> {
    const item: LinkedItem<Value> = { value, previous: undefined, next: undefined };
    this.#append(item);
    return item;
  }

  /** Moves an item of this list to the end. */
  moveToEnd(item: LinkedItem<Value>): void {
    this.remove(item);
    this.#append(item);
  }

  /** Removes an item that is in this list. */
  remove(item: LinkedItem<Value>): void {
    const { previous, next } = item;
    if (previous) previous.next = next;
    else this.#first = next;
    if (next) next.previous = previous;
    else this.#last = previous;
  }

  #append(item: LinkedItem<Value>): void {
    item.previous = this.#last;
    item.next = undefined;
    if (this.#last) this.#last.next = item;
    else this.#first = item;
    this.#last = item;
  }
}
