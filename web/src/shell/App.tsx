import { useEffect, useRef } from 'preact/hooks';
import { PAGES } from '../pages.ts';
import { Empty } from '../parts/Notes.tsx';
import { PageFrame } from '../parts/Page.tsx';
import { Announcer } from './Announcer.tsx';
import { LinkSignIn } from './LinkSignIn.tsx';
import { Navigation } from './Navigation.tsx';
import type { Page } from './page.ts';
import { href, place } from './place.ts';
import { SignIn } from './SignIn.tsx';
import { hasRole, session } from './session.ts';

const MAIN = 'main';
/** As `tributary link` prints it: `#/link/<token>`. */
const LINK = 'link';

const maySee = ({ roles }: Page): boolean => roles === null || hasRole(...roles);

export const App = () => {
  const { segments } = place.value;
  const path = segments.join('/');
  const main = useRef<HTMLElement>(null);
  const shownBefore = useRef(path);
  useEffect(() => {
    if (shownBefore.current === path) return;
    shownBefore.current = path;
    // Screen readers continue at the new page's title; other users see its top.
    main.current?.querySelector('h1')?.focus({ preventScroll: true });
    scrollTo(0, 0);
  }, [path]);
  if (segments[0] === LINK) return <LinkSignIn token={segments[1] ?? ''} />;
  if (!session.value) return <SignIn />;
  const pages = PAGES.filter(maySee);
  return (
    <div class="shell">
      <a class="skip" href={`#${MAIN}`} onClick={(event) => skipTo(event, main.current)}>
        Skip to content
      </a>
      <Navigation pages={pages} current={segments[0] ?? pages[0]?.path ?? ''} />
      <main ref={main} id={MAIN} class="main">
        <Shown pages={pages} />
      </main>
      <Announcer />
    </div>
  );
};

const skipTo = (event: MouseEvent, main: HTMLElement | null): void => {
  event.preventDefault();
  main?.querySelector('h1')?.focus();
};

const Shown = ({ pages }: { readonly pages: readonly Page[] }) => {
  const { segments, query } = place.value;
  const [first = pages[0]?.path, ...rest] = segments;
  const page = pages.find(({ path }) => path === first);
  if (page) return <page.Component rest={rest} query={query} />;
  const hidden = PAGES.some(({ path }) => path === first);
  return (
    <PageFrame title="Not found">
      <Empty title={hidden ? 'Your role does not include this page.' : 'This page does not exist.'}>
        <a href={href([pages[0]?.path ?? ''])}>Go to {pages[0]?.title}</a>
      </Empty>
    </PageFrame>
  );
};
