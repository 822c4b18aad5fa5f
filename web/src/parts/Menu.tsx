import type { ComponentChildren } from 'preact';
import { useId, useState } from 'preact/hooks';

interface MenuProps {
  /** Of the button, and of what it opens. */
  readonly label: string;
  readonly children: ComponentChildren;
  /** Looks of the button. */
  readonly class?: string;
  /** `anchor-name` of what the panel opens below. Default: the button. */
  readonly anchor?: string;
}

/** A button that opens a small panel below it. Escape, and a click elsewhere, close it. Its content is drawn new each time it opens. */
export const Menu = ({ label, children, class: look = 'button', anchor }: MenuProps) => {
  const id = useId();
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <button type="button" class={look} popovertarget={id} style={anchor === undefined ? { anchorName: `--${id}` } : undefined}>
        {label}
      </button>
      <section
        id={id}
        class="menu-panel"
        aria-label={label}
        popover="auto"
        style={{ positionAnchor: anchor ?? `--${id}` }}
        onBeforeToggle={({ newState }) => newState === 'open' && setOpen(true)}
        // At the end: the browser gives the focus back to the button only if the focus is still within.
        onToggle={({ newState }) => setOpen(newState === 'open')}
      >
        {isOpen && children}
      </section>
    </>
  );
};

/** Closes the menu around an element, if it is in an open one, and gives the focus back to the button of the menu. */
export const closeMenu = (within: Element): void => {
  const menu = within.closest<HTMLElement>('[popover]');
  menu?.hidePopover();
  menu?.parentElement?.querySelector<HTMLElement>(`[popovertarget="${menu.id}"]`)?.focus();
};
