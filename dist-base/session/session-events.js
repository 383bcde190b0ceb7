import { EventEmitter } from "node:events";
/** Events of the sessions of a registry. Listeners only observe. */
export class SessionEvents extends EventEmitter {
}
//# sourceMappingURL=session-events.js.map