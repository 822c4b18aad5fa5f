import { useState } from 'preact/hooks';
import type { Json, JsonObject } from '../../api/types.ts';
import { useAction } from '../../api/useAction.ts';
import { type Column, DataTable } from '../../parts/DataTable.tsx';
import { Field } from '../../parts/Field.tsx';
import { duration } from '../../parts/format.ts';
import { JsonText } from '../../parts/JsonText.tsx';
import { jsonDraft } from '../../parts/jsonDraft.ts';
import { ErrorNote, Note } from '../../parts/Notes.tsx';
import { Card } from '../../parts/Page.tsx';
import { SchemaField, titleOf } from '../../parts/SchemaField.tsx';
import { base64Of, textOfBase64 } from './base64.ts';
import { type Processor, type TestResult, test } from './processors.ts';

/** Runs a processor once, outside any stream. */
export const TestCard = ({ processor }: { readonly processor: Processor }) => {
  const [text, setText] = useState('');
  const [properties, setProperties] = useState<JsonObject>(processor.defaultProperties ?? {});
  const [result, setResult] = useState<TestResult | null>(null);
  const input = inputOf(processor, text);
  const { busy, error, run } = useAction(async () => setResult(await test(processor.id, { input: input.value, properties })));
  return (
    <Card title="Test">
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault();
          void run();
        }}
      >
        <Field label="Input" hint={INPUT_HINTS[String(processor.inputSchema)] ?? MESSAGES_HINT} error={input.problem ?? undefined}>
          {(ids) => <textarea {...ids} rows={4} dir="auto" value={text} onInput={(event) => setText(event.currentTarget.value)} />}
        </Field>
        <div class="option-grid">
          {Object.entries(processor.propertiesJsonSchema.properties ?? {}).map(([name, schema]) => (
            <SchemaField
              key={name}
              label={schema.title ?? titleOf(name)}
              schema={schema}
              value={properties[name]}
              onChange={(value) => {
                const { [name]: _before, ...others } = properties;
                setProperties(value === undefined ? others : { ...others, [name]: value });
              }}
            />
          ))}
        </div>
        {error && <ErrorNote error={error} />}
        <div class="actions">
          <button type="submit" class="button" disabled={busy || input.problem !== null}>
            {busy ? 'Running…' : 'Run the test'}
          </button>
        </div>
        {result && <Result processor={processor} result={result} />}
      </form>
    </Card>
  );
};

const MESSAGES_HINT = 'One JSON value a line: each line is a message. At most 64 KiB.';
const INPUT_HINTS: Readonly<Record<string, string>> = {
  string: 'A text. At most 64 KiB.',
  bytes: 'A text, which is sent as its UTF-8 bytes. At most 64 KiB.',
};

interface TestInput {
  readonly value: Json;
  readonly problem: string | null;
}

const inputOf = ({ inputSchema }: Processor, text: string): TestInput => {
  if (inputSchema === 'string') return { value: text, problem: null };
  if (inputSchema === 'bytes') return { value: base64Of(text), problem: null };
  const lines = text.split('\n').map(jsonDraft);
  const wrong = lines.findIndex(({ problem }) => problem !== null);
  return {
    value: lines.flatMap(({ value }) => (value === undefined ? [] : [value])),
    problem: wrong < 0 ? null : `Line ${wrong + 1} is not valid JSON.`,
  };
};

const Result = ({
  processor,
  result: { output, error, durationMs, requests },
}: {
  readonly processor: Processor;
  readonly result: TestResult;
}) => (
  <div class="stack" role="status">
    {error ? (
      <Note tone="bad">
        <strong>Failed:</strong> {error.message} <code>{error.name}</code>
      </Note>
    ) : (
      <Note tone="good">It answered in {duration(durationMs)}.</Note>
    )}
    {typeof output === 'string' && (
      <pre class="json" role="region" aria-label="Output" tabIndex={0} dir="auto">
        {processor.outputSchema === 'bytes' ? (textOfBase64(output) ?? output) : output}
      </pre>
    )}
    {Array.isArray(output) && <JsonText value={output} label="Output" />}
    {requests.length > 0 && (
      <DataTable
        label="Requests"
        columns={REQUESTS}
        rows={requests.map((request, n) => ({ ...request, n }))}
        keyOf={({ n }) => String(n)}
      />
    )}
  </div>
);

type RequestRow = TestResult['requests'][number] & { readonly n: number };

const REQUESTS: readonly Column<RequestRow>[] = [
  { header: 'Request', cell: ({ method }) => method },
  { header: 'Status', cell: ({ status }) => status ?? <span class="quiet">no answer</span> },
  { header: 'Took', numeric: true, cell: ({ durationMs }) => duration(durationMs) },
];
