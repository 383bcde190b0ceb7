import { useEffect, useState } from "preact/hooks";
import { messageOf } from "../../state/store.js";

/** What is being read: neither `value` nor `error` until then. */
export interface Loaded<T> {
  readonly value?: T;
  readonly error?: string;
}

/** Reads something when `key` changes. What comes after a newer key is dropped. */
export function useLoaded<T>(key: string, read: () => Promise<T>): Loaded<T> {
  const [state, setState] = useState<Loaded<T> & { readonly key: string }>({ key });
  useEffect(() => {
    let isCurrent = true;
    read().then(
      (value) => isCurrent && setState({ key, value }),
      (error: unknown) => isCurrent && setState({ key, error: messageOf(error) }),
    );
    return () => {
      isCurrent = false;
    };
  }, [key]);
  return state.key === key ? state : {};
}
