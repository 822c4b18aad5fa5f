import { useState } from 'preact/hooks';
import { useTemplates } from '../../api/templates.ts';
import { Loaded } from '../../parts/Notes.tsx';
import { PageFrame } from '../../parts/Page.tsx';
import type { PageProps } from '../../shell/page.ts';
import { firstOf } from './accepted.ts';
import { CaptionsRun } from './CaptionsRun.tsx';
import type { Job } from './job.ts';
import { UnfinishedUploads } from './UnfinishedUploads.tsx';
import { UploadBatch } from './UploadBatch.tsx';
import { UploadForm } from './UploadForm.tsx';
import { UploadRun } from './UploadRun.tsx';

/** The upload form, then the progress and the results of the uploads. */
export const UploadPage = ({ query }: PageProps) => {
  const templates = useTemplates();
  const [jobs, setJobs] = useState<readonly Job[]>([]);
  return (
    <PageFrame title="Upload" lead="Upload recordings or texts and choose what to do with them.">
      {jobs.length > 0 ? (
        <Sent key={jobs[0]?.streamId} jobs={jobs} onAgain={() => setJobs([])} />
      ) : (
        <Loaded resource={templates}>
          {(all) => (
            <div class="stack">
              <UnfinishedUploads templates={all} onContinue={(job) => setJobs([job])} />
              <UploadForm
                templates={all}
                wanted={query.get('template') ?? firstOf(all)?.id ?? ''}
                groupId={query.get('group') ?? ''}
                isOpen={query.has('template') || query.has('group')}
                onSend={setJobs}
              />
            </div>
          )}
        </Loaded>
      )}
    </PageFrame>
  );
};

const Sent = ({ jobs, onAgain }: { readonly jobs: readonly Job[]; readonly onAgain: () => void }) => {
  const [job, ...others] = jobs;
  if (!job) return null;
  if (others.length > 0) return <UploadBatch jobs={jobs} onAgain={onAgain} />;
  return job.source.kind === 'captions' ? <CaptionsRun job={job} onAgain={onAgain} /> : <UploadRun job={job} onAgain={onAgain} />;
};
