import { useEffect, useState } from 'preact/hooks';

const TICK_MILLISECONDS = 500;

/** The present time, which moves only while something runs. Milliseconds since the epoch. */
export const useNow = (isMoving: boolean): number => {
  const [now, setNow] = useState(Date.now());
  useEffect(() => {
    if (!isMoving) return;
    const timer = setInterval(() => setNow(Date.now()), TICK_MILLISECONDS);
    return () => clearInterval(timer);
  }, [isMoving]);
  return now;
};
