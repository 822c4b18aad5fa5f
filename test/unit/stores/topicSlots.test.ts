import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { fitsSlot, SLOT_BYTES, TopicSlots } from '../../../src/stores/embedded/topicSlots.ts';
import { temporaryDirectory } from '../../temporaryDirectory.ts';

describe('the slots of topics', () => {
  const path = () => join(temporaryDirectory(), 'log.slots');
  const open = (file: string, taken: readonly number[] = []) => {
    const slots = new TopicSlots(file, taken);
    onTestFinished(() => slots.close());
    return slots;
  };
  const filled = (text: string) => Buffer.alloc(SLOT_BYTES - 100, text);
  const bytesOf = (file: string, slot: number) => readFileSync(file).subarray(slot * SLOT_BYTES, (slot + 1) * SLOT_BYTES);
  const slotWith = (text: string) => Buffer.concat([filled(text), Buffer.alloc(100)]);
  const EMPTY = Buffer.alloc(SLOT_BYTES);

  it('suit topics that fill at least half of one', () => {
    const sizes = [SLOT_BYTES / 2, SLOT_BYTES / 2 + 1, SLOT_BYTES, SLOT_BYTES + 1];
    expect(sizes.map((size) => fitsSlot(Buffer.alloc(size)))).toEqual([false, true, true, false]);
  });

  it('have no file before the first topic, and one for its owner only afterwards', () => {
    const file = path();
    const slots = open(file);
    slots.tidy();
    slots.purge();
    expect(existsSync(file)).toBe(false);
    slots.write(filled('a'));
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  it('are written one after the other, and again after a commit has released them', () => {
    const file = path();
    const slots = open(file);
    expect(['a', 'b', 'c'].map((text) => slots.write(filled(text)))).toEqual([0, 1, 2]);
    slots.ended(true);
    slots.release(1);
    expect(slots.write(filled('d'))).toBe(3);
    slots.ended(true);
    expect(slots.write(filled('e'))).toBe(1);
    expect(bytesOf(file, 1)).toEqual(slotWith('e'));
  });

  it('keep the topic that a failed commit was to release, and free those that it wrote', () => {
    const file = path();
    const slots = open(file);
    slots.write(filled('a'));
    slots.ended(true);
    slots.release(0);
    expect(slots.write(filled('b'))).toBe(1);
    slots.ended(false);
    slots.tidy();
    expect(bytesOf(file, 0)).toEqual(slotWith('a'));
    expect(bytesOf(file, 1)).toEqual(EMPTY);
    expect([slots.write(filled('c')), slots.write(filled('d'))]).toEqual([1, 2]);
  });

  it('are overwritten only after the commit that released them', () => {
    const file = path();
    const slots = open(file);
    slots.write(filled('a'));
    slots.ended(true);
    slots.release(0);
    slots.tidy();
    expect(bytesOf(file, 0)).toEqual(slotWith('a'));
    slots.ended(true);
    slots.tidy();
    expect(bytesOf(file, 0)).toEqual(EMPTY);
  });

  it('lose what a crash left in free ones: behind the last topic at once, between topics with the next work or a purge', () => {
    const file = path();
    writeFileSync(file, Buffer.concat(['a', 'left', 'c', 'left', 'left'].map((text) => slotWith(text))));
    const slots = open(file, [0, 2]);
    expect(statSync(file).size).toBe(3 * SLOT_BYTES);
    slots.purge();
    expect([0, 1, 2].map((slot) => bytesOf(file, slot).equals(EMPTY))).toEqual([false, true, false]);
    expect([slots.write(filled('d')), slots.write(filled('e'))]).toEqual([1, 3]);
  });

  it('are overwritten in parts, the newest first, so that no call takes long', () => {
    const file = path();
    const slots = open(file);
    const all = Array.from({ length: 300 }, () => slots.write(filled('x')));
    slots.ended(true);
    for (const slot of all) slots.release(slot);
    slots.ended(true);
    const left = () => all.filter((slot) => !bytesOf(file, slot).equals(EMPTY)).length;
    const seen = [left()];
    for (let call = 0; call < 3; call++) {
      slots.tidy();
      seen.push(left());
    }
    expect(seen).toEqual([300, 172, 44, 0]);
  });

  it('hold zeroes if their file was lost', () => {
    const file = path();
    const slots = open(file, [0]);
    expect(bytesOf(file, 0)).toEqual(EMPTY);
    expect(slots.write(filled('a'))).toBe(1);
  });
});
