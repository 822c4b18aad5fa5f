import { inBrowser } from './inBrowser.ts';
import type { Site } from './site.ts';
import { spokenFile } from './spoken.ts';
import { editingStories } from './stories/editing.ts';
import { streamListStories } from './stories/streamList.ts';
import { spokenPageStories, streamPageStories } from './stories/streamPage.ts';
import { speechStories, streamStories } from './stories/streams.ts';
import { transcriptStories } from './stories/transcript.ts';
import { spokenUploadStories, uploadStories } from './stories/upload.ts';

const tell = async (site: () => Site): Promise<void> => {
  streamStories(site);
  await speechStories(site);
  streamListStories(site);
  streamPageStories(site);
  await spokenPageStories(site);
  uploadStories(site);
  spokenUploadStories(site);
  transcriptStories(site);
  await editingStories(site);
};

const RETENTION = { RETENTION_PERSISTENT_S: '10800', RETENTION_MAX_S: '2592000' };

inBrowser('streams in a browser:', tell, { microphone: spokenFile, environment: async () => RETENTION });
