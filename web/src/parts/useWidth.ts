import { useLayoutEffect, useRef, useState } from 'preact/hooks';

/** The width of an element in CSS pixels, as it is now: drawings keep the size of their letters at every width. */
export const useWidth = <E extends Element>(fallback: number) => {
  const ref = useRef<E>(null);
  const [width, setWidth] = useState(fallback);
  // Measured before the first paint, so that nothing is drawn at the fallback's width.
  useLayoutEffect(() => {
    const element = ref.current;
    if (!element) return;
    setWidth(Math.round(element.getBoundingClientRect().width));
    const observer = new ResizeObserver(([entry]) => entry && setWidth(Math.round(entry.contentRect.width)));
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  return { ref, width };
};
