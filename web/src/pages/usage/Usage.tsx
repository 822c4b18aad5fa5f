import { nameOf, useTemplates } from '../../api/templates.ts';
import { save } from '../../parts/Download.tsx';
import { SelectField, TextField } from '../../parts/Field.tsx';
import { Icon } from '../../parts/Icon.tsx';
import { Empty, Loaded } from '../../parts/Notes.tsx';
import { PageFrame } from '../../parts/Page.tsx';
import { useDraft } from '../../parts/useDraft.ts';
import { href, refine } from '../../shell/place.ts';
import { isAdmin } from '../../shell/session.ts';
import type { Report } from './aggregates.ts';
import { ByPart } from './ByPart.tsx';
import { csvOf } from './csv.ts';
import { OverTime } from './OverTime.tsx';
import { CURRENCIES, PERIODS, useReport } from './report.ts';
import { Totals } from './Totals.tsx';

/** Usage and its cost; period, currency and owner are in the address. */
export const Usage = ({ query }: { readonly query: URLSearchParams }) => {
  const report = useReport(query);
  return (
    <PageFrame title="Usage" lead="Streams that ended in a period, priced by the price list of their time. Days and months are in UTC.">
      <Filters query={query} />
      <Loaded resource={report}>
        {(data) =>
          data.totalMeasurements.streamsCount === 0 ? (
            <div class="card flush">
              <Empty title="Nothing was used in this period.">
                Choose another one, or <a href={href(['upload'])}>upload something</a>.
              </Empty>
            </div>
          ) : (
            <div class="stack">
              <CsvButton report={data} />
              <Totals report={data} />
              <OverTime report={data} />
              <ByPart report={data} />
            </div>
          )
        }
      </Loaded>
    </PageFrame>
  );
};

const CsvButton = ({ report }: { readonly report: Report }) => {
  const { data: templates } = useTemplates();
  const download = () => save(new Blob([csvOf(report, (id) => nameOf(templates ?? [], id))], { type: 'text/csv' }), 'usage.csv');
  return (
    <div class="actions">
      <button type="button" class="button" onClick={download}>
        <Icon name="download" /> Download CSV
      </button>
    </div>
  );
};

const Filters = ({ query }: { readonly query: URLSearchParams }) => {
  const [subject, setSubject] = useDraft(query.get('subject') ?? '');
  return (
    <form
      class="filters"
      role="search"
      aria-label="Choose a report"
      onSubmit={(event) => {
        event.preventDefault();
        refine({ subject: subject.trim() });
      }}
    >
      <SelectField
        label="Period"
        value={query.get('period') ?? PERIODS[0].name}
        options={PERIODS.map(({ name, title }) => [name, title] as const)}
        onChange={(period) => refine({ period })}
      />
      <SelectField
        label="Currency"
        value={query.get('currency') ?? ''}
        options={CURRENCIES}
        onChange={(currency) => refine({ currency })}
      />
      {isAdmin.value && (
        <>
          <TextField label="Owner" type="search" value={subject} onInput={setSubject} placeholder="Owner id (default: you)" />
          <button type="submit" class="button">
            Show
          </button>
        </>
      )}
    </form>
  );
};
