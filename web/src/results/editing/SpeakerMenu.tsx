import { useState } from 'preact/hooks';
import { TextField } from '../../parts/Field.tsx';
import { closeMenu, Menu } from '../../parts/Menu.tsx';
import type { Utterance } from '../results.ts';
import { shownSpeaker } from '../speakers.ts';
import type { Speaker } from './transcript.ts';
import type { Editing } from './useEditing.ts';

interface SpeakerMenuProps {
  readonly utterance: Utterance & { readonly id: string };
  /** Ids of the utterances that the label heads: another speaker gets all of them. */
  readonly headed: readonly string[];
  readonly editing: Editing;
  /** Of the speaker. */
  readonly colour: string;
  /** Name of what the menu opens below. */
  readonly anchor: string;
}

/** Names a speaker, gives an utterance to another one, or joins two. */
export const SpeakerMenu = ({ utterance: { speakerId = null, speakers }, headed, editing, colour, anchor }: SpeakerMenuProps) => {
  const all = editing.transcript.speakers;
  const now = all.find((one) => one.id === speakerId);
  const others = all.filter((one) => one.id !== speakerId);
  const label = speakers[0] ?? 'Speaker';
  const give = (speaker: string) => void editing.save(...headed.map((utterance) => ({ op: 'speaker' as const, utterance, speaker })));
  return (
    <Menu label={label} class={`speaker ${colour}`} anchor={anchor}>
      <div class="stack">
        {now && <NameForm speaker={now} busy={editing.busy} onSave={(name) => void editing.save({ op: 'name', speaker: now.id, name })} />}
        <fieldset class="field">
          <legend>{headed.length === 1 ? 'This line was said by' : `These ${headed.length} lines were said by`}</legend>
          <div class="label-chips">
            {others.map((one) => (
              <button
                key={one.id}
                type="button"
                class="chip"
                onClick={({ currentTarget }) => {
                  closeMenu(currentTarget);
                  give(one.id);
                }}
              >
                {shownSpeaker(one.id, one.name)}
              </button>
            ))}
            <button
              type="button"
              class="chip"
              onClick={({ currentTarget }) => {
                closeMenu(currentTarget);
                give(newSpeaker(all));
              }}
            >
              Somebody else
            </button>
          </div>
        </fieldset>
        {now && others.length > 0 && (
          <fieldset class="field">
            <legend>Join {shownSpeaker(now.id, now.name)} with another speaker</legend>
            <div class="label-chips">
              {others.map((one) => (
                <button
                  key={one.id}
                  type="button"
                  class="chip"
                  onClick={({ currentTarget }) => {
                    closeMenu(currentTarget);
                    void editing.save({ op: 'join', speaker: now.id, into: one.id });
                  }}
                >
                  Join with {shownSpeaker(one.id, one.name)}
                </button>
              ))}
            </div>
          </fieldset>
        )}
      </div>
    </Menu>
  );
};

interface NameFormProps {
  readonly speaker: Speaker;
  readonly busy: boolean;
  /** `null`: without a name. */
  readonly onSave: (name: string | null) => void;
}

const NameForm = ({ speaker, busy, onSave }: NameFormProps) => {
  const [name, setName] = useState(speaker.name ?? '');
  return (
    <form
      class="inline-form"
      // Selects the present name, so that typing replaces it.
      onFocusIn={({ target }) => target instanceof HTMLInputElement && name === (speaker.name ?? '') && target.select()}
      onSubmit={(event) => {
        event.preventDefault();
        closeMenu(event.currentTarget);
        onSave(name.trim() || null);
      }}
    >
      <TextField
        label={`Name of ${shownSpeaker(speaker.id, speaker.name)}`}
        value={name}
        onInput={setName}
        placeholder="Such as Anna"
        autofocus
      />
      <button type="submit" class="button" disabled={busy || name.trim() === (speaker.name ?? '')}>
        Save
      </button>
    </form>
  );
};

/** The first letter that no speaker has. */
const newSpeaker = (speakers: Editing['transcript']['speakers']): string => {
  const taken = new Set(speakers.map(({ id }) => id));
  const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'];
  return letters.find((letter) => !taken.has(letter)) ?? `S${taken.size + 1}`;
};
