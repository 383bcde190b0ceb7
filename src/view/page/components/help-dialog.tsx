import { useEffect, useRef } from "preact/hooks";

const KEYS: readonly (readonly [keys: readonly string[], effect: string])[] = [
  [["j", "k"], "Next, previous episode in the list; next, previous call in an episode"],
  [["Enter"], "Open the episode; show or hide the tokens of the call"],
  [["Escape"], "Back: from tokens to the call, from an episode to its list, from the list to the overview"],
  [["n", "p"], "Next, previous episode of the list, from within an episode"],
  [["/"], "Search"],
  [["g"], "Overview"],
  [["l"], "Colour tokens by log probability, loss mask, version"],
  [["t"], "Light or dark"],
  [["←", "→"], "In a chart: previous, next step. In tokens: previous, next token"],
  [["?"], "This help"],
];

export function HelpDialog({ onClose }: { readonly onClose: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog ref={dialog} class="dialog" aria-labelledby="help-title" onClose={onClose}>
      <h2 id="help-title">Keys</h2>
      <dl class="keys">
        {KEYS.map(([keys, effect]) => (
          <div key={effect}>
            <dt>
              {keys.map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dt>
            <dd>{effect}</dd>
          </div>
        ))}
      </dl>
      <button type="button" class="button" onClick={() => dialog.current?.close()}>
        Close
      </button>
    </dialog>
  );
}
