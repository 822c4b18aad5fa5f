import { type Options, SingleBar } from 'cli-progress';
import { megabytes } from '../../speech/models/filesOnDisk.ts';

const LOOK: Options = {
  barsize: 24,
  barCompleteChar: '#',
  barIncompleteChar: '.',
  fps: 5,
  // Otherwise Ctrl-C leaves the terminal without line wrapping.
  linewrap: true,
  formatValue: (value, _, type) => (type === 'value' || type === 'total' ? megabytes(value) : String(value)),
};

/** A download's progress on a terminal, and nothing elsewhere. `show` takes the size of the model's part on disk. */
export const downloadBar = (name: string, total: number): { show(bytes: number): void; end(): void } => {
  const bar = new SingleBar({ ...LOOK, format: `${name} [{bar}] {percentage} %  {value} of {total}  {duration_formatted}` });
  return {
    show: (bytes) => {
      if (!bar.isActive) bar.start(total, bytes);
      bar.update(bytes);
    },
    end: () => bar.stop(),
  };
};
