import type { ComponentChildren } from 'preact';
import { useId, useState } from 'preact/hooks';

interface FieldProps {
  readonly label: string;
  readonly hint?: ComponentChildren;
  readonly error?: string | undefined;
  /** Gets the ids of the control and of its hint and error. */
  readonly children: (ids: {
    id: string;
    'aria-describedby': string | undefined;
    'aria-invalid': boolean | undefined;
  }) => ComponentChildren;
}

/** A labelled control with its hint and its error. */
export const Field = ({ label, hint, error, children }: FieldProps) => {
  const id = useId();
  const describedBy = [hint && `${id}-hint`, error && `${id}-error`].filter(Boolean).join(' ') || undefined;
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {children({ id, 'aria-describedby': describedBy, 'aria-invalid': error ? true : undefined })}
      {hint && (
        <p class="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
      {error && (
        <p class="field-error" id={`${id}-error`}>
          {error}
        </p>
      )}
    </div>
  );
};

type TextType = 'text' | 'password' | 'url' | 'number' | 'date' | 'datetime-local' | 'search';

interface TextFieldProps {
  readonly label: string;
  readonly value: string;
  readonly onInput: (value: string) => void;
  readonly hint?: ComponentChildren;
  readonly error?: string | undefined;
  readonly type?: TextType;
  readonly placeholder?: string;
  readonly required?: boolean;
  readonly autocomplete?: string;
  readonly suggestions?: readonly string[] | undefined;
  /** Gets the focus when what it stands in is opened. */
  readonly autofocus?: boolean;
}

export const TextField = ({
  label,
  value,
  onInput,
  hint,
  error,
  type = 'text',
  autocomplete = 'off',
  suggestions,
  ...rest
}: TextFieldProps) => (
  <Field label={label} hint={hint} error={error}>
    {(ids) => (
      <>
        <input
          {...ids}
          {...rest}
          // Preact types each kind of input separately. All kinds of TextType take the same attributes.
          type={type as 'text'}
          // Without a step, browsers accept whole numbers only and do not submit 0.5.
          step={type === 'number' ? 'any' : undefined}
          list={suggestions && `${ids.id}-list`}
          value={value}
          autocomplete={autocomplete}
          onInput={(event) => onInput(event.currentTarget.value)}
        />
        {suggestions && (
          <datalist id={`${ids.id}-list`}>
            {suggestions.map((one) => (
              <option key={one} value={one} />
            ))}
          </datalist>
        )}
      </>
    )}
  </Field>
);

interface LinesFieldProps {
  readonly label: string;
  readonly lines: readonly string[];
  readonly onInput: (lines: readonly string[]) => void;
  readonly hint?: ComponentChildren;
  readonly error?: string | undefined;
}

/** A list of texts, one on each line. Empty lines do not count. */
export const LinesField = ({ label, lines, onInput, hint, error }: LinesFieldProps) => {
  const [text, setText] = useState(lines.join('\n'));
  return (
    <Field label={label} hint={hint} error={error}>
      {(ids) => (
        <textarea
          {...ids}
          rows={4}
          spellcheck={false}
          value={text}
          onInput={({ currentTarget: { value } }) => {
            setText(value);
            onInput(
              value
                .split('\n')
                .map((line) => line.trim())
                .filter(Boolean),
            );
          }}
        />
      )}
    </Field>
  );
};

interface ChecksFieldProps {
  readonly label: string;
  readonly chosen: readonly string[];
  readonly options: readonly string[];
  readonly onChange: (chosen: readonly string[]) => void;
  readonly hint?: ComponentChildren;
  /** Whether the last choice stays. */
  readonly atLeastOne?: boolean;
}

/** Several of some choices. */
export const ChecksField = ({ label, chosen, options, onChange, hint, atLeastOne = false }: ChecksFieldProps) => {
  const id = useId();
  const isLast = (option: string) => atLeastOne && chosen.length === 1 && chosen[0] === option;
  return (
    <fieldset class="field checks" aria-describedby={hint ? `${id}-hint` : undefined}>
      <legend>{label}</legend>
      {options.map((option) => (
        <CheckField
          key={option}
          label={option}
          checked={chosen.includes(option)}
          disabled={isLast(option)}
          hint={isLast(option) ? 'At least one' : undefined}
          onChange={(isOn) => onChange(options.filter((one) => (one === option ? isOn : chosen.includes(one))))}
        />
      ))}
      {hint && (
        <p class="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
    </fieldset>
  );
};

interface SelectFieldProps {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  /** Value, label, and whether it is disabled. */
  readonly options: readonly (readonly [value: string, shown: string, isDisabled?: boolean])[];
  readonly hint?: ComponentChildren;
}

export const SelectField = ({ label, value, onChange, options, hint }: SelectFieldProps) => (
  <Field label={label} hint={hint}>
    {(ids) => (
      <select {...ids} value={value} onChange={(event) => onChange(event.currentTarget.value)}>
        {options.map(([option, shown, isDisabled = false]) => (
          <option key={option} value={option} disabled={isDisabled}>
            {shown}
          </option>
        ))}
      </select>
    )}
  </Field>
);

interface CheckFieldProps {
  readonly label: string;
  readonly checked: boolean;
  readonly onChange: (checked: boolean) => void;
  readonly hint?: ComponentChildren;
  readonly disabled?: boolean;
}

export const CheckField = ({ label, checked, onChange, hint, disabled = false }: CheckFieldProps) => {
  const id = useId();
  return (
    <div class="field check">
      <input
        type="checkbox"
        id={id}
        checked={checked}
        disabled={disabled}
        aria-describedby={hint ? `${id}-hint` : undefined}
        onChange={(event) => onChange(event.currentTarget.checked)}
      />
      <label for={id}>{label}</label>
      {hint && (
        <p class="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
    </div>
  );
};
