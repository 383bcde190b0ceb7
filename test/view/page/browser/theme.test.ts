import { afterEach, describe, expect, it, vi } from "vitest";

afterEach(() => {
  vi.unstubAllGlobals();
});

type ThemeModule = typeof import("../../../../src/view/page/state/theme.js");

/** Loads the theme in a window whose system is dark or light. */
async function open({ isDark = false, stored = "", hasStorage = true } = {}) {
  const storage = new Map(stored === "" ? [] : [["rolltape-theme", stored]]);
  const root = { dataset: {} as Record<string, string> };
  const preference = { matches: isDark, change: () => undefined as void };
  const demand = () => {
    if (!hasStorage) throw new Error("no storage");
  };
  vi.stubGlobal("matchMedia", (query: string) => ({
    get matches() {
      return query === "(prefers-color-scheme: dark)" && preference.matches;
    },
    addEventListener: (name: string, listener: () => void) => {
      if (name === "change") preference.change = listener;
    },
  }));
  vi.stubGlobal("document", { documentElement: root });
  vi.stubGlobal("localStorage", {
    getItem: (name: string) => (demand(), storage.get(name) ?? null),
    setItem: (name: string, value: string) => (demand(), storage.set(name, value)),
    removeItem: (name: string) => (demand(), storage.delete(name)),
  });
  vi.resetModules();
  const theme: ThemeModule = await import("../../../../src/view/page/state/theme.js");
  const switchSystem = (toDark: boolean) => {
    preference.matches = toDark;
    preference.change();
  };
  const shown = () => root.dataset["theme"];
  return { ...theme, storage, shown, switchSystem };
}

describe("the theme", () => {
  it("is the system's, and changes with it", async () => {
    const { shown, switchSystem } = await open({ isDark: true });
    expect(shown()).toBe("dark");
    switchSystem(false);
    expect(shown()).toBe("light");
    switchSystem(true);
    expect(shown()).toBe("dark");
  });

  it("is the user's choice until the system has the same", async () => {
    const { shown, switchSystem, toggleTheme, currentTheme, storage } = await open();
    expect(shown()).toBe("light");
    toggleTheme();
    expect([shown(), currentTheme(), storage.get("rolltape-theme")]).toEqual(["dark", "dark", "dark"]);
    switchSystem(false);
    expect(shown()).toBe("dark");
    toggleTheme();
    expect([shown(), storage.size]).toEqual(["light", 0]);
    switchSystem(true);
    expect(shown()).toBe("dark");
  });

  it.each([
    ["dark", false, "dark"],
    ["light", true, "light"],
    ["purple", true, "dark"],
  ])("that was stored as %s is used if there is such a theme", async (stored, isDark, expected) => {
    expect((await open({ stored, isDark })).shown()).toBe(expected);
  });

  it("can be chosen without storage", async () => {
    const { shown, toggleTheme } = await open({ hasStorage: false });
    toggleTheme();
    expect(shown()).toBe("dark");
  });
});
