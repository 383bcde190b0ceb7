import type { Steps } from "./steps.js";
/** Returns all pieces as one buffer, like `Buffer.concat`, which would stall the event loop for a hundred megabytes. */
export declare function concatInSteps(pieces: readonly Buffer[]): Steps<Buffer>;
