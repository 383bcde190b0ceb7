import { RenderError } from "../errors.js";
const MONTHS = "January February March April May June July August September October November December".split(" ");
const DAYS = "Sunday Monday Tuesday Wednesday Thursday Friday Saturday".split(" ");
const two = (value) => String(value).padStart(2, "0");
const short = (name) => (name ?? "").slice(0, 3);
const hour12 = (date) => date.getHours() % 12 || 12;
function dayOfYear(date) {
    const day = Date.UTC(date.getFullYear(), date.getMonth(), date.getDate());
    return (day - Date.UTC(date.getFullYear(), 0, 1)) / 86_400_000 + 1;
}
/** Returns the number of the week. Weeks begin on this day (0: Sunday); days before the first are in week 0. */
const weekFrom = (firstDay) => (date) => two(Math.floor((dayOfYear(date) + 6 - ((date.getDay() - firstDay + 7) % 7)) / 7));
const FIELDS = new Map([
    ["Y", (date) => String(date.getFullYear())],
    ["y", (date) => two(date.getFullYear() % 100)],
    ["m", (date) => two(date.getMonth() + 1)],
    ["d", (date) => two(date.getDate())],
    ["e", (date) => String(date.getDate()).padStart(2)],
    ["j", (date) => String(dayOfYear(date)).padStart(3, "0")],
    ["B", (date) => MONTHS[date.getMonth()] ?? ""],
    ["b", (date) => short(MONTHS[date.getMonth()])],
    ["A", (date) => DAYS[date.getDay()] ?? ""],
    ["a", (date) => short(DAYS[date.getDay()])],
    ["H", (date) => two(date.getHours())],
    ["I", (date) => two(hour12(date))],
    ["M", (date) => two(date.getMinutes())],
    ["S", (date) => two(date.getSeconds())],
    ["p", (date) => (date.getHours() < 12 ? "AM" : "PM")],
    ["f", (date) => `${String(date.getMilliseconds()).padStart(3, "0")}000`],
    ["h", (date) => short(MONTHS[date.getMonth()])],
    ["k", (date) => String(date.getHours()).padStart(2)],
    ["l", (date) => String(hour12(date)).padStart(2)],
    ["P", (date) => (date.getHours() < 12 ? "am" : "pm")],
    ["u", (date) => String(date.getDay() || 7)],
    ["w", (date) => String(date.getDay())],
    ["U", weekFrom(0)],
    ["W", weekFrom(1)],
    // Python's `datetime.now()` has no time zone.
    ["z", () => ""],
    ["Z", () => ""],
    ["c", (date) => strftime("%a %b %e %H:%M:%S %Y", date)],
    ["x", (date) => strftime("%m/%d/%y", date)],
    ["X", (date) => strftime("%H:%M:%S", date)],
    ["D", (date) => strftime("%m/%d/%y", date)],
    ["R", (date) => strftime("%H:%M", date)],
    ["n", () => "\n"],
    ["t", () => "\t"],
    ["F", (date) => strftime("%Y-%m-%d", date)],
    ["T", (date) => strftime("%H:%M:%S", date)],
    ["%", () => "%"],
]);
/**
 * C's `strftime` in local time and always in the C locale, without the fields of ISO weeks.
 *
 * @throws RenderError if a field is not supported: its spelling in a prompt would be wrong without notice
 */
export function strftime(format, date) {
    return format.replace(/%(-?)([A-Za-z%])/g, (whole, plain, field) => {
        const text = FIELDS.get(field)?.(date);
        if (text === undefined)
            throw new RenderError(`strftime_now does not support '${whole}'`);
        return plain === "" ? text : text.replace(/^[0 ]+(?=.)/, "");
    });
}
//# sourceMappingURL=strftime.js.map