import { effect, signal } from "@preact/signals";

export type Theme = "light" | "dark";

const STORED = "rolltape-theme";
const preference = matchMedia("(prefers-color-scheme: dark)");

/** The theme that the user chose; undefined: the system's. */
const chosen = signal<Theme | undefined>(readStored());
const system = signal<Theme>(preference.matches ? "dark" : "light");
preference.addEventListener("change", () => (system.value = preference.matches ? "dark" : "light"));

export const currentTheme = (): Theme => chosen.value ?? system.value;

export function toggleTheme(): void {
  const next = currentTheme() === "dark" ? "light" : "dark";
  chosen.value = next === system.value ? undefined : next;
  try {
    if (chosen.value === undefined) localStorage.removeItem(STORED);
    else localStorage.setItem(STORED, chosen.value);
  } catch {
    // A file or a private window may have no storage: the choice lasts until the page is closed.
  }
}

effect(() => {
  document.documentElement.dataset["theme"] = currentTheme();
});

function readStored(): Theme | undefined {
  try {
    const stored = localStorage.getItem(STORED);
    return stored === "light" || stored === "dark" ? stored : undefined;
  } catch {
    return undefined;
  }
}
