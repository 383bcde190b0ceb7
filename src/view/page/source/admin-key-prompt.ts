const STORED = "rolltape-admin-key";

/** The methods of `sessionStorage` that are used; tests pass their own. */
interface KeyStorage {
  getItem(name: string): string | null;
  setItem(name: string, value: string): void;
}

/**
 * The key that the server asks for. It is kept until the tab is closed, and never written into an address.
 * `ask` shows the dialog: it gets the server's message and returns the key that the user typed.
 */
export class AdminKeyPrompt {
  private asking: Promise<void> | undefined;

  constructor(
    private readonly ask: (message: string) => Promise<string>,
    private readonly storage: KeyStorage,
  ) {}

  get value(): string | null {
    return this.storage.getItem(STORED);
  }

  /** Asks for a key once, even if several requests were refused. Does not ask if the key has changed since `refused` was sent. */
  async replace(refused: string | null, message: string): Promise<void> {
    if (this.value !== refused) return;
    this.asking ??= this.ask(message)
      .then((key) => this.storage.setItem(STORED, key))
      .finally(() => (this.asking = undefined));
    await this.asking;
  }
}
