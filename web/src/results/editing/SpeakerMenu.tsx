import { TextField } from '../../parts/Field.tsx';
import { Menu } from '../../parts/Menu.tsx';
import { useDraft } from '../../parts/useDraft.ts';
import type { Utterance } from '../results.ts';
import { shownSpeaker } from '../speakers.ts';
import type { Editing } from './useEditing.ts';

interface SpeakerMenuProps {
  readonly utterance: Utterance & { readonly id: string };
  readonly editing: Editing;
  /** Of the speaker. */
  readonly colour: string;
}

/** Names a speaker, gives an utterance to another one, or joins two. */
export const SpeakerMenu = ({ utterance: { id, speakerId = null, speakers }, editing, colour }: SpeakerMenuProps) => {
  const all = editing.transcript.speakers;
  const now = all.find((one) => one.id === speakerId);
  const others = all.filter((one) => one.id !== speakerId);
  const [name, setName] = useDraft(now?.name ?? '');
  const label = speakers[0] ?? 'Speaker';
  return (
    <Menu label={label} class={`speaker ${colour}`}>
      <div class="stack">
        {now && (
          <form
            class="inline-form"
            onSubmit={(event) => {
              event.preventDefault();
              closeMenu(event.currentTarget);
              void editing.save({ op: 'name', speaker: now.id, name: name.trim() || null });
            }}
          >
            <TextField
              label={`Name of ${shownSpeaker(now.id, null)}`}
              value={name}
              onInput={setName}
              placeholder="Such as Anna"
              autofocus
            />
            <button type="submit" class="button" disabled={editing.busy || name.trim() === (now.name ?? '')}>
              Save
            </button>
          </form>
        )}
        <fieldset class="field">
          <legend>This was said by</legend>
          <div class="label-chips">
            {others.map((one) => (
              <button
                key={one.id}
                type="button"
                class="chip"
                onClick={({ currentTarget }) => {
                  closeMenu(currentTarget);
                  void editing.save({ op: 'speaker', utterance: id, speaker: one.id });
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
                void editing.save({ op: 'speaker', utterance: id, speaker: newSpeaker(all) });
              }}
            >
              Somebody else
            </button>
          </div>
        </fieldset>
        {now && others.length > 0 && (
          <fieldset class="field">
            <legend>{shownSpeaker(now.id, now.name)} is the same person as</legend>
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
                  {shownSpeaker(one.id, one.name)}
                </button>
              ))}
            </div>
          </fieldset>
        )}
      </div>
    </Menu>
  );
};

/** Closes the menu around an element. The browser then gives the focus back to the button of the menu. */
const closeMenu = (within: HTMLElement): void => within.closest<HTMLElement>('[popover]')?.hidePopover();

/** The first letter that no speaker has. */
const newSpeaker = (speakers: Editing['transcript']['speakers']): string => {
  const taken = new Set(speakers.map(({ id }) => id));
  const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'];
  return letters.find((letter) => !taken.has(letter)) ?? `S${taken.size + 1}`;
};
