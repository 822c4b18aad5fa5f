import { PageFrame } from '../../parts/Page.tsx';
import { href } from '../../shell/place.ts';
import { isAdmin } from '../../shell/session.ts';
import { StateAsOf } from './StateAsOf.tsx';
import { VerifyButton } from './Verify.tsx';

/** An event stream as of a revision or a time, and the change by the event there. */
export const EventStreamPage = ({ name, query }: { readonly name: string; readonly query: URLSearchParams }) => (
  <PageFrame
    title={name}
    above={<a href={href(['audit'])}>Audit</a>}
    actions={
      <>
        <a class="button" href={href(['audit'], { eventStream: name })}>
          Events
        </a>
        <ResourceLink name={name} />
        <VerifyButton eventStream={name} />
      </>
    }
  >
    <StateAsOf name={name} asOf={query.get('asOf')} />
  </PageFrame>
);

/** Link to the page of the event stream's resource, if there is one. */
const ResourceLink = ({ name }: { readonly name: string }) => {
  const id = name.slice(name.indexOf('-') + 1);
  if (name.startsWith('stream-'))
    return (
      <a class="button" href={href(['streams', id])}>
        Open the stream
      </a>
    );
  if (name.startsWith('credentials-') && isAdmin.value)
    return (
      <a class="button" href={href(['credentials'], { subject: id })}>
        Credentials
      </a>
    );
  return null;
};
