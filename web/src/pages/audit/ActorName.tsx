import { shortId } from '../../parts/CopyText.tsx';
import { href } from '../../shell/place.ts';
import { type Actor, eventStreamHref, type LogEvent, told } from './audit.ts';

/** The cause of an event: a credential by its label, with a link to its history, or a part of the platform. */
export const ActorName = ({ event, actors }: { readonly event: LogEvent; readonly actors: readonly Actor[] }) => {
  const id = told(event, 'actor');
  const actor = actors.find((one) => one.id === id);
  if (!actor) return <span title={id}>{/^[0-9a-f]{8}-/.test(id) ? shortId(id) : id}</span>;
  return (
    <a href={eventStreamHref(`credentials-${actor.subject}`)} title={`${actor.role}, credential ${id}`}>
      {actor.label ?? `erased ${shortId(id)}`}
    </a>
  );
};

/** The events of everything that an owner has. */
export const ownerHref = (subject: string): string => href(['audit'], { subject });
