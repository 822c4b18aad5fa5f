import { Note } from '../../parts/Notes.tsx';
import { Card, PageFrame } from '../../parts/Page.tsx';
import { href } from '../../shell/place.ts';
import { isAdmin, session } from '../../shell/session.ts';
import { OwnKeys } from './OwnKeys.tsx';
import { Sessions } from './Sessions.tsx';

/** A user's own keys, webhooks and sessions. */
export const Settings = () => (
  <PageFrame title="Settings" lead="Keys for your programs, webhooks, and where you are signed in.">
    <div class="stack">
      {isAdmin.value || session.value?.caller.session ? <OwnKeys /> : <NoKeys />}
      <Card title="Webhooks">
        <p>
          Your endpoints receive every change of your streams. <a href={href(['webhooks'])}>Manage webhooks</a>
        </p>
      </Card>
      <Sessions />
    </div>
  </PageFrame>
);

/** A key issues no keys. */
const NoKeys = () => (
  <Card title="API keys">
    <Note>You are signed in with a key. Sign in with your organisation’s account to make keys, or ask an administrator for one.</Note>
  </Card>
);
