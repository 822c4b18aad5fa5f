import { useEffect } from 'preact/hooks';
import type { Word } from '../results.ts';

// Words may end a little before the next begins; without this the mark would flicker.
const GAP_MILLISECONDS = 150;

/**
 * Marks the word that is being played, and scrolls with it while the reader has it in view. It changes the page directly, because
 * rendering a long transcript four times a second would stall it.
 */
export const useHeardWord = (frame: { readonly current: HTMLElement | null }, words: readonly Word[], audio: HTMLAudioElement | null) => {
  useEffect(() => {
    if (!audio) return;
    const mark = () => {
      const now = audio.currentTime * 1000;
      const heard = words.findLastIndex(({ start, end }) => start !== null && start <= now && now < (end ?? start) + GAP_MILLISECONDS);
      const before = frame.current?.querySelector('.heard');
      before?.classList.remove('heard');
      const word = heard < 0 ? null : frame.current?.querySelector(`[data-word="${heard}"]`);
      word?.classList.add('heard');
      if (word && before && isInView(before) && !isInView(word)) word.scrollIntoView({ block: 'center' });
    };
    audio.addEventListener('timeupdate', mark);
    return () => audio.removeEventListener('timeupdate', mark);
  }, [audio, words, frame]);
};

const isInView = (element: Element): boolean => {
  const { top, bottom } = element.getBoundingClientRect();
  return top >= 0 && bottom <= innerHeight;
};
