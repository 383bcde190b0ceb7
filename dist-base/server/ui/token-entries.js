const strictUtf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
/** Returns the texts of a model's tokens. A token whose bytes are no whole characters is a part of one. */
export function tokenEntries(model) {
    return {
        entry: (id) => {
            const bytes = model.tokenBytes(id);
            try {
                return { kind: "text", text: strictUtf8.decode(bytes) };
            }
            catch {
                return { kind: "bytes", bytes };
            }
        },
    };
}
//# sourceMappingURL=token-entries.js.map