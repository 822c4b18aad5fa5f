/** The page of a shared transcript reads without this: it adds search, and following the recording. */
const transcript = document.querySelector<HTMLElement>('#transcript');
const audio = document.querySelector('audio');

const utterances = [...(transcript?.querySelectorAll<HTMLElement>('.utterance') ?? [])];
const startOf = ({ dataset: { start } }: HTMLElement): number => (start === undefined ? Number.NaN : Number(start) / 1000);

/** Marks the utterance that is played, and plays from the one that is clicked. */
const follow = (audio: HTMLAudioElement, transcript: HTMLElement): void => {
  transcript.classList.add('playable');
  const play = (seconds: number): void => {
    audio.currentTime = seconds;
    void audio.play();
  };
  transcript.addEventListener('click', ({ target }) => {
    const utterance = target instanceof Element ? target.closest<HTMLElement>('.utterance') : null;
    if (utterance && getSelection()?.isCollapsed !== false && !Number.isNaN(startOf(utterance))) play(startOf(utterance));
  });
  audio.addEventListener('timeupdate', () => {
    const heard = utterances.findLast((one) => startOf(one) <= audio.currentTime);
    const before = transcript.querySelector('.heard');
    if (heard === before) return;
    before?.classList.remove('heard');
    heard?.classList.add('heard');
    if (heard && before && isInView(before) && !isInView(heard)) heard.scrollIntoView({ block: 'center' });
  });
};

const isInView = (element: Element): boolean => {
  const { top, bottom } = element.getBoundingClientRect();
  return top >= 0 && bottom <= innerHeight;
};

/** `#t=83`: the moment that a link leads to. */
const goToMoment = (): void => {
  const seconds = Number(/^#t=(\d+(?:\.\d+)?)$/.exec(location.hash)?.[1] ?? 'none');
  if (Number.isNaN(seconds)) return;
  if (audio) audio.currentTime = seconds;
  const opened =
    utterances.find((one) => Math.floor(startOf(one)) === Math.floor(seconds)) ?? utterances.findLast((one) => startOf(one) <= seconds);
  for (const one of utterances) one.classList.toggle('heard', one === opened);
  opened?.scrollIntoView({ block: 'center' });
};

/** A search box over the transcript, which marks what it finds. */
const addSearch = (transcript: HTMLElement): void => {
  const form = document.createElement('form');
  form.className = 'search';
  form.role = 'search';
  const field = document.createElement('input');
  Object.assign(field, { type: 'search', placeholder: 'Search the transcript', ariaLabel: 'Search the transcript' });
  const status = document.createElement('span');
  status.className = 'quiet';
  status.role = 'status';
  form.append(field, status);
  transcript.before(form);
  let at = 0;
  const show = (): void => {
    const marks = [...transcript.querySelectorAll('mark')];
    status.textContent = field.value.trim() === '' ? '' : marks.length === 0 ? 'No match' : `${(at % marks.length) + 1} of ${marks.length}`;
    for (const mark of marks) mark.classList.remove('current');
    const current = marks[at % marks.length];
    current?.classList.add('current');
    current?.scrollIntoView({ block: 'center' });
  };
  field.addEventListener('input', () => {
    at = 0;
    mark(field.value.trim());
    show();
  });
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    at += 1;
    show();
  });
};

const mark = (wanted: string): void => {
  for (const { lastElementChild: paragraph } of utterances) {
    const text = paragraph?.textContent ?? '';
    const parts = wanted === '' ? [text] : text.split(new RegExp(`(${wanted.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')})`, 'i'));
    if (parts.length === 1 && !paragraph?.querySelector('mark')) continue;
    paragraph?.replaceChildren(
      ...parts.map((part, n) => {
        if (n % 2 === 0) return part;
        const found = document.createElement('mark');
        found.textContent = part;
        return found;
      }),
    );
  }
};

if (transcript) {
  addSearch(transcript);
  if (audio) follow(audio, transcript);
  goToMoment();
  addEventListener('hashchange', goToMoment);
}
