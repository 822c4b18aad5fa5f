import { describe, expect, it } from 'vitest';
import { shareOf } from '../../../src/stores/log/logShare.ts';

const at = (position: number): string => String(position).padStart(20, '0');

describe('the share of the log before a position', () => {
  it('grows from its start to its head', () => {
    expect([null, at(50), at(200), at(201)].map((position) => shareOf(null, position, at(200)))).toEqual([0, 0.25, 1, 1]);
    expect(shareOf(at(100), at(150), at(200))).toBe(0.5);
  });

  it('counts bytes where positions do', () => {
    expect(shareOf(null, 'C:1000/P:1000', 'C:4000/P:4000')).toBe(0.25);
  });

  it('is unknown in an empty log', () => {
    expect(shareOf(null, null, null)).toBeNull();
  });
});
