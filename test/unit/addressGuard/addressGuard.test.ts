import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { judgeAddress } from '../../../src/addressGuard/address.ts';
import { parseRange, parseRanges } from '../../../src/addressGuard/ranges.ts';
import { hrefJudge, type UrlGuard } from '../../../src/addressGuard/url.ts';

const nothing = {
  allow: [],
  resolve: async (): Promise<string[]> => {
    throw new Error('a name was resolved');
  },
};
const judged = (text: string, guard: UrlGuard = nothing): Promise<string | null> => hrefJudge(guard)(text);

describe('addresses', () => {
  test.each([
    '0.0.0.0',
    '0.1.2.3',
    '10.0.0.1',
    '10.255.255.255',
    '100.64.0.1',
    '100.127.255.255',
    '127.0.0.1',
    '127.255.255.255',
    '169.254.169.254',
    '172.16.0.1',
    '172.31.255.255',
    '192.0.0.1',
    '192.0.2.1',
    '192.88.99.1',
    '192.168.1.1',
    '198.18.0.1',
    '198.19.255.255',
    '198.51.100.1',
    '203.0.113.1',
    '224.0.0.1',
    '239.255.255.255',
    '240.0.0.1',
    '255.255.255.255',
    '168.63.129.16',
    '::',
    '::1',
    '::127.0.0.1',
    '::ffff:127.0.0.1',
    '::ffff:a00:1',
    '64:ff9b::7f00:1',
    '64:ff9b::10.0.0.1',
    '64:ff9b:1::1',
    'fe80::1',
    'fe80::1%eth0',
    'fc00::1',
    'fd12:3456::1',
    'ff02::1',
    '100::1',
    '2001::1',
    '2001:1ff::1',
    '2001:db8::1',
    '2002:7f00:1::',
    '3fff::1',
    '3fff:fff::1',
    '4000::1',
    '1fff::1',
    '',
    'localhost',
    '127.1',
    '0x7f.0.0.1',
    '1.2.3',
    '1.2.3.4.5',
    '[::1]',
    ' 1.1.1.1',
  ])('%s is refused', (address) => {
    expect(judgeAddress(address, [])).toBe(false);
  });

  test.each([
    '1.1.1.1',
    '8.8.8.8',
    '100.63.255.255',
    '100.128.0.0',
    '126.255.255.255',
    '128.0.0.1',
    '172.15.255.255',
    '172.32.0.0',
    '192.0.1.1',
    '198.17.255.255',
    '198.20.0.0',
    '223.255.255.255',
    '168.63.129.15',
    '::ffff:8.8.8.8',
    '64:ff9b::8.8.8.8',
    '2606:4700::1111',
    '2001:200::1',
    '2001:4860::8888',
    '3ffe::1',
  ])('%s is accepted', (address) => {
    expect(judgeAddress(address, [])).toBe(true);
  });

  test("accepts the operator's ranges, also for IPv4 addresses embedded in IPv6", () => {
    const allow = parseRanges('127.0.0.0/8, fd00::/8');
    expect(['127.0.0.1', '::ffff:127.0.0.1', 'fd00::1'].every((address) => judgeAddress(address, allow))).toBe(true);
    expect(['10.0.0.1', 'fc00::1', '::1'].some((address) => judgeAddress(address, allow))).toBe(false);
    expect(judgeAddress('127.0.0.1', parseRanges('::/0'))).toBe(false);
  });

  test('judges an IPv4 address equally in every IPv6 form', () => {
    fc.assert(
      fc.property(fc.ipV4(), (address) => {
        const direct = judgeAddress(address, []);
        expect(judgeAddress(`::ffff:${address}`, [])).toBe(direct);
        expect(judgeAddress(`64:ff9b::${address}`, [])).toBe(direct);
      }),
    );
  });
});

describe('ranges', () => {
  test.each([
    '10.0.0.0/33',
    '10.0.0.0/-1',
    '10.0.0.0/',
    '10/8',
    'fd00::/129',
    'example.com',
    '10.0.0.0/8/8',
    'fe80::1%eth0',
    '0x0a.0.0.0/8',
  ])('%s is rejected', (text) => {
    expect(() => parseRange(text)).toThrow(text);
  });
  test('accepts an empty list, spaces, and single addresses', () => {
    expect(parseRanges('')).toEqual([]);
    expect(parseRanges(' 10.0.0.1 , ::1,')).toHaveLength(2);
  });
});

