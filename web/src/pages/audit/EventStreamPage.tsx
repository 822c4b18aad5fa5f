import { PageFrame } from '../../parts/Page.tsx';
import { href } from '../../shell/place.ts';
import { StateAsOf } from './StateAsOf.tsx';
import { VerifyButton } from './Verify.tsx';

/** An event stream as it was at a revision or at a time, and what the event there has changed. */
export const EventStreamPage = ({ name, query }: { readonly name: string; readonly query: URLSearchParams }) => (
  <PageFrame
    title={name}
    above={<a href={href(['audit'])}>Audit</a>}
    actions={
      <>
        <a class="button" href={href(['audit'], { eventStream: name })}>
          Its events
        </a>
        <VerifyButton eventStream={name} />
      </>
    }
  >
    <StateAsOf name={name} asOf={query.get('asOf')} />
  </PageFrame>
);
