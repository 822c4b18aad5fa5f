import { announce } from '../../shell/Announcer.tsx';

/** The upload of the form as a command, for developers who send it from a program of theirs. */
export const AsCommand = ({ command }: { readonly command: string }) => (
  <details class="options">
    <summary>Show the curl command</summary>
    <div class="options-body">
      <p class="hint">Uploads with the settings of this form. Set API_KEY, and put the path of your file in place of FILE.</p>
      <pre class="json" role="region" aria-label="Command" tabIndex={0}>
        {command}
      </pre>
      <div class="actions">
        <button type="button" class="button" onClick={() => void copy(command)}>
          Copy command
        </button>
      </div>
    </div>
  </details>
);

/** Browsers allow the clipboard only over https or on the same machine. */
const copy = async (command: string): Promise<void> => {
  try {
    await navigator.clipboard.writeText(command);
    announce('Command copied');
  } catch {
    announce('The browser does not allow copying here. Select the command to copy it.');
  }
};
