import { existsSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { EXTENT_BYTES, fitsExtent, TopicExtents } from '../../../src/stores/embedded/topicExtents.ts';
import { temporaryDirectory } from '../../temporaryDirectory.ts';

describe('the extents of topics', () => {
  const path = () => join(temporaryDirectory(), 'log.extents');
  const open = (file: string, taken: readonly number[] = []) => {
    const extents = new TopicExtents(file, taken);
    onTestFinished(() => extents.close());
    return extents;
  };
  const filled = (text: string) => Buffer.alloc(EXTENT_BYTES - 100, text);
  const bytesOf = (file: string, extent: number) => readFileSync(file).subarray(extent * EXTENT_BYTES, (extent + 1) * EXTENT_BYTES);
  const extentWith = (text: string) => Buffer.concat([filled(text), Buffer.alloc(100)]);
  const EMPTY = Buffer.alloc(EXTENT_BYTES);

  it('suit topics that fill more than half of one', () => {
    const sizes = [EXTENT_BYTES / 2, EXTENT_BYTES / 2 + 1, EXTENT_BYTES, EXTENT_BYTES + 1];
    expect(sizes.map((size) => fitsExtent(Buffer.alloc(size)))).toEqual([false, true, true, false]);
  });

  it('have no file before the first topic, and one for its owner only afterwards', () => {
    const file = path();
    const extents = open(file);
    extents.tidy();
    extents.purge();
    expect(existsSync(file)).toBe(false);
    extents.write(filled('a'));
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  it('are written one after the other, and again after a commit has released them', () => {
    const file = path();
    const extents = open(file);
    expect(['a', 'b', 'c'].map((text) => extents.write(filled(text)))).toEqual([0, 1, 2]);
    extents.committed();
    extents.release(1);
    expect(extents.write(filled('d'))).toBe(3);
    extents.committed();
    expect(extents.write(filled('e'))).toBe(1);
    expect(bytesOf(file, 1)).toEqual(extentWith('e'));
  });

  it('of a failed commit keep their bytes until the next one, in case SQLite has stored it after all', () => {
    const file = path();
    const extents = open(file);
    extents.write(filled('a'));
    extents.committed();
    extents.release(0);
    expect(extents.write(filled('b'))).toBe(1);
    extents.rolledBack();
    extents.tidy();
    expect([bytesOf(file, 0).equals(extentWith('a')), bytesOf(file, 1).equals(extentWith('b'))]).toEqual([true, true]);
    expect(extents.write(filled('c'))).toBe(2);
    extents.committed();
    extents.tidy();
    expect([bytesOf(file, 0).equals(extentWith('a')), bytesOf(file, 1).equals(EMPTY)]).toEqual([true, true]);
    expect(extents.write(filled('d'))).toBe(1);
  });

  it('are overwritten only after the commit that released them', () => {
    const file = path();
    const extents = open(file);
    extents.write(filled('a'));
    extents.committed();
    extents.release(0);
    extents.tidy();
    expect(bytesOf(file, 0)).toEqual(extentWith('a'));
    extents.committed();
    extents.tidy();
    expect(bytesOf(file, 0)).toEqual(EMPTY);
  });

  it('are emptied of what a crash left in them', () => {
    const file = path();
    writeFileSync(file, Buffer.concat(['a', 'left', 'c', 'left', 'left'].map((text) => extentWith(text))));
    const extents = open(file, [0, 2]);
    expect(statSync(file).size).toBe(3 * EXTENT_BYTES);
    extents.purge();
    expect([0, 1, 2].map((extent) => bytesOf(file, extent).equals(EMPTY))).toEqual([false, true, false]);
    expect([extents.write(filled('d')), extents.write(filled('e'))]).toEqual([1, 3]);
  });

  it('are overwritten in parts, so that no call takes long', () => {
    const file = path();
    const extents = open(file);
    const all = Array.from({ length: 80 }, () => extents.write(filled('x')));
    extents.committed();
    for (const extent of all) extents.release(extent);
    extents.committed();
    const left = () => {
      const bytes = readFileSync(file);
      return all.filter((extent) => bytes[extent * EXTENT_BYTES] !== 0).length;
    };
    const seen = [left()];
    while (extents.isUntidy) {
      extents.tidy();
      seen.push(left());
    }
    expect(seen).toEqual([80, 48, 16, 0]);
  });

  it('are overwritten without more room if the disk filled up within the last one', () => {
    const file = path();
    writeFileSync(file, Buffer.concat([extentWith('a'), extentWith('b')]));
    const extents = open(file, [0, 1]);
    extents.release(1);
    extents.committed();
    truncateSync(file, EXTENT_BYTES + 1_000);
    extents.purge();
    expect(readFileSync(file).equals(Buffer.concat([extentWith('a'), Buffer.alloc(1_000)]))).toBe(true);
  });

  it('are counted as lost and hold zeroes if their file is missing', () => {
    const file = path();
    const extents = open(file, [0]);
    expect(extents.lost).toBe(1);
    expect(bytesOf(file, 0)).toEqual(EMPTY);
    expect(extents.write(filled('a'))).toBe(1);
  });
});
