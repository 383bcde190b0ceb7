import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { useKeys } from "../../../../src/view/page/state/keyboard.js";
import { renderHook } from "./render-hook.js";

class FakeElement {
  isBlurred = false;
  constructor(
    readonly kind = "div",
    readonly type = "text",
  ) {}
  blur(): void {
    this.isBlurred = true;
  }
  matches(selector: string): boolean {
    return selector.split(", ").includes(this.kind);
  }
}
class FakeInput extends FakeElement {}
class FakeTextArea extends FakeElement {}
class FakeSelect extends FakeElement {}

let listeners: ((event: KeyboardEvent) => void)[] = [];
let isModal = false;

beforeEach(() => {
  [listeners, isModal] = [[], false];
  vi.stubGlobal("HTMLElement", FakeElement);
  vi.stubGlobal("HTMLInputElement", FakeInput);
  vi.stubGlobal("HTMLTextAreaElement", FakeTextArea);
  vi.stubGlobal("HTMLSelectElement", FakeSelect);
  vi.stubGlobal("document", {
    querySelector: (selector: string) => (selector === "dialog[open]" && isModal ? new FakeElement("dialog") : null),
  });
  vi.stubGlobal("addEventListener", (name: string, listener: (event: KeyboardEvent) => void) => {
    if (name === "keydown") listeners.push(listener);
  });
  vi.stubGlobal("removeEventListener", (name: string, listener: (event: KeyboardEvent) => void) => {
    if (name === "keydown") listeners = listeners.filter((each) => each !== listener);
  });
});
afterEach(() => {
  vi.unstubAllGlobals();
});

/** Presses a key, and returns true if the binding took it. */
function press(key: string, event: Partial<Record<keyof KeyboardEvent, unknown>> = {}): boolean {
  let isPrevented = false;
  const preventDefault = () => void (isPrevented = true);
  const full = { key, target: new FakeElement(), preventDefault, ...event } as unknown as KeyboardEvent;
  for (const listener of listeners) listener(full);
  return isPrevented;
}

function bind(...keys: string[]) {
  const pressed: string[] = [];
  const bindings = Object.fromEntries(keys.map((key) => [key, ({ key: name }: KeyboardEvent) => pressed.push(name)]));
  return { pressed, ...renderHook(() => useKeys(bindings)) };
}

describe("the keys of a component", () => {
  it("are bound while it is shown, others are left to the browser", () => {
    const { pressed, unmount } = bind("j", "Enter");
    expect([press("j"), press("Enter"), press("k")]).toEqual([true, true, false]);
    expect(pressed).toEqual(["j", "Enter"]);
    unmount();
    expect(press("j")).toBe(false);
    expect(pressed).toEqual(["j", "Enter"]);
  });

  it.each(["ctrlKey", "altKey", "metaKey", "defaultPrevented"] as const)("are not taken with %s", (modifier) => {
    bind("j");
    expect(press("j", { [modifier]: true })).toBe(false);
  });

  it("are not taken while a dialog is open", () => {
    bind("j");
    isModal = true;
    expect(press("j")).toBe(false);
  });

  it.each([
    ["a text field", () => new FakeInput(), false],
    ["a text area", () => new FakeTextArea(), false],
    ["a list of choices", () => new FakeSelect(), false],
    ["a check box", () => new FakeInput("input", "checkbox"), true],
    ["a radio button", () => new FakeInput("input", "radio"), true],
  ])("in %s", (_, create, isTaken) => {
    bind("j", "Escape");
    const target = create();
    expect(press("j", { target })).toBe(isTaken);
    expect(target.isBlurred).toBe(false);
    expect(press("Escape", { target })).toBe(isTaken);
    expect(target.isBlurred).toBe(!isTaken);
  });

  it.each(["a", "button", "summary", "select", "[data-keys]"])("leave Enter to %s", (kind) => {
    bind("j", "Enter");
    const target = new FakeElement(kind);
    expect([press("Enter", { target }), press("j", { target })]).toEqual([false, true]);
  });
});
