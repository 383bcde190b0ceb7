import { useEffect, useRef, useState } from "preact/hooks";
import { InertText } from "./inert-text.js";

export interface KeyRequest {
  /** Message of the server's refusal. */
  readonly message: string;
  readonly resolve: (key: string) => void;
}

/** Asks for the admin key of a server. */
export function KeyDialog({ request }: { readonly request: KeyRequest }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [key, setKey] = useState("");
  useEffect(() => dialog.current?.showModal(), []);
  const submit = (event: Event): void => {
    event.preventDefault();
    if (key !== "") request.resolve(key);
  };
  return (
    // Escape does not close it: without the key there is nothing behind it.
    <dialog ref={dialog} class="dialog" aria-labelledby="key-title" onCancel={(event) => event.preventDefault()}>
      <form onSubmit={submit}>
        <h2 id="key-title">Admin key</h2>
        <p>
          <InertText text={request.message} />
        </p>
        <label class="field">
          Key
          <input
            type="password"
            autocomplete="off"
            autofocus
            value={key}
            onInput={(event) => setKey(event.currentTarget.value)}
          />
        </label>
        <p class="quiet">The key is kept until this tab is closed.</p>
        <button type="submit" class="button primary">
          Continue
        </button>
      </form>
    </dialog>
  );
}
