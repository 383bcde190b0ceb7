export const STORED_STATES = ["active", "ended", "held", "exported", "expired"];
export function readState({ summary: { state, held } }) {
    return held ? "held" : state;
}
//# sourceMappingURL=session-state.js.map