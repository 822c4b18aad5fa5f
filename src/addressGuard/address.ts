import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { isInRanges, parseRange, type Range } from './ranges.ts';

const ranges = (...texts: string[]): Range[] => texts.map(parseRange);

/** Internal, shared, special and unassigned IPv4 ranges. 168.63.129.16 is a cloud provider's host service. */
const REFUSED_IPV4 = ranges(
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
  '168.63.129.16',
);
const GLOBAL_IPV6 = ranges('2000::/3');
const REFUSED_IPV6 = ranges('2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20');
/** IPv6 ranges with an embedded IPv4 address in the last 32 bits. */
const WRAPPED_IPV4 = ranges('::ffff:0:0/96', '64:ff9b::/96');

const unwrapped = (address: ipaddr.IPv4 | ipaddr.IPv6): ipaddr.IPv4 | ipaddr.IPv6 =>
  isInRanges(address, WRAPPED_IPV4) ? new ipaddr.IPv4(address.toByteArray().slice(12)) : address;

const parsed = (text: string): ipaddr.IPv4 | ipaddr.IPv6 | null =>
  isIP(text) === 0 || text.includes('%') ? null : unwrapped(ipaddr.parse(text));

export const isAllowedByOperator = (text: string, allow: readonly Range[]): boolean => {
  const address = parsed(text);
  return address !== null && isInRanges(address, allow);
};

/**
 * Whether the platform may connect to the address: it is public, or in `allow` (the operator's ranges). Accepts the forms that `net.isIP` accepts and
 * refuses all others, such as zones. Judges an IPv4 address embedded in IPv6 as IPv4.
 */
export const judgeAddress = (text: string, allow: readonly Range[]): boolean => {
  const address = parsed(text);
  if (!address) return false;
  if (isInRanges(address, allow)) return true;
  if (address instanceof ipaddr.IPv4) return !isInRanges(address, REFUSED_IPV4);
  return isInRanges(address, GLOBAL_IPV6) && !isInRanges(address, REFUSED_IPV6);
};
