import { randomBytes } from 'node:crypto';

const POOL_BYTES = 8_192;
let pool = Buffer.alloc(0);

/** Random bytes, each given once. They are drawn for many callers at once, since each draw costs a system call. At most 8 KiB. */
export const pooledRandomBytes = (count: number): Buffer => {
  if (pool.length < count) pool = randomBytes(POOL_BYTES);
  const drawn = pool.subarray(0, count);
  pool = pool.subarray(count);
  return drawn;
};
