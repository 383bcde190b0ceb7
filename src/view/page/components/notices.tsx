import { useState } from "preact/hooks";
import type { Store } from "../state/store.js";
import { InertText } from "./inert-text.js";

/** Notices of the source, and the last failure of a request. */
export function Notices({ store }: { readonly store: Store }) {
  const [hidden, setHidden] = useState<ReadonlySet<string>>(new Set());
  const notices = (store.data.value?.notices ?? []).filter((notice) => !hidden.has(notice));
  const failure = store.failure.value;
  return (
    <div class="notices" role="status">
      {failure !== null && (
        <p class="notice failure">
          <span>
            <InertText text={failure} />
          </span>
          {!store.data.value && (
            <button type="button" class="button" onClick={() => void store.load()}>
              Try again
            </button>
          )}
        </p>
      )}
      {notices.map((notice) => (
        <p key={notice} class="notice">
          <span>
            <InertText text={notice} />
          </span>
          <button type="button" class="icon-button" onClick={() => setHidden(new Set([...hidden, notice]))}>
            <span aria-hidden="true">×</span>
            <span class="visually-hidden">Hide this notice</span>
          </button>
        </p>
      ))}
    </div>
  );
}
