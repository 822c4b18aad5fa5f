import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';

interface FieldProps {
  readonly label: string;
  readonly hint?: ComponentChildren;
  readonly error?: string | undefined;
  /** Gets the id that the label points at, and that of the hint. */
  readonly children: (ids: {
    id: string;
    'aria-describedby': string | undefined;
    'aria-invalid': boolean | undefined;
  }) => ComponentChildren;
}

/** A labelled control with its hint and error. */
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
}

export const TextField = ({ label, value, onInput, hint, error, type = 'text', autocomplete = 'off', ...rest }: TextFieldProps) => (
  <Field label={label} hint={hint} error={error}>
    {(ids) => (
      <input
        {...ids}
        {...rest}
        // Preact has a type for each kind of input; those of TextType accept the same attributes.
        type={type as 'text'}
        // Otherwise browsers accept only whole numbers, and a form with 0.5 is never sent.
        step={type === 'number' ? 'any' : undefined}
        value={value}
        autocomplete={autocomplete}
        onInput={(event) => onInput(event.currentTarget.value)}
      />
    )}
  </Field>
);

interface SelectFieldProps {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  /** Value, what is shown for it, and whether it is greyed out. */
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
}

export const CheckField = ({ label, checked, onChange, hint }: CheckFieldProps) => {
  const id = useId();
  return (
    <div class="field check">
      <input
        type="checkbox"
        id={id}
        checked={checked}
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
