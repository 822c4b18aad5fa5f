import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Platform } from '../../src/platform.ts';
import { allProjections, projectionsWith } from '../../src/projections/all.ts';
import { openProjectionEngine } from '../../src/projections/engine/projectionEngine.ts';
import { openReadResults } from '../../src/results/readResults.ts';
import { openEmbeddedDocuments } from '../../src/stores/embedded/documents.ts';
import { openLoneLeases } from '../../src/stores/leases/loneLeases.ts';
import { differences } from './differences.ts';
import type { Form } from './form.ts';

/** The most differences that are shown of each read model. One fault may change every document. */
const MOST_TOLD = 20;

/**
 * Builds the read models from zero in a new SQLite file, and answers in what the stored ones differ. The platform's own store may be slow: FerretDB
 * replaces some hundred documents a second, and a rebuild replaces most of them.
 */
export const differencesFromRebuild = async (
  platform: Platform,
  form: Pick<Form, 'documents'>,
  done: (what: string) => void = () => undefined,
): Promise<string[]> => {
  const { log, clock, logger, topics } = platform;
  const directory = mkdtempSync(join(tmpdir(), 'tributary-rebuilt-'));
  const documents = await openEmbeddedDocuments({ file: join(directory, 'views.db'), durability: 'NORMAL' });
  const leases = await openLoneLeases({ documents, clock, holder: 'rebuild' });
  const over = new AbortController();
  try {
    const projections = projectionsWith(openReadResults({ log, topics, logger }));
    const fresh = await openProjectionEngine({ log, documents, leases, clock, logger, projections });
    await fresh.start(over.signal);
    await fresh.rebuild('all');
    over.abort();
    await fresh.finished();
    // At once: an engine that has ended serves nothing after a while.
    const rebuilt = new Map(allProjections.map(({ name }) => [name, fresh.served(name).collection]));
    done('the views are rebuilt');
    const found: string[] = [];
    for (const [name, collection] of rebuilt) {
      const stored = form.documents(platform, platform.engine.served(name).collection);
      const different = await differences(stored, documents, collection);
      found.push(...different.slice(0, MOST_TOLD).map((difference) => `${name} ${difference}`));
    }
    return found;
  } finally {
    over.abort();
    await leases.close();
    await documents.close();
    rmSync(directory, { recursive: true, force: true });
  }
};
