import { useEffect, useState } from 'preact/hooks';
import { shortId } from '../parts/CopyText.tsx';
import { Icon } from '../parts/Icon.tsx';
import { Brand } from './Brand.tsx';
import type { Page } from './page.ts';
import { href, place } from './place.ts';
import { leave, session } from './session.ts';
import { chooseTheme, THEMES, theme } from './theme.ts';

/** The pages that the caller's role may see, who the caller is, and the switch for light and dark. On phones behind a button. */
export const Navigation = ({ pages, current }: { readonly pages: readonly Page[]; readonly current: string }) => {
  const [isOpen, setOpen] = useState(false);
  const at = place.value.segments.join('/');
  useEffect(() => setOpen(false), [at]);
  return (
    <header class={`side ${isOpen ? 'open' : ''}`}>
      <div class="side-top">
        <Brand />
        <button type="button" class="button bare menu" aria-expanded={isOpen} aria-controls="navigation" onClick={() => setOpen(!isOpen)}>
          <Icon name={isOpen ? 'close' : 'menu'} />
          <span class="visually-hidden">Menu</span>
        </button>
      </div>
      <div class="side-body" id="navigation">
        <nav aria-label="Pages">
          {pages.map(({ path, title, icon }) => (
            <a key={path} href={href([path])} aria-current={path === current ? 'page' : undefined}>
              <Icon name={icon} /> {title}
            </a>
          ))}
        </nav>
        <div class="side-foot">
          <a class="side-docs" href="/docs">
            API documents
          </a>
          <ThemeSwitch />
          <Account />
        </div>
      </div>
    </header>
  );
};

const ThemeSwitch = () => (
  <fieldset class="switch">
    <legend class="visually-hidden">Colours</legend>
    {THEMES.map((one) => (
      <label key={one} title={`Colours: ${one}`}>
        <input type="radio" name="theme" checked={theme.value === one} onChange={() => chooseTheme(one)} />
        <Icon name={one} />
        <span class="visually-hidden">{one}</span>
      </label>
    ))}
  </fieldset>
);

const Account = () => {
  const caller = session.value?.caller;
  if (!caller) return null;
  return (
    <div class="account">
      <div class="account-who">
        <strong>{caller.credential?.label ?? caller.session?.name ?? 'Signed in'}</strong>
        <span class="quiet small" title={`Subject ${caller.subject}`}>
          {caller.roles.join(', ')} · {shortId(caller.subject)}
        </span>
      </div>
      <button type="button" class="button bare" aria-label="Sign out" title="Sign out" onClick={() => void leave()}>
        <Icon name="signOut" />
      </button>
    </div>
  );
};
