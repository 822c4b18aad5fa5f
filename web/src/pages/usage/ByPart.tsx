import { nameOf, useTemplates } from '../../api/templates.ts';
import { amount } from '../../parts/amounts.ts';
import { type Column, DataTable } from '../../parts/DataTable.tsx';
import { count, duration } from '../../parts/format.ts';
import { Card } from '../../parts/Page.tsx';
import { href } from '../../shell/place.ts';
import type { Aggregate, Report } from './aggregates.ts';
import { audioIn, tokensIn } from './figures.ts';

/** The same sums by operation and by template. */
export const ByPart = ({ report }: { readonly report: Report }) => {
  const templates = useTemplates();
  const { operationTypeAggregatedMeasurements: operations, streamConfigurationTemplateIdAggregatedMeasurements: byTemplate } = report;
  const operation: Column<Aggregate> = { header: 'Processor', cell: ({ operationType }) => inWords(operationType ?? '') };
  const template: Column<Aggregate> = {
    header: 'Template',
    cell: ({ streamConfigurationTemplateId: id }) => nameOf(templates.data, id ?? ''),
  };
  return (
    <>
      <Card title="By processor" class="flush headed">
        <DataTable
          label="Usage by processor"
          columns={[operation, ...sums(report)]}
          rows={operations}
          keyOf={({ operationType }) => operationType ?? ''}
        />
      </Card>
      <Card title="By template" class="flush headed" actions={<a href={href(['streams'])}>Show streams</a>}>
        <DataTable
          label="Usage by template"
          columns={[template, ...sums(report)]}
          rows={byTemplate}
          keyOf={({ streamConfigurationTemplateId }) => streamConfigurationTemplateId ?? ''}
        />
      </Card>
    </>
  );
};

const sums = ({ currency }: Report): readonly Column<Aggregate>[] => [
  { header: 'Streams', numeric: true, cell: ({ streamsCount }) => count(streamsCount) },
  { header: 'Audio', numeric: true, cell: audioIn },
  { header: 'Tokens', numeric: true, cell: tokensIn },
  { header: 'Working time', numeric: true, cell: ({ measurements }) => duration(measurements.executionTime ?? 0) },
  { header: 'Cost', numeric: true, cell: ({ credits }) => amount(credits, currency) },
];

/** BATCH_TRANSCRIPTION as "Batch transcription". */
const inWords = (name: string): string => `${name.charAt(0)}${name.slice(1).toLowerCase().replaceAll('_', ' ')}`.replace('Llm', 'LLM');
