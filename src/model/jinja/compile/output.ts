/** Collects what a template prints, in parts. */
export class Output {
  readonly #parts: string[] = [];
  #text = "";

  print(text: string): void {
    this.#text += text;
  }

  /** Ends the part that was printed last. */
  endPart(): void {
    this.#parts.push(this.#text);
    this.#text = "";
  }

  /** Adds a complete part. Call this only when the last part has ended. */
  addPart(part: string): void {
    this.#parts.push(part);
  }

  /** The text that was printed since the last part ended. */
  get text(): string {
    return this.#text;
  }

  get parts(): string[] {
    return this.#parts;
  }
}
