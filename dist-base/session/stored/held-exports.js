/** Returns true if the export is held: its sessions are kept until it is acknowledged or its lease ends. */
export function isHeld({ acknowledged, over }) {
    return !acknowledged && !over;
}
//# sourceMappingURL=held-exports.js.map