import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

/** Stays in view at the top of the page. Whatever is scrolled to, keeps clear of it. */
export const StickyBar = ({ children }: { readonly children: ComponentChildren }) => {
  const bar = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const { current: element } = bar;
    const { style } = document.documentElement;
    if (!element) return;
    const observer = new ResizeObserver(() => style.setProperty('--bar', `${element.offsetHeight}px`));
    observer.observe(element);
    return () => {
      observer.disconnect();
      style.removeProperty('--bar');
    };
  }, []);
  return (
    <div ref={bar} class="sticky-bar">
      {children}
    </div>
  );
};
