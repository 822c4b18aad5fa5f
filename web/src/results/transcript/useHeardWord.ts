import { useEffect } from 'preact/hooks';
import type { Word } from '../results.ts';

// Words may end a little before the next begins; without this the mark would flicker.
const GAP_MILLISECONDS = 150;

/** Marks the word that is being played. It changes the page directly, because rendering a long transcript four times a second would stall it. */
export const useHeardWord = (frame: { readonly current: HTMLElement | null }, words: readonly Word[], audio: HTMLAudioElement | null) => {
  useEffect(() => {
    if (!audio) return;
    const mark = () => {
      const now = audio.currentTime * 1000;
      const heard = words.findLastIndex(({ start, end }) => start !== null && start <= now && now < (end ?? start) + GAP_MILLISECONDS);
      frame.current?.querySelector('.heard')?.classList.remove('heard');
      if (heard >= 0) frame.current?.querySelector(`[data-word="${heard}"]`)?.classList.add('heard');
    };
    audio.addEventListener('timeupdate', mark);
    return () => audio.removeEventListener('timeupdate', mark);
  }, [audio, words, frame]);
};
