import { render } from 'preact';
import { App } from './shell/App.tsx';
import { resumeSession } from './shell/session.ts';
import { applyTheme } from './shell/theme.ts';

applyTheme();
await resumeSession();
const root = document.getElementById('app');
if (root) {
  root.replaceChildren();
  render(<App />, root);
}
