import { describe, expect, test } from 'vitest';
import { attachment, safeFileName } from '../../../src/http/answers/fileName.ts';
import { streamFileName } from '../../../src/http/streams/uploadName.ts';

describe('a file name', () => {
  test.each([
    ['episode-1.mp3', 'episode-1.mp3'],
    ['Ană & Ion: what?/no.mp3', 'Ană & Ion_ what__no.mp3'],
    ['../../etc/passwd', '_.._etc_passwd'],
    ['a\r\nb\u202Egpj.exe', 'a__b_gpj.exe'],
    ['.hidden. ', 'hidden'],
    ['  ', 'otherwise'],
    ['...', 'otherwise'],
    ['\uD800x', '_x'],
  ])('made of %j is %j', (text, name) => expect(safeFileName(text, 'otherwise')).toBe(name));

  test('has at most some 200 bytes and keeps its ending', () => {
    const name = safeFileName(`${'語'.repeat(255)}.docx`, 'otherwise');
    expect(Buffer.byteLength(name)).toBeLessThanOrEqual(211);
    expect(name).toMatch(/^語+\.docx$/);
  });
});

test('a header names the file in ASCII and in UTF-8', () => {
  expect(attachment("Ană's 50 %.srt")).toEqual({
    'Content-Disposition': `attachment; filename="An_'s 50 _.srt"; filename*=UTF-8''An%C4%83%27s%2050%20%25.srt`,
  });
});

test.each([
  ['talk.mp3', 'talk.mp3', 'talk'],
  ['Interview with Ben', 'talk.mp3', 'Interview with Ben'],
  ['Version 1.2', null, 'Version 1.2'],
  ['Budget 12.30', 'Budget 12.30', 'Budget 12.30'],
  [null, null, 'the-id'],
])('a stream named %s, uploaded as %s, is exported as %s', (name, fileName, expected) => {
  expect(streamFileName({ name, fileName, streamId: 'the-id' })).toBe(expected);
});
