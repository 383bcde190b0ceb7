import type { Source } from "../api.js";

/** A {@link Source} that is closed when it is not needed any more. */
export interface OpenSource extends Source, AsyncDisposable {}
