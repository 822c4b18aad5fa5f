import { useRef, useState } from 'preact/hooks';
import { announce } from '../shell/Announcer.tsx';
import { Icon } from './Icon.tsx';

/** Shorter texts are never broken over two lines. */
const WHOLE_UP_TO = 16;

/** A text to be copied, such as an id. `label` describes it; `shown` may be a shorter form of it. */
export const CopyText = ({ text, label, shown = text }: { readonly text: string; readonly label: string; readonly shown?: string }) => {
  const [copied, setCopied] = useState(false);
  const [isRefused, setRefused] = useState(false);
  const code = useRef<HTMLElement>(null);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      // Browsers allow the clipboard only with permission, and for pages over https or from this machine.
      setRefused(true);
      if (code.current) getSelection()?.selectAllChildren(code.current);
      return;
    }
    setRefused(false);
    setCopied(true);
    announce(`${label} copied`);
    setTimeout(() => setCopied(false), 1_500);
  };
  return (
    <span class="copy">
      <code ref={code} title={text} class={shown.length <= WHOLE_UP_TO ? 'whole' : undefined}>
        {isRefused ? text : shown}
      </code>
      <button type="button" class="button bare" aria-label={`Copy ${label}`} onClick={() => void copy()}>
        <Icon name={copied ? 'check' : 'copy'} />
      </button>
      {isRefused && (
        <span class="small" role="status">
          The browser does not allow copying here. It is selected: copy it with the keyboard.
        </span>
      )}
    </span>
  );
};

/** The beginning of an id, which is enough to distinguish two. */
export const shortId = (id: string): string => id.slice(0, 8);
