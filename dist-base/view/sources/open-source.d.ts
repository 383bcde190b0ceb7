import type { Source } from "../api.js";
/** A {@link Source} that must be closed. */
export interface OpenSource extends Source, AsyncDisposable {
}
