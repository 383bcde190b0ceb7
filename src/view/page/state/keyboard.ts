import { useEffect } from "preact/hooks";

export type KeyBindings = Readonly<Record<string, (event: KeyboardEvent) => void>>;

/**
 * Binds keys while a component is shown. Text fields keep their keys, except Escape, which leaves the field. Keys with
 * Control, Alt or Meta belong to the browser; a control has its own Enter and Space.
 */
export function useKeys(bindings: KeyBindings): void {
  useEffect(() => {
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
