import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';

interface PageFrameProps {
  readonly title: string;
  /** Content above the title, such as a link back. */
  readonly above?: ComponentChildren;
  /** Beside the title. */
  readonly badge?: ComponentChildren;
  /** One sentence below the title. */
  readonly lead?: ComponentChildren;
  /** Buttons, on the right. */
  readonly actions?: ComponentChildren;
  readonly children: ComponentChildren;
}

/** The frame of every page: its title (also the tab's) and the content below. */
export const PageFrame = ({ title, above, badge, lead, actions, children }: PageFrameProps) => {
  useEffect(() => {
    document.title = `${title} · Tributary`;
  }, [title]);
  return (
    <>
      <header class="page-head">
        <div class="page-title">
          {above}
          <h1 tabIndex={-1}>
            {title} {badge}
          </h1>
          {lead && <p class="lead">{lead}</p>}
        </div>
        {actions && <div class="actions">{actions}</div>}
      </header>
      {children}
    </>
  );
};

interface CardProps {
  readonly title: string;
  readonly actions?: ComponentChildren;
  readonly children: ComponentChildren;
  readonly class?: string;
}

/** A part of a page with a heading of its own. */
export const Card = ({ title, actions, children, class: name = '' }: CardProps) => (
  <section class={`card ${name}`} aria-label={title}>
    <header class="card-head">
      <h2>{title}</h2>
      {actions && <div class="actions">{actions}</div>}
    </header>
    {children}
  </section>
);
