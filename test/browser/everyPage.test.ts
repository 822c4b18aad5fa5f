import { inBrowser } from './inBrowser.ts';
import { docsPageStories } from './stories/docs.ts';
import { everyPageStories } from './stories/everyPage.ts';

inBrowser('every page in a browser:', (site) => {
  everyPageStories(site);
  docsPageStories(site);
});
