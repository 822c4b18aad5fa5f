import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** A range of IPv4 or IPv6 addresses, such as `10.0.0.0/8`. */
export type Range = readonly [base: ipaddr.IPv4 | ipaddr.IPv6, bits: number];

/** Parses `10.0.0.0/8`, `fd00::/8` or a single address. Throws with a message that names the error. */
export const parseRange = (text: string): Range => {
  const [address = '', bits, ...rest] = text.split('/');
  const family = isIP(address);
  const width = family === 4 ? 32 : 128;
  const length = bits === undefined ? width : /^\d{1,3}$/.test(bits) ? Number(bits) : -1;
  if (family === 0 || address.includes('%') || rest.length > 0 || length < 0 || length > width) {
    throw new Error(`"${text}" is not an address range such as 10.0.0.0/8`);
  }
  return [ipaddr.parse(address), length];
};

/** Parses a comma-separated list (`WEBHOOK_ALLOW_CIDRS`); empty text is an empty list. */
export const parseRanges = (text: string): Range[] =>
  text
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '')
    .map(parseRange);

export const isInRanges = (address: ipaddr.IPv4 | ipaddr.IPv6, ranges: readonly Range[]): boolean =>
  ranges.some(([base, bits]) => {
    if (address instanceof ipaddr.IPv4) return base instanceof ipaddr.IPv4 && address.match(base, bits);
    return base instanceof ipaddr.IPv6 && address.match(base, bits);
  });