describe('URLs', () => {
  test.each([
    ['https://example.com', 'https://example.com/'],
    ['HTTP://EXAMPLE.com:80/a?b#c', 'http://example.com/a?b#c'],
    ['https://example.com.:8443/', 'https://example.com:8443/'],
    ['http://8.8.8.8/', 'http://8.8.8.8/'],
    ['http://[2606:4700::1111]/', 'http://[2606:4700::1111]/'],
    ['https://bücher.example/', 'https://xn--bcher-kva.example/'],
    ['https://example.com/@user', 'https://example.com/@user'],
    ['https://mylocal.com/', 'https://mylocal.com/'],
  ])('%s is accepted as %s', async (text, href) => {
    expect(await judged(text)).toBe(href);
  });

  test.each([
    '',
    'example.com',
    '/path',
    'ftp://example.com',
    'file:///etc/passwd',
    'javascript:alert(1)',
    'data:text/plain,x',
    'ws://example.com',
    'http://',
    'http:///',
    'http://user@example.com',
    'http://user:pass@example.com',
    'http://:pass@example.com',
    'http://@example.com',
    'http:\\\\@example.com',
    'http://example.com:0/',
    'http://example.com:99999/',
    'http://exa mple.com',
    ' http://example.com',
    'http://example.com\n',
    'http://exam\nple.com',
    'http://exam\tple.com',
    'http://example.com/\r\nX: y',
    'http://example.com/\u0000',
    '\u00a0http://example.com',
    'http://localhost',
    'http://localhost.',
    'http://LOCALHOST:8080',
    'http://a.localhost',
    'http://printer.local',
    'http://x.internal',
    'http://metadata.google.internal',
    'http://nas.home.arpa',
    'http://home.arpa',
    'http://intranet',
    'http://intranet.',
    'http://a..b',
    'http://localhost..',
    'http://.example.com',
    'http://127.0.0.1',
    'http://127.1',
    'http://0x7f.1',
    'http://2130706433',
    'http://017700000001',
    'http://127.0.0.1.',
    'http://１２７.０.０.１',
    'http://127。0。0。1',
    'http://0',
    'http://[::1]',
    'http://[::ffff:127.0.0.1]',
    'http://[fe80::1%25eth0]',
    'http://[64:ff9b::7f00:1]',
    'http://169.254.169.254/latest/meta-data',
    'http://ⓛocalhost',
    'http://%6c%6f%63alhost',
    'http://127.0.0.1%00.example.com',
    'http://[::]',
    'http://10.0.0.1:8080',
    'http:127.0.0.1',
    'http:/\\127.0.0.1',
  ])('%j is refused', async (text) => {
    expect(await judged(text)).toBeNull();
  });

  // A redirect's Location may be 16 KB long. In quadratic time, these would take more than ten seconds each.
  test.each([
    ['colons', 'x:', ':'],
    ['colons and letters', 'x', ':a'],
    ['slashes', 'x:', '/'],
    ['colons and slashes', '', ':/'],
    ['at signs', '', '@'],
  ])('refuses 100 KB of %s in linear time', async (_, start, piece) => {
    expect(await judged(start + piece.repeat(100_000 / piece.length))).toBeNull();
  });

  test("accepts a refused name if all its addresses are in the operator's ranges", async () => {
    const guard = (...addresses: string[]) => ({ allow: parseRanges('10.0.0.0/8'), resolve: async () => addresses });
    expect(await judged('http://receiver:3000', guard('10.1.2.3'))).toBe('http://receiver:3000/');
    expect(await judged('http://receiver:3000', guard('10.1.2.3', '11.1.2.3'))).toBeNull();
    expect(await judged('http://receiver:3000', guard())).toBeNull();
    expect(
      await judged('http://receiver', { allow: parseRanges('10.0.0.0/8'), resolve: () => Promise.reject(new Error('no such name')) }),
    ).toBeNull();
    expect(await judged('http://10.0.0.1/', guard())).toBe('http://10.0.0.1/');
    expect(await judged('http://127.0.0.1/', guard())).toBeNull();
  });

  test('accepts its own result unchanged', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(
          fc.webUrl(),
          fc.string(),
          fc.string().map((text) => `http://${text}`),
        ),
        async (text) => {
          const href = await judged(text);
          if (href === null) return;
          expect(await judged(href)).toBe(href);
          expect(href).toMatch(/^https?:\/\/[^@/]+\//);
        },
      ),
      { numRuns: 500 },
    );
  });
});
