import { SelectField, TextField } from '../../parts/Field.tsx';
import { Empty, Loaded } from '../../parts/Notes.tsx';
import { PageFrame } from '../../parts/Page.tsx';
import { useDraft } from '../../parts/useDraft.ts';
import { href, refine } from '../../shell/place.ts';
import { isAdmin } from '../../shell/session.ts';
import { ByPart } from './ByPart.tsx';
import { OverTime } from './OverTime.tsx';
import { CURRENCIES, PERIODS, useReport } from './report.ts';
import { Totals } from './Totals.tsx';

/** What was used and what it costs; period, currency and owner stand in the address. */
export const Usage = ({ query }: { readonly query: URLSearchParams }) => {
  const report = useReport(query);
  return (
    <PageFrame
      title="Usage"
      lead="What ended in a period, and what it costs by the price list of its time. Days and months are those of UTC."
    >
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
          <TextField label="Owner" type="search" value={subject} onInput={setSubject} placeholder="Subject id; you" />
          <button type="submit" class="button">
            Show
          </button>
        </>
      )}
    </form>
  );
};
