/** True for instructions to the model: system and developer messages. */
export const isSystem = (message) => message?.role === "system" || message?.role === "developer";
//# sourceMappingURL=message.js.map