import { useEffect, useState } from "preact/hooks";
import { messageOf } from "../../state/store.js";

/** Result of a read. It has neither `value` nor `error` while the read is in progress. */
export interface Loaded<T> {
  readonly value?: T;
  readonly error?: string;
}

/** Calls `read` when `key` changes. The result for an older key is dropped. */
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
