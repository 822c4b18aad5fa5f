import type { ComponentChildren } from 'preact';
import { type ApiError, adviceOf } from '../api/errors.ts';
import type { Resource } from '../api/useResource.ts';
import { Icon } from './Icon.tsx';

/** What to do if there is nothing yet. */
export const Empty = ({ title, children }: { readonly title: string; readonly children?: ComponentChildren }) => (
  <div class="empty">
    <p class="empty-title">{title}</p>
    {children && <div class="empty-text">{children}</div>}
  </div>
);

interface ErrorNoteProps {
  readonly error: ApiError;
  readonly retry?: () => void;
  readonly onClose?: () => void;
}

/** The error, what to do next, and the reference by which the operator finds it. */
export const ErrorNote = ({ error, retry, onClose }: ErrorNoteProps) => {
  const { problem, reference } = error;
  return (
    <div class="note bad" role="alert">
      <Icon name="alert" />
      <div class="note-text">
        <p>
          {problem && <strong>{problem.title}: </strong>}
          {error.message}
        </p>
        {problem && problem.nestedErrors.length > 0 && (
          <ul>
            {problem.nestedErrors.map(({ message }) => (
              <li key={message}>{message}</li>
            ))}
          </ul>
        )}
        <p class="quiet">{adviceOf(error)}</p>
        {(problem || reference) && (
          <p class="quiet small">
            {problem && <code>{problem.internalErrorName}</code>}
            {reference && (
              <>
                {problem && ' · '}Reference <code>{reference}</code>
              </>
            )}
          </p>
        )}
      </div>
      {retry && (
        <button type="button" class="button" onClick={retry}>
          Try again
        </button>
      )}
      {onClose && (
        <button type="button" class="button" onClick={onClose}>
          Close
        </button>
      )}
    </div>
  );
};

/** A highlighted message. Failed requests use `ErrorNote`. */
export const Note = ({
  children,
  tone = 'info',
}: {
  readonly children: ComponentChildren;
  readonly tone?: 'info' | 'warn' | 'good' | 'bad';
}) => (
  <div class={`note ${tone}`}>
    <div class="note-text">{children}</div>
  </div>
);

interface LoadedProps<T> {
  readonly resource: Resource<T>;
  readonly children: (data: T) => ComponentChildren;
}

/** The data; a placeholder before, and the error above them if the last read failed. */
export const Loaded = <T,>({ resource: { data, error, reload }, children }: LoadedProps<T>) => (
  <>
    {error && <ErrorNote error={error} retry={reload} />}
    {data !== undefined ? children(data) : !error && <Loading />}
  </>
);

const Loading = () => (
  <div class="loading" role="status">
    <span class="visually-hidden">Loading</span>
    <span class="bar" />
    <span class="bar" />
    <span class="bar" />
  </div>
);
