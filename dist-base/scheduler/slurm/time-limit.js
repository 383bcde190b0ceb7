/** Days, hours, minutes, seconds: `3-12`, `3-12:30`, `3-12:30:00`, `12:30:00`, `30:00`, `30`. */
const TIME = /^(?:--time=|-t=?)(?:(\d+)-)?(\d+)(?::(\d+))?(?::(\d+))?$/;
/** Returns the time limit in sbatch options, in seconds; undefined if they have none or it cannot be parsed. */
export function parseTimeLimit(options) {
    const found = options.map((option) => TIME.exec(option)).findLast((match) => match !== null);
    if (!found)
        return undefined;
    const [days, first = 0, second, third] = found
        .slice(1)
        .map((part) => (part === undefined ? undefined : Number(part)));
    // The first number is hours if there are days or three numbers, else minutes.
    const isHours = days !== undefined || third !== undefined;
    const [hours, minutes, seconds] = isHours ? [first, second, third] : [0, first, second];
    return (((days ?? 0) * 24 + (hours ?? 0)) * 60 + (minutes ?? 0)) * 60 + (seconds ?? 0);
}
//# sourceMappingURL=time-limit.js.map