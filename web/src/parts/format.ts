/** How numbers, sizes and times are written, everywhere the same. */

const WHOLE = new Intl.NumberFormat('en');

/** 1,234 */
export const count = (value: number): string => WHOLE.format(value);

/** "1 stream", "2 streams". */
export const counted = (value: number, one: string, many = `${one}s`): string => `${count(value)} ${value === 1 ? one : many}`;

const SIZES = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];

export const bytes = (value: number): string => {
  let [size, unit] = [value, 0];
  while (size >= 1024 && unit < SIZES.length - 1) [size, unit] = [size / 1024, unit + 1];
  return `${unit === 0 || size >= 100 ? Math.round(size) : size.toFixed(1)} ${SIZES[unit]}`;
};

/** Of milliseconds: "840 ms", "3.2 s", "4 min 10 s", "2 h 5 min". */
export const duration = (milliseconds: number): string => {
  if (Math.round(milliseconds) < 1000) return `${Math.round(milliseconds)} ms`;
  if (milliseconds < 9_950) return `${(milliseconds / 1000).toFixed(1)} s`;
  // Rounded once, so that no part ever reads 60.
  const seconds = Math.round(milliseconds / 1000);
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return withRest(`${minutes} min`, seconds % 60, 's');
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? withRest(`${hours} h`, minutes % 60, 'min') : withRest(`${Math.floor(hours / 24)} d`, hours % 24, 'h');
};

const withRest = (whole: string, rest: number, unit: string): string => (rest === 0 ? whole : `${whole} ${rest} ${unit}`);

/** A place in a recording: "1:05", "1:02:03". */
export const clockTime = (milliseconds: number): string => {
  const total = Math.max(0, Math.floor(milliseconds / 1000));
  const [hours, minutes, seconds] = [Math.floor(total / 3600), Math.floor((total % 3600) / 60), total % 60];
  const tail = `${String(minutes).padStart(hours > 0 ? 2 : 1, '0')}:${String(seconds).padStart(2, '0')}`;
  return hours > 0 ? `${hours}:${tail}` : tail;
};

const MOMENT = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'medium' });
const DAY = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium' });

/** "21 Nov 2026, 14:03:21", in the reader's time zone. */
export const moment = (time: string | number): string => MOMENT.format(new Date(time));
export const day = (time: string | number): string => DAY.format(new Date(time));

/** "just now", "3 min ago", "in 2 h"; the day for anything older than two days. */
export const ago = (time: string | number, now: number): string => {
  const passed = now - new Date(time).getTime();
  const size = Math.abs(passed);
  if (size < 10_000) return 'just now';
  if (size > 172_800_000) return day(time);
  // Compared as rounded, so that it never reads 60.
  const [seconds, minutes] = [Math.round(size / 1000), Math.round(size / 60_000)];
  const text = seconds < 60 ? `${seconds} s` : minutes < 60 ? `${minutes} min` : `${Math.round(size / 3_600_000)} h`;
  return passed > 0 ? `${text} ago` : `in ${text}`;
};
