import type { ChatTemplate } from "./chat-template.js";
/** Returns true if a template shows tools or calls, so its model was trained to call tools. */
export declare function showsTools(template: ChatTemplate): boolean;
/**
 * Returns true if a template leaves out the calls of earlier turns, so the model does not see what it has called. Returns false
 * if the template refuses them, because requests with calls are then refused.
 */
export declare function omitsCalls(template: ChatTemplate): boolean;
