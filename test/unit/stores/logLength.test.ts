import { describe, expect, it } from 'vitest';
import { logLength } from '../../../src/stores/log/logLength.ts';

const at = (position: number): string => String(position).padStart(20, '0');

describe('the length of a log', () => {
  it('is read from the position if positions count events', () => {
    const length = logLength(at(200), false);
    expect([length.total, length.eventsUpTo(at(50))]).toEqual([200, 50]);
    expect([length.share(null), length.share(at(50)), length.share(at(200))]).toEqual([0, 0.25, 1]);
  });

  it('is known as a share only if positions have gaps', () => {
    const length = logLength('C:4000/P:4000', true);
    expect([length.total, length.eventsUpTo('C:1000/P:1000'), length.share('C:1000/P:1000')]).toEqual([null, null, 0.25]);
  });

  it('is complete for an empty log', () => {
    expect(logLength(null, false).share(null)).toBe(1);
  });
});
