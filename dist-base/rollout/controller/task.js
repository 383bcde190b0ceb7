/**
 * Returns why a task was rejected; undefined if it was accepted. If a group was dropped because of one member, it is
 * the reason of that member.
 */
export function rejectionOf({ accepted, rejected }) {
    if (accepted.length > 0)
        return undefined;
    return (rejected.find(({ reason }) => reason.code !== "group_incomplete") ?? rejected[0])?.reason;
}
//# sourceMappingURL=task.js.map