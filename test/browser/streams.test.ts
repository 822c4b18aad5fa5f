import { inBrowser } from './inBrowser.ts';
import { speechStories, streamStories } from './stories/streams.ts';
import { transcriptStories } from './stories/transcript.ts';
import { uploadStories } from './stories/upload.ts';

inBrowser('streams in a browser:', async (site) => {
  streamStories(site);
  await speechStories(site);
  uploadStories(site);
  transcriptStories(site);
});
