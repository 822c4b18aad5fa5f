import type { Json } from '../../api/types.ts';
import { PageFrame } from '../../parts/Page.tsx';
import { href } from '../../shell/place.ts';
import { isAdmin, session } from '../../shell/session.ts';
import { useEventStream } from './audit.ts';
import { States } from './StateAsOf.tsx';
import { VerifyButton } from './Verify.tsx';

/** An event stream as of a revision or a time, and the change by the event there. */
export const EventStreamPage = ({ name, query }: { readonly name: string; readonly query: URLSearchParams }) => {
  const now = useEventStream(name, null, null);
  return (
    <PageFrame
      title={name}
      above={<a href={href(['audit'])}>Audit</a>}
      actions={
        <>
          <a class="button" href={href(['audit'], { eventStream: name })}>
            Events
          </a>
          <ResourceLink name={name} state={now.data?.state} />
          <VerifyButton eventStream={name} />
        </>
      }
    >
      <States name={name} asOf={query.get('asOf')} now={now} />
    </PageFrame>
  );
};

interface ResourceLinkProps {
  readonly name: string;
  readonly state: Json | undefined;
}

/** Link to the page of the event stream's resource, if there is one that the user may see. */
const ResourceLink = ({ name, state }: ResourceLinkProps) => {
  const id = name.slice(name.indexOf('-') + 1);
  if (name.startsWith('stream-') && (isAdmin.value || isOwn(state)))
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

/** Auditors see the streams of others only in the log. */
const isOwn = (state: Json | undefined): boolean => memberOf(memberOf(state, 'stream'), 'creatorId') === session.value?.caller.subject;

const memberOf = (value: Json | undefined, name: string): Json | undefined =>
  typeof value === 'object' && value !== null && !isList(value) ? value[name] : undefined;

const isList = (value: Json): value is readonly Json[] => Array.isArray(value);
