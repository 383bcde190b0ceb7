import { type ContainerNode, createElement, type FunctionComponent, render } from "preact";
import { act } from "preact/test-utils";

/** The part of a document that a component without elements needs. */
function createRoot(): ContainerNode {
  return { nodeType: 1, childNodes: [], firstChild: null } as unknown as ContainerNode;
}

/** Runs a hook in a component without elements. */
export function renderHook<T>(hook: () => T) {
  const root = createRoot();
  const results: T[] = [];
  // With signals, a component whose properties are the same does not render again.
  let turn = 0;
  const Component: FunctionComponent<{ readonly turn: number }> = () => {
    results.push(hook());
    return null;
  };
  const rerender = () => act(() => render(createElement(Component, { turn: turn++ }), root));
  void rerender();
  return {
    /** Returns what the hook returned last. */
    latest: (): T => {
      const last = results.at(-1);
      if (results.length === 0) throw new Error("The hook has not run.");
      return last as T;
    },
    rerender: () => void rerender(),
    unmount: () => void act(() => render(null, root)),
  };
}
