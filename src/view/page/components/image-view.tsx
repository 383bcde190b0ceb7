import type { RefObject } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { readImageType } from "../../../conversation/image-type.js";
import type { Source } from "../../api.js";
import { formatWhole } from "../state/format.js";
import { messageOf } from "../state/store.js";
import { InertText } from "./inert-text.js";

interface ImageViewProps {
  readonly source: Source;
  readonly episode: number;
  readonly image: { readonly sha256: string; readonly width: number; readonly height: number };
}

/**
 * An image at its place in a message. Its box has the right size before the file is there, so that nothing moves. The file is read when
 * the box comes near the window. A click shows it in full size.
 */
export function ImageView({ source, episode, image }: ImageViewProps) {
  const { sha256, width, height } = image;
  const box = useRef<HTMLElement>(null);
  const { url, mediaType, error, onError } = useImageFile(useNear(box), { source, episode, sha256 });
  const [isFull, setFull] = useState(false);
  const size = `${formatWhole(width)} × ${formatWhole(height)}`;
  if (error !== undefined) {
    return (
      <p class="notice">
        <span>
          Image, {size}: <InertText text={error} />
        </span>
      </p>
    );
  }
  const description = `Image, ${size}, ${mediaType ?? ""}`;
  return (
    <figure
      ref={box}
      class="picture"
      style={{ "--width": String(Math.max(1, width)), "--height": String(Math.max(1, height)) }}
    >
      {url !== undefined && (
        <button type="button" class="plain" title={`${description}. Show in full size`} onClick={() => setFull(true)}>
          <img src={url} alt={description} loading="lazy" onError={onError} />
        </button>
      )}
      {isFull && url !== undefined && <FullSize url={url} alt={description} onClose={() => setFull(false)} />}
    </figure>
  );
}

interface FullSizeProps {
  readonly url: string;
  readonly alt: string;
  readonly onClose: () => void;
}

function FullSize({ url, alt, onClose }: FullSizeProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog ref={dialog} class="dialog full-size" aria-label={alt} onClose={onClose}>
      <button type="button" class="button" onClick={() => dialog.current?.close()}>
        Close
      </button>
      <img src={url} alt={alt} />
    </dialog>
  );
}

/** Returns true once the element has come near the window. */
function useNear(element: RefObject<HTMLElement | null>): boolean {
  const [isNear, setNear] = useState(false);
  useEffect(() => {
    if (isNear || !element.current) return undefined;
    const observer = new IntersectionObserver(([entry]) => entry?.isIntersecting && setNear(true), {
      rootMargin: "800px",
    });
    observer.observe(element.current);
    return () => observer.disconnect();
  }, [isNear]);
  return isNear;
}

interface ImageState {
  /** Of a blob with the file. */
  readonly url?: string;
  readonly mediaType?: string;
  readonly error?: string;
}

interface FilePlace {
  readonly source: Source;
  readonly episode: number;
  readonly sha256: string;
}

/** Reads a file when it is wanted. Its address is that of a blob, because an `src` cannot send the key that the server needs. */
function useImageFile(
  isWanted: boolean,
  { source, episode, sha256 }: FilePlace,
): ImageState & { readonly onError: () => void } {
  const [state, setState] = useState<ImageState>({});
  useEffect(() => {
    if (!isWanted) return undefined;
    let isCurrent = true;
    let url: string | undefined;
    source.image({ episode, sha256 }).then(
      (bytes) => {
        if (!isCurrent) return;
        const made = createUrl(bytes);
        url = made.url;
        setState(made);
      },
      (error: unknown) => isCurrent && setState({ error: messageOf(error) }),
    );
    return () => {
      isCurrent = false;
      if (url !== undefined) URL.revokeObjectURL(url);
      setState({});
    };
  }, [isWanted, source, episode, sha256]);
  return { ...state, onError: () => setState({ error: "the browser cannot decode its file." }) };
}

/** Returns the address of a blob with the file. The bytes decide its type, not the transcript. */
function createUrl(bytes: Uint8Array): ImageState {
  const type = readImageType(bytes);
  if (type === undefined) return { error: "its file cannot be shown: not a PNG, JPEG, GIF, WebP or BMP file." };
  return { mediaType: type, url: URL.createObjectURL(new Blob([new Uint8Array(bytes)], { type })) };
}
