import { useEffect, useState } from 'preact/hooks';
import type { ApiError } from '../../api/errors.ts';
import { useAction } from '../../api/useAction.ts';
import { apiErrorOf } from '../../api/useResource.ts';
import { counted } from '../../parts/format.ts';
import { announce } from '../../shell/Announcer.tsx';
import { type Draft, draftOf, keepDraft } from './draft.ts';
import { changeTranscript, type Edit, type Read, readTranscript, type StreamTranscript, undoChange } from './transcript.ts';

/** Edits that were refused because somebody else had changed the transcript. */
export interface Conflict {
  readonly edits: readonly Edit[];
  readonly error: ApiError;
}

/** The corrections of a stream's transcript. */
export interface Editing {
  readonly transcript: StreamTranscript;
  readonly isOn: boolean;
  /** Leaving saves the line that is being written. */
  readonly turn: (on: boolean) => Promise<void>;
  /** The utterance that is being written, if there is one. */
  readonly draft: Draft | null;
  readonly write: (draft: Draft | null) => void;
  /** Begins to write another utterance, once the present one is saved. */
  readonly open: (draft: Draft) => Promise<void>;
  readonly busy: boolean;
  readonly error: ApiError | undefined;
  readonly clearError: () => void;
  readonly conflict: Conflict | null;
  /** Sends the refused edits again, on top of what the other person wrote, or drops them. */
  readonly settle: (sends: boolean) => void;
  /** Sends the line that is being written, then these edits. Does nothing during a conflict. `false` if that was refused. */
  readonly save: (...edits: readonly Edit[]) => Promise<boolean>;
  readonly undo: () => Promise<boolean>;
}

/** Reads the transcript of an ended stream, and changes it. `null` while there is none. */
export const useEditing = (streamId: string, attempt: number, hasEnded: boolean): Editing | null => {
  const [read, setRead] = useState<Read | null>(null);
  const [isOn, setOn] = useState(false);
  const [draft, setDraft] = useState<Draft | null>(null);
  const [conflict, setConflict] = useState<Conflict | null>(null);
  useEffect(() => {
    if (!hasEnded) {
      setRead(null);
      setDraft(null);
      setConflict(null);
      return;
    }
    const leaving = new AbortController();
    readTranscript(streamId, leaving.signal).then(
      (found) => {
        if (leaving.signal.aborted) return;
        setRead(found);
        const kept = found && draftOf(streamId, found.transcript.attempt);
        if (!kept) return;
        setDraft(kept);
        setOn(true);
      },
      // The machine's transcript is shown instead.
      () => {},
    );
    return () => leaving.abort();
  }, [streamId, attempt, hasEnded]);
  const write = (next: Draft | null) => {
    if (read) keepDraft(streamId, read.transcript.attempt, next);
    setDraft(next);
  };
  // One action, so that a success clears the error of any other.
  const action = useAction((work: () => Promise<void>) => work());
  /** `false` if somebody else had changed the transcript. */
  const send = async (edits: readonly Edit[], tag: string): Promise<boolean> => {
    try {
      const { replaced, ...changed } = await changeTranscript(streamId, tag, edits);
      setRead(changed);
      setConflict(null);
      write(null);
      announce(edits.some(({ op }) => op === 'replace') ? `Replaced ${counted(replaced, 'time')}` : 'Saved');
      return true;
    } catch (thrown) {
      const error = apiErrorOf(thrown);
      if (error.status !== 412) throw error;
      setRead(await readTranscript(streamId));
      setConflict({ edits, error });
      return false;
    }
  };
  const back = async (tag: string) => {
    setRead(await undoChange(streamId, tag));
    announce('The last edit is undone');
  };
  if (!read) return null;
  const sent = async (edits: readonly Edit[]): Promise<boolean> => {
    let isSaved = false;
    await action.run(async () => {
      isSaved = await send(edits, read.tag);
    });
    return isSaved;
  };
  const written = (): readonly Edit[] => {
    const before = read.transcript.utterances.find(({ id }) => id === draft?.utterance);
    return draft && before && draft.text !== before.text ? [{ op: 'text', utterance: draft.utterance, text: draft.text }] : [];
  };
  const save = async (...edits: readonly Edit[]): Promise<boolean> => {
    if (conflict) return false;
    const all = [...written(), ...edits];
    if (all.length > 0) return sent(all);
    write(null);
    return true;
  };
  return {
    ...{ transcript: read.transcript, isOn, draft, write, conflict, save },
    open: async (next) => {
      if (draft?.utterance === next.utterance || (await save())) write(next);
    },
    turn: async (on) => {
      action.clear();
      if (on || (await save())) setOn(on);
    },
    busy: action.busy,
    error: action.error,
    clearError: action.clear,
    settle: (sends) => {
      if (sends && conflict) return void sent(conflict.edits);
      action.clear();
      setConflict(null);
      write(null);
    },
    undo: () => action.run(() => back(read.tag)),
  };
};
