import { act } from "preact/test-utils";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { useRowWindow } from "../../../../src/view/page/components/table/use-row-window.js";
import { renderHook } from "./render-hook.js";

const observed: { element: object; measure: () => void }[] = [];

beforeEach(() => {
  vi.useFakeTimers();
  observed.length = 0;
  vi.stubGlobal("document", { documentElement: {} });
  vi.stubGlobal("getComputedStyle", () => ({ fontSize: "16px" }));
  vi.stubGlobal(
    "ResizeObserver",
    class {
      readonly #measure: () => void;
      constructor(measure: () => void) {
        this.#measure = measure;
      }
      observe(element: object): void {
        observed.push({ element, measure: this.#measure });
      }
      disconnect(): void {
        observed.length = 0;
      }
    },
  );
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

/** A table of 1,000 rows of 30 pixels, of which 20 are in view. */
function open() {
  const frame = { current: { scrollTop: 0, clientHeight: 600 } as HTMLElement };
  const { latest, unmount } = renderHook(() => useRowWindow(frame, 1000));
  const scroll = (row: number) => {
    frame.current.scrollTop = 30 * row;
    void act(() => latest().onScroll());
    const { first, end, isFast } = latest();
    return { first, end, isFast };
  };
  const rest = (milliseconds: number) => void act(() => void vi.advanceTimersByTime(milliseconds));
  const resize = (height: number) => {
    frame.current = { scrollTop: frame.current.scrollTop, clientHeight: height } as HTMLElement;
  };
  return { frame, latest, scroll, rest, resize, unmount };
}

const range = (first: number, end: number) => Array.from({ length: end - first }, (_, at) => first + at);

describe("the rows of a table", () => {
  it("are those in view and some beside them", () => {
    expect(open().latest()).toMatchObject({ rowHeight: 30, first: 0, end: 32, shown: range(0, 32), isFast: false });
  });

  it("change by blocks of four", () => {
    const { scroll } = open();
    expect(scroll(3)).toEqual({ first: 0, end: 32, isFast: false });
    expect(scroll(4)).toEqual({ first: 0, end: 36, isFast: false });
    expect(scroll(15)).toEqual({ first: 4, end: 44, isFast: false });
  });

  it("keep their places while the list is scrolled, and have their order at rest", () => {
    const { scroll, rest, latest } = open();
    scroll(12);
    const { shown, slotOf } = latest();
    expect(shown).toEqual([...range(40, 44), ...range(4, 40)]);
    expect([slotOf(4), slotOf(44), slotOf(45)]).toEqual([4, 4, 5]);
    rest(149);
    expect(latest().shown).toEqual(shown);
    rest(1);
    expect(latest().shown).toEqual(range(4, 44));
  });

  it("rest only after the last movement", () => {
    const { scroll, rest, latest } = open();
    scroll(12);
    rest(100);
    scroll(13);
    rest(100);
    expect(latest().shown[0]).toBe(40);
    rest(50);
    expect(latest().shown[0]).toBe(4);
  });

  it("have none beside them while two movements in a row are longer than half of the view", () => {
    const { scroll, rest, latest } = open();
    expect(scroll(100)).toEqual({ first: 92, end: 132, isFast: false });
    expect(scroll(200)).toEqual({ first: 200, end: 224, isFast: true });
    expect(scroll(300)).toEqual({ first: 300, end: 324, isFast: true });
    expect(scroll(310)).toEqual({ first: 300, end: 340, isFast: false });
    expect(scroll(200)).toEqual({ first: 192, end: 232, isFast: false });
    expect(scroll(100).isFast).toBe(true);
    rest(150);
    expect(latest()).toMatchObject({ first: 92, end: 132, isFast: false });
  });

  it("are jumped over from more than half of the view on", () => {
    const { scroll } = open();
    scroll(10);
    expect(scroll(20).isFast).toBe(false);
    scroll(31);
    expect(scroll(42).isFast).toBe(true);
  });

  it("follow the size of the table until it is removed", () => {
    const { frame, latest, unmount } = open();
    expect(observed.map(({ element }) => element)).toEqual([frame.current]);
    Object.assign(frame.current, { clientHeight: 300, scrollTop: 3000 });
    void act(() => observed[0]?.measure());
    expect(latest()).toMatchObject({ first: 92, end: 122 });
    unmount();
    expect(observed).toEqual([]);
  });
});
