import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';

interface MenuProps {
  /** Of the button, and of what it opens. */
  readonly label: string;
  readonly children: ComponentChildren;
  /** Looks of the button. */
  readonly class?: string;
}

/** A button that opens a small panel below it. Escape, and a click elsewhere, close it. */
export const Menu = ({ label, children, class: look = 'button' }: MenuProps) => {
  const id = useId();
  return (
    <>
      <button type="button" class={look} popovertarget={id} style={{ anchorName: `--${id}` }}>
        {label}
      </button>
      <section id={id} class="menu-panel" aria-label={label} popover="auto" style={{ positionAnchor: `--${id}` }}>
        {children}
      </section>
    </>
  );
};
