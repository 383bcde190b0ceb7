import { useLayoutEffect } from "preact/hooks";

export type KeyBindings = Readonly<Record<string, (event: KeyboardEvent) => void>>;

/**
 * Binds keys while a component is shown. Not bound: keys in text fields, where Escape leaves the field; keys with Control,
 * Alt or Meta; Enter on links and buttons.
 *
 * Several keys may come between two renders, so a binding that moves must read its position from a signal or a ref.
 */
export function useKeys(bindings: KeyBindings): void {
  // Not `useEffect`, which runs after the next frame: a key may be pressed before it.
  useLayoutEffect(() => {
    const listen = (event: KeyboardEvent): void => {
      if (event.defaultPrevented || event.ctrlKey || event.altKey || event.metaKey || isModal()) return;
      const { target } = event;
      if (isTextField(target)) {
        if (event.key === "Escape") target.blur();
        return;
      }
      if (
        event.key === "Enter" &&
        target instanceof HTMLElement &&
        target.matches("a, button, summary, select, [data-keys]")
      )
        return;
      const binding = bindings[event.key];
      if (!binding) return;
      event.preventDefault();
      binding(event);
    };
    addEventListener("keydown", listen);
    return () => removeEventListener("keydown", listen);
  });
}

const isModal = (): boolean => document.querySelector("dialog[open]") !== null;

const isTextField = (
  target: EventTarget | null,
): target is HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement =>
  (target instanceof HTMLInputElement && target.type !== "checkbox" && target.type !== "radio") ||
  target instanceof HTMLTextAreaElement ||
  target instanceof HTMLSelectElement;
