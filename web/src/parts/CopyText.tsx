import { useState } from 'preact/hooks';
import { announce } from '../shell/Announcer.tsx';
import { Icon } from './Icon.tsx';

/** Shorter texts are never broken over two lines. */
const WHOLE_UP_TO = 16;

/** A text to be copied, such as an id. `label` describes it; `shown` may be a shorter form of it. */
export const CopyText = ({ text, label, shown = text }: { readonly text: string; readonly label: string; readonly shown?: string }) => {
  const [copied, setCopied] = useState(false);
  const copy = async () => {
    // Browsers allow the clipboard only for pages over https, or from this machine.
    if (!navigator.clipboard) return announce(`To copy, select it: ${text}`);
    await navigator.clipboard.writeText(text);
    setCopied(true);
    announce(`${label} copied`);
    setTimeout(() => setCopied(false), 1_500);
  };
  return (
    <span class="copy">
      <code title={text} class={shown.length <= WHOLE_UP_TO ? 'whole' : undefined}>
        {shown}
      </code>
      <button type="button" class="button bare" aria-label={`Copy ${label}`} onClick={() => void copy()}>
        <Icon name={copied ? 'check' : 'copy'} />
      </button>
    </span>
  );
};

/** The beginning of an id, which is enough to distinguish two. */
export const shortId = (id: string): string => id.slice(0, 8);
