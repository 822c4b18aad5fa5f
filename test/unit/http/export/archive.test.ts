import { expect, test } from 'vitest';
import { type ZipFile, zipped } from '../../../../src/http/export/zip/archive.ts';
import { eventually } from '../../../eventually.ts';
import { unzipped } from '../../../unzipped.ts';

const DATE = new Date('2026-11-29T10:00:00Z');

async function* files(...contents: ZipFile['content'][]): AsyncGenerator<ZipFile> {
  for (const [n, content] of contents.entries()) yield { name: `Ană/${n}.txt`, date: DATE, content };
}

async function* pieces(...texts: (string | Error)[]): AsyncGenerator<Uint8Array> {
  for (const text of texts) {
    if (text instanceof Error) throw text;
    yield Buffer.from(text);
  }
}

const whole = async (archive: AsyncIterable<Uint8Array>): Promise<Buffer> => {
  const read: Uint8Array[] = [];
  for await (const piece of archive) read.push(piece);
  return Buffer.concat(read);
};

test('a ZIP has its files, whole or in pieces', async () => {
  const archive = await whole(zipped(files(Buffer.from('whole'), pieces('in ', 'pieces'), Buffer.alloc(0))));
  expect([...unzipped(archive)].map(([name, content]) => [name, content.toString()])).toEqual([
    ['Ană/0.txt', 'whole'],
    ['Ană/1.txt', 'in pieces'],
    ['Ană/2.txt', ''],
  ]);
});

test('a ZIP fails if one of its files does', async () => {
  await expect(whole(zipped(files(pieces('some', new Error('the disk is gone')))))).rejects.toThrow('the disk is gone');
});

test('a ZIP whose reader leaves closes the file that is being read', async () => {
  let isClosed = false;
  async function* endless(): AsyncGenerator<Uint8Array> {
    try {
      for (;;) yield crypto.getRandomValues(new Uint8Array(65_536));
    } finally {
      isClosed = true;
    }
  }
  for await (const piece of zipped(files(endless()))) if (piece.length > 1_000) break;
  await eventually(() => isClosed);
});
