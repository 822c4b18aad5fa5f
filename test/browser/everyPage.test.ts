import { inBrowser } from './inBrowser.ts';
import { everyPageStories } from './stories/everyPage.ts';

inBrowser('every page in a browser:', everyPageStories);
