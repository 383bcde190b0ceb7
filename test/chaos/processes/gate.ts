/** Holds clients back while they cannot be served, as the back-off of an SDK does. */
export class Gate {
  #isOpen = false;
  /** A process is down. Connections may break, and calls through a gateway may be refused. */
  isDisturbed = true;
  #failure: Error | undefined;
  #waiting: { readonly resolve: () => void; readonly reject: (error: Error) => void }[] = [];

  open(): void {
    this.#isOpen = true;
    for (const { resolve } of this.#takeWaiting()) resolve();
  }

  close(): void {
    this.#isOpen = false;
  }

  /** Lets all waits fail, now and later, because the server will not come back. */
  fail(failure: Error): void {
    this.#failure = failure;
    for (const { reject } of this.#takeWaiting()) reject(failure);
  }

  /** Resolves when the server accepts calls. */
  wait(): Promise<void> {
    if (this.#failure) return Promise.reject(this.#failure);
    if (this.#isOpen) return Promise.resolve();
    return new Promise((resolve, reject) => this.#waiting.push({ resolve, reject }));
  }

  #takeWaiting() {
    const waiting = this.#waiting;
    this.#waiting = [];
    return waiting;
  }
}
