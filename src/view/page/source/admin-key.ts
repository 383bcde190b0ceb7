const STORED = "rolltape-admin-key";

/** What is needed of the browser's `sessionStorage`. */
interface KeyStorage {
  getItem(name: string): string | null;
  setItem(name: string, value: string): void;
}

/**
 * The key that the server asks for. It is kept until the tab is closed, and never written into an address.
 * `ask` shows the dialog: it gets the server's message and returns the key that the user typed.
 */
export class AdminKey {
  private asking: Promise<void> | undefined;

  constructor(
    private readonly ask: (message: string) => Promise<string>,
    private readonly storage: KeyStorage,
  ) {}

  get value(): string | null {
    return this.storage.getItem(STORED);
  }

  /** Asks for a key once, however many requests were refused. A key that another request got meanwhile is enough. */
  async replace(refused: string | null, message: string): Promise<void> {
    if (this.value !== refused) return;
    this.asking ??= this.ask(message)
      .then((key) => this.storage.setItem(STORED, key))
      .finally(() => (this.asking = undefined));
    await this.asking;
  }
}
